"""CSV, written and read: one row per record, for spreadsheets; a bar separates the items of a list."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from medharvest.citations.affiliations import affiliation_parts, name_country
from medharvest.citations.nlm_style import parse_page_range
from medharvest.errors import InputError
from medharvest.fields import LIST_FIELDS, RECORD_LINE_FIELDS, TEXT_FIELDS, parse_record_lines, write_record_lines
from medharvest.formats import medline_values, text_forms
from medharvest.formats.medline_values import HISTORY_DATE_NAMES, page_or_article_number
from medharvest.formats.record_files import ReadingNotes, refuse_record
from medharvest.formats.text_forms import to_plain_line
from medharvest.records import Author, Citation, NamedDate

_CELL_ITEM_SEPARATOR = " | "
_CSV_TEXT_COLUMNS = (*TEXT_FIELDS, "url")
CSV_COLUMNS = ("title", "authors", *_CSV_TEXT_COLUMNS[1:], *LIST_FIELDS, *RECORD_LINE_FIELDS, *HISTORY_DATE_NAMES)
# Behind the record's own columns: what its affiliations name, each once; they are not read back.
_PART_COLUMNS = ("institutions", "cities", "countries")
# The columns of other programs by field, in lower case, the better one first: Zotero, PubMed, Rayyan, Covidence,
# Scopus, Web of Science, EndNote and bib-dedupe. `pages`, `year`, `month`, `day` and `extra` are taken apart.
_OTHER_COLUMNS = {
    "title": ("article title", "document title", "primary title", "titles"),
    "authors": ("author", "author full names", "author names", "author(s)"),
    "journal": (
        *("publication title", "source title", "journal/book", "journal title", "journal name"),
        *("secondary title", "source", "publication"),
    ),
    "abbreviation": ("journal abbreviation", "abbreviated source title", "abbreviated journal", "alternate journal"),
    "issn": ("e-issn", "eissn", "issn/eissn", "isbn/issn"),
    "volume": ("vol", "vol."),
    "issue": ("number", "issue number", "no."),
    "pages": ("page", "page range"),
    "first page": ("page start", "start page"),
    "last page": ("page end", "end page"),
    "article number": ("art. no.", "article no.", "article number"),
    "date": ("publication date", "published date", "date published"),
    "year": ("publication year", "published year", "pub year"),
    "month": ("published month",),
    "day": (),
    "doi": ("digital object identifier", "electronic resource number", "doi link"),
    "pmid": ("pubmed id", "pubmedid"),
    "abstract": ("abstract note", "abstracts"),
    "keywords": (
        "author keywords",
        "keyword",
        "manual tags",
        "automatic tags",
        "index keywords",
        "keywords plus",
        "tags",
    ),
    "affiliations": ("author address", "addresses", "affiliation"),
    "url": ("link", "urls", "urls/pdf"),
    "language": ("language of original document", "languages"),
    "publisher": (),
    "extra": (),
}
_BETTER_COLUMNS = frozenset({"author full names"})  # than the one that is named as the field
# Of these every column counts; of the others the first that has a value.
_JOINED_FIELDS = frozenset({"keywords", "issn", "affiliations"})
# What a program notes about its own copy of the record, or says again in another column.
_DESCRIBING_COLUMNS = frozenset(
    {"key", "date added", "date modified", "access date", "covidence #", "ref", "study", "eid", "create date"}
    | {
        *_PART_COLUMNS,
        "first author",
        "citation",
        "authors",
        "id",
        "file attachments",
        "link attachments",
        "source database",
    }
)
_SCOPUS_ID = re.compile(r"\s{0,4}\([0-9]{5,20}\)$")
_PMID_IN_NOTE = re.compile(r"\bPMID:\s{0,4}([0-9]{1,9})\b")
_ISO_DATE_OR_SPAN = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}(?:/[0-9]{4}(?:-[0-9]{2}){0,2})?")
_MAX_BROKEN_ROWS = 100  # after each, the lines that it swallowed are read again
_LINES_LOOKED_AT = 50  # for a row of its own among the lines of one with an unclosed quote
_QUOTE_HINT = "look for an unclosed quote or a broken line"
# Spreadsheets take a cell with this start for a formula; an apostrophe in front makes it text.
_FORMULA_START = re.compile(r"'*[=+\-@\t]")
_GUARDED_START = re.compile(r"'+[=+\-@\t]")


class _Echo:
    """A file that returns what is written to it, so that `csv` returns the line."""

    def write(self, text: str) -> str:
        return text


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the header row and one row per record."""
    line = csv.writer(_Echo(), lineterminator="\r\n").writerow
    yield line((*CSV_COLUMNS, *_PART_COLUMNS))
    for citation in citations:
        yield line(_list_csv_cells(citation))


def _list_csv_cells(citation: Citation) -> Iterator[str]:
    past = {item.name: item.date for item in citation.dates}
    yield _guard_formula(citation.title)
    yield _join_cell_items(text_forms.author_to_inverted(author) for author in citation.authors)
    yield from (_guard_formula(getattr(citation, name)) for name in _CSV_TEXT_COLUMNS[1:])
    yield from (_join_cell_items(getattr(citation, name)) for name in LIST_FIELDS)
    yield from (_join_cell_items(write_record_lines(citation, name)) for name in RECORD_LINE_FIELDS)
    yield from (_guard_formula(past.get(name, "")) for name in HISTORY_DATE_NAMES)
    parts = tuple(map(affiliation_parts, citation.affiliations))
    countries = (name_country(one.country_code) or one.country for one in parts)
    for values in ((one.institution for one in parts), (one.city for one in parts), countries):
        yield _join_cell_items(dict.fromkeys(values))


def _join_cell_items(items: Iterable[str]) -> str:
    return _guard_formula(
        _CELL_ITEM_SEPARATOR.join(text for item in items if (text := to_plain_line(item).replace("|", "/")))
    )


def _guard_formula(text: str) -> str:
    text = to_plain_line(text)
    return f"'{text}" if _FORMULA_START.match(text) else text


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read rows by the column names in the first row, ours or those of other programs; other columns are noted."""
    text = io.TextIOWrapper(file, "utf-8-sig", "replace", newline="")
    try:
        lines = _RowLines(line.replace("\0", "") if "\0" in line else line for line in text)
        header, delimiter = _read_csv_header(lines)
        columns = _ColumnPlan(header)
        for row in _read_csv_rows(lines, delimiter, len(header), notes):
            if notes is not None:
                columns.note_unread(row, notes)
            yield columns.read_row(row)
    finally:
        text.detach()


def _read_csv_header(lines: _RowLines) -> tuple[list[str], str]:
    """Return the column names and the delimiter; lines before that name a separator or a type are skipped."""
    head = next((line for line in lines if line.strip() and not line.startswith(("sep=", "*"))), "")
    delimiter = max(",;\t", key=head.count)
    try:
        names = next(csv.reader([head], delimiter=delimiter), [])
    except csv.Error:
        names = []
    if not any(_to_field_name(name) == "title" for name in names):
        raise InputError(
            "no column is named title", name="csv", hint=f"the first row names the columns: {', '.join(CSV_COLUMNS)}"
        )
    return [to_plain_line(name) for name in names], delimiter


class _RowLines:
    """The lines of a file, with those of the current row, which can be given back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._returned: list[str] = []
        self.number = 0
        self.taken: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._returned.pop() if self._returned else next(self._lines)
        self.number += 1
        self.taken.append(line)
        return line

    def give_back(self) -> None:
        """Give back all lines of the current row but the first."""
        self._returned.extend(reversed(self.taken[1:]))
        self.number -= len(self.taken) - 1


def _read_csv_rows(lines: _RowLines, delimiter: str, width: int, notes: ReadingNotes | None) -> Iterator[list[str]]:
    """Yield the rows; one with an unclosed quote is refused, and the lines after its first are read again."""
    rows = csv.reader(lines, delimiter=delimiter)
    broken = 0
    while broken <= _MAX_BROKEN_ROWS:
        lines.taken.clear()
        reason = ""
        start = lines.number + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            row, reason = [], f"not CSV: {error}"
        if notes is not None and (reason or any(row)):
            notes.begin_record(start)
        if reason or _swallows_rows(row, lines.taken, delimiter, width):
            broken += 1
            refuse_record(notes, reason or "a quote is not closed", line=start, name="csv", hint=_QUOTE_HINT)
            lines.give_back()
        elif any(row):
            yield row
    raise InputError(f"more than {_MAX_BROKEN_ROWS} rows cannot be read", name="csv", hint=_QUOTE_HINT)


def _swallows_rows(row: list[str], taken: list[str], delimiter: str, width: int) -> bool:
    """Whether a row of several lines has a wrong number of cells while a line in it would be a row by itself."""
    if len(taken) == 1 or len(row) == width or width < 2:  # noqa: PLR2004
        return False
    return any(
        len(line) < csv.field_size_limit() and len(next(csv.reader([line], delimiter=delimiter), [])) == width
        for line in taken[1:_LINES_LOOKED_AT]
    )


def _to_field_name(column: str) -> str:
    """Return the field of a column, ours or that of another program; empty if it is not read."""
    words = to_plain_line(column).lower().replace("_", " ")
    return _FIELDS_BY_COLUMN.get(words, "")


_FIELDS_BY_COLUMN = {
    **{column: field for field, columns in _OTHER_COLUMNS.items() for column in (field, *columns)},
    **{name.replace("_", " "): name.replace("_", " ") for name in CSV_COLUMNS},
}


class _ColumnPlan:
    """Where the values of a record are in a row, worked out once per file."""

    def __init__(self, header: list[str]) -> None:
        self._header = header
        names = [name.lower().replace("_", " ") for name in header]
        self._own = set(CSV_COLUMNS) <= {name.replace(" ", "_") for name in names}
        self._places: dict[str, list[int]] = {}
        for place, name in sorted(enumerate(names), key=lambda item: _rank_column(item[1])):
            if name in _FIELDS_BY_COLUMN:
                self._places.setdefault(_FIELDS_BY_COLUMN[name], []).append(place)
        self._lines = [name for name in RECORD_LINE_FIELDS if name.replace("_", " ") in self._places]
        read = {place for places in self._places.values() for place in places}
        self._unread = [
            place for place, name in enumerate(names) if place not in read and name not in _DESCRIBING_COLUMNS
        ]

    def note_unread(self, row: list[str], notes: ReadingNotes) -> None:
        """Note the cells of columns that are not read, and cells beyond the last column."""
        for place in self._unread:
            if place < len(row) and row[place].strip():
                notes.drop(self._header[place] or f"column {place + 1}", row[place])
        for cell in row[len(self._header) :]:
            if cell.strip():
                notes.drop("cells beyond the last column", cell)

    def read_row(self, row: list[str]) -> Citation:
        """Return the record of a row."""
        values = {name.replace("_", " "): self._get_text(row, name.replace("_", " ")) for name in _CSV_TEXT_COLUMNS}
        lists = {name: self._get_items(row, name.replace("_", " ")) for name in LIST_FIELDS}
        records = {name: parse_record_lines(name, self._get_items(row, name.replace("_", " "))) for name in self._lines}
        past = [(name, self._get_text(row, name)) for name in HISTORY_DATE_NAMES]
        texts = {name.replace(" ", "_"): value for name, value in values.items()}
        texts["item_type"] = medline_values.item_type_from_word(texts["item_type"])
        if not self._own:
            texts |= self._read_pages(row, texts)
            texts["date"] = self._read_date(row)
            texts["pmid"] = texts["pmid"] or self._find_pmid(row)
        else:
            texts["date"] = _read_csv_date(texts["date"])
        return Citation(
            authors=self._get_authors(row),
            dates=tuple(NamedDate(name, date) for name, date in past if date),
            **texts,  # type: ignore[arg-type]
            **lists,  # type: ignore[arg-type]
            **records,  # type: ignore[arg-type]
        )

    def _get_text(self, row: list[str], field: str) -> str:
        for place in self._places.get(field, ()):
            if place < len(row) and row[place]:
                return _unguard_cell(row[place])
        return ""

    def _get_items(self, row: list[str], field: str) -> tuple[str, ...]:
        places = self._places.get(field, ())
        cells = [_unguard_cell(row[place]) for place in places if place < len(row) and row[place]]
        used = cells if field in _JOINED_FIELDS else cells[:1]
        loose = field in {"keywords", "issn"} or (field in _JOINED_FIELDS and not self._own)
        items = (item.strip() for cell in used for item in _split_cell_items(cell, loose=loose))
        return tuple(item for item in items if item) if self._own else tuple(dict.fromkeys(filter(None, items)))

    def _get_authors(self, row: list[str]) -> tuple[Author, ...]:
        cell = self._get_text(row, "authors")
        if not cell:
            return ()
        if not self._own:
            names = text_forms.split_name_list(cell, _CELL_ITEM_SEPARATOR)
            return text_forms.authors_from_names([_SCOPUS_ID.sub("", name[:500]) for name in names])
        names = [name.strip() for name in cell.split(_CELL_ITEM_SEPARATOR)]
        return tuple(author for author in map(text_forms.author_from_inverted, names) if author != Author())

    def _read_pages(self, row: list[str], texts: Mapping[str, str]) -> dict[str, str]:
        first, last = texts["first_page"], texts["last_page"]
        if not first:
            first, last = parse_page_range(self._get_text(row, "pages"))
        page, number = page_or_article_number(first, last)
        return {"first_page": page, "last_page": last, "article_number": texts["article_number"] or number}

    def _read_date(self, row: list[str]) -> str:
        """Return the fullest date: that of its own column, or of year, month and day."""
        year, month, day = (self._get_text(row, name) for name in ("year", "month", "day"))
        parts = medline_values.iso_from_parts(year, month, day) if month else _read_csv_date(year)
        full = _read_csv_date(self._get_text(row, "date"))
        return full if len(full) >= len(parts) else parts

    def _find_pmid(self, row: list[str]) -> str:
        found = _PMID_IN_NOTE.search(self._get_text(row, "extra")[:20_000])
        return found[1] if found else ""


def _rank_column(name: str) -> int:
    columns = _OTHER_COLUMNS.get(_FIELDS_BY_COLUMN.get(name, ""), ())
    return -1 if name in _BETTER_COLUMNS else columns.index(name) + 1 if name in columns else 0


def _unguard_cell(cell: str) -> str:
    text = to_plain_line(cell)
    return text[1:] if _GUARDED_START.match(text) else text


def _split_cell_items(cell: str, *, loose: bool) -> list[str]:
    """Split a cell into items; other programs separate them by semicolons."""
    return cell.split(";" if loose and _CELL_ITEM_SEPARATOR not in cell else _CELL_ITEM_SEPARATOR)


def _read_csv_date(text: str) -> str:
    """Return an ISO date unchanged, or parse the date of another program."""
    if not text or _ISO_DATE_OR_SPAN.fullmatch(text):
        return text
    if "/" in text:
        return medline_values.iso_from_parts(*text.split("/")[:3])
    return medline_values.iso_from_medline(text)

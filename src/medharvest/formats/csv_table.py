"""CSV, written and read: one row per record, for spreadsheets; a bar separates the items of a list."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from medharvest.errors import InputError
from medharvest.fields import LIST_FIELDS, RECORD_LINE_FIELDS, TEXT_FIELDS, parse_record_lines, write_record_lines
from medharvest.formats import author_forms, medline_values
from medharvest.formats.inline_text import to_plain_line
from medharvest.formats.medline_values import HISTORY_DATE_NAMES
from medharvest.records import Author, Citation, NamedDate

_CELL_ITEM_SEPARATOR = " | "
_CSV_TEXT_COLUMNS = (*TEXT_FIELDS, "url")
CSV_COLUMNS = ("title", "authors", *_CSV_TEXT_COLUMNS[1:], *LIST_FIELDS, *RECORD_LINE_FIELDS, *HISTORY_DATE_NAMES)
# Column names of other programs -> ours.
_OTHER_COLUMN_NAMES = {
    "article title": "title",
    "author": "authors",
    "author full names": "authors",
    "author keywords": "keywords",
    "document title": "title",
    "issn/eissn": "issn",
    "journal title": "journal",
    "journal/book": "journal",
    "keyword": "keywords",
    "link": "url",
    "number": "issue",
    "page end": "last_page",
    "page start": "first_page",
    "primary title": "title",
    "publication title": "journal",
    "publication year": "date",
    "publication date": "date",
    "pubmed id": "pmid",
    "source title": "journal",
    "start page": "first_page",
    "end page": "last_page",
    "year": "date",
}
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
    yield line(CSV_COLUMNS)
    for citation in citations:
        yield line(_list_csv_cells(citation))


def _list_csv_cells(citation: Citation) -> Iterator[str]:
    past = {item.name: item.date for item in citation.dates}
    yield _guard_formula(citation.title)
    yield _join_cell_items(author_forms.author_to_inverted(author) for author in citation.authors)
    yield from (_guard_formula(getattr(citation, name)) for name in _CSV_TEXT_COLUMNS[1:])
    yield from (_join_cell_items(getattr(citation, name)) for name in LIST_FIELDS)
    yield from (_join_cell_items(write_record_lines(citation, name)) for name in RECORD_LINE_FIELDS)
    yield from (_guard_formula(past.get(name, "")) for name in HISTORY_DATE_NAMES)


def _join_cell_items(items: Iterable[str]) -> str:
    return _guard_formula(
        _CELL_ITEM_SEPARATOR.join(text for item in items if (text := to_plain_line(item).replace("|", "/")))
    )


def _guard_formula(text: str) -> str:
    text = to_plain_line(text)
    return f"'{text}" if _FORMULA_START.match(text) else text


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read rows by the column names in the first row, ours or those of other programs; other columns are ignored."""
    try:
        yield from _read_csv_lines(line.replace("\0", "") for line in codecs.iterdecode(file, "utf-8-sig", "replace"))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", name="csv", hint="look for an unclosed quote or a broken line") from error


def _read_csv_lines(lines: Iterator[str]) -> Iterator[Citation]:
    head = next(lines, "")
    delimiter = max(",;\t", key=head.count)
    names = [_to_column_name(cell) for cell in next(csv.reader([head], delimiter=delimiter), [])]
    if "title" not in names:
        raise InputError(
            "no column is named title", name="csv", hint=f"the first row names the columns: {', '.join(CSV_COLUMNS)}"
        )
    for row in csv.reader(lines, delimiter=delimiter):
        if any(row):
            yield _read_csv_row({name: _unguard_cell(cell) for name, cell in zip(names, row, strict=False)})


def _to_column_name(cell: str) -> str:
    words = to_plain_line(cell).lower()
    return _OTHER_COLUMN_NAMES.get(words, words.replace(" ", "_"))


def _unguard_cell(cell: str) -> str:
    text = to_plain_line(cell)
    return text[1:] if _GUARDED_START.match(text) else text


def _read_csv_row(row: Mapping[str, str]) -> Citation:
    texts = {name: row.get(name, "") for name in _CSV_TEXT_COLUMNS if name != "date"}
    lists: dict[str, Any] = {name: tuple(_split_cell_items(row.get(name, ""), name)) for name in LIST_FIELDS}
    lists |= {
        name: parse_record_lines(name, tuple(_split_cell_items(row[name], name)))
        for name in RECORD_LINE_FIELDS
        if row.get(name)
    }
    past = tuple(NamedDate(name, row[name]) for name in HISTORY_DATE_NAMES if row.get(name))
    names = map(author_forms.author_from_inverted, _split_cell_items(row.get("authors", ""), "authors"))
    authors = tuple(author for author in names if author != Author())
    return Citation(authors=authors, date=_read_csv_date(row.get("date", "")), dates=past, **texts, **lists)  # type: ignore[arg-type]


def _split_cell_items(cell: str, name: str) -> Iterator[str]:
    """Split a cell into items; other programs separate authors, keywords and ISSNs by semicolons."""
    loose = _CELL_ITEM_SEPARATOR not in cell and name in {"authors", "keywords", "issn"}
    return (item.strip() for item in (cell.split(";") if loose else cell.split(_CELL_ITEM_SEPARATOR)) if item.strip())


def _read_csv_date(text: str) -> str:
    """Return an ISO date unchanged, or parse the date of another program."""
    return text if re.fullmatch(r"[0-9/-]*", text) else medline_values.iso_from_medline(text)

"""Files that databases and reference managers export, read only.

`read_wos` reads Web of Science and ISI (`.ciw`), `read_refer` reads Refer and EndNote's `.enw`, `read_ovid` reads
Ovid's text with labels; a table per format says which tag fills which field. `read_endnote` reads EndNote's XML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from medharvest.citations.identifiers import find_doi, find_unchecked_issns, parse_pmid
from medharvest.citations.nlm_style import parse_page_range
from medharvest.formats import medline_values, text_forms
from medharvest.formats.medline_values import page_or_article_number, to_two_letter_code
from medharvest.formats.record_files import ReadingNotes, read_text_lines
from medharvest.formats.ris import Tags, TagValues, read_pmid, read_year_and_date
from medharvest.formats.text_forms import to_plain_line
from medharvest.formats.xml_elements import note_unread_elements, read_elements, text_at, texts_at
from medharvest.records import Author, Citation

_MAX_RECORD_LINES = 100_000  # of one record; a thousand references take five thousand
_BETWEEN_RECORDS = "text between records"
_ENDNOTE_GROUPS = frozenset({"contributors", "titles", "periodical", "dates", "pub-dates", "urls"})
# What is read, and what describes the library that the record was in; the rest is reported as dropped.
_ENDNOTE_ELEMENTS = frozenset(
    """authors title secondary-title alt-title full-title abbr-1 pages volume number keywords year date isbn abstract
    related-urls electronic-resource-num language auth-address publisher accession-num translated-title
    database source-app rec-number foreign-keys ref-type short-title remote-database-name remote-database-provider
    access-date""".split()
)


class _Line(NamedTuple):
    """A line of a record: its tag, empty if it continues the one above, and its text."""

    tag: str
    text: str


class _Dialect(NamedTuple):
    """How one kind of tagged text is written.

    `split` takes a line apart, `begins` says whether a line begins a record, `ends` the tag that ends it. Each line of
    a tag in `listed` is a value of its own. `fields` names the tags of each field, `described` those that say nothing
    about the article. With `other`, a file whose first record begins so has an empty line before each record.
    """

    name: str
    split: Callable[[str], _Line | None]
    begins: re.Pattern[str]
    ends: frozenset[str]
    listed: frozenset[str]
    fields: Mapping[str, tuple[str, ...]]
    described: frozenset[str]
    other: re.Pattern[str] | None = None


def read_wos(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records of Web of Science, ISI and `.ciw` files one by one."""
    return _read_dialect(file, _WOS, _read_wos_record, notes)


def read_refer(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records of Refer and `.enw` files one by one."""
    return _read_dialect(file, _REFER, _read_refer_record, notes)


def read_ovid(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records of Ovid's text export one by one."""
    return _read_dialect(file, _OVID, _read_ovid_record, notes)


def _read_dialect(
    file: BinaryIO, dialect: _Dialect, read_record: Callable[[TagValues], Citation], notes: ReadingNotes | None
) -> Iterator[Citation]:
    for tags in _split_records(file, dialect, notes):
        values = TagValues(tags)
        yield read_record(values)
        if notes is not None:
            values.note_rest(notes, dialect.described)


def _split_records(file: BinaryIO, dialect: _Dialect, notes: ReadingNotes | None) -> Iterator[Tags]:
    """Yield the tags of each record; lines between records are noted."""
    record: list[_Line] = []
    is_open = was_blank = False
    begins = dialect.begins
    for number, text in enumerate(read_text_lines(file), 1):
        if dialect.other and not is_open and dialect.other.match(text) and not begins.match(text):
            begins = dialect.other  # the whole file is written so
        if begins.match(text) and (begins is dialect.begins or was_blank or not is_open):
            if any(line.tag for line in record):
                yield _join_lines(record, dialect)
            record, is_open = [], True
            if notes is not None:
                notes.begin_record(number)
        was_blank = not text.strip()
        line = None if was_blank else dialect.split(text)
        if line is None or not is_open or len(record) >= _MAX_RECORD_LINES:
            if text.strip() and notes is not None and not (line and line.tag in dialect.described):
                notes.drop(_BETWEEN_RECORDS, text)
        elif line.tag in dialect.ends:
            yield _join_lines(record, dialect)
            record, is_open = [], False
        else:
            record.append(line)
    if record:
        yield _join_lines(record, dialect)


def _join_lines(record: list[_Line], dialect: _Dialect) -> Tags:
    """Return tags and values; a line without a tag continues the value above, or is one more value of its tag."""
    joined: list[tuple[str, list[str]]] = []
    tag = ""
    for line in record:
        tag = line.tag or tag
        if line.tag or tag in dialect.listed or not joined:
            joined.append((tag, [line.text]))
        else:
            joined[-1][1].append(line.text)
    return Tags([(tag, to_plain_line(" ".join(pieces))) for tag, pieces in joined])


def _take_plain_fields(record: TagValues, dialect: _Dialect) -> dict[str, str]:
    """Take the fields that are one text as it is written."""
    return {name: record.take(*tags) for name, tags in dialect.fields.items()}


def _split_items(texts: tuple[str, ...], separator: str = ";") -> tuple[str, ...]:
    """Return the items of several texts, each once."""
    items = (item.strip() for text in texts for item in text.split(separator))
    return tuple(dict.fromkeys(item for item in items if item))


def _find_issns(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(issn for text in texts for issn in find_unchecked_issns(text)))


# Web of Science: two capitals or digits, a blank, the value; a continuation is indented by three blanks.


def _split_wos_line(text: str) -> _Line | None:
    if text.startswith("   "):
        return _Line("", text.strip())
    found = _WOS_LINE.match(text)
    return _Line(found[1], found[2] or "") if found else None


_WOS_LINE = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)")
_WOS_GROUPED = re.compile(r"\[[^\]]{0,2000}\]\s?")  # the authors in front of an address
_WOS = _Dialect(
    name="wos",
    split=_split_wos_line,
    begins=re.compile(r"PT [A-Z]"),
    ends=frozenset({"ER"}),
    listed=frozenset({"AU", "AF", "CA", "C1", "CR", "BE", "ED", "BA", "BF", "EM", "C3"}),
    fields={
        "title": ("TI",),
        "journal": ("SO",),
        "abbreviation": ("JI", "J9"),
        "publisher": ("PU",),
        "volume": ("VL",),
        "issue": ("IS",),
        "abstract": ("AB",),
        "vernacular_title": ("FT",),
    },
    # The second list of authors repeats the first; counts, dates of the export and numbers of the database.
    described=frozenset("FN VR PT ER EF UT NR TC Z9 U1 U2 GA DA PG AU OA HC HP J9".split()),
)


def _read_wos_record(record: TagValues) -> Citation:
    authors = text_forms.authors_from_names(record.take_all("AF") or record.take_all("AU"))
    groups = tuple(Author(collective=name) for name in record.take_all("CA"))
    first, last = record.take("BP"), record.take("EP")
    page, number = page_or_article_number(first, last)
    return Citation(
        **_take_plain_fields(record, _WOS),  # type: ignore[arg-type]
        authors=authors + groups,
        affiliations=_split_items(tuple(_WOS_GROUPED.sub("", text) for text in record.take_all("C1")), "\n"),
        issn=_find_issns(record.take_all("SN", "EI")),
        first_page=page,
        last_page=last,
        article_number=record.take("AR") or number,
        date=read_year_and_date(record.take("PY"), record.take("PD")),
        doi=find_doi(record.take("DI")),
        pmid=read_pmid(record, "PM"),
        language=to_two_letter_code(record.take("LA")),
        keywords=_split_items(record.take_all("DE", "ID")),
        references=record.take_all("CR"),
        funding=_split_items(record.take_all("FU")),
    )


# Refer: a percent sign, a letter, digit or sign, a blank, the value; an empty line or `%0` separates records.


def _split_refer_line(text: str) -> _Line | None:
    found = _REFER_LINE.match(text)
    return _Line(found[1], found[2]) if found else _Line("", text.strip())


_REFER_LINE = re.compile(r"%([0-9A-Za-z@!+~#$^&*()\[\]<>?=|]) ?(.*)")
_REFER = _Dialect(
    name="refer",
    split=_split_refer_line,
    begins=re.compile(r"%0(?: |$)"),
    ends=frozenset(),
    listed=frozenset({"K", "A"}),
    fields={
        "title": ("T",),
        "journal": ("J", "B"),
        "abbreviation": ("O",),
        "publisher": ("I",),
        "volume": ("V",),
        "issue": ("N",),
        "abstract": ("X",),
        "vernacular_title": ("Q",),
        "url": ("U",),
    },
    described=frozenset("0 F ~ W [ ! L".split()),
    other=re.compile(r"%[A-Z] "),
)


def _read_refer_record(record: TagValues) -> Citation:
    first, last = parse_page_range(record.take("P"))
    page, number = page_or_article_number(first, last)
    return Citation(
        **_take_plain_fields(record, _REFER),  # type: ignore[arg-type]
        authors=text_forms.authors_from_names(record.take_all("A")),
        affiliations=record.take_all("+"),
        issn=_find_issns(record.take_all("@")),
        first_page=page,
        last_page=last,
        article_number=number,
        date=read_year_and_date(record.take("D"), record.take("8")),
        doi=find_doi(record.take("R")),
        pmid=read_pmid(record, "M"),
        language=to_two_letter_code(record.take("G")),
        keywords=_split_items(record.take_all("K")),
    )


# Ovid: `<1>` begins a record, a label stands at the start of a line, its value is indented on the lines below; or a
# tag of two letters, blanks and a hyphen stand before the value.


def _split_ovid_line(text: str) -> _Line | None:
    if _OVID_NUMBER.fullmatch(text):
        return _Line("number", text)
    if text[:1].isspace():
        return _Line("", text.strip())
    if found := _OVID_TAG.match(text):
        return _Line(found[1], found[2])
    return _Line(text.strip().casefold(), "")


_OVID_NUMBER = re.compile(r"<[0-9]{1,7}>\s*")
_OVID_TAG = re.compile(r"([A-Z][A-Z0-9])\s{0,3}- (.*)")
_OVID_NAME_END = re.compile(r"(?<=\w\.)\s{2,}|(?<=\w\.)\s(?=[^\W\d_][^.,]{1,60},)|\s{3,}")
_OVID_PLACE = re.compile(
    r"(?P<journal>[^\n]{1,300}?)\.?\s"
    r"(?P<volume>[0-9][\w.-]{0,20}|Suppl\w*)?\s?"
    r"(?:\((?P<issue>(?!pp)[^()]{1,60})\))?"
    r"(?:\s?\(pp (?P<pages>[^()]{1,60})\)|:(?P<short>[^,;]{1,60}))?"
    r"[,;]\s(?P<date>(?:[0-9]{4}|[A-Z][a-z]{2,8}\s)[^;]{0,60}?)\.?(?:\s(?:Date of Publication|Article Number).{0,200})?"
)
_MAX_SOURCE_CHARACTERS = 700
_OVID = _Dialect(
    name="ovid",
    split=_split_ovid_line,
    begins=_OVID_NUMBER,
    ends=frozenset(),
    listed=frozenset(),
    fields={
        "title": ("title", "TI"),
        "vernacular_title": ("original title", "vernacular title", "TT"),
        "abstract": ("abstract", "AB"),
        "publisher": ("publisher", "PB"),
    },
    described=frozenset(
        {"number", "VN", "DB", "ST", "UI", "version", "database", "status", "link to the ovid full text or citation"}
        | {"authors", "author", "AU", "source", "abbreviated source", "year of publication", "YR", "unique identifier"}
    ),
)


def _read_ovid_record(record: TagValues) -> Citation:
    full = record.take("authors full name", "FA", "author full name") or record.take("authors", "author", "AU")
    place = _read_ovid_source(record)
    first, last = parse_page_range(place.get("pages") or place.get("short") or "")
    page, number = page_or_article_number(first, last)
    texts = _take_plain_fields(record, _OVID)
    texts["title"], _ = medline_values.remove_title_stop(texts["title"])
    return Citation(
        **texts,  # type: ignore[arg-type]
        authors=text_forms.authors_from_names(_split_ovid_names(full)),
        affiliations=record.take_all("institution", "IN"),
        journal=record.take("journal name", "journal title", "JN") or place.get("journal", ""),
        abbreviation=record.take("nlm journal name abbreviation", "JA"),
        issn=_find_issns(record.take_all("issn", "issn print", "issn electronic", "issn linking", "IS")),
        volume=place.get("volume", ""),
        issue=place.get("issue", ""),
        first_page=page,
        last_page=last,
        article_number=number,
        date=medline_values.iso_from_medline(place.get("date", ""))
        or read_year_and_date(record.take("year of publication", "YR"), record.take("date of publication", "DP")),
        doi=find_doi(record.take("digital object identifier", "DO")),
        pmid=read_pmid(record, "pmid", "PM") or read_pmid(record, "unique identifier", "UI"),
        language=to_two_letter_code(record.take("language", "LG")),
        keywords=_split_items(record.take_all("keyword heading", "keyword", "KW", "keyword heading owner"), "."),
        url=record.take("url", "UR"),
    )


def _split_ovid_names(text: str) -> list[str]:
    """Split names that end with a full stop: `Berg, Anna B. Cole, Carl.` or `Berg AB.  Cole C.`."""
    names = _OVID_NAME_END.split(text)
    names = names if len(names) > 1 else text_forms.split_name_list(text)
    return [name.strip().removesuffix(".") for name in names if name.strip()]


def _read_ovid_source(record: TagValues) -> dict[str, str]:
    """Take the source apart: `Journal of Tides. 12(3):123-8, 2014 Mar.`; what it does not match is left to be noted."""
    source = record.first("source") or record.first("SO")
    found = _OVID_PLACE.fullmatch(source) if len(source) <= _MAX_SOURCE_CHARACTERS else None
    if found is None:
        return {"journal": source.partition(". ")[0]} if ". " in source else {}
    record.take("source", "SO")
    return {name: value.strip() for name, value in found.groupdict().items() if value}


def read_endnote(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read the records of EndNote's XML, which has most texts inside `<style>`."""
    for element in read_elements(file, "record", notes=notes):
        note_unread_elements(element, notes, read=_ENDNOTE_ELEMENTS, inside=_ENDNOTE_GROUPS)
        yield _read_endnote_record(element)


def _read_endnote_record(record: Any) -> Citation:
    first, last = parse_page_range(text_at(record, "pages"))
    page, number = page_or_article_number(first, last)
    journal = text_at(record, "periodical/full-title") or text_at(record, "titles/secondary-title")
    short = text_at(record, "periodical/abbr-1") or text_at(record, "titles/alt-title")
    return Citation(
        url=text_at(record, "urls/related-urls/url"),
        title=text_at(record, "titles/title"),
        vernacular_title=text_at(record, "titles/translated-title"),
        authors=text_forms.authors_from_names(texts_at(record, "contributors/authors/author")),
        affiliations=texts_at(record, "auth-address"),
        abstract=text_at(record, "abstract"),
        journal=journal,
        abbreviation="" if short.casefold() == journal.casefold() else short,
        publisher=text_at(record, "publisher"),
        issn=find_unchecked_issns(text_at(record, "isbn")),
        volume=text_at(record, "volume"),
        issue=text_at(record, "number"),
        first_page=page,
        last_page=last,
        article_number=number,
        date=read_year_and_date(text_at(record, "dates/year"), text_at(record, "dates/pub-dates/date")),
        doi=find_doi(text_at(record, "electronic-resource-num")),
        pmid=parse_pmid(text_at(record, "accession-num")),
        language=to_two_letter_code(text_at(record, "language")),
        keywords=texts_at(record, "keywords/keyword"),
    )

"""RIS, written and read, and the tagged lines that RIS and MEDLINE files consist of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

from medharvest.citations.identifiers import find_doi, find_unchecked_issns, parse_pmid
from medharvest.formats import medline_values, nlm_indexing, text_forms
from medharvest.formats.medline_values import (
    item_form_of,
    item_type_from,
    item_word,
    page_or_article_number,
    to_two_letter_code,
)
from medharvest.formats.record_files import ReadingNotes, read_text_lines, refuse_record
from medharvest.formats.text_forms import to_one_line, to_plain_line
from medharvest.records import Citation, Contributor, Identifier

_RIS_LINE = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?(.*)")
# Ten digits, or thirteen that begin with 978 or 979, with hyphens or without: nine digits at least make no ISSN.
_ISBN = re.compile(r"\b(?:97[89][- ]?)?(?:[0-9][- ]?){9}[0-9Xx]\b")
_ROLE_TAGS = {"editor": "A2", "translator": "A4"}
_OWN_TAG_SCHEMES = ("isbn", "pmcid")  # identifiers that have a tag


class Tags(list[tuple[str, str]]):
    """The tags and values of a record in the order of the file, and by tag."""

    __slots__ = ("_by_tag",)

    def list_values(self, name: str) -> list[str]:
        """Return the values of one tag, without empty ones."""
        if not hasattr(self, "_by_tag"):
            self._by_tag: dict[str, list[str]] = {}
            for tag, value in self:
                if value:
                    self._by_tag.setdefault(tag, []).append(value)
        return self._by_tag.get(name, [])


_MAX_RECORD_CHARACTERS = 2_000_000  # of one record; a hundred times the longest
# The kind of the record, its number in a database, and where and when it was found: nothing about the article.
_DESCRIBING_TAGS = frozenset({"TY", "ER", "ID", "DB", "DP", "Y2"})
_BETWEEN_RECORDS = "text between records"


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write records one by one, each with `ER` and an empty line at its end."""
    for citation in citations:
        lines = ((tag, to_one_line(text).strip()) for tag, text in _list_ris_tags(citation))
        yield "".join(f"{tag}  - {text}\r\n" for tag, text in lines if text) + "ER  - \r\n\r\n"


def _list_ris_tags(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "TY", item_form_of(citation.item_type).ris[0]
    yield "M3", item_word("ris", citation.item_type)
    yield "TI", citation.title
    yield "TT", citation.vernacular_title
    yield from (("AU", text_forms.author_to_inverted(author)) for author in citation.authors)
    for role, tag in _ROLE_TAGS.items():
        people = text_forms.list_people(citation, role)
        yield from ((tag, text_forms.author_to_inverted(author)) for author in people)
    yield from (("AD", place) for place in citation.affiliations)
    yield from (("T2", citation.journal), ("J2", citation.abbreviation), ("PB", citation.publisher))
    yield from (("CY", citation.publisher_place), ("ET", citation.edition))
    yield from (("SN", issn) for issn in citation.issn)
    yield from (("SN", one.value) for one in citation.identifiers if one.scheme == "isbn")
    yield "C2", nlm_indexing.identifier_value(citation, "pmcid")
    yield from (("VL", citation.volume), ("IS", citation.issue))
    yield "SP", citation.first_page or citation.article_number
    yield from (("EP", citation.last_page), ("C7", citation.article_number))
    yield from (("PY", citation.date[:4]), ("DA", _format_ris_date(citation.date)))
    yield from (("DO", citation.doi), ("AN", citation.pmid), ("LA", citation.language))
    yield from (("LA", code) for code in citation.other_languages)
    yield from (("KW", word) for word in medline_values.list_subject_words(citation))
    yield from (("N1", line) for line in medline_values.list_note_lines(citation, _OWN_TAG_SCHEMES))
    yield from (("AB", citation.abstract), ("UR", citation.url))


def _format_ris_date(iso: str) -> str:
    """Format YYYY/MM/DD/ with empty parts for unknown ones, followed by a season or a span."""
    known = medline_values.split_iso_date(iso)
    season = medline_values.season_or_span(iso)
    return "/".join([*known[: 1 if season else 3], "", "", ""][:3]) + f"/{season}" if known else ""


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read records one by one; a record begins with `TY` and ends with `ER` or before the next `TY`."""
    for record in read_tagged_records(file, _RIS_LINE, None, "ris", notes, first="TY"):
        fields = TagValues(record)
        yield _read_ris_record(fields)
        if notes is not None:
            fields.note_rest(notes, _DESCRIBING_TAGS)


def _read_ris_record(record: TagValues) -> Citation:
    number = record.take("C7")
    start, last = record.take("SP"), record.take("EP")
    start, last = (start, last.strip(" +")) if last else medline_values.split_pages(start)
    first, number_as_page = page_or_article_number(start, last)
    journal, short = record.take("T2", "JF", "JO"), record.take("J2", "JA", "JI", "J9", "JO")
    languages, serials = record.take_all("LA"), record.take_all("SN")
    stated = medline_values.split_note_lines(record.take_all("N1"))
    stated["identifiers"] += _take_identifiers(record, serials)
    return Citation(
        item_type=item_type_from("ris", record.take("TY").upper(), record.take("M3")),
        contributors=tuple(_take_contributors(record)),
        publisher_place=record.take("CY"),
        edition=record.take("ET"),
        other_languages=tuple(filter(None, map(to_two_letter_code, languages[1:]))),
        **stated,
        url=record.take("UR", "L2"),
        title=record.take("TI", "T1", "CT"),
        vernacular_title=record.take("TT"),
        authors=text_forms.authors_from_names(_take_authors(record)),
        affiliations=record.take_all("AD"),
        abstract=_take_abstract(record),
        journal=journal,
        abbreviation="" if short.casefold() == journal.casefold() else short,
        publisher=record.take("PB", "PU"),
        issn=tuple(issn for text in serials for issn in find_unchecked_issns(_ISBN.sub("", text))),
        volume=record.take("VL", "VO"),
        issue=record.take("IS"),
        first_page="" if first == number else first,
        last_page=last,
        article_number=number or number_as_page,
        date=read_year_and_date(record.take("PY", "Y1"), record.take("DA")),
        doi=_take_doi(record),
        pmid=read_pmid(record, "AN", "C2"),
        language=to_two_letter_code(languages[0]) if languages else "",
        keywords=record.take_all("KW"),
        funding=record.take_all("FU"),
    )


def _take_contributors(record: TagValues) -> Iterator[Contributor]:
    for role, tags in (("editor", ("A2", "ED")), ("translator", ("A4",))):
        yield from text_forms.make_contributors(role, text_forms.authors_from_names(record.take_all(*tags)))


def _take_identifiers(record: TagValues, serials: Iterable[str]) -> tuple[Identifier, ...]:
    """Take ISBNs, which have the tag of ISSNs, and the PMCID."""
    found = [("isbn", isbn) for text in serials for isbn in _ISBN.findall(text)]
    found += [("pmcid", record.take("C2"))] if record.first("C2").upper().startswith("PMC") else []
    return tuple(dict.fromkeys(Identifier(scheme, value) for scheme, value in found))


def _take_authors(record: TagValues) -> tuple[str, ...]:
    """Take the primary authors and the others; some programs write all of them under both tags."""
    primary, others = record.take_all("A1"), record.take_all("AU")
    return primary if set(others) <= set(primary) else others if set(primary) <= set(others) else primary + others


def _take_abstract(record: TagValues) -> str:
    """Take the abstract; some programs write a tag per paragraph, or one for the copyright notice."""
    parts = [part for part in record.take_all("AB") or record.take_all("N2") if part]
    return " ".join(part for number, part in enumerate(parts) if not number or not part.startswith("Copyright"))


def _take_doi(record: TagValues) -> str:
    """Take the DOI from its tag, or from the one that EBSCO uses."""
    found = find_doi(record.take("DO"))
    return found or (find_doi(record.take("L3")) if find_doi(record.first("L3")) else "")


def read_year_and_date(year: str, full: str) -> str:
    """Read the date; where it has no year, as in `MAR-APR`, it is that of the year's own tag."""
    one, two = _read_ris_date_parts(full), _read_ris_date_parts(year)
    if one and (not two or one[:4] == two[:4]):
        return max(one, two, key=len)
    if full and two and not one:
        return medline_values.iso_from_medline(f"{two[:4]} {full}") or two
    return two


def _read_ris_date_parts(text: str) -> str:
    year, month, day, season = (*text.split("/", 3), "", "", "")[:4]
    if season and not month:
        return medline_values.iso_from_medline(f"{year} {season}")
    return medline_values.iso_from_parts(year, month, day) or medline_values.iso_from_medline(text)


def read_pmid(record: TagValues, *names: str) -> str:
    """Take the first value of the tags that is a PMID; other numbers, as of Web of Science, remain."""
    for name in names:
        if number := parse_pmid(record.first(name)):
            record.take(name)
            return number
    return ""


def read_tagged_records(
    file: BinaryIO,
    line: re.Pattern[str],
    ends: Callable[[str, str], bool] | None,
    name: str,
    notes: ReadingNotes | None = None,
    *,
    first: str = "",
) -> Iterator[Tags]:
    """Yield the records of a file; `line` splits tag and value, `ends(last_tag, line)` tells where a record ends.

    With `first`, a record begins with this tag, ends with `ER`, and lines between records are dropped.
    """
    record: list[tuple[str, list[str]]] = []
    size = 0
    for number, text in enumerate(read_text_lines(file), 1):
        found = line.match(text)
        tag = found[1].strip() if found else ""
        if record and (ends(record[-1][0], text) if ends else record[-1][0] == "ER" or (tag == first and first)):
            yield _join_continued_lines(record)
            record, size = [], 0
        if found and (record or not first or tag == first):
            if not record and notes is not None:
                notes.begin_record(number)
            record.append((tag, [found[2]]))
        elif record and (rest := text.strip()):
            record[-1][1].append(rest)
        elif notes is not None and text.strip():
            notes.drop(_BETWEEN_RECORDS, text)
        size += len(text)
        if size > _MAX_RECORD_CHARACTERS and record:
            hint = "check that the file is of this format"
            refuse_record(notes, "a record has no end", line=number, name=name, hint=hint)
            record, size = [], 0
    if record:
        yield _join_continued_lines(record)


def _join_continued_lines(record: list[tuple[str, list[str]]]) -> Tags:
    return Tags([(tag, to_plain_line(pieces[0] if len(pieces) == 1 else " ".join(pieces))) for tag, pieces in record])


class TagValues:
    """The values of a record by tag; those that are taken are removed, so that the rest can be named."""

    __slots__ = ("_taken", "_values")

    def __init__(self, record: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        for tag, value in record:
            if value:
                self._values.setdefault(tag, []).append(value)

    def first(self, name: str) -> str:
        """Return the first value of a tag without taking it."""
        found = self._values.get(name)
        return found[0] if found else ""

    def take(self, *names: str) -> str:
        """Take the first value of the first tag that has one."""
        for name in names:
            found = self._values.get(name)
            if found:
                self._taken.add(found[0])
                return found.pop(0)
        return ""

    def take_all(self, *names: str) -> tuple[str, ...]:
        """Take all values of the tags, in the order of the names."""
        found = [value for name in names if name in self._values for value in self._values.pop(name)]
        self._taken.update(found)
        return tuple(found)

    def note_rest(self, notes: ReadingNotes, known: frozenset[str]) -> None:
        """Note the values that were not taken, unless another tag has the same or they only describe the record."""
        for name, values in self._values.items():
            for value in values:
                if name not in known and value not in self._taken:
                    notes.drop(name, value)


def tag_values(record: Sequence[tuple[str, str]], *names: str) -> tuple[str, ...]:
    """Return the values of tags in the order of the file, without empty ones."""
    if isinstance(record, Tags) and len(names) == 1:
        return tuple(record.list_values(names[0]))
    return tuple(value for tag, value in record if tag in names and value)


def first_tag_value(record: Sequence[tuple[str, str]], *names: str) -> str:
    """Return the first value of the first tag that has one."""
    return next((found for name in names for found in tag_values(record, name)), "")

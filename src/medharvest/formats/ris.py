"""RIS, written and read, and the tagged lines that RIS and MEDLINE files consist of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from medharvest.citations.identifiers import find_doi, find_unchecked_issns
from medharvest.errors import InputError
from medharvest.formats import author_forms, medline_values, nlm_indexing
from medharvest.formats.inline_text import to_one_line, to_plain_line
from medharvest.formats.medline_values import (
    item_form_of,
    item_type_from,
    item_word,
    page_or_article_number,
    to_two_letter_code,
)
from medharvest.records import Author, Citation, Contributor, Identifier

_RIS_LINE = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?(.*)")
# Ten digits, or thirteen that begin with 978 or 979, with hyphens or without: nine digits at least make no ISSN.
_ISBN = re.compile(r"\b(?:97[89][- ]?)?(?:[0-9][- ]?){9}[0-9Xx]\b")
_ROLE_TAGS = {"editor": "A2", "translator": "A4"}
_OWN_TAG_SCHEMES = ("isbn", "pmcid")  # identifiers that have a tag
Tags = list[tuple[str, str]]
_MAX_RECORD_CHARACTERS = 2_000_000  # of one record; a hundred times the longest


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
    yield from (("AU", author_forms.author_to_inverted(author)) for author in citation.authors)
    for role, tag in _ROLE_TAGS.items():
        people = author_forms.list_people(citation, role)
        yield from ((tag, author_forms.author_to_inverted(author)) for author in people)
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


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read records one by one; a record ends with `ER` or before the next `TY`."""
    for record in read_tagged_records(file, _RIS_LINE, _is_ris_record_end, "ris"):
        if record != [("ER", "")]:
            yield _read_ris_record(record)


def _is_ris_record_end(last: str, line: str) -> bool:
    return last == "ER" or line.startswith("TY  -")


def _read_ris_record(record: Tags) -> Citation:
    number = first_tag_value(record, "C7")
    start, last = first_tag_value(record, "SP"), first_tag_value(record, "EP")
    start, last = (start, last.strip(" +")) if last else medline_values.split_pages(start)
    first, number_as_page = page_or_article_number(start, last)
    stated = medline_values.split_note_lines(tag_values(record, "N1"))
    stated["identifiers"] += _read_ris_identifiers(record)
    return Citation(
        item_type=item_type_from("ris", first_tag_value(record, "TY").upper(), first_tag_value(record, "M3")),
        contributors=tuple(_read_ris_contributors(record)),
        publisher_place=first_tag_value(record, "CY"),
        edition=first_tag_value(record, "ET"),
        other_languages=tuple(filter(None, map(to_two_letter_code, tag_values(record, "LA")[1:]))),
        **stated,
        url=first_tag_value(record, "UR", "L2"),
        title=first_tag_value(record, "TI", "T1"),
        vernacular_title=first_tag_value(record, "TT"),
        authors=tuple(
            one for one in map(author_forms.author_from_inverted, tag_values(record, "AU", "A1")) if one != Author()
        ),
        affiliations=tag_values(record, "AD"),
        abstract=first_tag_value(record, "AB", "N2"),
        journal=first_tag_value(record, "T2", "JF", "JO"),
        abbreviation=first_tag_value(record, "J2", "JA"),
        publisher=first_tag_value(record, "PB"),
        issn=tuple(issn for text in tag_values(record, "SN") for issn in find_unchecked_issns(_ISBN.sub("", text))),
        volume=first_tag_value(record, "VL"),
        issue=first_tag_value(record, "IS"),
        first_page="" if first == number else first,
        last_page=last,
        article_number=number or number_as_page,
        date=_read_ris_date(first_tag_value(record, "DA", "Y1", "PY")),
        doi=find_doi(first_tag_value(record, "DO")),
        pmid=_read_ris_pmid(first_tag_value(record, "AN")),
        language=to_two_letter_code(first_tag_value(record, "LA")),
        keywords=tag_values(record, "KW"),
    )


def _read_ris_contributors(record: Tags) -> Iterator[Contributor]:
    for role, tags in (("editor", ("A2", "ED")), ("translator", ("A4",))):
        names = map(author_forms.author_from_inverted, tag_values(record, *tags))
        yield from author_forms.make_contributors(role, names)


def _read_ris_identifiers(record: Tags) -> tuple[Identifier, ...]:
    """Read ISBNs, which have the tag of ISSNs, and the PMCID."""
    found = [("isbn", isbn) for text in tag_values(record, "SN") for isbn in _ISBN.findall(text)]
    found += [("pmcid", text) for text in tag_values(record, "C2") if text.upper().startswith("PMC")]
    return tuple(dict.fromkeys(Identifier(scheme, value) for scheme, value in found))


def _read_ris_date(text: str) -> str:
    year, month, day, season = (*text.split("/", 3), "", "", "")[:4]
    return (
        medline_values.iso_from_medline(f"{year} {season}")
        if season and not month
        else medline_values.iso_from_parts(year, month, day)
    )


def _read_ris_pmid(text: str) -> str:
    found = re.search(r"[0-9]{1,9}", text)
    return found.group() if found and found.group() == text.removeprefix("PMID:").strip() else ""


def read_tagged_records(
    file: BinaryIO, line: re.Pattern[str], ends: Callable[[str, str], bool], name: str
) -> Iterator[Tags]:
    """Yield the records of a file; `line` splits tag and value, `ends(last_tag, line)` tells where a record ends."""
    record: list[tuple[str, list[str]]] = []
    size = 0
    for number, raw in enumerate(file, 1):
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
        if record and ends(record[-1][0], text):
            yield _join_continued_lines(record)
            record, size = [], 0
        size += len(text)
        if size > _MAX_RECORD_CHARACTERS:
            raise InputError(
                f"line {number}: a record has no end", name=name, hint="check that the file is of this format"
            )
        if found := line.match(text):
            record.append((found[1].strip(), [found[2]]))
        elif record and text.strip():
            record[-1][1].append(text)
    if record:
        yield _join_continued_lines(record)


def _join_continued_lines(record: list[tuple[str, list[str]]]) -> Tags:
    return [(tag, to_plain_line(" ".join(pieces))) for tag, pieces in record]


def tag_values(record: Tags, *names: str) -> tuple[str, ...]:
    """Return the values of tags in the order of the file, without empty ones."""
    return tuple(value for tag, value in record if tag in names and value)


def first_tag_value(record: Tags, *names: str) -> str:
    """Return the first value of the first tag that has one."""
    return next((found for name in names for found in tag_values(record, name)), "")

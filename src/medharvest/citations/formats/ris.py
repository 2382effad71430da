"""RIS: one tag a line, two capitals, two blanks, a hyphen and a blank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from medharvest.citations.formats import dates, persons
from medharvest.citations.formats.characters import one_line
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.pubmed_reader import pages
from medharvest.citations.formats.tagged import Tags, tagged_records, value, values
from medharvest.citations.identifiers import find_doi, written_issns
from medharvest.records import Author, Citation

_LINE = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?(.*)")


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write records one by one, each ended by `ER` and an empty line."""
    for citation in citations:
        lines = ((tag, one_line(text).strip()) for tag, text in _tags(citation))
        yield "".join(f"{tag}  - {text}\r\n" for tag, text in lines if text) + "ER  - \r\n\r\n"


def _tags(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR"
    yield "TI", citation.title
    yield "TT", citation.vernacular_title
    yield from (("AU", persons.inverted(author)) for author in citation.authors)
    yield from (("AD", place) for place in citation.affiliations)
    yield from (("T2", citation.journal), ("J2", citation.abbreviation), ("PB", citation.publisher))
    yield from (("SN", issn) for issn in citation.issn)
    yield from (("VL", citation.volume), ("IS", citation.issue))
    yield "SP", citation.first_page or citation.article_number
    yield from (("EP", citation.last_page), ("C7", citation.article_number))
    yield from (("PY", citation.date[:4]), ("DA", _date(citation.date)))
    yield from (("DO", citation.doi), ("AN", citation.pmid), ("LA", citation.language))
    yield from (("KW", word) for word in citation.keywords)
    yield from (("AB", citation.abstract), ("UR", citation.url))


def _date(iso: str) -> str:
    """YYYY/MM/DD/ with empty places for what is not known, and a season or a span behind."""
    known = dates.parts(iso)
    season = dates.season(iso)
    return "/".join([*known[: 1 if season else 3], "", "", ""][:3]) + f"/{season}" if known else ""


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read records one by one: one ends with `ER`, or where the next `TY` stands."""
    for record in tagged_records(file, _LINE, _ends, "ris"):
        if record != [("ER", "")]:
            yield _citation(record)


def _ends(last: str, line: str) -> bool:
    return last == "ER" or line.startswith("TY  -")


def _citation(record: Tags) -> Citation:
    number = value(record, "C7")
    start, last = value(record, "SP"), value(record, "EP")
    if not last:
        start, _, last = (piece.strip() for piece in start.partition("-"))
    first, told = pages(start, last)
    return Citation(
        url=value(record, "UR", "L2"),
        title=value(record, "TI", "T1"),
        vernacular_title=value(record, "TT"),
        authors=tuple(one for one in map(persons.from_inverted, values(record, "AU", "A1")) if one != Author()),
        affiliations=values(record, "AD"),
        abstract=value(record, "AB", "N2"),
        journal=value(record, "T2", "JF", "JO"),
        abbreviation=value(record, "J2", "JA"),
        publisher=value(record, "PB"),
        issn=tuple(issn for text in values(record, "SN") for issn in written_issns(text)),
        volume=value(record, "VL"),
        issue=value(record, "IS"),
        first_page="" if first == number else first,
        last_page=last,
        article_number=number or told,
        date=_read_date(value(record, "DA", "Y1", "PY")),
        doi=find_doi(value(record, "DO")),
        pmid=_pmid(value(record, "AN")),
        language=two_letters(value(record, "LA")),
        keywords=values(record, "KW"),
    )


def _read_date(text: str) -> str:
    year, month, day, season = (*text.split("/", 3), "", "", "")[:4]
    return dates.from_printed(f"{year} {season}") if season and not month else dates.from_parts(year, month, day)


def _pmid(text: str) -> str:
    found = re.search(r"[0-9]{1,9}", text)
    return found.group() if found and found.group() == text.removeprefix("PMID:").strip() else ""

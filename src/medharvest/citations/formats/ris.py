"""RIS: one tag a line, two capitals, two blanks, a hyphen and a blank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from medharvest.citations.formats.characters import one_line
from medharvest.records import Author, Citation


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write records one by one, each ended by `ER` and an empty line."""
    for citation in citations:
        lines = ((tag, one_line(value).strip()) for tag, value in _tags(citation))
        yield "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value)
        yield "ER  - \r\n\r\n"


def _tags(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR"
    yield "TI", citation.title
    yield "TT", citation.vernacular_title
    for author in citation.authors:
        yield "AU", _name(author)
    for place in citation.affiliations:
        yield "AD", place
    yield "T2", citation.journal
    yield "J2", citation.abbreviation
    yield "PB", citation.publisher
    for issn in citation.issn:
        yield "SN", issn
    yield "VL", citation.volume
    yield "IS", citation.issue
    yield "SP", citation.first_page or citation.article_number
    yield "EP", citation.last_page
    yield "PY", citation.date[:4]
    yield "DA", _date(citation.date)
    yield "DO", citation.doi
    yield "AN", citation.pmid
    yield "LA", citation.language
    for word in citation.keywords:
        yield "KW", word
    yield "AB", citation.abstract
    yield "UR", citation.url


def _name(author: Author) -> str:
    if author.collective:
        return f"{author.collective},"  # a closing comma keeps readers from splitting a group's name
    if author.suffix:
        return f"{author.family}, {author.given}, {author.suffix}"  # the suffix is known by its place
    return ", ".join(part for part in (author.family, author.given) if part)


def _date(iso: str) -> str:
    """YYYY/MM/DD/ with empty places for what is not known."""
    return "/".join([*iso.split("-"), "", "", ""][:4]) if iso else ""

"""CSL-JSON: an array of items, as citation processors and reference managers take them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from medharvest.citations.formats import dates, persons
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.json_items import items
from medharvest.citations.formats.keys import citation_key
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.markup import from_bare, marked
from medharvest.citations.formats.pubmed_reader import pages
from medharvest.citations.identifiers import find_doi, written_issns
from medharvest.records import Author, Citation

_BETWEEN = "; "
_DATE = range(1, 4)


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the array item by item."""
    before = "[\n"
    for citation in citations:
        line = json.dumps(_item(citation), ensure_ascii=False)
        yield before + line
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _item(citation: Citation) -> dict[str, Any]:
    """The item without its empty values; titles keep inline tags, which processors know."""
    first, last = citation.first_page, citation.last_page
    values = {
        "id": citation_key(citation),
        "type": "article-journal",
        "title": _tagged(citation.title, citation.title_html),
        "original-title": _tagged(citation.vernacular_title, ""),
        "author": [name for author in citation.authors if (name := _name(author))],
        "container-title": plain(citation.journal),
        "container-title-short": plain(citation.abbreviation),
        "publisher": plain(citation.publisher),
        "ISSN": ", ".join(filter(None, map(plain, citation.issn))),
        "volume": plain(citation.volume),
        "issue": plain(citation.issue),
        "page": plain(f"{first}-{last}" if last and first else first or citation.article_number),
        "number": plain(citation.article_number),
        "issued": _issued(citation.date),
        "DOI": plain(citation.doi),
        "PMID": plain(citation.pmid),
        "language": plain(citation.language),
        "abstract": _tagged(citation.abstract, citation.abstract_html),
        "keyword": _BETWEEN.join(filter(None, map(plain, citation.keywords))),
        "URL": plain(citation.url),
    }
    return {name: value for name, value in values.items() if value}


def _tagged(text: str, tagged: str) -> str:
    """Text for a processor, which reads `<` as the start of a tag only before a name; so it stays bare otherwise."""
    return marked(text, tagged, quote=_same)


def _same(text: str) -> str:
    return text


def _name(author: Author) -> dict[str, str]:
    if author.collective:
        return {"literal": plain(author.collective)}
    particle, family = persons.split_particle(plain(author.family))
    values = {
        "family": family,
        "given": plain(author.given),
        "non-dropping-particle": particle,
        "suffix": plain(author.suffix),
    }
    return {name: value for name, value in values.items() if value}


def _issued(iso: str) -> dict[str, Any]:
    ends = [list(map(int, known)) for part in iso.split("/")[:2] if (known := dates.parts(part))]
    season = dates.SEASONS.get(iso[5:])
    return ({"date-parts": ends} | ({"season": int(iso[5:]) - 20} if season else {})) if ends else {}


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read the items of an array, or the one item that is no array."""
    for item in items(file, "csl"):
        yield _citation(item)


def _citation(item: dict[str, Any]) -> Citation:
    title, title_html = from_bare(_text(item, "title"))
    abstract, abstract_html = from_bare(_text(item, "abstract"))
    number = _text(item, "number")
    start, _, last = (part.strip() for part in _text(item, "page").replace("–", "-").partition("-"))
    first, told = pages(start, last)
    first = "" if first == number else first  # the number stands in its place
    return Citation(
        url=_text(item, "URL"),
        title=title,
        title_html=title_html,
        vernacular_title=from_bare(_text(item, "original-title"))[0],
        authors=tuple(author for name in _list(item, "author") if (author := _author(name)) != Author()),
        abstract=abstract,
        abstract_html=abstract_html,
        journal=_text(item, "container-title"),
        abbreviation=_text(item, "container-title-short") or _text(item, "journalAbbreviation"),
        publisher=_text(item, "publisher"),
        issn=written_issns(_text(item, "ISSN")),
        volume=_text(item, "volume"),
        issue=_text(item, "issue"),
        first_page=first,
        last_page=last if first else "",
        article_number=number or told,
        date=_date(item.get("issued")),
        doi=find_doi(_text(item, "DOI")),
        pmid=_text(item, "PMID"),
        language=two_letters(_text(item, "language")),
        keywords=tuple(word for word in re.split(r"\s*[;\n]\s*", _text(item, "keyword")) if word),
    )


def _text(item: dict[str, Any], name: str) -> str:
    """A text or number of an item; the first of a list."""
    value = item.get(name, "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return plain(str(value)) if isinstance(value, str | int | float) else ""


def _list(item: dict[str, Any], name: str) -> list[Any]:
    value = item.get(name)
    return value if isinstance(value, list) else []


def _author(name: Any) -> Author:
    if not isinstance(name, dict):
        return Author()
    if _text(name, "literal"):
        return Author(collective=_text(name, "literal"))
    particle = _text(name, "non-dropping-particle") or _text(name, "dropping-particle")
    family = " ".join(part for part in (particle, _text(name, "family")) if part)
    given = _text(name, "given")
    return Author(family=family or given, given=given if family else "", suffix=_text(name, "suffix"))


def _date(issued: Any) -> str:
    """The date of `date-parts`, `raw` or `literal`; two of them are a span."""
    if not isinstance(issued, dict):
        return ""
    ends = [iso for part in _list(issued, "date-parts")[:2] if isinstance(part, list) and (iso := _iso(part))]
    if not ends:
        return dates.from_parts(*(_text(issued, "raw") or _text(issued, "literal")).split("-")[:3])
    season = _text(issued, "season")
    if season in {"1", "2", "3", "4"} and len(ends[0]) == 4:  # noqa: PLR2004
        return f"{ends[0]}-2{season}"
    return "/".join(dict.fromkeys(ends))


def _iso(part: list[Any]) -> str:
    texts = [str(one) for one in part[:3] if isinstance(one, int | str)]
    return dates.from_parts(*texts) if len(texts) in _DATE else ""

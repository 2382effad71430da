"""What services answer about a DOI, as citations: Crossref's works, OpenAlex's works, DOAJ's articles."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.names import parse_name
from medharvest.citations.page_ranges import parse_pages
from medharvest.citations.reformat import reformat
from medharvest.records import Author, Citation

_TAG = re.compile(r"<[^<>]{0,200}>")
_MOST = 5_000  # entries of a list that are looked at
_LONGEST = 200_000  # characters of a text that are taken
_YEARS = 10_000
_DATES = ("published-print", "published", "issued", "published-online")


def read_answer(service: str, body: bytes) -> Citation | None:
    """The citation in a service's answer; nothing where the answer holds none, whatever else it holds."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    found = READERS[service](answer)
    return reformat(found) if found.title and found.doi else None


def read_pmid(body: bytes) -> str:
    """The PMID in the answer of PubMed's search; nothing where it found none, or several."""
    try:
        listed = _list(json.loads(body), "esearchresult", "idlist")
    except (ValueError, RecursionError):
        return ""
    return str(listed[0]) if len(listed) == 1 and str(listed[0]).isdecimal() else ""


def _crossref(answer: Any) -> Citation:
    work = _get(answer, "message")
    people = _named(_crossref_author(one) for one in _list(work, "author"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    pages = parse_pages(_text(work, "page"))
    return Citation(
        title=_plain(_first(work, "title")),
        authors=tuple(_placed(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_plain(_text(work, "abstract")),
        journal=_plain(_first(work, "container-title")),
        abbreviation=_first(work, "short-container-title"),
        publisher=_text(work, "publisher"),
        issn=find_issns(" ".join(map(str, _list(work, "ISSN")))),
        volume=_text(work, "volume"),
        issue=_text(work, "issue"),
        first_page=pages.first,
        last_page=pages.last,
        article_number=_text(work, "article-number"),
        date=next((date for name in _DATES if (date := _parts(work, name))), ""),
        doi=find_doi(_text(work, "DOI")),
        language=_text(work, "language"),
        licence=_text(next(iter(_list(work, "license")), None), "URL"),
        funding=tuple(text for one in _list(work, "funder") if (text := _grant(one))),
    )


def _crossref_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    group = "" if _text(one, "family") else _text(one, "name")
    author = Author(
        family=_text(one, "family") or ("" if group else _text(one, "given")),
        given=_text(one, "given") if _text(one, "family") else "",
        suffix=_text(one, "suffix"),
        collective=group,
        orcid=find_orcid(_text(one, "ORCID")),
    )
    return author, tuple(name for place in _list(one, "affiliation") if (name := _plain(_text(place, "name"))))


def _grant(one: Any) -> str:
    awards = ", ".join(str(award) for award in _list(one, "award") if isinstance(award, str))
    return f"{_text(one, 'name')} ({awards})" if awards else _text(one, "name")


def _parts(work: Any, name: str) -> str:
    """The date of `date-parts`, as precise as known."""
    first = next(iter(_list(work, name, "date-parts")), None)
    numbers = [part for part in first[:3] if type(part) is int and 0 < part < _YEARS] if isinstance(first, list) else []
    return "-".join(f"{number:0{4 if place == 0 else 2}d}" for place, number in enumerate(numbers))


def _openalex(answer: Any) -> Citation:
    people = _named(_openalex_author(one) for one in _list(answer, "authorships"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    source = _get(answer, "primary_location", "source")
    return Citation(
        title=_plain(_text(answer, "title")),
        authors=tuple(_placed(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_from_index(_get(answer, "abstract_inverted_index")),
        journal=_text(source, "display_name"),
        publisher=_text(source, "host_organization_name"),
        issn=find_issns(" ".join(map(str, _list(source, "issn")))),
        volume=_text(answer, "biblio", "volume"),
        issue=_text(answer, "biblio", "issue"),
        first_page=_text(answer, "biblio", "first_page"),
        last_page=_text(answer, "biblio", "last_page"),
        date=_text(answer, "publication_date"),
        doi=find_doi(_text(answer, "doi")),
        pmid=_text(answer, "ids", "pmid"),
        language=_text(answer, "language"),
        keywords=tuple(filter(None, (_text(word, "display_name") for word in _list(answer, "keywords")))),
    )


def _openalex_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    author = parse_name(_text(one, "raw_author_name") or _text(one, "author", "display_name")) or Author()
    places = tuple(str(place) for place in _list(one, "raw_affiliation_strings") if isinstance(place, str))
    return replace(author, orcid=find_orcid(_text(one, "author", "orcid"))), places


def _from_index(index: Any) -> str:
    """The text of an inverted index: each word with the places it stands at."""
    if not isinstance(index, dict):
        return ""
    places = {
        place: str(word)
        for word, listed in list(index.items())[:_MOST]
        if isinstance(listed, list)
        for place in listed[:_MOST]
        if isinstance(place, int)
    }
    return " ".join(places[place] for place in sorted(places))[:_LONGEST]


def _doaj(answer: Any) -> Citation:
    article = _get(next(iter(_list(answer, "results")), None), "bibjson")
    people = _named(_doaj_author(one) for one in _list(article, "author"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    identifiers = {_text(one, "type").lower(): _text(one, "id") for one in _list(article, "identifier")}
    year, month = _text(article, "year"), _text(article, "month")
    return Citation(
        title=_plain(_text(article, "title")),
        authors=tuple(_placed(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_plain(_text(article, "abstract")),
        journal=_text(article, "journal", "title"),
        publisher=_text(article, "journal", "publisher"),
        issn=find_issns(" ".join(map(str, _list(article, "journal", "issns")))),
        volume=_text(article, "journal", "volume"),
        issue=_text(article, "journal", "number"),
        first_page=_text(article, "start_page"),
        last_page=_text(article, "end_page"),
        date=f"{year}-{int(month):02d}" if year and re.fullmatch(r"0?[1-9]|1[0-2]", month) else year,
        doi=find_doi(identifiers.get("doi", "")),
        keywords=tuple(str(word) for word in _list(article, "keywords") if isinstance(word, str)),
    )


def _doaj_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    author = parse_name(_text(one, "name")) or Author()
    place = _text(one, "affiliation")
    return replace(author, orcid=find_orcid(_text(one, "orcid_id"))), (place,) if place else ()


READERS: Mapping[str, Callable[[Any], Citation]] = MappingProxyType(
    {"crossref": _crossref, "openalex": _openalex, "doaj": _doaj}
)


def _named(people: Iterable[tuple[Author, tuple[str, ...]]]) -> list[tuple[Author, tuple[str, ...]]]:
    return [(author, places) for author, places in people if author.family or author.collective]


def _placed(author: Author, own: tuple[str, ...], places: tuple[str, ...]) -> Author:
    numbers = {place: number for number, place in enumerate(places)}
    return replace(author, affiliations=tuple(numbers[place] for place in own))


def _get(value: Any, *path: str) -> Any:
    """What stands at a path of names; None where something else stands on the way."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Any, *path: str) -> str:
    found = _get(value, *path)
    return (
        " ".join(str(found)[:_LONGEST].split()) if isinstance(found, str | int) and not isinstance(found, bool) else ""
    )


def _list(value: Any, *path: str) -> list[Any]:
    found = _get(value, *path)
    return found[:_MOST] if isinstance(found, list) else []


def _first(value: Any, name: str) -> str:
    return next(_strings(_list(value, name)), "")


def _strings(values: list[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _plain(text: str) -> str:
    """A text without markup; a paragraph's end is a blank."""
    return " ".join(html.unescape(_TAG.sub(lambda tag: "" if _is_inline(tag.group()) else " ", text)).split())


def _is_inline(tag: str) -> bool:
    return bool(re.match(r"</?(?:jats:)?(?:i|b|u|em|strong|italic|bold|sup|sub|sc|scp|mml:\w+)\b", tag))

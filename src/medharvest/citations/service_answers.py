"""Read the answers of Crossref, OpenAlex and DOAJ about a DOI as citations, and PubMed's answer as a PMID."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from medharvest.citations.author_names import parse_author_name
from medharvest.citations.identifiers import find_doi, find_issns, find_orcid
from medharvest.citations.nlm_style import parse_page_range
from medharvest.citations.normal_form import normalise_citation
from medharvest.records import Author, Citation, unescape_html

_ANSWER_MARKUP_TAG = re.compile(r"<[^<>]{0,200}>")
_MAX_ANSWER_ENTRIES = 5_000  # more entries of a list are ignored
_MAX_ANSWER_TEXT_CHARS = 200_000  # longer texts are cut
_YEAR_LIMIT = 10_000
_CROSSREF_DATES = ("published-print", "published", "issued", "published-online")


def read_service_answer(service: str, body: bytes) -> Citation | None:
    """Return the citation in a service's answer; None if it has no title and DOI or is not JSON."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    found = ANSWER_READERS[service](answer)
    return normalise_citation(found) if found.title and found.doi else None


def read_esearch_pmid(body: bytes) -> str:
    """Return the PMID in the answer of PubMed's search; empty if it found none or several."""
    try:
        listed = _answer_list_at(json.loads(body), "esearchresult", "idlist")
    except (ValueError, RecursionError):
        return ""
    return str(listed[0]) if len(listed) == 1 and str(listed[0]).isdecimal() else ""


def _read_crossref_work(answer: Any) -> Citation:
    work = _answer_value_at(answer, "message")
    people = _drop_nameless_authors(_read_crossref_author(one) for one in _answer_list_at(work, "author"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    pages = parse_page_range(_answer_text_at(work, "page"))
    return Citation(
        title=_strip_answer_markup(_first_answer_text(work, "title")),
        authors=tuple(_with_numbered_affiliations(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_strip_answer_markup(_answer_text_at(work, "abstract")),
        journal=_strip_answer_markup(_first_answer_text(work, "container-title")),
        abbreviation=_first_answer_text(work, "short-container-title"),
        publisher=_answer_text_at(work, "publisher"),
        issn=find_issns(" ".join(map(str, _answer_list_at(work, "ISSN")))),
        volume=_answer_text_at(work, "volume"),
        issue=_answer_text_at(work, "issue"),
        first_page=pages.first,
        last_page=pages.last,
        article_number=_answer_text_at(work, "article-number"),
        date=next((date for name in _CROSSREF_DATES if (date := _join_date_parts(work, name))), ""),
        doi=find_doi(_answer_text_at(work, "DOI")),
        language=_answer_text_at(work, "language"),
        licence=_answer_text_at(next(iter(_answer_list_at(work, "license")), None), "URL"),
        funding=tuple(text for one in _answer_list_at(work, "funder") if (text := _describe_crossref_grant(one))),
    )


def _read_crossref_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    group = "" if _answer_text_at(one, "family") else _answer_text_at(one, "name")
    author = Author(
        family=_answer_text_at(one, "family") or ("" if group else _answer_text_at(one, "given")),
        given=_answer_text_at(one, "given") if _answer_text_at(one, "family") else "",
        suffix=_answer_text_at(one, "suffix"),
        collective=group,
        orcid=find_orcid(_answer_text_at(one, "ORCID")),
    )
    return author, tuple(
        name
        for place in _answer_list_at(one, "affiliation")
        if (name := _strip_answer_markup(_answer_text_at(place, "name")))
    )


def _describe_crossref_grant(one: Any) -> str:
    awards = ", ".join(str(award) for award in _answer_list_at(one, "award") if isinstance(award, str))
    return f"{_answer_text_at(one, 'name')} ({awards})" if awards else _answer_text_at(one, "name")


def _join_date_parts(work: Any, name: str) -> str:
    """Return the date in `date-parts`, as precise as known."""
    first = next(iter(_answer_list_at(work, name, "date-parts")), None)
    numbers = (
        [part for part in first[:3] if type(part) is int and 0 < part < _YEAR_LIMIT] if isinstance(first, list) else []
    )
    return "-".join(f"{number:0{4 if place == 0 else 2}d}" for place, number in enumerate(numbers))


def _read_openalex_work(answer: Any) -> Citation:
    people = _drop_nameless_authors(_read_openalex_author(one) for one in _answer_list_at(answer, "authorships"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    source = _answer_value_at(answer, "primary_location", "source")
    return Citation(
        title=_strip_answer_markup(_answer_text_at(answer, "title")),
        authors=tuple(_with_numbered_affiliations(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_text_of_inverted_index(_answer_value_at(answer, "abstract_inverted_index")),
        journal=_answer_text_at(source, "display_name"),
        publisher=_answer_text_at(source, "host_organization_name"),
        issn=find_issns(" ".join(map(str, _answer_list_at(source, "issn")))),
        volume=_answer_text_at(answer, "biblio", "volume"),
        issue=_answer_text_at(answer, "biblio", "issue"),
        first_page=_answer_text_at(answer, "biblio", "first_page"),
        last_page=_answer_text_at(answer, "biblio", "last_page"),
        date=_answer_text_at(answer, "publication_date"),
        doi=find_doi(_answer_text_at(answer, "doi")),
        pmid=_answer_text_at(answer, "ids", "pmid"),
        language=_answer_text_at(answer, "language"),
        keywords=tuple(
            filter(None, (_answer_text_at(word, "display_name") for word in _answer_list_at(answer, "keywords")))
        ),
    )


def _read_openalex_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    author = (
        parse_author_name(_answer_text_at(one, "raw_author_name") or _answer_text_at(one, "author", "display_name"))
        or Author()
    )
    places = tuple(str(place) for place in _answer_list_at(one, "raw_affiliation_strings") if isinstance(place, str))
    return replace(author, orcid=find_orcid(_answer_text_at(one, "author", "orcid"))), places


def _text_of_inverted_index(index: Any) -> str:
    """Rebuild a text from its inverted index, which maps each word to its positions."""
    if not isinstance(index, dict):
        return ""
    places = {
        place: str(word)
        for word, listed in list(index.items())[:_MAX_ANSWER_ENTRIES]
        if isinstance(listed, list)
        for place in listed[:_MAX_ANSWER_ENTRIES]
        if isinstance(place, int)
    }
    return " ".join(places[place] for place in sorted(places))[:_MAX_ANSWER_TEXT_CHARS]


def _read_doaj_article(answer: Any) -> Citation:
    article = _answer_value_at(next(iter(_answer_list_at(answer, "results")), None), "bibjson")
    people = _drop_nameless_authors(_read_doaj_author(one) for one in _answer_list_at(article, "author"))
    places = tuple(dict.fromkeys(place for _, own in people for place in own))
    identifiers = {
        _answer_text_at(one, "type").lower(): _answer_text_at(one, "id")
        for one in _answer_list_at(article, "identifier")
    }
    year, month = _answer_text_at(article, "year"), _answer_text_at(article, "month")
    return Citation(
        title=_strip_answer_markup(_answer_text_at(article, "title")),
        authors=tuple(_with_numbered_affiliations(author, own, places) for author, own in people),
        affiliations=places,
        abstract=_strip_answer_markup(_answer_text_at(article, "abstract")),
        journal=_answer_text_at(article, "journal", "title"),
        publisher=_answer_text_at(article, "journal", "publisher"),
        issn=find_issns(" ".join(map(str, _answer_list_at(article, "journal", "issns")))),
        volume=_answer_text_at(article, "journal", "volume"),
        issue=_answer_text_at(article, "journal", "number"),
        first_page=_answer_text_at(article, "start_page"),
        last_page=_answer_text_at(article, "end_page"),
        date=f"{year}-{int(month):02d}" if year and re.fullmatch(r"0?[1-9]|1[0-2]", month) else year,
        doi=find_doi(identifiers.get("doi", "")),
        keywords=tuple(str(word) for word in _answer_list_at(article, "keywords") if isinstance(word, str)),
    )


def _read_doaj_author(one: Any) -> tuple[Author, tuple[str, ...]]:
    author = parse_author_name(_answer_text_at(one, "name")) or Author()
    place = _answer_text_at(one, "affiliation")
    return replace(author, orcid=find_orcid(_answer_text_at(one, "orcid_id"))), (place,) if place else ()


ANSWER_READERS: Mapping[str, Callable[[Any], Citation]] = MappingProxyType(
    {"crossref": _read_crossref_work, "openalex": _read_openalex_work, "doaj": _read_doaj_article}
)


def _drop_nameless_authors(people: Iterable[tuple[Author, tuple[str, ...]]]) -> list[tuple[Author, tuple[str, ...]]]:
    return [(author, places) for author, places in people if author.family or author.collective]


def _with_numbered_affiliations(author: Author, own: tuple[str, ...], places: tuple[str, ...]) -> Author:
    numbers = {place: number for number, place in enumerate(places)}
    return replace(author, affiliations=tuple(numbers[place] for place in own))


def _answer_value_at(value: Any, *path: str) -> Any:
    """Return the value at a path of keys; None if a key is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _answer_text_at(value: Any, *path: str) -> str:
    found = _answer_value_at(value, *path)
    return (
        " ".join(str(found)[:_MAX_ANSWER_TEXT_CHARS].split())
        if isinstance(found, str | int) and not isinstance(found, bool)
        else ""
    )


def _answer_list_at(value: Any, *path: str) -> list[Any]:
    found = _answer_value_at(value, *path)
    return found[:_MAX_ANSWER_ENTRIES] if isinstance(found, list) else []


def _first_answer_text(value: Any, name: str) -> str:
    return next(_only_strings(_answer_list_at(value, name)), "")


def _only_strings(values: list[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _strip_answer_markup(text: str) -> str:
    """Remove markup from a text; a block tag becomes a blank."""
    return " ".join(
        unescape_html(_ANSWER_MARKUP_TAG.sub(lambda tag: "" if _is_inline_markup(tag.group()) else " ", text)).split()
    )


def _is_inline_markup(tag: str) -> bool:
    return bool(re.match(r"</?(?:jats:)?(?:i|b|u|em|strong|italic|bold|sup|sub|sc|scp|mml:\w+)\b", tag))

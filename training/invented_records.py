"""The articles that generated pages print: made from records of any source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Person(NamedTuple):
    """An author with the numbers of their places."""

    given: str
    family: str
    places: tuple[int, ...]


class Article(NamedTuple):
    """What a page prints of an article; missing values are empty."""

    title: str
    people: tuple[Person, ...]
    places: tuple[str, ...]
    abstract: str
    sections: tuple[tuple[str, str], ...]
    journal: str
    volume: str
    issue: str
    first_page: str
    last_page: str
    day: tuple[int, int, int] | None
    doi: str
    keywords: tuple[str, ...]
    language: str


_ISO_DATE = re.compile(r"(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?")
_MAX_DAY = 28  # a day that every month has


def article_from_record(record: Mapping[str, Any]) -> Article:
    """Make an article from a record; people without links share out the affiliations in order."""
    places = tuple(record.get("affiliations") or ())
    authors = [_split_name(author) for author in record.get("authors") or ()]
    links = record.get("links") or _share_places(len(authors), len(places))
    return Article(
        title=record["title"].rstrip(". "),
        people=tuple(Person(*name, tuple(linked)) for name, linked in zip(authors, links, strict=True)),
        places=places,
        abstract=record.get("abstract") or "",
        sections=tuple((label, text) for label, text in record.get("sections") or ()),
        journal=re.split(" [:=] ", record.get("journal") or "")[0],
        **{name: record.get(name) or "" for name in ("volume", "issue", "first_page", "last_page", "doi")},
        day=_read_day(record.get("date") or ""),
        keywords=tuple(record.get("keywords") or ()),
        language=record.get("language") or "en",
    )


def _split_name(author: str | Mapping[str, str]) -> tuple[str, str]:
    if isinstance(author, str):
        given, _, family = author.rpartition(" ")
        return given, family
    return author.get("given") or "", author.get("family") or ""


def _share_places(people: int, places: int) -> list[tuple[int, ...]]:
    """Share places out so that each person and each place has at least one."""
    if not places:
        return [()] * people
    shared = [{number * places // people} for number in range(people)]
    for place in range(places):
        shared[place * people // places].add(place)
    return [tuple(sorted(numbers)) for numbers in shared]


def _read_day(date: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date; a missing month or day is made up from the year, always the same."""
    found = _ISO_DATE.match(date)
    if not found:
        return None
    year = int(found[1])
    return year, int(found[2] or year % 12 + 1), min(int(found[3] or year % 27 + 1), _MAX_DAY)


def abstract_without_labels(article: Article) -> str:
    """The abstract of an article without the labels of its sections."""
    return " ".join(text for _, text in article.sections) or article.abstract


def split_sentences(text: str) -> Sequence[str]:
    """The sentences of a text, roughly."""
    return re.split(r"(?<=[.!?。]) +", text) if text else ()

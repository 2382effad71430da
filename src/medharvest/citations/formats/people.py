"""Authors as files bring them: each with its own affiliations, which become one list with indexes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from medharvest.records import Author


def with_places(
    people: Iterable[tuple[Author, Iterable[str]]], known: Iterable[str] = ()
) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """The authors with the indexes of their affiliations, and these: the known ones, then by their first author."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(known))}
    authors = []
    for author, places in people:
        own = tuple(dict.fromkeys(numbers.setdefault(place, len(numbers)) for place in places if place))
        authors.append(replace(author, affiliations=own))
    return tuple(authors), tuple(numbers)

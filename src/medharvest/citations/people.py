"""Authors and affiliations of embedded metadata: the first source that names people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from medharvest.citations.identifiers import find_orcid
from medharvest.citations.names import LONGEST_LIST, parse_group, parse_name, parse_suffix
from medharvest.records import Author, MetaItem


class People(NamedTuple):
    """Authors and their affiliations with the items that name them."""

    authors: tuple[Author, ...] = ()
    affiliations: tuple[str, ...] = ()
    author_items: tuple[MetaItem, ...] = ()
    affiliation_items: tuple[MetaItem, ...] = ()


@dataclass(slots=True)
class _Person:
    """An author being collected: its parts in the order the metadata gives them."""

    item: MetaItem
    name: str = ""
    family: str = ""
    given: str = ""
    suffix: str = ""
    orcid: str = ""
    email: str = ""
    group: bool = False
    places: list[MetaItem] = field(default_factory=list)


_CITATION_PLACES = frozenset({"citation_author_institution", "citation_author_affiliation"})
_JSONLD_PERSON = re.compile(r"author(?:\.(\d+))?(?:\.([^\d.].*))?")
_JSONLD_PLACE = re.compile(r"affiliation(?:\.\d+)?(?:\.name)?")
_JSONLD_PARTS = {
    None: "name",
    "name": "name",
    "familyName": "family",
    "givenName": "given",
    "honorificSuffix": "suffix",
    "email": "email",
}


def read_people(items: Iterable[MetaItem]) -> People:
    """Authors and affiliations of the first source that names authors; of the page's scripts where it has no places."""
    items = tuple(items)
    sources = (
        _listed(items, "citation_author"),
        _listed(items, "citation_authors"),
        _jsonld(items, "jsonld"),
        _listed(items, "dc.creator"),
        _listed(items, "dc.contributor.author"),
        _jsonld(items, "microdata"),
        _listed(items, "author"),
    )
    first = next((people for collected in sources if (people := _finished(collected)).authors), People())
    state = _finished(_jsonld(items, "state"))
    more = len(state.authors) >= len(first.authors) and (state.affiliations or not first.authors)
    return state if more and not first.affiliations else first


def _listed(items: Iterable[MetaItem], name: str) -> list[_Person]:
    """The people of one name, each value one or, between semicolons, several; with what follows them."""
    people: list[_Person] = []
    for item in items:
        if item.name == name and len(item.value) <= LONGEST_LIST:
            people += [_Person(item, name=part) for part in item.value.split(";") if part.strip()]
        elif people:
            _add_to(people[-1], item)
    return people


def _add_to(person: _Person, item: MetaItem) -> None:
    if item.name in _CITATION_PLACES:
        person.places.append(item)
    elif item.name == "citation_author_orcid":
        person.orcid = find_orcid(item.value)
    elif item.name == "citation_author_email":
        person.email = item.value


def _jsonld(items: Iterable[MetaItem], source: str) -> list[_Person]:
    people: dict[str, _Person] = {}
    for item in items:
        found = _JSONLD_PERSON.fullmatch(item.name) if item.source == source else None
        if not found:
            continue
        person = people.setdefault(found.group(1) or "", _Person(item))
        part = found.group(2)
        if part in _JSONLD_PARTS:
            setattr(person, _JSONLD_PARTS[part], item.value)
        elif part == "@type":
            person.group = item.value == "Organization"
        elif _JSONLD_PLACE.fullmatch(part):
            person.places.append(item)
        else:
            person.orcid = person.orcid or find_orcid(item.value)
    return list(people.values())


def _finished(collected: Iterable[_Person]) -> People:
    """The authors, their places numbered in one shared list."""
    numbers: dict[str, int] = {}
    pairs: list[tuple[Author, _Person]] = []
    for person in collected:
        author = _author(person)
        if author is not None:
            places = dict.fromkeys(numbers.setdefault(item.value, len(numbers)) for item in person.places)
            pairs.append((replace(author, affiliations=tuple(places)), person))
    return People(
        tuple(author for author, _ in pairs),
        tuple(numbers),
        tuple(dict.fromkeys(person.item for _, person in pairs)),
        tuple(dict.fromkeys(item for _, person in pairs for item in person.places)),
    )


def _author(person: _Person) -> Author | None:
    if person.group:
        author = Author(collective=parse_group(person.name)) if person.name else None
    elif person.family:
        author = parse_name(f"{person.family}, {person.given}" if person.given else person.family)
    else:
        author = parse_name(person.name)
    if author is None:
        return None
    suffix = author.suffix or parse_suffix(person.suffix)
    return replace(author, suffix=suffix, orcid=person.orcid, email=person.email)

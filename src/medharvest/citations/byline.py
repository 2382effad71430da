"""Authors and affiliations as printed, joined by their markers or by standing next to each other."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from medharvest.citations.listed import Listed, glued, is_cut_short, is_name, listed_names
from medharvest.citations.names import is_natural, parse_listed, parse_name
from medharvest.citations.places import Place, clean, places_of, split_known
from medharvest.records import Author, LabelledZone

_LABELS = frozenset({"author", "affiliation", "both"})
_INSIDE = re.compile(r"[,;:]|\s[-–—|]\s")
_WHOLE = 0.6  # of the authors that must each be followed by affiliations before neighbours are joined


class Byline(NamedTuple):
    """Authors and affiliations with the zones they stand in."""

    authors: tuple[Author, ...]
    affiliations: tuple[str, ...]
    author_zones: tuple[LabelledZone, ...]
    affiliation_zones: tuple[LabelledZone, ...]


@dataclass(slots=True)
class _Person:
    """An author being collected: markers, affiliations printed right behind the name, and those it is listed under."""

    name: str
    markers: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    under: list[str] = field(default_factory=list)


class _Reading(NamedTuple):
    """The names and affiliations of one zone, and its path; `back` says whether it stands behind the text."""

    names: list[Listed]
    places: list[Place]
    path: str
    back: bool


def read_byline(zones: Sequence[LabelledZone]) -> Byline:
    """Authors and affiliations of a page; a single affiliation that no marker points at is everyone's."""
    repeated = {zone.zone.text for zone in zones if zone.verdict.label == "affiliation"}
    read = [
        _Reading(*_read(zone, before, repeated), zone.zone.path, zone.verdict.method == "people-back")
        for before, zone in zip(["", *(zone.zone.text for zone in zones)], zones, strict=False)
        if zone.verdict.label in _LABELS
    ]
    people = _people(read, short=is_cut_short([zone.zone for zone in zones if zone.verdict.label == "author"]))
    places = [place for reading in read for place in reading.places]
    parts = split_known([place.text for place in places])
    numbers: dict[str, int] = {}
    for part in (text for texts in parts for text in texts):
        numbers.setdefault(_key(part), len(numbers))
    texts = dict.fromkeys(numbers.values(), "")
    for part in (text for group in parts for text in group):
        texts[numbers[_key(part)]] = texts[numbers[_key(part)]] or part
    whole = {place.text: [numbers[_key(text)] for text in group] for place, group in zip(places, parts, strict=True)}
    authors = _linked(people, places, whole)
    if not any(author.affiliations for author in authors):
        authors = _unmarked(authors, [[whole[place.text] for place in reading.places] for reading in read])
    author_zones = tuple(zone for zone in zones if zone.verdict.label in {"author", "both"})
    place_zones = tuple(zone for zone in zones if zone.verdict.label in {"affiliation", "both"})
    return Byline(authors, tuple(texts.values()), author_zones, place_zones)


def _people(read: Sequence[_Reading], *, short: bool) -> list[_Person]:
    """Everyone named, each once, with what is printed beside the name."""
    lists: list[list[_Person]] = []
    repeated: list[list[_Person]] = []
    last: _Person | None = None
    path = ""
    under = _listed_under([reading for reading in read if reading.back])
    for reading in read:
        if reading.names:
            people = [_Person(listed.name, list(listed.markers)) for listed in reading.names]
            (repeated if reading.back else lists).append(people)
            last, path = people[-1] if len(people) == 1 else None, reading.path
        if last is not None and not (reading.back and under) and _is_in_item(reading.path, path):
            last.near += [place.text for place in reading.places]
    people = _merged(lists or repeated, repeated, short=short)
    for person in people:
        person.under = under.get(_person_key(person.name), [])
    return people


def _is_in_item(path: str, name: str) -> bool:
    """Whether a place stands in the item of a list that a name stands in, or one of them in no item of that list."""
    begin = name.rfind("/li[") + len("/li[")
    item = name[: name.find("]", begin) + 1]
    return begin < len("/li[") or not path.startswith(name[:begin]) or path.startswith(item)


def _listed_under(read: Sequence[_Reading]) -> dict[str, list[str]]:
    """Behind the text, each affiliation may be followed by the names of those who work there: by name its places.

    Where names come first or an affiliation last, the affiliations follow their names instead.
    """
    under: dict[str, list[str]] = {}
    above: list[str] = []
    used = False
    for reading in read:
        if reading.names and not reading.places and above:
            for listed in reading.names:
                under.setdefault(_person_key(listed.name), []).extend(above)
            above, used = [], True
        elif reading.names and not used:
            return {}
        elif not reading.names:
            above += [place.text for place in reading.places]
    return {} if above else under


def _read(zone: LabelledZone, before: str, known: Container[str]) -> tuple[list[Listed], list[Place]]:
    """The names and places of a zone; `before` is the text above it, `known` are texts that are affiliations."""
    if zone.verdict.label == "author":
        return list(listed_names(zone.zone)), []
    if zone.verdict.label == "affiliation" or zone.zone.text in known:
        return [], places_of(zone.zone, before)
    names = list(listed_names(zone.zone))
    if sum(bool(listed.markers) for listed in names) > 1:  # several names with markers: no place stands among them
        return names, []
    name, place = _name_and_place(zone)
    return [Listed(name, ())] if name else [], [Place("", place)] if place else []


def _name_and_place(zone: LabelledZone) -> tuple[str, str]:
    """A line that begins with a name and goes on with where the person works."""
    text = zone.zone.text
    inner = [mark.end for mark in zone.zone.marks if mark.start == 0 and 0 < mark.end < len(text)]
    cuts = [*inner, *glued(zone.zone), *(found.start() for found in _INSIDE.finditer(text))]
    for cut in sorted(set(cuts)):
        name = text[:cut].strip()
        if name and is_name(name) and 2 <= len(name.split()) <= 5:  # noqa: PLR2004
            return name, clean(text[cut:].lstrip(" ,;:-–—|"))
    return "", clean(text)


def _merged(lists: Sequence[Sequence[_Person]], repeated: Sequence[Sequence[_Person]], *, short: bool) -> list[_Person]:
    """Everyone once, in the order of the first list; one that repeats it adds people only where it is cut short."""
    seen: dict[str, _Person] = {}
    for people in lists:
        _add(seen, people)
    for people in repeated:
        known = [person for person in people if _person_key(person.name) in seen]
        whole = short and len(known) > 1
        _add(seen, people if whole else known)
        if whole and len(people) >= len(seen):
            return [seen[_person_key(person.name)] for person in people]
    return list(seen.values())


def _add(seen: dict[str, _Person], people: Iterable[_Person]) -> None:
    """Add those not seen before; to the others what is printed beside their names here."""
    new: dict[str, _Person] = {}
    for person in people:
        key = _person_key(person.name)
        if key in seen:
            seen[key].markers += person.markers
            seen[key].near += person.near
        else:
            new[key if key not in new else f"{key} {len(new)}"] = person
    seen.update(new)


def _person_key(name: str) -> str:
    """A name to compare by: its words without case, stops and order of writing."""
    return " ".join(sorted(re.findall(r"\w+", name.partition(",")[0].casefold())))


def _linked(people: Sequence[_Person], places: Sequence[Place], whole: dict[str, list[int]]) -> tuple[Author, ...]:
    parse = parse_listed if is_natural([person.name for person in people]) else parse_name
    by_marker = _by_marker(people, places, whole)
    near = bool(people) and sum(bool(person.near) for person in people) >= max(2, _WHOLE * len(people))
    out = []
    for person in people:
        author = parse(person.name)
        if author is not None:
            marked = [number for marker in person.markers for number in by_marker.get(marker, ())]
            beside = [number for text in person.near for number in whole[text]] if near else []
            under = [number for text in person.under for number in whole[text]]
            out.append(replace(author, affiliations=tuple(dict.fromkeys(beside or marked or under))))
    return tuple(out)


def _unmarked(authors: tuple[Author, ...], groups: Sequence[Sequence[Sequence[int]]]) -> tuple[Author, ...]:
    """Authors to whom no marker points: a single affiliation is everyone's.

    Where there are as many lines as authors and a place stands in several, it is repeated for each author in turn.
    """
    lines = [tuple(number for places in group for number in places) for group in groups if group]
    numbers = [number for line in lines for number in set(line)]
    if set(numbers) == {0}:
        return tuple(replace(author, affiliations=(0,)) for author in authors)
    if len(lines) == len(authors) and len(set(numbers)) < len(numbers):
        return tuple(replace(author, affiliations=line) for author, line in zip(authors, lines, strict=True))
    return authors


def _by_marker(people: Sequence[_Person], places: Sequence[Place], whole: dict[str, list[int]]) -> dict[str, list[int]]:
    """The affiliations of each marker; a list without markers is counted where the names count as far as it goes."""
    by_marker: dict[str, list[int]] = {}
    for place in places:
        by_marker.setdefault(place.marker, whole[place.text])
    counted = {int(marker) for person in people for marker in person.markers if marker.isdecimal()}
    numbered = [whole[text] for text in dict.fromkeys(place.text for place in places)]
    if set(by_marker) == {""} and counted and counted == set(range(1, len(numbered) + 1)):
        return {str(number): found for number, found in enumerate(numbered, 1)}
    return by_marker


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())

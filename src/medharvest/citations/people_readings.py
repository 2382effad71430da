"""Choose authors and affiliations as whole lists: every plausible reading of a page is weighed by boosted trees.

A zone has a verdict, and for each label a probability of a second labeller. Different readings follow from trusting
one or the other, all of the page or its front only; the metadata is one more reading. `choose_people` returns the
best list of authors and the best list of affiliations, which may come from different readings.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import islice
from typing import Any, NamedTuple

from medharvest.boosted_trees import (
    BoostedTrees,
    chance_of,
    digest_of_data,
    log_odds_of,
    shares_of,
    trees_from_data,
)
from medharvest.citations.author_names import is_name_tail
from medharvest.citations.byline import (
    Byline,
    ZonePeopleReader,
    assemble_byline,
)
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.people_labellings import PEOPLE_LABELS, TREES, VERDICTS, Labels, list_people_labellings
from medharvest.citations.people_numbers import (
    PeoplePage,
    PeopleReading,
    Readings,
    count_linked,
    number_affiliations,
    number_authors,
    number_name,
    number_place,
)
from medharvest.citations.print_comparison import author_match_key, fold_alphanumerics
from medharvest.fields import spoken_name
from medharvest.records import Author, LabelledZone, Verdict

_METADATA = "metadata"
_KEPT_CHANCES = {"kept": 0.5, "kept low": 0.15}  # least probability of an item that is kept
_MAX_PEOPLE_CHARACTERS = 100_000  # of the zones with people; a page with more has one reading
_MAX_FIRST_NAMES = 200  # that an affiliation may begin with
_PLACEHOLDER = re.compile(r"\$|\{\{|\bundefined\b|\bnull\b")


@dataclass(frozen=True, slots=True)
class PeopleTrees:
    """The trees that judge lists of authors and of affiliations, and single items of these.

    The list that follows from the verdicts is taken unless another one is `verdict_factor` times as probable. `pages`
    are the digests of pages that they saw.
    """

    authors: BoostedTrees
    affiliations: BoostedTrees
    names: BoostedTrees
    places: BoostedTrees
    pages: frozenset[str] = frozenset()
    verdict_factor: float = 1.0


PEOPLE_TREES = ("authors", "affiliations", "names", "places")


class Candidate(NamedTuple):
    """A list of authors or of affiliations that several readings may have given, with its vector."""

    readings: tuple[PeopleReading, ...]
    numbers: tuple[float, ...]

    @property
    def ways(self) -> frozenset[str]:
        """Return the ways of all its readings."""
        return frozenset(way for reading in self.readings for way in reading.ways)

    @property
    def printed(self) -> Byline | None:
        """Return the printed byline; of several, the one with most links. None if the list is only embedded."""
        shown = [one.byline for one in self.readings if one.ways != (_METADATA,)]
        return max(shown, key=lambda byline: count_linked(byline.authors), default=None)


class ChosenList(NamedTuple):
    """The list that was chosen: a printed byline, or None for that of the metadata.

    `chance` is the probability that it is right, `agreed` says that both labellers gave it, and `other` is the best
    printed byline beside the metadata.
    """

    printed: Byline | None
    chance: float
    agreed: bool = False
    other: Byline | None = None


@functools.cache
def shipped_people_trees(*, pdf: bool = False) -> PeopleTrees:
    """Return the trees of the package, for HTML pages or PDFs; raise ValueError if a file does not match its digest."""
    name = "pdf_people.json" if pdf else "people.json"
    text = resources.files("medharvest.citations").joinpath("data").joinpath(name).read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    if content["digest"] != digest_of_data(content["trees"]):
        raise ValueError("trees of people are damaged: reinstall medharvest")
    return people_trees_from_data(content["trees"], frozenset(content["pages"]))


def people_trees_from_data(data: Mapping[str, Any], pages: frozenset[str] = frozenset()) -> PeopleTrees:
    """Build the trees from plain data."""
    authors, affiliations, names, places = (trees_from_data(data[name]) for name in PEOPLE_TREES)
    return PeopleTrees(authors, affiliations, names, places, pages, float(data.get("verdict_factor", 1.0)))


def choose_people(
    zones: Sequence[LabelledZone], known: MetadataPeople, trees: PeopleTrees
) -> tuple[ChosenList | None, ChosenList | None]:
    """Return the best authors and the best affiliations of a page; None if it has none."""
    authors, affiliations = list_people_candidates(zones, known, trees)
    factor = trees.verdict_factor
    return _choose(authors, trees.authors, factor), _choose(affiliations, trees.affiliations, factor)


def _choose(candidates: Sequence[Candidate], trees: BoostedTrees, verdict_factor: float) -> ChosenList | None:
    shares = shares_of([log_odds_of(trees, one.numbers) for one in candidates])
    scored = sorted(zip(shares, candidates, strict=True), key=lambda pair: -pair[0])
    if not scored:
        return None
    ruled = next((pair for pair in scored if VERDICTS in pair[1].ways), scored[0])
    chance, best = ruled if verdict_factor * ruled[0] > scored[0][0] else scored[0]
    other = next((one.printed for _, one in scored if one.printed is not None), None)
    return ChosenList(best.printed, chance, {VERDICTS, TREES} <= best.ways, other)


def settle_people_labels(
    zones: Sequence[LabelledZone], known: MetadataPeople, trees: PeopleTrees
) -> tuple[LabelledZone, ...]:
    """Return the zones with the labels of the lists that are chosen; of a list in the metadata, those of its print."""
    if not any(zone.chances for zone in zones):
        return tuple(zones)
    chosen = choose_people(zones, known, trees)
    names, places = (one.printed or one.other if one is not None else None for one in chosen)
    authors = {id(zone.zone) for zone in (names.author_zones if names else ())}
    institutions = {id(zone.zone) for zone in (places.affiliation_zones if places else ())}
    return tuple(_settle_label(zone, id(zone.zone) in authors, id(zone.zone) in institutions) for zone in zones)


def _settle_label(zone: LabelledZone, author: bool, institution: bool) -> LabelledZone:  # noqa: FBT001
    label = "both" if author and institution else "author" if author else "affiliation" if institution else ""
    if label == zone.verdict.label:
        return LabelledZone(zone.zone, zone.verdict)
    if label:
        return LabelledZone(zone.zone, Verdict(label, max(zone.chances, default=0.5), "people-chosen"))
    dropped = zone.verdict.label in PEOPLE_LABELS
    return LabelledZone(zone.zone, Verdict("unidentified", 0.5, "none") if dropped else zone.verdict)


def list_people_candidates(
    zones: Sequence[LabelledZone], known: MetadataPeople, trees: PeopleTrees
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the distinct lists of authors and of affiliations of all readings, each with its vector."""
    page = PeoplePage(zones, known)
    readings = list_people_readings(page, known)
    judged = [_judge_items(reading, page, trees) for reading in readings]
    names = _best_chances(
        (author_match_key, reading.byline.authors, one.names) for reading, one in zip(readings, judged, strict=True)
    )
    places = _best_chances(
        (fold_alphanumerics, reading.byline.affiliations, one.places)
        for reading, one in zip(readings, judged, strict=True)
    )
    linked = frozenset(
        author_match_key(author)
        for reading in readings
        if len(reading.byline.affiliations) > 1  # a single one belongs to all names
        for author in reading.byline.authors
        if _is_linked_person(author)
    )
    sure = _SureItems(linked, frozenset(text for reading in readings for text in _list_places_of_all(reading.byline)))
    readings += [
        kept for reading, one in zip(readings, judged, strict=True) for kept in _keep_likely_items(reading, one, sure)
    ]
    authors = _group_readings(readings, lambda byline: tuple(map(_name_parts, byline.authors)))
    affiliations = _group_readings(readings, lambda byline: tuple(map(fold_alphanumerics, byline.affiliations)))
    return (
        [Candidate(own, number_authors(own, authors, page, names)) for own in authors],
        [Candidate(own, number_affiliations(own, affiliations, page, places)) for own in affiliations],
    )


class _ItemChances(NamedTuple):
    """The probabilities that the names and the affiliations of a reading are right."""

    names: list[float]
    places: list[float]


def _judge_items(reading: PeopleReading, page: PeoplePage, trees: PeopleTrees) -> _ItemChances:
    names, places = number_items(reading, page)
    return _ItemChances(
        [chance_of(trees.names, one) for one in names], [chance_of(trees.places, one) for one in places]
    )


def _best_chances(
    lists: Iterable[tuple[Callable[[Any], Hashable], Sequence[Any], Sequence[float]]],
) -> dict[Hashable, float]:
    """Return for each item of all readings its highest probability."""
    best: dict[Hashable, float] = {}
    for key_of, items, chances in lists:
        for item, chance in zip(items, chances, strict=True):
            key = key_of(item)
            best[key] = max(chance, best.get(key, 0.0))
    return best


def list_people_readings(page: PeoplePage, known: MetadataPeople) -> list[PeopleReading]:
    """Return the readings of a page: those of its print, the same without what cannot be a name, and the metadata."""
    printed = [_drop_own_names(reading, known) for reading in _list_readings(page.zones, page)]
    readings = [*printed, *filter(None, (_clean_reading(reading, page) for reading in printed))]
    names = _list_first_names(printed, known)
    unnamed = (_drop_names_of_places(reading, names) for reading in printed)
    readings += (reading._replace(ways=("unnamed",)) for reading in unnamed if reading is not None)
    if known.authors or known.affiliations:
        readings.append(PeopleReading((_METADATA,), Byline(known.authors, known.affiliations, (), ())))
    return _join_same_readings(readings)


def _join_same_readings(readings: Iterable[PeopleReading]) -> list[PeopleReading]:
    """Return each byline once, with all ways that gave it; the metadata stays apart."""
    found: dict[tuple[object, ...], PeopleReading] = {}
    for reading in readings:
        byline = reading.byline
        key = (byline.authors, byline.affiliations, reading.ways == (_METADATA,))
        before = found.get(key)
        found[key] = before._replace(ways=(*before.ways, *reading.ways)) if before else reading
    return list(found.values())


def number_items(reading: PeopleReading, page: PeoplePage) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """Return the vectors of the names and of the affiliations of a reading."""
    authors, texts = reading.byline.authors, reading.byline.affiliations
    return (
        [number_name(authors, place, reading.authors_at, page) for place in range(len(authors))],
        [number_place(texts, place, authors, reading.places_at, page) for place in range(len(texts))],
    )


class _SureItems(NamedTuple):
    """Names with a marker in any reading, and affiliations of readings in which every name has its markers."""

    names: frozenset[Hashable]
    places: frozenset[str]


def _list_places_of_all(byline: Byline) -> Sequence[str]:
    """Return several affiliations if all of them are those of people, and all people have some; else none."""
    places = [frozenset(author.affiliations) for author in byline.authors]
    several = len(byline.affiliations) > 1 and len(set(places)) > 1
    whole = several and all(places) and len(frozenset[int]().union(*places)) == len(byline.affiliations)
    return byline.affiliations if whole else ()


def _keep_likely_items(reading: PeopleReading, chances: _ItemChances, sure: _SureItems) -> Iterator[PeopleReading]:
    """Yield the reading without unlikely names and affiliations, strictly and generously; nothing if all are likely."""
    for way, least in _KEPT_CHANCES.items():
        byline = _keep_items(
            reading.byline,
            [
                chance >= least or author_match_key(author) in sure.names
                for author, chance in zip(reading.byline.authors, chances.names, strict=True)
            ],
            [
                chance >= least or text in sure.places
                for text, chance in zip(reading.byline.affiliations, chances.places, strict=True)
            ],
        )
        if byline is not None:
            yield reading._replace(ways=(way,), byline=byline)


def _is_linked_person(author: Author) -> bool:
    """Whether a name has a marker that links it to an affiliation, and is not a degree."""
    return bool(author.affiliations) and not is_name_tail(spoken_name(author))


def _keep_items(byline: Byline, names: Sequence[bool], places: Sequence[bool]) -> Byline | None:
    """Return a byline with a part of its items, numbered anew; None if that is all of them."""
    if all(names) and all(places):
        return None
    numbers = {old: new for new, old in enumerate(place for place, kept in enumerate(places) if kept)}
    authors = tuple(
        replace(author, affiliations=tuple(numbers[old] for old in author.affiliations if old in numbers))
        for author, kept in zip(byline.authors, names, strict=True)
        if kept
    )
    texts = tuple(text for text, kept in zip(byline.affiliations, places, strict=True) if kept)
    return byline._replace(authors=authors, affiliations=texts)


def _group_readings(readings: Iterable[PeopleReading], key: Callable[[Byline], tuple[object, ...]]) -> list[Readings]:
    groups: dict[tuple[object, ...], list[PeopleReading]] = {}
    for reading in readings:
        if own := key(reading.byline):
            groups.setdefault(own, []).append(reading)
    return [tuple(group) for group in groups.values()]


def _name_parts(author: Author) -> tuple[str, str, str]:
    return author.family, author.given, author.collective


def _clean_reading(reading: PeopleReading, page: PeoplePage) -> PeopleReading | None:
    """Return a reading without names of common words, placeholders and repetitions; None if there are none of these."""
    kept: dict[tuple[str, str], Author] = {}
    for author in reading.byline.authors:
        text = spoken_name(author)
        common = not author.collective and all(map(page.writes_small, text.split()))
        if not common and not _PLACEHOLDER.search(text):
            kept.setdefault(author_match_key(author), author)
    if not kept or len(kept) == len(reading.byline.authors):
        return None
    return reading._replace(ways=("cleaned",), byline=reading.byline._replace(authors=tuple(kept.values())))


def _list_first_names(readings: Iterable[PeopleReading], known: MetadataPeople) -> list[str]:
    """Return the names of all readings and of the metadata as printed, long ones first."""
    authors = (author for reading in readings for author in reading.byline.authors)
    names = {spoken_name(author) for author in (*authors, *known.authors) if author.given}
    return sorted(names, key=lambda name: (-len(name), name))[:_MAX_FIRST_NAMES]


def _drop_own_names(reading: PeopleReading, known: MetadataPeople) -> PeopleReading:
    """Return a reading none of whose affiliations begins with the name of one of its authors."""
    return _drop_names_of_places(reading, _list_first_names([reading], known)) or reading


def _drop_names_of_places(reading: PeopleReading, names: Sequence[str]) -> PeopleReading | None:
    """Return a reading whose affiliations do not begin with the name of an author; None if none does."""
    texts = [_drop_first_name(text, names) for text in reading.byline.affiliations]
    if texts == list(reading.byline.affiliations):
        return None
    distinct = list(dict.fromkeys(filter(None, texts)))
    numbers = {text: number for number, text in enumerate(distinct)}
    authors = tuple(
        replace(
            author, affiliations=tuple(dict.fromkeys(numbers[texts[old]] for old in author.affiliations if texts[old]))
        )
        for author in reading.byline.authors
    )
    return reading._replace(byline=reading.byline._replace(authors=authors, affiliations=tuple(distinct)))


def _drop_first_name(text: str, names: Sequence[str]) -> str:
    name = next(filter(text.startswith, names), "")
    rest = text[len(name) :]
    return rest.lstrip(" ,;:-–—|") if name and not rest[:1].isalnum() else text


def _list_readings(zones: Sequence[LabelledZone], page: PeoplePage) -> Iterator[PeopleReading]:
    """Yield the distinct readings of the printed page."""
    ways: dict[tuple[tuple[int, str], ...], tuple[Labels, list[str]]] = {}
    people = (zone for zone in zones if zone.chances or zone.verdict.label in PEOPLE_LABELS)
    few = sum(len(zone.zone.text) for zone in people) <= _MAX_PEOPLE_CHARACTERS
    for way, labels in islice(list_people_labellings(zones, page).items(), None if few else 1):
        key = tuple(sorted((i, verdict.label) for i, verdict in labels.items()))
        if key:
            ways.setdefault(key, (labels, []))[1].append(way)
    read = ZonePeopleReader(zones)
    for labels, names in ways.values():
        byline = assemble_byline(
            [(i, LabelledZone(zones[i].zone, verdict)) for i, verdict in sorted(labels.items())], read
        )
        authors = tuple(i for i, verdict in labels.items() if verdict.label != "affiliation")
        places = tuple(i for i, verdict in labels.items() if verdict.label != "author")
        yield PeopleReading(tuple(names), byline, authors, places)

"""Choose authors and affiliations as whole lists: every plausible reading of a page is weighed by boosted trees.

A zone has a verdict, and for each label a probability of a second labeller. Different readings follow from trusting
one or the other, all of the page or its front only; the metadata is one more reading. `choose_people` returns the
best list of authors and the best list of affiliations, which may come from different readings.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from typing import Any, NamedTuple

from medharvest.boosted_trees import BoostedTrees, chance_of, digest_of_data, trees_from_data
from medharvest.citations.byline import Byline, ZonePeopleReader, assemble_byline
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.print_comparison import author_match_key, fold_alphanumerics
from medharvest.fields import spoken_name
from medharvest.pages.word_lists import COUNTRY_NAME, names_institution
from medharvest.records import Author, LabelledZone, Verdict

_PEOPLE_LABELS = ("author", "affiliation", "both")  # in the order of a zone's chances
_FRONT_REACH = 60  # zones below the title that are its front matter if there is no abstract
_METADATA, _VERDICTS, _TREES = "metadata", "verdicts", "trees"
_WAYS = (_METADATA, _VERDICTS, _TREES, "low", "high", "front", "cleaned")  # that the trees are told of
_MAX_PAGE_CHARACTERS = 200_000  # in which names are counted
_MAX_PEOPLE_CHARACTERS = 100_000  # of the zones with people; a page with more has one reading
_MAX_COUNTED = 50  # names and affiliations that are looked for on the page
_SITE_WORD = re.compile(
    r"\b(?:search|find|view|click|share|download|pdf|cite|orcid|profile|show|hide|more|related|journal|correspond\w*|"
    r"contact|articles?|authors?)\b",
    re.IGNORECASE,
)
_CONTACT_SIGN = re.compile(
    r"@|correspond|e-?mail|search|\btel\b|fax|orcid|http|\bview|author|article|journal|click|received|copyright",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(r"\b(?:university|hospital|institute|universit\w+|hôpital)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?。]\s+[A-Z(]|[a-z]{3}\.(?:\s|$)|。")
_DEGREE = re.compile(r"\b(?:M\.?D|Ph\.?D|M\.?P\.?H|M\.?Sc?|Prof\w*|R\.?N|MBBS|Dr)\b")
_PLACEHOLDER = re.compile(r"\$|\{\{|\bundefined\b|\bnull\b")
_POSTCODE = re.compile(r"\b\d{4,6}\b")
_SHORT_NAME, _SHORT_GIVEN = 2, 3  # letters
_COMMON_START = 12  # letters at the start of affiliations that are of one institution
_COUNTED_LETTERS = 80  # of an affiliation that are counted on the page
_COMMON_NUMBERS = tuple(
    """items ways lists support at-most-this-long same-list longer-lists shorter-lists known-items known-here here-known
    mean-chance least-chance most-chance zones nearest farthest behind left-out has-abstract""".split()
)
AUTHOR_NUMBERS = (
    *_COMMON_NUMBERS,
    *(f"way {way}" for way in _WAYS),
    *"""distinct mean-repeats least-repeats most-repeats mean-words most-words least-words no-given groups initials
    short-family digits institutions countries plain upper text-share linked affiliations longest-name mean-name orcids
    site-words""".split(),
)
AFFILIATION_NUMBERS = (
    *_COMMON_NUMBERS,
    *(f"way {way}" for way in _WAYS),
    *"""known-like linked authors-linked authors per-author inside institutions all-institutions countries mean-length
    most-length least-length mean-commas most-commas least-commas contacts upper digits sentences semicolons
    organisations hidden repeats stops distinct-starts degrees postcodes""".split(),
)


@dataclass(frozen=True, slots=True)
class PeopleTrees:
    """The trees that judge lists of authors and of affiliations; `pages` are the digests of pages they saw."""

    authors: BoostedTrees
    affiliations: BoostedTrees
    pages: frozenset[str] = frozenset()


class PeopleReading(NamedTuple):
    """A byline, and the ways of reading that gave it."""

    ways: tuple[str, ...]
    byline: Byline
    authors_at: tuple[int, ...] = ()  # the zones
    places_at: tuple[int, ...] = ()


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
        return max(shown, key=lambda byline: _count_linked(byline.authors), default=None)


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
def shipped_people_trees() -> PeopleTrees:
    """Return the trees of the package; raise ValueError if the file does not match its digest."""
    text = resources.files("medharvest.citations").joinpath("data").joinpath("people.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    if content["digest"] != digest_of_data(content["trees"]):
        raise ValueError("trees of people are damaged: reinstall medharvest")
    return PeopleTrees(
        trees_from_data(content["trees"]["authors"]),
        trees_from_data(content["trees"]["affiliations"]),
        frozenset(content["pages"]),
    )


def choose_people(
    zones: Sequence[LabelledZone], known: MetadataPeople, trees: PeopleTrees
) -> tuple[ChosenList | None, ChosenList | None]:
    """Return the best authors and the best affiliations of a page; None if it has none."""
    authors, affiliations = list_people_candidates(zones, known)
    return _choose(authors, trees.authors), _choose(affiliations, trees.affiliations)


def _choose(candidates: Sequence[Candidate], trees: BoostedTrees) -> ChosenList | None:
    scored = sorted(((chance_of(trees, one.numbers), one) for one in candidates), key=lambda pair: -pair[0])
    if not scored:
        return None
    chance, best = scored[0]
    other = next((one.printed for _, one in scored if one.printed is not None), None)
    return ChosenList(best.printed, chance, {_VERDICTS, _TREES} <= best.ways, other)


def settle_people_labels(
    zones: Sequence[LabelledZone], known: MetadataPeople, trees: PeopleTrees | None = None
) -> tuple[LabelledZone, ...]:
    """Return the zones with the labels of the lists that are chosen; of a list in the metadata, those of its print."""
    if not any(zone.chances for zone in zones):
        return tuple(zones)
    chosen = choose_people(zones, known, trees or shipped_people_trees())
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
    dropped = zone.verdict.label in _PEOPLE_LABELS
    return LabelledZone(zone.zone, Verdict("unidentified", 0.5, "none") if dropped else zone.verdict)


def list_people_candidates(
    zones: Sequence[LabelledZone], known: MetadataPeople
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the distinct lists of authors and of affiliations of all readings, each with its vector."""
    page = _PeoplePage(zones, known)
    printed = list(_list_readings(zones, page))
    readings = [*printed, *filter(None, (_clean_reading(reading, page) for reading in printed))]
    if known.authors or known.affiliations:
        byline = Byline(known.authors, known.affiliations, (), ())
        readings.append(PeopleReading((_METADATA,), byline))
    authors = _group_readings(readings, lambda byline: tuple(map(_name_parts, byline.authors)))
    places = _group_readings(readings, lambda byline: tuple(map(fold_alphanumerics, byline.affiliations)))
    return (
        [Candidate(own, _number_authors(own, authors, page)) for own in authors],
        [Candidate(own, _number_affiliations(own, places, page)) for own in places],
    )


Readings = tuple[PeopleReading, ...]


def _group_readings(readings: Iterable[PeopleReading], key: Callable[[Byline], tuple[object, ...]]) -> list[Readings]:
    groups: dict[tuple[object, ...], list[PeopleReading]] = {}
    for reading in readings:
        if own := key(reading.byline):
            groups.setdefault(own, []).append(reading)
    return [tuple(group) for group in groups.values()]


def _name_parts(author: Author) -> tuple[str, str, str]:
    return author.family, author.given, author.collective


class _PeoplePage:
    """What all candidates of a page are compared with."""

    def __init__(self, zones: Sequence[LabelledZone], known: MetadataPeople) -> None:
        self.zones = zones
        self.title = next((i for i, zone in enumerate(zones) if zone.verdict.label == "title"), -1)
        abstract = [i for i, zone in enumerate(zones) if zone.verdict.label == "abstract" and i > self.title]
        self.has_abstract = bool(abstract)
        self.end = min(abstract, default=self.title + _FRONT_REACH)
        self.behind = max(abstract, default=self.title + _FRONT_REACH)
        text = " ".join(zone.zone.text for zone in zones)[:_MAX_PAGE_CHARACTERS]
        self.letters = fold_alphanumerics(text)
        self.small_words = frozenset(word for word in text.split() if word.islower())
        self.known_names = frozenset(map(author_match_key, known.authors))
        self.known_places = frozenset(map(fold_alphanumerics, known.affiliations))
        self._counts: dict[str, int] = {}

    def count(self, letters: str) -> int:
        """Return how often letters occur on the page."""
        if letters not in self._counts:
            self._counts[letters] = self.letters.count(letters) if letters else 0
        return self._counts[letters]

    def chances(self, i: int) -> tuple[float, ...]:
        """Return the second labeller's probabilities for a zone."""
        return self.zones[i].chances or (0.0, 0.0, 0.0)


def _clean_reading(reading: PeopleReading, page: _PeoplePage) -> PeopleReading | None:
    """Return a reading without names of common words, placeholders and repetitions; None if there are none of these."""
    kept: dict[tuple[str, str], Author] = {}
    for author in reading.byline.authors:
        text = spoken_name(author)
        common = not author.collective and all(word.lower() in page.small_words for word in text.split())
        if not common and not _PLACEHOLDER.search(text):
            kept.setdefault(author_match_key(author), author)
    if not kept or len(kept) == len(reading.byline.authors):
        return None
    return reading._replace(ways=("cleaned",), byline=reading.byline._replace(authors=tuple(kept.values())))


Labels = Mapping[int, Verdict]


def _list_readings(zones: Sequence[LabelledZone], page: _PeoplePage) -> Iterator[PeopleReading]:
    """Yield the distinct readings of the printed page."""
    ways: dict[tuple[tuple[int, str], ...], tuple[Labels, list[str]]] = {}
    people = (zone for zone in zones if zone.chances or zone.verdict.label in _PEOPLE_LABELS)
    few = sum(len(zone.zone.text) for zone in people) <= _MAX_PEOPLE_CHARACTERS
    for way, labels in islice(_list_labellings(zones, page).items(), None if few else 1):
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


def _list_labellings(zones: Sequence[LabelledZone], page: _PeoplePage) -> dict[str, Labels]:
    """Return the labels of the people's zones by way of reading."""
    verdicts = {i: zone.verdict for i, zone in enumerate(zones) if zone.verdict.label in _PEOPLE_LABELS}
    trees, low, high = (
        _label_by_chances(page, *least) for least in ((0.5, 0.5, 0.5), (0.25, 0.2, 0.2), (0.7, 0.7, 0.7))
    )
    return {
        _VERDICTS: verdicts,
        _TREES: trees,
        "low": low,
        "high": high,
        "front": _front(trees, page),
        "low front": _front(low, page),
        "verdicts front": _front(verdicts, page),
        "verdict authors": {**_places(trees), **_authors(verdicts)},
        "tree authors": {**_places(verdicts), **_authors(trees)},
        "front authors": {**_places(_back(trees, page)), **_authors(_front(trees, page))},
        "front authors low": {**_places(_back(low, page)), **_authors(_front(trees, page))},
        "low places": {**_places(low), **_authors(trees)},
        "low authors": {**_places(trees), **_authors(low)},
    }


def _label_by_chances(page: _PeoplePage, *least: float) -> dict[int, Verdict]:
    """Return the zones whose likeliest label is as likely as it must be."""
    out = {}
    for i, zone in enumerate(page.zones):
        if zone.chances:
            best = max(range(3), key=zone.chances.__getitem__)
            if zone.chances[best] >= least[best]:
                method = "people-back" if i > page.behind else "people"
                out[i] = Verdict(_PEOPLE_LABELS[best], zone.chances[best], method)
    return out


def _front(labels: Labels, page: _PeoplePage) -> Labels:
    return {i: verdict for i, verdict in labels.items() if i < page.end}


def _back(labels: Labels, page: _PeoplePage) -> Labels:
    return {i: verdict for i, verdict in labels.items() if i > page.behind}


def _authors(labels: Labels) -> Labels:
    return {i: verdict for i, verdict in labels.items() if verdict.label != "affiliation"}


def _places(labels: Labels) -> Labels:
    return {i: verdict for i, verdict in labels.items() if verdict.label != "author"}


def _mean(values: Iterable[float]) -> float:
    """Return the mean; -1 of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else -1.0


def _number_common(
    keys: Sequence[object],
    own: Readings,
    others: Sequence[frozenset[object]],
    known: frozenset[object],
    at: Sequence[int],
    page: _PeoplePage,
    *labels: int,
) -> list[float]:
    """Return the numbers that both kinds of lists have; `labels` are the places of their labels in the chances."""
    held = frozenset(keys)
    counts = Counter(key for other in others for key in other)
    chances = [sum(page.chances(i)[label] for label in labels) for i in at]
    texts = {page.zones[i].zone.text for i in at}
    left = sum(
        sum(zone.chances[label] for label in labels)
        for zone in page.zones
        if zone.chances and zone.zone.text not in texts
    )
    ways = {way for reading in own for way in reading.ways}
    return [
        len(keys),
        len(ways),
        len(others),
        _mean(counts[key] / len(others) for key in keys),
        _mean(len(other) <= len(held) for other in others),
        sum(other == held for other in others),
        sum(other > held for other in others),
        sum(other < held for other in others),
        len(known),
        _mean(key in held for key in known),
        _mean(key in known for key in keys) if known else -1.0,
        _mean(chances),
        min(chances, default=-1.0),
        max(chances, default=-1.0),
        len(at),
        min((i - page.title for i in at), default=-1),
        max((i - page.title for i in at), default=-1),
        _mean(i > page.behind for i in at),
        left,
        page.has_abstract,
        *(way in ways for way in _WAYS),
    ]


def _number_authors(own: Readings, lists: Sequence[Readings], page: _PeoplePage) -> tuple[float, ...]:
    authors = own[0].byline.authors
    keys = [author_match_key(author) for author in authors]
    others = [frozenset(map(author_match_key, readings[0].byline.authors)) for readings in lists]
    at = max((reading.authors_at for reading in own), key=len)
    texts = [spoken_name(author) for author in authors]
    named = authors[:_MAX_COUNTED]
    repeats = [page.count(fold_alphanumerics(author.family or author.collective)) for author in named]
    words = [len(text.split()) for text in texts]
    return (
        *_number_common(keys, own, others, page.known_names, at, page, 0, 2),
        len(set(keys)) / len(keys),
        _mean(repeats),
        min(repeats),
        max(repeats),
        _mean(words),
        max(words),
        min(words),
        _mean(not author.given for author in authors),
        _mean(bool(author.collective) for author in authors),
        _mean(len(author.given.replace(".", "").replace(" ", "")) <= _SHORT_GIVEN for author in authors),
        _mean(len(author.family) <= _SHORT_NAME for author in authors),
        _mean(any(map(str.isdigit, text)) for text in texts),
        _mean(names_institution(text) for text in texts),
        _mean(COUNTRY_NAME.search(text) is not None for text in texts),
        _mean(_mean(word.lower() in page.small_words for word in text.split()) for text in texts),
        _mean(map(str.isupper, texts)),
        sum(len(page.zones[i].zone.text) for i in at) / len(authors),
        _mean(bool(author.affiliations) for author in authors),
        max(len(reading.byline.affiliations) for reading in own),
        max(map(len, texts)),
        _mean(map(len, texts)),
        _mean(bool(author.orcid) for author in authors),
        _mean(_SITE_WORD.search(text) is not None for text in texts),
    )


def _number_affiliations(own: Readings, lists: Sequence[Readings], page: _PeoplePage) -> tuple[float, ...]:
    texts = own[0].byline.affiliations
    keys = [fold_alphanumerics(text) for text in texts]
    others = [frozenset(map(fold_alphanumerics, readings[0].byline.affiliations)) for readings in lists]
    at = max((reading.places_at for reading in own), key=len)
    people = max((reading.byline.authors for reading in own), key=_count_linked)
    linked = {number for author in people for number in author.affiliations}
    some, some_known = keys[:_MAX_COUNTED], sorted(page.known_places)[:_MAX_COUNTED]
    commas = [text.count(",") for text in texts]
    lengths = [len(text) for text in texts]
    named = [names_institution(text) for text in texts]
    return (
        *_number_common(keys, own, others, page.known_places, at, page, 1, 2),
        _mean(any(key in other or other in key for other in some_known) for key in some) if some_known else -1.0,
        len(linked) / len(texts),
        _count_linked(people) / len(people) if people else -1.0,
        len(people),
        len(texts) / max(1, len(people)),
        sum(one != other and one in other for one in some for other in some),
        _mean(named),
        min(named),
        _mean(COUNTRY_NAME.search(text) is not None for text in texts),
        _mean(lengths),
        max(lengths),
        min(lengths),
        _mean(commas),
        max(commas),
        min(commas),
        _mean(_CONTACT_SIGN.search(text) is not None for text in texts),
        _mean(text[:1].isupper() for text in texts),
        _mean(text[:1].isdigit() for text in texts),
        _mean(_SENTENCE.search(text) is not None for text in texts),
        _mean(text.count(";") for text in texts),
        max(len(_ORGANISATION.findall(text)) for text in texts),
        _mean(page.zones[i].zone.hidden for i in at),
        _mean(page.count(key[:_COUNTED_LETTERS]) for key in some),
        _mean(text.rstrip()[-1:] in {".", ";", ","} for text in texts),
        len({key[:_COMMON_START] for key in keys}) / len(keys),
        _mean(_DEGREE.search(text) is not None for text in texts),
        _mean(_POSTCODE.search(text) is not None for text in texts),
    )


def _count_linked(authors: Sequence[Author]) -> int:
    return sum(bool(author.affiliations) for author in authors)

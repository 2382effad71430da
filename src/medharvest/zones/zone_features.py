"""Features of zones for the models: of the zone, its neighbours, its position and its agreement with the metadata."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from medharvest.records import MetaItem, Zone
from medharvest.zones.appearance import (
    MAX_INSPECTED_CHARACTERS,
    ZoneAppearance,
    class_index_of,
    inspect_zone,
    inspect_zone_heading,
    inspect_zone_length,
)
from medharvest.zones.chain_model import FeatureGroup, feature_group_of
from medharvest.zones.wording import fold_letters, may_hold_people

_POSITION_EDGES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)  # class boundaries of positions on the page
_DISTANCE_EDGES = (1, 2, 3, 5, 8, 12, 20, 40)  # class boundaries of distances in zones
# Tags in a path that show which area of the page a zone is in.
_AREA_TAG = re.compile(r"\b(nav|header|footer|aside|table|form|ul|ol|dl|main|article|section|address|blockquote)\[")
_STRIPPED_SIGNS = ",;.:()*&0123456789"
_MIN_NAME_SHARE = 0.6  # share of names in a zone that lists people
_TITLE_ITEMS = frozenset({"citation_title", "dc.title", "prism.title", "headline", "og:title"})
_AUTHOR_ITEMS = re.compile(
    r"citation_authors?|dc\.creator|dc\.contributor\.author|author(?:\.\d+)?(?:\.(?:family)?name)?", re.IGNORECASE
)
_INSTITUTION_ITEMS = re.compile(r"citation_author_(?:institution|affiliation)|author.*\.affiliation.*")
_ABSTRACT_ITEMS = frozenset(
    {"citation_abstract", "abstract", "description", "dc.description", "dc.description.abstract", "og:description"}
)
_MAX_METADATA_VALUES = 60  # values per kind that are compared with each zone
_MAX_COMPARED_CHARACTERS = 2_000  # of a zone
_NO_AGREEMENT = FeatureGroup("", ())
_MIN_ABSTRACT_CHARACTERS = 100  # a shorter description is not an abstract


class _NeighbourFeatures(NamedTuple):
    """The features of a zone for itself and for the two zones before and the two after it."""

    own: FeatureGroup
    before: FeatureGroup
    above: FeatureGroup
    below: FeatureGroup
    behind: FeatureGroup


_NO_NEIGHBOUR = _NeighbourFeatures(*[FeatureGroup("", ())] * 5)


class MetadataKeys(NamedTuple):
    """The values of a page's metadata, folded to letters and digits."""

    titles: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()


def describe_zones(
    zones: Sequence[Zone],
    *,
    rules: Sequence[str],
    known: MetadataKeys,
    dull: Container[int] = frozenset(),
    mute: Container[int] = frozenset(),
    nobody: Container[int] = frozenset(),
) -> list[tuple[FeatureGroup, ...]]:
    """Return the features of each zone: its own, those of its neighbours, and its position.

    `dull` zones (no core field) and `mute` zones (no possible label) get no features, but a mute zone still counts for
    its neighbours. `nobody` are zones already known to name no people.
    """
    appearances = _inspect_zones(zones, dull, mute, nobody)
    said = [
        _make_neighbour_features(appearance.told, rule) for appearance, rule in zip(appearances, rules, strict=True)
    ]
    around = [_NO_NEIGHBOUR, _NO_NEIGHBOUR, *said, _NO_NEIGHBOUR, _NO_NEIGHBOUR]
    places = _describe_positions(zones, rules, _find_first_in_tab(appearances))
    context = _describe_context(appearances)
    words, copies = (
        collect_page_words(zones),
        Counter([zone.text for zone in zones if len(zone.text) < MAX_INSPECTED_CHARACTERS]),
    )
    agree = make_metadata_comparison(known)
    return [
        ()
        if i in dull or i in mute
        else (
            said[i].own,
            feature_group_of(zone.words, "w="),
            appearances[i].wording,
            context[i],
            places[i],
            _find_area_tags(zone.path.rpartition("/")[0]),
            _describe_copies(zone, words, copies),
            agree(zone),
            around[i].before,
            around[i + 1].above,
            around[i + 3].below,
            around[i + 4].behind,
        )
        for i, zone in enumerate(zones)
    ]


def _inspect_zones(
    zones: Sequence[Zone], dull: Container[int], mute: Container[int], nobody: Container[int]
) -> list[ZoneAppearance]:
    """Inspect each zone; equal ones, such as the links after every reference, are inspected once."""
    tab = next((fold_letters(zone.text) for zone in zones if zone.tag == "title"), "")
    known: dict[Hashable, ZoneAppearance] = {}
    heard = _mark_heard_zones(len(zones), dull, mute)
    appearances = []
    for i, zone in enumerate(zones):
        if i in dull:
            appearances.append(inspect_zone_length(zone))
        elif not heard[i] and (i in nobody or not may_hold_people(zone)):
            appearances.append(inspect_zone_heading(zone))
        else:
            key = (i in mute, zone.tag, zone.text, zone.marks, zone.size, zone.hidden)
            appearance = known.get(key)
            if appearance is None:
                appearance = known[key] = inspect_zone(zone, tab, mute=i in mute)
            appearances.append(appearance)
    return appearances


def _mark_heard_zones(count: int, dull: Container[int], mute: Container[int]) -> bytearray:
    """Return for each zone whether it, or a zone up to two away, has features."""
    heard = bytearray(count + 4)
    for i in range(count):
        if i not in dull and i not in mute:
            heard[i : i + 5] = b"\1\1\1\1\1"
    return heard[2:]


@functools.lru_cache(maxsize=8192)
def _make_neighbour_features(told: tuple[str, ...], rule: str) -> _NeighbourFeatures:
    names = (*told, f"rule={rule}")
    return _NeighbourFeatures(*[FeatureGroup(prefix, names) for prefix in ("", "b:", "a:", "z:", "y:")])


def _find_first_in_tab(appearances: Sequence[ZoneAppearance]) -> dict[int, str]:
    """Return the first zone and the first heading that make up a good part of TITLE."""
    strong = [i for i, appearance in enumerate(appearances) if "G=most" in appearance.told]
    headings = [i for i in strong if appearances[i].heading]
    return {**dict.fromkeys(strong[:1], "tab-first"), **dict.fromkeys(headings[:1], "tab-heading")}


def _describe_positions(zones: Sequence[Zone], rules: Sequence[str], firsts: Mapping[int, str]) -> list[FeatureGroup]:
    """Return the position of each zone, whether it is written like the one before, and its label by the rules."""
    out: list[FeatureGroup] = []
    count = len(zones)
    list_before = signature_before = None
    for i, (zone, rule) in enumerate(zip(zones, rules, strict=True)):
        own = zone.path[: zone.path.rfind("[")]
        same = (own == list_before, zone.signature == signature_before)
        at = bisect_right(_POSITION_EDGES, i / count)
        out.append(_make_position_group(at, rule, zone.tag, same if i else (), firsts.get(i, "")))
        list_before, signature_before = own, zone.signature
    return out


@functools.lru_cache(maxsize=4096)
def _make_position_group(at: int, rule: str, tag: str, same: tuple[bool, ...], first: str) -> FeatureGroup:
    found = [f"at={at}", f"rule={rule},{tag}"]
    if same:
        found.append(f"same={same[0]},{same[1]}")
    return FeatureGroup("", (*found, first) if first else tuple(found))


def _describe_context(appearances: Sequence[ZoneAppearance]) -> list[FeatureGroup]:
    """Return what the nearest heading above announces, and the distances to it, to names and to institutions."""
    out: list[FeatureGroup] = []
    heading, at = "none", 0
    names = places = -1
    for i, appearance in enumerate(appearances):
        since_names = bisect_right(_DISTANCE_EDGES, i - names) if names >= 0 else -1
        since_places = bisect_right(_DISTANCE_EDGES, i - places) if places >= 0 else -1
        out.append(_make_context_group(heading, bisect_right(_DISTANCE_EDGES, i - at), since_names, since_places))
        if appearance.heading:
            heading, at = appearance.heading, i
        names = i if appearance.names > _MIN_NAME_SHARE else names
        places = i if appearance.institution else places
    return out


@functools.lru_cache(maxsize=4096)
def _make_context_group(heading: str, far: int, names: int, places: int) -> FeatureGroup:
    known = (("since-names", names), ("since-places", places))
    return FeatureGroup(
        "", (f"u={heading},{far}", f"u={heading}", *(f"{name}={far}" for name, far in known if far >= 0))
    )


def collect_page_words(zones: Sequence[Zone]) -> set[str]:
    """Return the words of a page; a word that it also writes in lower case is hardly ever a name."""
    return set(" ".join([zone.text for zone in zones]).split())


def make_metadata_comparison(known: MetadataKeys) -> Callable[[Zone], FeatureGroup]:
    """Return a function that compares a zone with the metadata; it finds nothing if the page has none."""
    return functools.partial(_compare_with_metadata, known) if any(known) else lambda _: _NO_AGREEMENT


def _compare_with_metadata(known: MetadataKeys, zone: Zone) -> FeatureGroup:
    key = fold_letters(zone.text[:_MAX_COMPARED_CHARACTERS])
    return _make_agreement_group(
        key in known.titles if known.titles else None,
        count_held_families(known.families, key)
        if known.families and len(zone.text) < _MAX_COMPARED_CHARACTERS
        else (),
        is_known_place(key, known.places) if known.places else None,
        is_known_abstract(key, known.abstracts) if known.abstracts else None,
    )


def count_held_families(families: Sequence[str], key: str) -> tuple[int, int, bool]:
    """Return the class of the share of known names in a text, their number up to 3, and whether it has little else."""
    held = sum(map(key.__contains__, families))
    return class_index_of(held / len(families), (0.01, 0.3, 0.8)), min(held, 3), held * 40 > len(key)


def is_known_place(key: str, places: Sequence[str]) -> bool:
    """Whether a folded text is part of a place of the metadata, or has one in it."""
    within = len(key) > 12 and any(key in place for place in places)  # noqa: PLR2004
    return within or any(map(key.__contains__, places))


def is_known_abstract(key: str, abstracts: Sequence[str]) -> bool:
    """Whether a folded text begins as a part of the metadata's abstract does."""
    return len(key) > 20 and any(key[:60] in text for text in abstracts)  # noqa: PLR2004


@functools.lru_cache(maxsize=1024)
def _make_agreement_group(
    title: bool | None,  # noqa: FBT001
    names: tuple[int, ...],
    place: bool | None,  # noqa: FBT001
    abstract: bool | None,  # noqa: FBT001
) -> FeatureGroup:
    found = [f"k-title={title}"] if title is not None else []
    if names:
        share, held, dense = names
        found += [f"k-names={share},{bool(dense)}"]
        found += [f"k-held={held},{bool(dense)}"] if held else []
    found += [f"k-place={place}"] if place is not None else []
    found += [f"k-abstract={abstract}"] if abstract is not None else []
    return FeatureGroup("", tuple(found))


@functools.lru_cache(maxsize=4096)
def _find_area_tags(path: str) -> FeatureGroup:
    """Return the areas of the page that a path lies in, such as `nav` or `footer`."""
    return feature_group_of(tuple(sorted(set(_AREA_TAG.findall(path)))), "p=")


def _describe_copies(zone: Zone, page: Container[str], copies: Mapping[str, int]) -> FeatureGroup:
    """Return how often a zone occurs; for short ones also how many capitalised words occur in lower case too."""
    copied = min(copies.get(zone.text, 0), 6)
    if len(zone.text) >= MAX_INSPECTED_CHARACTERS:
        return _make_copies_group(copied)
    words = [word for raw in zone.text.split() if (word := raw.strip(_STRIPPED_SIGNS))[:1].isupper() and len(word) > 1]
    if not words:
        return _make_copies_group(copied)
    small = [word for raw in words if (word := raw.lower()) in page and word.islower()]
    return _make_copies_group(copied, round(3 * len(small) / len(words)), min(len(words), 4))


@functools.cache
def _make_copies_group(copies: int, plain: int = 0, words: int = 0) -> FeatureGroup:
    return FeatureGroup("", (f"copies={copies}", f"plain={plain},{words}") if words else (f"copies={copies}",))


def metadata_keys_of(items: Iterable[MetaItem]) -> MetadataKeys:
    """Return what embedded metadata says of title, names, institutions and abstract."""
    items = tuple(items)
    names = [part for item in items if _AUTHOR_ITEMS.fullmatch(item.name) for part in item.value.split(";")]
    return MetadataKeys(
        titles=frozenset(key for item in items if item.name in _TITLE_ITEMS and (key := fold_letters(item.value))),
        families=_limit_metadata_keys(fold_letters(_family_of_metadata_name(name)) for name in names),
        places=_limit_metadata_keys(
            fold_letters(item.value) for item in items if _INSTITUTION_ITEMS.fullmatch(item.name)
        ),
        abstracts=_limit_metadata_keys(
            fold_letters(item.value)
            for item in items
            if item.name in _ABSTRACT_ITEMS and len(item.value) > _MIN_ABSTRACT_CHARACTERS
        ),
    )


def _limit_metadata_keys(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MAX_METADATA_VALUES]


def _family_of_metadata_name(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]


def make_anchor_features(i: int, *, title: int, abstract: Sequence[int]) -> FeatureGroup:
    """Return the position of a zone by its distance from the title and from the abstract."""
    side = "none" if not abstract else "above" if i < abstract[0] else "behind" if i > abstract[-1] else "within"
    far = class_index_of(i - title, _DISTANCE_EDGES)
    edge = (
        0
        if not abstract
        else class_index_of(abs(i - (abstract[0] if i < abstract[0] else abstract[-1])), _DISTANCE_EDGES)
    )
    return _make_anchor_group(far, edge, side)


@functools.cache
def _make_anchor_group(far: int, edge: int, side: str) -> FeatureGroup:
    return FeatureGroup("", (f"below={far}", f"side={side}", f"below={far},{side}", f"edge={edge},{side}"))


def flatten_feature_groups(groups: Iterable[FeatureGroup]) -> list[str]:
    """Return the full names of the features in some groups."""
    return [group.prefix + name for group in groups for name in group.names]

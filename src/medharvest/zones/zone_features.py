"""The features of each zone for the labeller.

Its own, its neighbours', its position, and its agreement with the metadata.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from medharvest.records import MetaItem, Zone
from medharvest.zones.appearance import (
    MAX_LOOK_CHARACTERS,
    ZoneLook,
    glance_at_zone,
    look_at_zone,
    number_of_class,
    skim_zone,
)
from medharvest.zones.chain_model import FeatureGroup, feature_group_of
from medharvest.zones.wording import fold_letters, may_hold_people

_POSITION_EDGES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)  # edges of the classes of position on the page
_DISTANCE_EDGES = (1, 2, 3, 5, 8, 12, 20, 40)  # edges of the classes of distance, in zones
_AREA_TAG = re.compile(
    r"\b(nav|header|footer|aside|table|form|ul|ol|dl|main|article|section|address|blockquote)\["  # of a path
)
_STRIPPED_SIGNS = ",;.:()*&0123456789"
_ANNOUNCING_FEATURES = ("rule=", "H=", "u=", "k-")  # features that tell of headings, rules and metadata
_MIN_NAME_SHARE = 0.6  # share of names in a zone that lists people
_TITLE_ITEMS = frozenset({"citation_title", "dc.title", "prism.title", "headline", "og:title"})
_AUTHOR_ITEMS = re.compile(
    r"citation_authors?|dc\.creator|dc\.contributor\.author|author(?:\.\d+)?(?:\.(?:family)?name)?", re.IGNORECASE
)
_INSTITUTION_ITEMS = re.compile(r"citation_author_(?:institution|affiliation)|author.*\.affiliation.*")
_ABSTRACT_ITEMS = frozenset(
    {"citation_abstract", "abstract", "description", "dc.description", "dc.description.abstract", "og:description"}
)
_MAX_METADATA_VALUES = 60  # values of a kind that are compared with each zone
_MAX_COMPARED_CHARACTERS = 2_000  # characters of a zone that are compared
_NO_AGREEMENT = FeatureGroup("", ())
_MIN_ABSTRACT_CHARACTERS = 100  # characters; a shorter description is no abstract


def describe_zones(
    zones: Sequence[Zone],
    *,
    rules: Sequence[str],
    known: MetadataKeys,
    dull: Container[int] = frozenset(),
    mute: Container[int] = frozenset(),
    nobody: Container[int] = frozenset(),
) -> list[tuple[FeatureGroup, ...]]:
    """The features of each zone: its own, those of its neighbours, and where it stands.

    `dull` and `mute` ones get none; the neighbours of the mute are told what can be seen of them all the same. Of those
    that tell of `nobody` that is known already.
    """
    looks = _look_at_zones(zones, dull, mute, nobody)
    said = [_make_neighbour_features(look.told, rule) for look, rule in zip(looks, rules, strict=True)]
    around = [_NO_NEIGHBOUR, _NO_NEIGHBOUR, *said, _NO_NEIGHBOUR, _NO_NEIGHBOUR]
    places = _describe_positions(zones, rules, _find_first_in_tab(looks))
    context = _describe_context(looks)
    words, copies = (
        collect_page_words(zones),
        Counter([zone.text for zone in zones if len(zone.text) < MAX_LOOK_CHARACTERS]),
    )
    agree = make_metadata_comparison(known)
    return [
        ()
        if i in dull or i in mute
        else (
            said[i].own,
            feature_group_of(zone.words, "w="),
            looks[i].wording,
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


class _NeighbourFeatures(NamedTuple):
    """What is said of a zone, and what its neighbours are told: the second and first above it, those below it."""

    own: FeatureGroup
    before: FeatureGroup
    above: FeatureGroup
    below: FeatureGroup
    behind: FeatureGroup


@functools.lru_cache(maxsize=8192)
def _make_neighbour_features(told: tuple[str, ...], rule: str) -> _NeighbourFeatures:
    names = (*told, f"rule={rule}")
    return _NeighbourFeatures(*[FeatureGroup(prefix, names) for prefix in ("", "b:", "a:", "z:", "y:")])


_NO_NEIGHBOUR = _NeighbourFeatures(*[FeatureGroup("", ())] * 5)


def _look_at_zones(
    zones: Sequence[Zone], dull: Container[int], mute: Container[int], nobody: Container[int]
) -> list[ZoneLook]:
    """What each zone shows; those alike, such as the links behind every reference, are looked at once."""
    tab = next((fold_letters(zone.text) for zone in zones if zone.tag == "title"), "")
    known: dict[Hashable, ZoneLook] = {}
    heard = _mark_heard_zones(len(zones), dull, mute)
    looks = []
    for i, zone in enumerate(zones):
        if i in dull:
            looks.append(glance_at_zone(zone))
        elif not heard[i] and (i in nobody or not may_hold_people(zone)):
            looks.append(skim_zone(zone))
        else:
            key = (i in mute, zone.tag, zone.text, zone.marks, zone.size, zone.hidden)
            look = known.get(key)
            if look is None:
                look = known[key] = look_at_zone(zone, tab, mute=i in mute)
            looks.append(look)
    return looks


def _mark_heard_zones(count: int, dull: Container[int], mute: Container[int]) -> bytearray:
    """For each zone whether it has features, or is near enough to one that has."""
    heard = bytearray(count + 4)
    for i in range(count):
        if i not in dull and i not in mute:
            heard[i : i + 5] = b"\1\1\1\1\1"
    return heard[2:]


def flatten_feature_groups(groups: Iterable[FeatureGroup]) -> list[str]:
    """Groups of features one by one."""
    return [group.prefix + name for group in groups for name in group.names]


def _find_first_in_tab(looks: Sequence[ZoneLook]) -> dict[int, str]:
    """The first zone, and the first heading, that TITLE holds to a good part."""
    strong = [i for i, look in enumerate(looks) if "G=most" in look.told]
    headings = [i for i in strong if looks[i].heading]
    return {**dict.fromkeys(strong[:1], "tab-first"), **dict.fromkeys(headings[:1], "tab-heading")}


def _describe_context(looks: Sequence[ZoneLook]) -> list[FeatureGroup]:
    """What the nearest heading above announces and how far it is; how long ago names and institutions were seen."""
    out: list[FeatureGroup] = []
    heading, at = "none", 0
    names = places = -1
    for i, look in enumerate(looks):
        since_names = bisect_right(_DISTANCE_EDGES, i - names) if names >= 0 else -1
        since_places = bisect_right(_DISTANCE_EDGES, i - places) if places >= 0 else -1
        out.append(_make_context_group(heading, bisect_right(_DISTANCE_EDGES, i - at), since_names, since_places))
        if look.heading:
            heading, at = look.heading, i
        names = i if look.names > _MIN_NAME_SHARE else names
        places = i if look.institution else places
    return out


@functools.lru_cache(maxsize=4096)
def _make_context_group(heading: str, far: int, names: int, places: int) -> FeatureGroup:
    known = (("since-names", names), ("since-places", places))
    return FeatureGroup(
        "", (f"u={heading},{far}", f"u={heading}", *(f"{name}={far}" for name, far in known if far >= 0))
    )


def _describe_positions(zones: Sequence[Zone], rules: Sequence[str], firsts: Mapping[int, str]) -> list[FeatureGroup]:
    """Where on the page each zone stands, whether it is written like the one before it, and what rules make of it."""
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


@functools.lru_cache(maxsize=4096)
def _find_area_tags(path: str) -> FeatureGroup:
    """The blocks with a meaning of their own that a zone stands in."""
    return feature_group_of(tuple(sorted(set(_AREA_TAG.findall(path)))), "p=")


def collect_page_words(zones: Sequence[Zone]) -> set[str]:
    """The words of a page; those it writes in small letters somewhere are no names, but for a few."""
    return set(" ".join([zone.text for zone in zones]).split())


def _describe_copies(zone: Zone, page: Container[str], copies: Mapping[str, int]) -> FeatureGroup:
    """How often a zone stands on its page; how many of a short one's capitalised words the page writes small too."""
    copied = min(copies.get(zone.text, 0), 6)
    if len(zone.text) >= MAX_LOOK_CHARACTERS:
        return _make_copies_group(copied)
    words = [word for raw in zone.text.split() if (word := raw.strip(_STRIPPED_SIGNS))[:1].isupper() and len(word) > 1]
    if not words:
        return _make_copies_group(copied)
    small = [word for raw in words if (word := raw.lower()) in page and word.islower()]
    return _make_copies_group(copied, round(3 * len(small) / len(words)), min(len(words), 4))


@functools.cache
def _make_copies_group(copies: int, plain: int = 0, words: int = 0) -> FeatureGroup:
    return FeatureGroup("", (f"copies={copies}", f"plain={plain},{words}") if words else (f"copies={copies}",))


def make_anchor_features(i: int, *, title: int, abstract: Sequence[int]) -> FeatureGroup:
    """Where a zone below the title stands: its distance from it and from the abstract."""
    side = "none" if not abstract else "above" if i < abstract[0] else "behind" if i > abstract[-1] else "within"
    far = number_of_class(i - title, _DISTANCE_EDGES)
    edge = (
        0
        if not abstract
        else number_of_class(abs(i - (abstract[0] if i < abstract[0] else abstract[-1])), _DISTANCE_EDGES)
    )
    return _make_anchor_group(far, edge, side)


@functools.cache
def _make_anchor_group(far: int, edge: int, side: str) -> FeatureGroup:
    return FeatureGroup("", (f"below={far}", f"side={side}", f"below={far},{side}", f"edge={edge},{side}"))


def drop_announcing_features(groups: Iterable[FeatureGroup]) -> tuple[FeatureGroup, ...]:
    """The features of a zone without those that tell of headings and rules: an abstract that nothing announces."""
    return tuple(map(_drop_announcing_names, groups))


@functools.lru_cache(maxsize=8192)
def _drop_announcing_names(group: FeatureGroup) -> FeatureGroup:
    names = [name for name in group.names if not any(sign in group.prefix + name for sign in _ANNOUNCING_FEATURES)]
    return feature_group_of(tuple(names), group.prefix)


class MetadataKeys(NamedTuple):
    """What a page's own metadata says, folded to letters and digits."""

    titles: frozenset[str] = frozenset()
    families: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    abstracts: tuple[str, ...] = ()


def metadata_keys_of(items: Iterable[MetaItem]) -> MetadataKeys:
    """What embedded metadata says of title, names, institutions and abstract."""
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


def make_metadata_comparison(known: MetadataKeys) -> Callable[[Zone], FeatureGroup]:
    """What tells how a zone agrees with what is known; nothing where the page has no metadata."""
    return functools.partial(_compare_with_metadata, known) if any(known) else lambda _: _NO_AGREEMENT


def _compare_with_metadata(known: MetadataKeys, zone: Zone) -> FeatureGroup:
    key = fold_letters(zone.text[:_MAX_COMPARED_CHARACTERS])
    return _make_agreement_group(
        key in known.titles if known.titles else None,
        _count_held_families(known.families, key)
        if known.families and len(zone.text) < _MAX_COMPARED_CHARACTERS
        else (),
        _is_known_place(key, known.places) if known.places else None,
        _is_known_abstract(key, known.abstracts) if known.abstracts else None,
    )


def _count_held_families(families: Sequence[str], key: str) -> tuple[int, int, bool]:
    """The class of the share of the names that a text holds, how many up to three, and whether it holds little else."""
    held = sum(map(key.__contains__, families))
    return number_of_class(held / len(families), (0.01, 0.3, 0.8)), min(held, 3), held * 40 > len(key)


def _is_known_place(key: str, places: Sequence[str]) -> bool:
    within = len(key) > 12 and any(key in place for place in places)  # noqa: PLR2004
    return within or any(map(key.__contains__, places))


def _is_known_abstract(key: str, abstracts: Sequence[str]) -> bool:
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


def _limit_metadata_keys(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in keys if len(key) > 1))[:_MAX_METADATA_VALUES]


def _family_of_metadata_name(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family if comma else (name.split() or [""])[-1]

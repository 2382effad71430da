"""The features of the labeller for layouts it never saw: each zone, its neighbours, and where it stands."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from medharvest.records import Zone
from medharvest.zones.agreement import Known, agreement_with
from medharvest.zones.looks import LOOK, Look, class_of, glance_at, look_at, overlook
from medharvest.zones.sequence import Group, group_of
from medharvest.zones.wording import fold, may_hold_people

_PLACES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)  # edges of the classes of position on the page
_FAR = (1, 2, 3, 5, 8, 12, 20, 40)  # edges of the classes of distance, in zones
_AREA = re.compile(
    r"\b(nav|header|footer|aside|table|form|ul|ol|dl|main|article|section|address|blockquote)\["  # of a path
)
_STOPS = ",;.:()*&0123456789"
_ANNOUNCING = ("rule=", "H=", "u=", "k-")  # features that tell of headings, rules and metadata
_NAMED = 0.6  # share of names in a zone that lists people


def describe(
    zones: Sequence[Zone],
    *,
    rules: Sequence[str],
    known: Known,
    dull: Container[int] = frozenset(),
    mute: Container[int] = frozenset(),
    nobody: Container[int] = frozenset(),
) -> list[tuple[Group, ...]]:
    """The features of each zone: its own, those of its neighbours, and where it stands.

    `dull` and `mute` ones get none; the neighbours of the mute are told what can be seen of them all the same. Of those
    that tell of `nobody` that is known already.
    """
    looks = _looks(zones, dull, mute, nobody)
    said = [_said(look.told, rule) for look, rule in zip(looks, rules, strict=True)]
    around = [_SILENCE, _SILENCE, *said, _SILENCE, _SILENCE]
    places = _places(zones, rules, _first_in_tab(looks))
    context = _context(looks)
    words, copies = page_words(zones), Counter([zone.text for zone in zones if len(zone.text) < LOOK])
    agree = agreement_with(known)
    return [
        ()
        if i in dull or i in mute
        else (
            said[i].own,
            group_of(zone.words, "w="),
            looks[i].wording,
            context[i],
            places[i],
            _areas(zone.path.rpartition("/")[0]),
            _on_page(zone, words, copies),
            agree(zone),
            around[i].before,
            around[i + 1].above,
            around[i + 3].below,
            around[i + 4].behind,
        )
        for i, zone in enumerate(zones)
    ]


class _Said(NamedTuple):
    """What is said of a zone, and what its neighbours are told: the second and first above it, those below it."""

    own: Group
    before: Group
    above: Group
    below: Group
    behind: Group


@functools.lru_cache(maxsize=8192)
def _said(told: tuple[str, ...], rule: str) -> _Said:
    names = (*told, f"rule={rule}")
    return _Said(*[Group(prefix, names) for prefix in ("", "b:", "a:", "z:", "y:")])


_SILENCE = _Said(*[Group("", ())] * 5)


def _looks(zones: Sequence[Zone], dull: Container[int], mute: Container[int], nobody: Container[int]) -> list[Look]:
    """What each zone shows; those alike, such as the links behind every reference, are looked at once."""
    tab = next((fold(zone.text) for zone in zones if zone.tag == "title"), "")
    known: dict[Hashable, Look] = {}
    heard = _heard(len(zones), dull, mute)
    looks = []
    for i, zone in enumerate(zones):
        if i in dull:
            looks.append(glance_at(zone))
        elif not heard[i] and (i in nobody or not may_hold_people(zone)):
            looks.append(overlook(zone))
        else:
            key = (i in mute, zone.tag, zone.text, zone.marks, zone.size, zone.hidden)
            look = known.get(key)
            if look is None:
                look = known[key] = look_at(zone, tab, mute=i in mute)
            looks.append(look)
    return looks


def _heard(count: int, dull: Container[int], mute: Container[int]) -> bytearray:
    """For each zone whether it has features, or is near enough to one that has."""
    heard = bytearray(count + 4)
    for i in range(count):
        if i not in dull and i not in mute:
            heard[i : i + 5] = b"\1\1\1\1\1"
    return heard[2:]


def flat(groups: Iterable[Group]) -> list[str]:
    """Groups of features one by one."""
    return [group.prefix + name for group in groups for name in group.names]


def _first_in_tab(looks: Sequence[Look]) -> dict[int, str]:
    """The first zone, and the first heading, that TITLE holds to a good part."""
    strong = [i for i, look in enumerate(looks) if "G=most" in look.told]
    headings = [i for i in strong if looks[i].heading]
    return {**dict.fromkeys(strong[:1], "tab-first"), **dict.fromkeys(headings[:1], "tab-heading")}


def _context(looks: Sequence[Look]) -> list[Group]:
    """What the nearest heading above announces and how far it is; how long ago names and institutions were seen."""
    out: list[Group] = []
    heading, at = "none", 0
    names = places = -1
    for i, look in enumerate(looks):
        since_names = bisect_right(_FAR, i - names) if names >= 0 else -1
        since_places = bisect_right(_FAR, i - places) if places >= 0 else -1
        out.append(_since(heading, bisect_right(_FAR, i - at), since_names, since_places))
        if look.heading:
            heading, at = look.heading, i
        names = i if look.names > _NAMED else names
        places = i if look.institution else places
    return out


@functools.lru_cache(maxsize=4096)
def _since(heading: str, far: int, names: int, places: int) -> Group:
    known = (("since-names", names), ("since-places", places))
    return Group("", (f"u={heading},{far}", f"u={heading}", *(f"{name}={far}" for name, far in known if far >= 0)))


def _places(zones: Sequence[Zone], rules: Sequence[str], firsts: Mapping[int, str]) -> list[Group]:
    """Where on the page each zone stands, whether it is written like the one before it, and what rules make of it."""
    out: list[Group] = []
    count = len(zones)
    list_before = signature_before = None
    for i, (zone, rule) in enumerate(zip(zones, rules, strict=True)):
        own = zone.path[: zone.path.rfind("[")]
        same = (own == list_before, zone.signature == signature_before)
        at = bisect_right(_PLACES, i / count)
        out.append(_place(at, rule, zone.tag, same if i else (), firsts.get(i, "")))
        list_before, signature_before = own, zone.signature
    return out


@functools.lru_cache(maxsize=4096)
def _place(at: int, rule: str, tag: str, same: tuple[bool, ...], first: str) -> Group:
    found = [f"at={at}", f"rule={rule},{tag}"]
    if same:
        found.append(f"same={same[0]},{same[1]}")
    return Group("", (*found, first) if first else tuple(found))


@functools.lru_cache(maxsize=4096)
def _areas(path: str) -> Group:
    """The blocks with a meaning of their own that a zone stands in."""
    return group_of(tuple(sorted(set(_AREA.findall(path)))), "p=")


def page_words(zones: Sequence[Zone]) -> set[str]:
    """The words of a page; those it writes in small letters somewhere are no names, but for a few."""
    return set(" ".join([zone.text for zone in zones]).split())


def _on_page(zone: Zone, page: Container[str], copies: Mapping[str, int]) -> Group:
    """How often a zone stands on its page; how many of a short one's capitalised words the page writes small too."""
    copied = min(copies.get(zone.text, 0), 6)
    if len(zone.text) >= LOOK:
        return _copied(copied)
    words = [word for raw in zone.text.split() if (word := raw.strip(_STOPS))[:1].isupper() and len(word) > 1]
    if not words:
        return _copied(copied)
    small = [word for raw in words if (word := raw.lower()) in page and word.islower()]
    return _copied(copied, round(3 * len(small) / len(words)), min(len(words), 4))


@functools.cache
def _copied(copies: int, plain: int = 0, words: int = 0) -> Group:
    return Group("", (f"copies={copies}", f"plain={plain},{words}") if words else (f"copies={copies}",))


def anchors(i: int, *, title: int, abstract: Sequence[int]) -> Group:
    """Where a zone below the title stands: its distance from it and from the abstract."""
    side = "none" if not abstract else "above" if i < abstract[0] else "behind" if i > abstract[-1] else "within"
    far = class_of(i - title, _FAR)
    edge = 0 if not abstract else class_of(abs(i - (abstract[0] if i < abstract[0] else abstract[-1])), _FAR)
    return _anchors(far, edge, side)


@functools.cache
def _anchors(far: int, edge: int, side: str) -> Group:
    return Group("", (f"below={far}", f"side={side}", f"below={far},{side}", f"edge={edge},{side}"))


def unannounced(groups: Iterable[Group]) -> tuple[Group, ...]:
    """The features of a zone without those that tell of headings and rules: an abstract that nothing announces."""
    return tuple(map(_unannounced, groups))


@functools.lru_cache(maxsize=8192)
def _unannounced(group: Group) -> Group:
    names = [name for name in group.names if not any(sign in group.prefix + name for sign in _ANNOUNCING)]
    return group_of(tuple(names), group.prefix)

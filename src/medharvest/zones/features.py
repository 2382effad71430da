"""The features of the labeller for layouts it never saw: each zone, its neighbours, and where it stands."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

from medharvest.records import Zone
from medharvest.zones.agreement import Known, agreement
from medharvest.zones.looks import LOOK, Look, class_of, glance_at, look_at
from medharvest.zones.sequence import Group
from medharvest.zones.wording import fold

_PLACES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)  # edges of the classes of position on the page
_FAR = (1, 2, 3, 5, 8, 12, 20, 40)  # edges of the classes of distance, in zones
_NEIGHBOURS = ((-2, "b:"), (-1, "a:"), (1, "z:"), (2, "y:"))
_AREAS = frozenset("nav header footer aside table form ul ol dl main article section address blockquote".split())
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
) -> list[tuple[Group, ...]]:
    """The features of each zone: its own, those of its neighbours, and where it stands.

    `dull` and `mute` ones get none; the neighbours of the mute are told what can be seen of them all the same.
    """
    looks = _looks(zones, dull, mute)
    told = [(*look.told, f"rule={rule}") for look, rule in zip(looks, rules, strict=True)]
    around = [(), (), *told, (), ()]
    places = _places(zones, rules, _first_in_tab(looks))
    context = _context(looks)
    words, copies = common_words(zones), Counter([zone.text for zone in zones if len(zone.text) < LOOK])
    return [
        ()
        if i in dull or i in mute
        else (
            ("", told[i]),
            ("w=", zone.words),
            ("", looks[i].wording),
            ("", context[i]),
            ("", places[i]),
            ("p=", _areas(zone.path.rpartition("/")[0])),
            ("", _on_page(zone, words, copies)),
            ("", tuple(agreement(zone, known))),
            *[(prefix, around[i + 2 + step]) for step, prefix in _NEIGHBOURS],
        )
        for i, zone in enumerate(zones)
    ]


def _looks(zones: Sequence[Zone], dull: Container[int], mute: Container[int]) -> list[Look]:
    """What each zone shows; those alike, such as the links behind every reference, are looked at once."""
    tab = next((fold(zone.text) for zone in zones if zone.tag == "title"), "")
    known: dict[Hashable, Look] = {}
    looks = []
    for i, zone in enumerate(zones):
        key = (i in dull, i in mute, zone.tag, zone.text, zone.marks, zone.size, zone.hidden)
        look = known.get(key)
        if look is None:
            look = known[key] = glance_at(zone) if i in dull else look_at(zone, tab, mute=i in mute)
        looks.append(look)
    return looks


def flat(groups: Iterable[Group]) -> list[str]:
    """Groups of features one by one."""
    return [prefix + name for prefix, names in groups for name in names]


def _first_in_tab(looks: Sequence[Look]) -> dict[int, str]:
    """The first zone, and the first heading, that TITLE holds to a good part."""
    strong = [i for i, look in enumerate(looks) if "G=most" in look.told]
    headings = [i for i in strong if looks[i].heading]
    return {**dict.fromkeys(strong[:1], "tab-first"), **dict.fromkeys(headings[:1], "tab-heading")}


def _context(looks: Sequence[Look]) -> list[tuple[str, ...]]:
    """What the nearest heading above announces and how far it is; how long ago names and institutions were seen."""
    out: list[tuple[str, ...]] = []
    heading, at = "none", 0
    names = places = -1
    for i, look in enumerate(looks):
        since_names = class_of(i - names, _FAR) if names >= 0 else -1
        since_places = class_of(i - places, _FAR) if places >= 0 else -1
        out.append(_since(heading, class_of(i - at, _FAR), since_names, since_places))
        if look.heading:
            heading, at = look.heading, i
        names = i if look.names > _NAMED else names
        places = i if look.institution else places
    return out


@functools.lru_cache(maxsize=4096)
def _since(heading: str, far: int, names: int, places: int) -> tuple[str, ...]:
    known = (("since-names", names), ("since-places", places))
    return (f"u={heading},{far}", f"u={heading}", *(f"{name}={far}" for name, far in known if far >= 0))


def _places(zones: Sequence[Zone], rules: Sequence[str], firsts: Mapping[int, str]) -> list[tuple[str, ...]]:
    """Where on the page each zone stands, whether it is written like the one before it, and what rules make of it."""
    out: list[tuple[str, ...]] = []
    list_before, signature_before = "", ""
    for i, (zone, rule) in enumerate(zip(zones, rules, strict=True)):
        own = zone.path[: zone.path.rfind("[")]
        features = [f"at={class_of(i / len(zones), _PLACES)}", f"rule={rule},{zone.tag}"]
        if i:
            features.append(f"same={own == list_before},{zone.signature == signature_before}")
        if i in firsts:
            features.append(firsts[i])
        out.append(tuple(features))
        list_before, signature_before = own, zone.signature
    return out


@functools.lru_cache(maxsize=4096)
def _areas(path: str) -> tuple[str, ...]:
    """The blocks with a meaning of their own that a zone stands in."""
    return tuple(sorted({step.partition("[")[0] for step in path.split("/")} & _AREAS))


def common_words(zones: Sequence[Zone]) -> frozenset[str]:
    """The words that a page writes in small letters somewhere: no names, but for a few."""
    return frozenset(filter(str.islower, set(" ".join([zone.text for zone in zones]).split())))


def _on_page(zone: Zone, common: frozenset[str], copies: Mapping[str, int]) -> tuple[str, ...]:
    """How often a zone stands on its page; how many of a short one's capitalised words the page writes small too."""
    copied = f"copies={min(copies.get(zone.text, 0), 6)}"
    if len(zone.text) >= LOOK:
        return (copied,)
    words = [word for raw in zone.text.split() if (word := raw.strip(_STOPS))[:1].isupper() and len(word) > 1]
    if not words:
        return (copied,)
    plain = round(3 * sum([word.lower() in common for word in words]) / len(words))
    return (copied, f"plain={plain},{min(len(words), 4)}")


def anchors(i: int, *, title: int, abstract: Sequence[int]) -> tuple[str, ...]:
    """Where a zone below the title stands: its distance from it and from the abstract."""
    side = "none" if not abstract else "above" if i < abstract[0] else "behind" if i > abstract[-1] else "within"
    far = class_of(i - title, _FAR)
    edge = 0 if not abstract else class_of(abs(i - (abstract[0] if i < abstract[0] else abstract[-1])), _FAR)
    return _anchors(far, edge, side)


@functools.cache
def _anchors(far: int, edge: int, side: str) -> tuple[str, ...]:
    return (f"below={far}", f"side={side}", f"below={far},{side}", f"edge={edge},{side}")


def unannounced(groups: Iterable[Group]) -> tuple[str, ...]:
    """The features of a zone without those that tell of headings and rules: an abstract that nothing announces."""
    return tuple(feature for feature in flat(groups) if not any(sign in feature for sign in _ANNOUNCING))

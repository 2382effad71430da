"""The features of the labeller for layouts it never saw: each zone, its neighbours, and where it stands."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from medharvest.records import Zone
from medharvest.zones.agreement import Known, agreement
from medharvest.zones.looks import LOOK, Look, class_of, glance_at, look_at
from medharvest.zones.wording import fold

_PLACES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85)  # edges of the classes of position on the page
_FAR = (1, 2, 3, 5, 8, 12, 20, 40)  # edges of the classes of distance, in zones
_NEIGHBOURS = ((-2, "b:"), (-1, "a:"), (1, "z:"), (2, "y:"))
_AREAS = frozenset("nav header footer aside table form ul ol dl main article section address blockquote".split())
_STOPS = ",;.:()*&0123456789"
_ANNOUNCING = ("rule=", "H=", "u=", "k-")  # features that tell of headings, rules and metadata
_NAMED = 0.6  # share of names in a zone that lists people


def describe(
    zones: Sequence[Zone], *, rules: Sequence[str], known: Known, dull: Container[int] = frozenset()
) -> list[list[str]]:
    """The features of each zone: its own, those of its neighbours, and where it stands; none for `dull` ones."""
    tab = next((fold(zone.text) for zone in zones if zone.tag == "title"), "")
    looks = [glance_at(zone) if i in dull else look_at(zone, tab) for i, zone in enumerate(zones)]
    firsts = _first_in_tab(looks)
    told = [(*look.told, f"rule={rule}") for look, rule in zip(looks, rules, strict=True)]
    context = _context(looks)
    page = _Page(common_words(zones), Counter(zone.text for zone in zones if len(zone.text) < LOOK), known)
    out: list[list[str]] = []
    for i, zone in enumerate(zones):
        if i in dull:
            out.append([])
            continue
        features = [*looks[i].features, f"rule={rules[i]}", f"rule={rules[i]},{zone.tag}", *context[i]]
        features += _on_page(zone, page)
        features += _place(i, len(zones), zone, zones[i - 1] if i else None)
        if i in firsts:
            features.append(firsts[i])
        for step, prefix in _NEIGHBOURS:
            if 0 <= i + step < len(zones):
                features += _prefixed(prefix, told[i + step])
        out.append(features)
    return out


class _Page(NamedTuple):
    """What the zones of one page are compared with."""

    common: frozenset[str]
    copies: Counter[str]
    known: Known


def _on_page(zone: Zone, page: _Page) -> Iterator[str]:
    """How a zone stands to the rest of its page: its words, its copies, the metadata."""
    yield from _plainness(zone, page.common)
    yield f"copies={min(page.copies[zone.text], 6)}"
    if any(page.known):
        yield from agreement(zone, page.known)


@functools.lru_cache(maxsize=8192)
def _prefixed(prefix: str, told: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(prefix + feature for feature in told)


def _first_in_tab(looks: Sequence[Look]) -> dict[int, str]:
    """The first zone, and the first heading, that TITLE holds to a good part."""
    strong = [i for i, look in enumerate(looks) if "G=most" in look.told]
    headings = [i for i in strong if looks[i].heading]
    return {**dict.fromkeys(strong[:1], "tab-first"), **dict.fromkeys(headings[:1], "tab-heading")}


def _context(looks: Sequence[Look]) -> list[list[str]]:
    """What the nearest heading above announces and how far it is; how long ago names and institutions were seen."""
    out: list[list[str]] = []
    heading, at = "none", 0
    names = places = -1
    for i, look in enumerate(looks):
        features = [f"u={heading},{class_of(i - at, _FAR)}", f"u={heading}"]
        if names >= 0:
            features.append(f"since-names={class_of(i - names, _FAR)}")
        if places >= 0:
            features.append(f"since-places={class_of(i - places, _FAR)}")
        out.append(features)
        if look.heading:
            heading, at = look.heading, i
        names = i if look.names > _NAMED else names
        places = i if look.institution else places
    return out


def _place(i: int, total: int, zone: Zone, before: Zone | None) -> Iterator[str]:
    yield from _areas(zone.path.rpartition("/")[0])
    yield f"at={class_of(i / total, _PLACES)}"
    if before is not None:
        same = zone.path[: zone.path.rfind("[")] == before.path[: before.path.rfind("[")]
        yield f"same={same},{zone.signature == before.signature}"


@functools.lru_cache(maxsize=4096)
def _areas(path: str) -> tuple[str, ...]:
    """The blocks with a meaning of their own that a zone stands in."""
    tags = {step.partition("[")[0] for step in path.split("/")}
    return tuple(f"p={tag}" for tag in sorted(tags & _AREAS))


def common_words(zones: Sequence[Zone]) -> frozenset[str]:
    """The words that a page writes in small letters somewhere: no names, but for a few."""
    return frozenset(word for zone in zones for word in zone.text.split() if word.islower())


def _plainness(zone: Zone, common: frozenset[str]) -> Iterator[str]:
    """How many of a short zone's capitalised words the page knows in small letters too."""
    if len(zone.text) < LOOK:
        words = [word for raw in zone.text.split() if (word := raw.strip(_STOPS))[:1].isupper() and len(word) > 1]
        if words:
            yield f"plain={round(3 * sum(word.lower() in common for word in words) / len(words))},{min(len(words), 4)}"


def anchors(i: int, *, title: int, abstract: Sequence[int]) -> tuple[str, ...]:
    """Where a zone below the title stands: its distance from it and from the abstract."""
    side = "none" if not abstract else "above" if i < abstract[0] else "behind" if i > abstract[-1] else "within"
    far = class_of(i - title, _FAR)
    edge = 0 if not abstract else class_of(abs(i - (abstract[0] if i < abstract[0] else abstract[-1])), _FAR)
    return (f"below={far}", f"side={side}", f"below={far},{side}", f"edge={edge},{side}")


def unannounced(features: Sequence[str]) -> list[str]:
    """The features of a zone without those that tell of headings and rules: an abstract that nothing announces."""
    return [feature for feature in features if not any(sign in feature for sign in _ANNOUNCING)]

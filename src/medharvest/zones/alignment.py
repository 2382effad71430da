"""A page laid beside taught ones: the cheapest way to follow the taught sequences with the patterns of the page."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

UNIDENTIFIED = "unidentified"
# Zones of a page that are aligned; a page with more is a book, and its front matter stands before these end.
LONGEST = 6_000
# What a step costs that no taught page has: known patterns in another order within a stop or between two, another
# pattern, a zone more, a zone less (more where it bears a label), an end where no taught page ends.
_WITHIN, _BETWEEN, _OTHER, _MORE, _LESS, _LABEL_LESS, _UNFINISHED = 0.3, 0.5, 1.0, 1.0, 0.7, 1.5, 2.0
_AHEAD = 4  # stops of a taught page that a step may reach
_BEAM = 24  # ways that are followed at a time
_START, _TAIL = ("start",), ("tail",)

# A label; or, of a zone without one, the last label, the pattern before, its own, and how often these were met since;
# or what follows the last label.
Stop = tuple[str, ...]
Step = tuple[Stop, Stop, str, str]  # from stop to stop, with the patterns on both sides


class Track(NamedTuple):
    """Taught sequences to follow: their steps, the patterns of each stop, where each leads at what cost, the ends.

    All zones with one label are one stop that may be passed again, since a list may be longer on the next page.
    """

    steps: frozenset[Step]
    patterns: frozenset[tuple[Stop, str]]
    onward: dict[Stop, dict[Stop, float]]
    ends: frozenset[Stop]


def lay_track(pages: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Track:
    """The track of taught pages, each given by its patterns and labels."""
    steps: set[Step] = set()
    onward: dict[Stop, dict[Stop, float]] = {}
    ends = set()
    for patterns, labels in pages:
        stops = [_START, *_stops(patterns[:LONGEST], labels[:LONGEST])]
        before = ["", *patterns]
        steps.update(zip(stops, stops[1:], before, before[1:], strict=False))
        ends.add(stops[-1])
        for one, other, cost in _leads(stops):
            known = onward.setdefault(one, {})
            known[other] = min(cost, known.get(other, cost))
    return Track(frozenset(steps), frozenset((stop, own) for _, stop, _, own in steps), onward, frozenset(ends))


def _stops(patterns: Sequence[str], labels: Sequence[str]) -> Iterator[Stop]:
    """The stop of each zone of a taught page."""
    named = [i for i, label in enumerate(labels) if label != UNIDENTIFIED]
    last, label, before = named[-1] if named else -1, "", ""
    met: Counter[tuple[str, str]] = Counter()  # since the last label
    for i, pattern in enumerate(patterns):
        if labels[i] != UNIDENTIFIED:
            label = labels[i]
            met.clear()
            yield (label,)
        else:
            met[before, pattern] += 1
            yield (UNIDENTIFIED, label, before, pattern, str(met[before, pattern])) if i < last else _TAIL
        before = pattern


def _leads(stops: Sequence[Stop]) -> Iterator[tuple[Stop, Stop, float]]:
    """Where each stop leads: to itself, to the next, and past some that a page may lack."""
    route = [stop for i, stop in enumerate(stops) if i == 0 or stop != stops[i - 1]]
    for i, stop in enumerate(route):
        yield stop, stop, _MORE if _is_single(stop) else 0.0
        cost = 0.0
        for following in route[i + 1 : i + 1 + _AHEAD]:
            yield stop, following, cost
            cost += _LESS if _is_single(following) else _LABEL_LESS


def _is_single(stop: Stop) -> bool:
    return len(stop) > 1


def follow(track: Track, patterns: Sequence[str]) -> tuple[list[str], float]:
    """The labels along the cheapest way through a track, and what a step of it costs on the average."""
    ways: dict[Stop, float] = {_START: 0.0}
    came_from: list[dict[Stop, Stop]] = []
    before = ""
    for pattern in patterns[:LONGEST]:
        reached: dict[Stop, float] = {}
        origin: dict[Stop, Stop] = {}
        for stop, spent in ways.items():
            for following, toll in track.onward[stop].items():
                cost = spent + toll + _mismatch(track, (stop, following, before, pattern))
                if cost < reached.get(following, cost + 1):
                    reached[following], origin[following] = cost, stop
        ways = dict(heapq.nsmallest(_BEAM, reached.items(), key=lambda way: way[1]))
        came_from.append(origin)
        before = pattern
    end = min(ways, key=lambda stop: ways[stop] + (0.0 if stop in track.ends else _UNFINISHED))
    return _labels(came_from, end), ways[end] / max(1, len(came_from))


def _mismatch(track: Track, step: Step) -> float:
    if step in track.steps:
        return 0.0
    if (step[1], step[3]) not in track.patterns:
        return _OTHER
    return _WITHIN if step[0] == step[1] else _BETWEEN


def _labels(came_from: Sequence[dict[Stop, Stop]], end: Stop) -> list[str]:
    labels = []
    for origin in reversed(came_from):
        labels.append(UNIDENTIFIED if end in (_START, _TAIL) else end[0])
        end = origin[end]
    return labels[::-1]

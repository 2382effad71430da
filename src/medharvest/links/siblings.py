"""Repeated elements of a page: the list entries, rows or boxes its links stand in, from the open tags alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from medharvest.links.surroundings import Surrounding

_ALIKE = 3  # so many elements of one name below one parent are repeated ones
_NEAR = 16  # innermost tags looked at


class Standing(NamedTuple):
    """The repeated elements a link stands in, each told by where it begins; -1 where there is none."""

    row: int = -1  # the innermost of them all
    rows: tuple[int, str] = (-1, "")  # the run of its siblings: parent and name
    unit: int = -1  # the one with most siblings
    units: tuple[int, str] = (-1, "")


def standings(places: Sequence[Surrounding]) -> tuple[Standing, ...]:
    """Where each link stands; links under one path are looked at once."""
    counts = _counts(places)
    found: list[Standing] = []
    last = None
    for place in places:
        if not found or place.path is not last:
            found.append(_standing(place, counts))
            last = place.path
        else:
            found.append(found[-1])
    return tuple(found)


def _counts(places: Sequence[Surrounding]) -> dict[tuple[int, str], int]:
    """How many children of one name each element has that links stand in."""
    seen: set[int] = set()
    counts: dict[tuple[int, str], int] = {}
    for place in places:
        path = place.path[-_NEAR:]
        for above, tag in zip(path[-2::-1], path[:0:-1], strict=True):
            if tag.start not in seen:
                seen.add(tag.start)
                run = (above.start, tag.name)
                counts[run] = counts.get(run, 0) + 1
    return counts


def _standing(place: Surrounding, counts: dict[tuple[int, str], int]) -> Standing:
    row, rows, unit, units = Standing()
    most = _ALIKE - 1
    path = place.path[-_NEAR:]
    for above, tag in zip(path[-2::-1], path[:0:-1], strict=True):
        run = (above.start, tag.name)
        count = counts[run]
        if count >= _ALIKE and row < 0:
            row, rows = tag.start, run
        if count > most:
            most, unit, units = count, tag.start, run
    return Standing(row, rows, unit, units)

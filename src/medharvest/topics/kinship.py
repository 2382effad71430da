"""Relatives in a hierarchy that may have several parents, and circles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from medharvest.topics.vocabulary import Kin

Step = Callable[[str], Iterable[str]]


_MANY = 1_000_000


def relatives(
    start: str, kinds: Collection[Kin], depth: int, *, parents: Step, children: Step, most: int = _MANY
) -> Iterator[tuple[Kin, str, int]]:
    """The relatives up and down with their distance, the nearest first, each once a kind.

    From more than `most` at one distance it goes no further: where each step is a question, they would be too many.
    """
    if Kin.BROADER in kinds:
        yield from ((Kin.BROADER, *found) for found in _reached(start, parents, depth, most))
    if Kin.NARROWER in kinds:
        yield from ((Kin.NARROWER, *found) for found in _reached(start, children, depth, most))


def count_below(start: str, children: Step, *, limit: int = 1_000) -> int:
    """How many concepts lie below one, counted up to a limit."""
    count = 0
    for count, _ in enumerate(_reached(start, children, limit, _MANY), 1):
        if count >= limit:
            break
    return count


def _reached(start: str, step: Step, depth: int, most: int) -> Iterator[tuple[str, int]]:
    seen, edge = {start}, [start]
    for distance in range(1, depth + 1):
        # A dictionary keeps the order in which they are found, and each once.
        edge = list(dict.fromkeys(found for place in edge for found in step(place) if found not in seen))
        seen.update(edge)
        yield from ((found, distance) for found in edge)
        if not 0 < len(edge) <= most:
            return

"""A linear-chain model over zones in plain Python: the best sequence of states, and how probable each state is."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul

IMPOSSIBLE = -1e9
_MOST_KNOWN = 20_000  # groups whose worth is remembered; a page has some hundred that none before it had


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Features that come together: what all begin with, and how each goes on.

    Compared by identity, which is quick: `group_of` gives the same one for the same features.
    """

    prefix: str
    names: tuple[str, ...]


@functools.lru_cache(maxsize=_MOST_KNOWN)
def group_of(names: tuple[str, ...], prefix: str = "") -> Group:
    """The group of these features."""
    return Group(prefix, names)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of features for states, and of one state after another; what has no weight counts nothing."""

    states: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, float]]]  # feature -> (state, weight)
    moves: Sequence[Sequence[float]]  # from -> to
    known: dict[Group, tuple[float, ...]] = field(default_factory=dict, repr=False, compare=False)


def scores_of(model: Model, features: Iterable[Sequence[Group]]) -> list[list[float]]:
    """The score of each state at each zone by its features alone; zones share most groups of theirs."""
    known = model.known
    if len(known) > _MOST_KNOWN:
        known.clear()
    nothing = [0.0] * len(model.states)
    out: list[list[float]] = []
    for groups in features:
        if not groups:
            out.append(nothing.copy())
            continue
        rows = list(map(known.get, groups))
        worth = [_worth(model, group) for group in groups] if None in rows else rows
        out.append(list(map(sum, zip(nothing, *filter(None, worth), strict=True))))
    return out


def _worth(model: Model, group: Group) -> tuple[float, ...]:
    """What a group of features adds to the score of each state; empty where it is nothing, as for most."""
    if group not in model.known:
        row = [0.0] * len(model.states)
        for name in group.names:
            for state, weight in model.weights.get(group.prefix + name, ()):
                row[state] += weight
        model.known[group] = tuple(row) if any(row) else ()
    return model.known[group]


def best_path(model: Model, scores: Sequence[Sequence[float]]) -> list[int]:
    """The most probable sequence of states (Viterbi)."""
    if not scores:
        return []
    reached = _arrivals(model)
    row = list(scores[0])
    back: list[list[int]] = []
    for here in scores[1:]:
        before, row, pointers = row, [], []
        for state, own in enumerate(here):
            best, source = IMPOSSIBLE, 0
            for origin, weight in reached[state]:
                value = before[origin] + weight
                if value > best:
                    best, source = value, origin
            row.append(best + own)
            pointers.append(source)
        back.append(pointers)
    state = max(range(len(row)), key=row.__getitem__)
    path = [state]
    for pointers in reversed(back):
        state = pointers[state]
        path.append(state)
    return path[::-1]


def _arrivals(model: Model) -> list[list[tuple[int, float]]]:
    """For each state those it can be reached from, with the weight of the move."""
    count = range(len(model.states))
    return [
        [(origin, model.moves[origin][state]) for origin in count if model.moves[origin][state] > IMPOSSIBLE]
        for state in count
    ]


def marginals(model: Model, scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """How probable each state is at each zone (forward and backward sums, scaled at every step)."""
    if len(scores) < 2:  # noqa: PLR2004
        return [_scaled(_exponentials(row)) for row in scores]
    moves = [[math.exp(weight) if weight > IMPOSSIBLE else 0.0 for weight in row] for row in model.moves]
    columns = list(zip(*moves, strict=True))
    own = [_exponentials(row) for row in scores]
    before = _scaled(own[0])
    forward = [before]
    for row in own[1:]:
        arrived = [sum(map(mul, before, column)) for column in columns]
        before = _scaled(list(map(mul, row, arrived)))
        forward.append(before)
    after = [1.0] * len(model.states)
    out = [before]
    for row, reached in zip(reversed(own), reversed(forward[:-1]), strict=False):
        ahead = list(map(mul, row, after))
        after = _scaled([sum(map(mul, move, ahead)) for move in moves])
        out.append(_scaled(list(map(mul, reached, after))))
    return out[::-1]


def _exponentials(row: Sequence[float]) -> list[float]:
    highest = max(row)
    return [math.exp(value - highest) for value in row]


def _scaled(row: Sequence[float]) -> list[float]:
    total = sum(row)
    return [value / total for value in row] if total > 0 else [1.0 / len(row)] * len(row)

"""A linear-chain model over zones in plain Python: the best sequence of states, and how probable each state is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of features for states, and of one state after another; what has no weight counts nothing."""

    states: tuple[str, ...]
    weights: Mapping[str, Sequence[tuple[int, float]]]  # feature -> (state, weight)
    moves: Sequence[Sequence[float]]  # from -> to


def scores_of(model: Model, features: Iterable[Iterable[str]]) -> list[list[float]]:
    """The score of each state at each zone by its features alone."""
    out = []
    weights = model.weights
    for names in features:
        row = [0.0] * len(model.states)
        for name in names:
            for state, weight in weights.get(name, ()):
                row[state] += weight
        out.append(row)
    return out


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
    if not scores:
        return []
    moves = [[math.exp(weight) if weight > IMPOSSIBLE else 0.0 for weight in row] for row in model.moves]
    own = [_exponentials(row) for row in scores]
    columns = list(zip(*moves, strict=True))
    forward = [_scaled(own[0])]
    for row in own[1:]:
        before = forward[-1]
        forward.append(
            _scaled(
                [value * sum(map(float.__mul__, before, column)) for value, column in zip(row, columns, strict=True)]
            )
        )
    after = [1.0] * len(model.states)
    out = [forward[-1]]
    for i in range(len(own) - 2, -1, -1):
        ahead = list(map(float.__mul__, own[i + 1], after))
        after = _scaled([sum(map(float.__mul__, row, ahead)) for row in moves])
        out.append(_scaled(list(map(float.__mul__, forward[i], after))))
    return out[::-1]


def _exponentials(row: Sequence[float]) -> list[float]:
    highest = max(row)
    return [math.exp(value - highest) for value in row]


def _scaled(row: Sequence[float]) -> list[float]:
    total = sum(row)
    return [value / total for value in row] if total > 0 else [1.0 / len(row)] * len(row)

"""Boosted trees in plain Python: no library is needed to use a shipped model, and its file is plain data.

`trees_from_data(data)` checks the data; `chances_of(trees, vector)` gives the probability of each class.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

# A node is (feature, limit, node for values up to the limit, node for larger values); instead of a node, a float is
# the value of a leaf. The root is always a node.
TreeNode = tuple[int, float, Any, Any]
# As in a model file: a list of nodes, children after their parents and named by their index; a leaf is [value].
FlatTree = Sequence[Sequence[float]]
_MAX_SCORE = 30.0  # beyond it a probability is 0 or 1
# Most vectors are clearly of the first class after a few rounds; then the others are left out.
_ROUNDS_AT_ONCE = 6
_CLEAR_LEAD = 4.0
_FIRST_CLEAR_LEADS = (2.65, 3.6)  # of the first class of several, after the first rounds


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Rounds of trees; a round has one tree for each class, or a single tree if there are two classes."""

    features: tuple[str, ...]
    rounds: tuple[tuple[TreeNode, ...], ...]
    # The same trees by some rounds at once, and in these by class.
    steps: tuple[tuple[tuple[TreeNode, ...], ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Arrange the trees as they are used."""
        starts = range(0, len(self.rounds), _ROUNDS_AT_ONCE)
        steps = tuple(tuple(zip(*self.rounds[start : start + _ROUNDS_AT_ONCE], strict=True)) for start in starts)
        object.__setattr__(self, "steps", steps)


def sum_leaves(trees: Iterable[TreeNode], vector: Sequence[float]) -> float:
    """Return the sum of the leaves that a vector reaches; a vector of floats alone is compared faster."""
    total = 0.0
    for feature, limit, low, high in trees:
        node = low if vector[feature] <= limit else high
        while type(node) is tuple:
            feature, limit, low, high = node  # noqa: PLW2901
            node = low if vector[feature] <= limit else high
        total += node
    return total


def chance_of(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """Return the probability of the second of two classes."""
    return logistic(log_odds_of(trees, vector))


def log_odds_of(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """Return the log-odds of the second of two classes."""
    numbers = [*map(float, vector)]
    total = 0.0
    for done, (step,) in enumerate(trees.steps):
        total += sum_leaves(step, numbers)
        if done and total < -_CLEAR_LEAD:
            break
    return total


def chances_of(trees: BoostedTrees, vector: Sequence[float]) -> tuple[float, ...]:
    """Return the probability of each class."""
    numbers = [*map(float, vector)]
    totals = [0.0] * len(trees.rounds[0])
    for step, clear in zip(trees.steps, chain(_FIRST_CLEAR_LEADS, repeat(_CLEAR_LEAD)), strict=False):
        totals = [total + sum_leaves(own, numbers) for total, own in zip(totals, step, strict=True)]
        if totals[0] - max(totals[1:]) > clear:
            return (1.0, *[0.0] * (len(totals) - 1))
    top = max(totals)
    parts = [math.exp(total - top) for total in totals]
    whole = sum(parts)
    return tuple([part / whole for part in parts])


def shares_of(scores: Sequence[float]) -> list[float]:
    """Return for each of several candidates the probability that it is the right one; the rest is that none is."""
    top = max([0.0, *scores])
    parts = [math.exp(score - top) for score in scores]
    total = sum(parts) + math.exp(-top)
    return [part / total for part in parts]


def logistic(score: float) -> float:
    """Return the probability of a score."""
    return 1 / (1 + math.exp(-max(-_MAX_SCORE, min(_MAX_SCORE, score))))


def log_odds(chance: float) -> float:
    """Return the score of a probability between 0 and 1."""
    return math.log(chance / (1 - chance))


def build_tree(flat: FlatTree, features: int) -> TreeNode:
    """Build a tree from its list, the last node first; children come after their parents, so there are no cycles."""
    built: list[Any] = [0.0] * len(flat)
    for place in range(len(flat) - 1, -1, -1):
        if len(flat[place]) == 1:
            built[place] = float(flat[place][0])
            continue
        feature, limit, left, right = flat[place]
        if not (0 <= feature < features and place < left and place < right):
            raise ValueError(flat[place])
        built[place] = (int(feature), limit, built[int(left)], built[int(right)])
    root: TreeNode = built[0] if type(built[0]) is tuple else (0, math.inf, built[0], built[0])
    return root


def trees_from_data(data: Mapping[str, Any]) -> BoostedTrees:
    """Build trees from plain data; raise ValueError, KeyError or TypeError if the data is not of that form."""
    features = tuple(map(str, data["features"]))
    rounds = tuple(tuple(build_tree(flat, len(features)) for flat in trees) for trees in data["rounds"])
    if not rounds or len({len(trees) for trees in rounds}) != 1:
        raise ValueError("rounds differ in their number of trees")
    return BoostedTrees(features, rounds)


def digest_of_data(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the plain data of a model."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

"""Boosted trees in plain Python: no library is needed to use a shipped model, and its file is plain data.

`trees_from_data(data)` checks the data; `chances_of(trees, vector)` gives the probability of each class.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
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
# After so many sums trees become Python code: by then it has cost as much as it saves, so one page is not held up.
_SUMS_BEFORE_CODE = 250
_MAX_CODE_DEPTH = 50  # of a tree that becomes code; Python nests no more than some hundred brackets


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


class TreeSum:
    """Trees whose leaves are summed again and again; trees in use become Python code, which takes half the time."""

    __slots__ = ("_sums", "of", "trees")

    def __init__(self, trees: Sequence[TreeNode]) -> None:
        self.trees = trees
        self._sums = 0
        self.of: Callable[[Sequence[float]], float] = self._walk

    def __reduce__(self) -> tuple[type[TreeSum], tuple[Sequence[TreeNode]]]:
        """Pickle the trees alone: code is made where it is used."""
        return TreeSum, (self.trees,)

    def _walk(self, vector: Sequence[float]) -> float:
        self._sums += 1
        if self._sums == _SUMS_BEFORE_CODE and all(_depth_of(tree) <= _MAX_CODE_DEPTH for tree in self.trees):
            self.of = _write_code(self.trees)
        return sum_leaves(self.trees, vector)


def _depth_of(tree: TreeNode) -> int:
    """Return the number of levels of a tree, without recursion."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in node[2:] if type(child) is tuple]
    return depth


def _write_code(trees: Iterable[TreeNode]) -> Callable[[Sequence[float]], float]:
    """Return a function that sums the leaves in the same order; its code has nothing but the numbers of the trees."""
    text = "".join(f"+{_write_node(tree)}" for tree in trees)
    made: Callable[[Sequence[float]], float] = eval(f"lambda v: 0.0{text}", {"inf": math.inf})  # noqa: S307
    return made


def _write_node(node: TreeNode | float) -> str:
    if not isinstance(node, tuple):
        return f"({float(node)!r})"
    feature, limit, low, high = node
    return f"({_write_node(low)} if v[{int(feature)}] <= {float(limit)!r} else {_write_node(high)})"


@dataclass(frozen=True, slots=True, eq=False)
class BoostedTrees:
    """Rounds of trees; a round has one tree for each class, or a single tree if there are two classes."""

    features: tuple[str, ...]
    rounds: tuple[tuple[TreeNode, ...], ...]
    # The same trees by some rounds at once, and in these by class.
    steps: tuple[tuple[TreeSum, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Arrange the trees as they are used."""
        starts = range(0, len(self.rounds), _ROUNDS_AT_ONCE)
        parts = (zip(*self.rounds[start : start + _ROUNDS_AT_ONCE], strict=True) for start in starts)
        object.__setattr__(self, "steps", tuple(tuple(map(TreeSum, part)) for part in parts))


def chance_of(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """Return the probability of the second of two classes."""
    return logistic(log_odds_of(trees, vector))


def log_odds_of(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """Return the log-odds of the second of two classes."""
    total = 0.0
    for done, (step,) in enumerate(trees.steps):
        total += step.of(vector)
        if done and total < -_CLEAR_LEAD:
            break
    return total


def chances_of(trees: BoostedTrees, vector: Sequence[float]) -> tuple[float, ...]:
    """Return the probability of each class."""
    totals = [0.0] * len(trees.rounds[0])
    for step, clear in zip(trees.steps, chain(_FIRST_CLEAR_LEADS, repeat(_CLEAR_LEAD)), strict=False):
        totals = [total + own.of(vector) for total, own in zip(totals, step, strict=True)]
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

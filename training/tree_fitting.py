"""Fits boosted trees with scikit-learn and turns them into the plain data that the package reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from medharvest.boosted_trees import FlatTree

# For single zones, and for whole candidates, of which there are far fewer.
ZONE_SETTINGS: Mapping[str, Any] = {
    "max_iter": 80,
    "learning_rate": 0.12,
    "max_leaf_nodes": 15,
    "min_samples_leaf": 20,
    "l2_regularization": 2.0,
    "max_features": 0.4,
}
OTHER_ZONE_SETTINGS: Mapping[str, Any] = {**ZONE_SETTINGS, "max_features": 0.2}
LIST_SETTINGS: Mapping[str, Any] = {
    "max_iter": 60,
    "learning_rate": 0.12,
    "max_leaf_nodes": 7,
    "min_samples_leaf": 10,
    "l2_regularization": 3.0,
    "max_features": 0.5,
}
BOOSTERS_OF_FEW = 3  # that are averaged where a page gives few rows
_COMMON_SETTINGS: Mapping[str, Any] = {"max_bins": 63, "early_stopping": False}
_UNLIKELY = -10.0  # score of a class without rows
_DIGITS = 5  # of leaves; more make the file larger and change nothing
_LIMIT_UNITS = 1e6  # limits are rounded up: a limit is often a value, which must stay below it


class TreeRow(NamedTuple):
    """A vector, its class, its weight, and the layout that it comes from."""

    numbers: Sequence[float]
    label: int
    weight: float
    layout: str


class Trend(NamedTuple):
    """Numbers that can only raise the probability when they rise, and numbers that can only lower it.

    What is known of a number need not be learnt from a few pages, and no tree can learn the contrary from them.
    """

    rising: frozenset[str] = frozenset()
    falling: frozenset[str] = frozenset()

    def signs(self, names: Sequence[str]) -> list[int]:
        """Return 1, -1 or 0 for each number."""
        return [(name in self.rising) - (name in self.falling) for name in names]


def fit_trees(
    rows: Sequence[TreeRow],
    names: Sequence[str],
    settings: Mapping[str, Any],
    *,
    classes: int = 2,
    trend: Trend | None = None,
    boosters: int = 1,
) -> dict[str, Any]:
    """Fit trees to rows, as plain data; a class without rows gets a probability near 0.

    Several boosters that look at other numbers are averaged: where there are few rows, one alone follows chance.
    """
    import numpy as np  # extra `train`
    from sklearn.ensemble import HistGradientBoostingClassifier  # extra `train`
    from threadpoolctl import threadpool_limits  # of scikit-learn

    if any(len(row.numbers) != len(names) for row in rows):
        raise ValueError("a vector has not as many numbers as there are names")
    present = sorted({row.label for row in rows})
    if len(present) < 2:  # noqa: PLR2004
        return {"features": list(names), "rounds": [_place_trees([], present, classes, first=True)]}
    signs = trend.signs(names) if trend else None
    given = (
        np.array([row.numbers for row in rows], dtype=np.float64),
        np.array([row.label for row in rows]),
        np.array([row.weight for row in rows]),
    )
    with threadpool_limits(limits=1):  # threads that wait for a busy core take many times as long
        fitted = [
            HistGradientBoostingClassifier(**_COMMON_SETTINGS, **settings, random_state=seed, monotonic_cst=signs).fit(
                *given
            )
            for seed in range(1, boosters + 1)
        ]
    rounds = average_rounds([rounds_of_booster(booster) for booster in fitted])
    return {
        "features": list(names),
        "rounds": [_place_trees(trees, present, classes, first=number == 0) for number, trees in enumerate(rounds)],
    }


def average_rounds(boosters: Sequence[Sequence[Sequence[FlatTree]]]) -> list[Sequence[FlatTree]]:
    """Return the rounds of all boosters in turn, with leaves so small that they sum up to the mean."""
    share = 1 / len(boosters)
    return [
        [_scale_leaves(tree, share) for tree in trees] for rounds in zip(*boosters, strict=True) for trees in rounds
    ]


def _scale_leaves(tree: FlatTree, share: float) -> FlatTree:
    return [node if len(node) > 1 else [round(node[0] * share, _DIGITS)] for node in tree]


def rounds_of_booster(booster: Any) -> list[list[FlatTree]]:
    """Return the trees of a booster as plain data; the first round is what it predicts without any tree."""
    start: list[FlatTree] = [[[round(float(value), _DIGITS)]] for value in booster._baseline_prediction.ravel()]  # noqa: SLF001  (a test compares the probabilities)
    grown = ([_flatten_tree(tree.nodes) for tree in trees] for trees in booster._predictors)  # noqa: SLF001
    return [start, *grown]


def _place_trees(trees: Sequence[FlatTree], present: Sequence[int], classes: int, *, first: bool) -> list[FlatTree]:
    """Return one tree for each class, or one in all for two classes; classes without rows get an unlikely score."""
    if len(trees) == 1 or len(present) == 1:  # of two classes, the tree is that of the second
        trees = [[[0.0]], *trees]
    own = dict(zip(present, trees, strict=False))
    missing: FlatTree = [[_UNLIKELY if first else 0.0]]
    if classes == 2:  # noqa: PLR2004
        only = -_UNLIKELY if present == [1] else _UNLIKELY
        return [own[1] if len(present) > 1 else [[only]]]
    return [own.get(label, missing) for label in range(classes)]


def _flatten_tree(nodes: Any) -> FlatTree:
    return [
        [round(float(node["value"]), _DIGITS)]
        if node["is_leaf"]
        else [
            int(node["feature_idx"]),
            math.ceil(float(node["num_threshold"]) * _LIMIT_UNITS) / _LIMIT_UNITS,
            int(node["left"]),
            int(node["right"]),
        ]
        for node in nodes
    ]

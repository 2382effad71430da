"""Fits boosted trees with scikit-learn and turns them into the plain data that the package reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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
CHOICE_SETTINGS: Mapping[str, Any] = {**LIST_SETTINGS, "max_iter": 80}
BOOSTERS_OF_FEW = 3  # that are averaged where a page gives few rows
_COMMON_SETTINGS: Mapping[str, Any] = {"max_bins": 63, "early_stopping": False}
_LEAST_BEND = 0.01  # of the second derivative of a candidate that is sure or hopeless
_UNLIKELY = -10.0  # score of a class without rows
_DIGITS = 5  # of leaves; more make the file larger and change nothing
_LIMIT_UNITS = 1e6  # limits are rounded up: a limit is often a value, which must stay below it


class TreeRow(NamedTuple):
    """A vector, its class, its weight, and the layout that it comes from."""

    numbers: Sequence[float]
    label: int
    weight: float
    layout: str


class Choice(NamedTuple):
    """The candidates of one page: their vectors, which of them are right, the page's weight and layout."""

    candidates: Sequence[Sequence[float]]
    right: Sequence[bool]
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


def fit_choice_trees(
    choices: Sequence[Choice], names: Sequence[str], settings: Mapping[str, Any], *, trend: Trend, boosters: int
) -> dict[str, Any]:
    """Fit trees whose scores tell which candidate of a page is right, as plain data.

    The probability of a candidate is its share among all candidates of its page and the answer that none is right,
    whose score is 0. A page is one example, however many candidates it has.
    """
    import numpy as np  # extra `train`
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
    from threadpoolctl import threadpool_limits  # of scikit-learn

    kept = [choice for choice in choices if choice.candidates]
    if not kept:
        return {"features": list(names), "rounds": [[[[0.0]]]]}
    if any(len(vector) != len(names) for choice in kept for vector in choice.candidates):
        raise ValueError("a vector has not as many numbers as there are names")
    bins = _BinMapper(n_bins=_COMMON_SETTINGS["max_bins"] + 1, n_threads=1, random_state=1)
    vectors = [vector for choice in kept for vector in choice.candidates]
    signs = trend.signs(names)
    with threadpool_limits(limits=1):
        binned = bins.fit_transform(np.array(vectors, dtype=np.float64))
        rounds = average_rounds(
            [
                [[[[0.0]]], *_grow_choice_trees(kept, bins, binned, {**settings, "seed": seed, "signs": signs})]
                for seed in range(1, boosters + 1)
            ]
        )
    return {"features": list(names), "rounds": [list(trees) for trees in rounds]}


def _grow_choice_trees(
    choices: Sequence[Choice], bins: Any, binned: Any, settings: Mapping[str, Any]
) -> Iterator[list[FlatTree]]:
    """Yield one tree for each round of gradient boosting."""
    import numpy as np
    from sklearn.ensemble._hist_gradient_boosting.grower import TreeGrower

    sizes = [len(choice.candidates) for choice in choices]
    starts = np.cumsum([0, *sizes[:-1]])
    mean = sum(choice.weight for choice in choices) / len(choices)
    weights = np.repeat([choice.weight / mean for choice in choices], sizes)
    right = np.array([one for choice in choices for one in choice.right], dtype=np.float64)
    scores = np.zeros(len(right))
    draw = np.random.default_rng(settings["seed"])
    for _ in range(settings["max_iter"]):
        shares, wanted = _share_choices(scores, right, starts, sizes)
        bend = np.maximum(shares * (1 - shares), _LEAST_BEND)
        grower = TreeGrower(
            binned,
            (weights * (shares - wanted)).astype(np.float32),
            (weights * bend).astype(np.float32),
            max_leaf_nodes=settings["max_leaf_nodes"],
            min_samples_leaf=settings["min_samples_leaf"],
            l2_regularization=settings["l2_regularization"],
            feature_fraction_per_split=settings["max_features"],
            shrinkage=settings["learning_rate"],
            monotonic_cst=np.array(settings["signs"], dtype=np.int8),
            n_bins=bins.n_bins,
            n_bins_non_missing=bins.n_bins_non_missing_,
            rng=draw,
            n_threads=1,
        )
        grower.grow()
        for leaf in grower.finalized_leaves:
            scores[grower.splitter.partition[leaf.partition_start : leaf.partition_stop]] += leaf.value
        yield [_flatten_tree(grower.make_predictor(binning_thresholds=bins.bin_thresholds_).nodes)]


def _share_choices(scores: Any, right: Any, starts: Any, sizes: Sequence[int]) -> tuple[Any, Any]:
    """Return each candidate's share of its page, and the share that it should have.

    Where several candidates are right, any of them will do.
    """
    import numpy as np

    top = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
    parts = np.exp(scores - np.repeat(top, sizes))
    total = np.add.reduceat(parts, starts) + np.exp(-top)
    held = np.add.reduceat(parts * right, starts)
    wanted = np.divide(parts * right, np.repeat(held, sizes), out=np.zeros_like(parts), where=right > 0)
    return parts / np.repeat(total, sizes), wanted


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

"""Boosted trees as plain data."""

from __future__ import annotations

import math
import pickle

import pytest

from medharvest.boosted_trees import (
    TreeSum,
    build_tree,
    chance_of,
    chances_of,
    digest_of_data,
    logistic,
    shares_of,
    sum_leaves,
    trees_from_data,
)

# The first feature decides; above 3 the second does.
FLAT: list[list[float]] = [[0, 3.5, 1, 2], [-1.0], [1, 5, 3, 4], [2.0], [4.0]]


@pytest.mark.parametrize(("vector", "leaf"), [((3.5, 9), -1.0), ((4, 5), 2.0), ((4, 6), 4.0)])
def test_a_vector_reaches_one_leaf_of_each_tree(vector: tuple[float, ...], leaf: float) -> None:
    tree = build_tree(FLAT, 2)
    assert sum_leaves([tree, tree], vector) == 2 * leaf


@pytest.mark.parametrize("flat", [[[2, 1, 1, 2], [0.0], [1.0]], [[0, 1, 0, 1], [0.0]]], ids=["feature", "cycle"])
def test_a_tree_that_cannot_be_is_refused(flat: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"\["):
        build_tree(flat, 2)


def test_two_classes_have_one_tree_a_round() -> None:
    trees = trees_from_data({"features": ["a", "b"], "rounds": [[[[0.5]]], [FLAT]]})
    assert chance_of(trees, (4, 6)) == pytest.approx(logistic(4.5))
    assert logistic(1e9) < 1.0 + 1e-9
    assert logistic(-1e9) > 0


def test_several_classes_share_one_probability() -> None:
    trees = trees_from_data({"features": ["a", "b"], "rounds": [[[[0.0]], FLAT, [[1.0]]]]})
    found = chances_of(trees, (4, 5))
    assert sum(found) == pytest.approx(1)
    assert found[1] / found[2] == pytest.approx(math.e)


def test_a_vector_that_is_clearly_of_the_first_class_is_left_early() -> None:
    start = [[[6.0]], [[0.0]]]
    late = [[[-100.0]], [[0.0]]]
    trees = trees_from_data({"features": ["a"], "rounds": [start, *[[[[0.0]], [[0.0]]]] * 12, late]})
    assert chances_of(trees, (0,)) == (1.0, 0.0)
    doubtful = trees_from_data({"features": ["a"], "rounds": [[[[1.0]], [[0.0]]], *[[[[0.0]], [[0.0]]]] * 12, late]})
    assert chances_of(doubtful, (0,))[0] < 0.01


@pytest.mark.parametrize("rounds", [[], [[[[1.0]]], [[[1.0]], [[2.0]]]]], ids=["none", "uneven"])
def test_rounds_must_be_alike(rounds: list[object]) -> None:
    with pytest.raises(ValueError, match="rounds differ"):
        trees_from_data({"features": [], "rounds": rounds})


def test_equal_data_has_one_digest() -> None:
    assert digest_of_data({"a": 1, "b": 2}) == digest_of_data({"b": 2, "a": 1}) != digest_of_data({"a": 1})


def test_candidates_share_their_probability_with_the_answer_that_none_is_right() -> None:
    assert shares_of([]) == []
    assert shares_of([0.0]) == [0.5]
    assert shares_of([math.log(2), 0.0]) == pytest.approx([0.5, 0.25])
    assert shares_of([1000.0, -1000.0]) == [1.0, 0.0]
    assert sum(shares_of([-30.0] * 3)) < 1e-9


def test_trees_in_use_become_code_with_the_same_sums() -> None:
    summed = TreeSum([build_tree(FLAT, 2), build_tree([[0.1]], 2)])
    vectors = [(3.5, 9), (4, 5), (4.0, 6.0), (True, False), (-math.inf, math.inf)]
    expected = [sum_leaves(summed.trees, vector) for vector in vectors]
    walking = summed.of
    for _ in range(500):
        assert [summed.of(vector) for vector in vectors] == expected
    assert summed.of is not walking
    assert summed.of.__name__ == "<lambda>"


def test_a_tree_that_is_too_deep_for_code_is_walked() -> None:
    node: tuple[object, ...] = (0, 0.0, -1.0, 1.0)
    for level in range(1, 400):
        node = (0, float(-level), node, 2.0)
    summed = TreeSum([node])  # type: ignore[list-item]
    assert {summed.of((-500.0,)) for _ in range(600)} == {-1.0}
    assert summed.of.__name__ == "_walk"


def test_trees_are_pickled_without_their_code() -> None:
    trees = trees_from_data({"features": ["a", "b"], "rounds": [[FLAT]] * 8})
    before = [chance_of(trees, (4, 6)) for _ in range(600)]
    again = pickle.loads(pickle.dumps(trees))
    assert chance_of(again, (4, 6)) == before[0] == before[-1]

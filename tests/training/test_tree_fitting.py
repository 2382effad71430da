"""Trees of scikit-learn and the plain data made of them say the same."""

from __future__ import annotations

import itertools
import random
import statistics
from collections.abc import Callable
from typing import Any

import pytest

from medharvest.boosted_trees import chance_of, chances_of, log_odds_of, shares_of, trees_from_data
from training.tree_fitting import (
    CHOICE_SETTINGS,
    LIST_SETTINGS,
    Choice,
    TreeRow,
    Trend,
    fit_choice_trees,
    fit_trees,
)

DRAW = random.Random(7)
VECTORS = [[DRAW.randrange(100) / 100, DRAW.randrange(5), DRAW.randrange(100) / 100] for _ in range(400)]


def rows(label) -> list[TreeRow]:
    return [TreeRow(vector, label(vector), 1.0, "a") for vector in VECTORS]


def test_two_classes_are_told_apart_as_by_the_booster(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    fitted: list[Any] = []
    fit = HistGradientBoostingClassifier.fit

    def remember(*given, **named):
        fitted.append(fit(*given, **named))
        return fitted[0]

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", remember)
    learnt = rows(lambda vector: int(vector[0] + vector[1] / 5 > 0.8))
    trees = trees_from_data(fit_trees(learnt, "abc", LIST_SETTINGS))
    found = [chance_of(trees, vector) for vector in VECTORS]
    assert found == pytest.approx(
        list(fitted[0].predict_proba(VECTORS)[:, 1]), abs=0.02
    )  # the clear cases are left early
    assert sum((chance > 0.5) == row.label for chance, row in zip(found, learnt, strict=True)) > 390


def test_a_class_without_rows_is_improbable() -> None:
    trees = trees_from_data(fit_trees(rows(lambda vector: 3 * int(vector[0] > 0.5)), "abc", LIST_SETTINGS, classes=4))
    for vector in VECTORS[:50]:
        none, one, two, three = chances_of(trees, vector)
        assert max(one, two) < 0.01
        assert (three > none) == (vector[0] > 0.5) or abs(vector[0] - 0.5) < 0.05


@pytest.mark.parametrize(("label", "chance"), [(0, 0.0), (1, 1.0)])
def test_rows_of_one_class_give_that_class(label: int, chance: float) -> None:
    trees = trees_from_data(fit_trees(rows(lambda _: label), "abc", LIST_SETTINGS))
    assert chance_of(trees, VECTORS[0]) == pytest.approx(chance, abs=0.01)
    several = trees_from_data(fit_trees(rows(lambda _: label), "abc", LIST_SETTINGS, classes=3))
    assert chances_of(several, VECTORS[0])[label] > 0.99


def test_a_trend_names_the_numbers_that_rise_and_fall() -> None:
    assert Trend(frozenset("a"), frozenset("c")).signs("abc") == [1, 0, -1]
    assert Trend().signs("ab") == [0, 0]


@pytest.mark.parametrize(
    ("trend", "step"),
    [(Trend(rising=frozenset("a")), 1), (Trend(falling=frozenset("a")), -1), (None, 0)],
    ids=["rising", "falling", "free"],
)
def test_a_trend_holds_against_the_rows(trend: Trend | None, step: int) -> None:
    learnt = rows(lambda vector: int(0.3 < vector[0] < 0.6))  # first rises, then falls
    trees = trees_from_data(fit_trees(learnt, "abc", LIST_SETTINGS, trend=trend))
    found = [chance_of(trees, (number / 50, 2, 0.5)) for number in range(50)]
    steps = {(later > earlier) - (later < earlier) for earlier, later in itertools.pairwise(found)} - {0}
    assert steps == ({step} if step else {1, -1})


def test_several_boosters_give_the_mean_of_their_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    fitted: list[Any] = []
    fit = HistGradientBoostingClassifier.fit

    def fit_and_keep(*given: Any, **named: Any) -> Any:
        fitted.append(fit(*given, **named))
        return fitted[-1]

    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", fit_and_keep)
    learnt = rows(lambda vector: int(vector[0] + DRAW.random() / 2 > 0.7))
    trees = trees_from_data(fit_trees(learnt, "abc", LIST_SETTINGS, boosters=3))
    assert len({tuple(booster.decision_function(VECTORS)) for booster in fitted}) == 3
    mean = [sum(odds) / 3 for odds in zip(*(booster.decision_function(VECTORS) for booster in fitted), strict=True)]
    likely = [place for place, odds in enumerate(mean) if odds > -3]  # the clear cases are left early
    assert [log_odds_of(trees, VECTORS[place]) for place in likely] == pytest.approx(
        [mean[place] for place in likely], abs=0.01
    )


def choices(right_at: Callable[[list[tuple[float, ...]]], int], count: int = 300) -> list[Choice]:
    """Pages with three candidates each; `right_at` tells which of them is right, -1 none."""
    out = []
    for _ in range(count):
        candidates = [tuple(DRAW.random() for _ in "abc") for _ in range(3)]
        place = right_at(candidates)
        out.append(Choice(candidates, [number == place for number in range(3)], 1.0, "layout"))
    return out


def largest(candidates: list[tuple[float, ...]]) -> int:
    return max(range(3), key=lambda number: candidates[number][0])


def test_trees_learn_which_candidate_of_a_page_is_right() -> None:
    trees = trees_from_data(fit_choice_trees(choices(largest), "abc", CHOICE_SETTINGS, trend=Trend(), boosters=2))
    new = choices(largest, 100)
    scores = [[log_odds_of(trees, vector) for vector in page.candidates] for page in new]
    assert sum(page.right[own.index(max(own))] for page, own in zip(new, scores, strict=True)) >= 85
    assert sum(sum(shares_of(own)) for own in scores) / len(scores) > 0.9  # one of them is right


def test_trees_learn_that_no_candidate_is_right() -> None:
    def right_if_large(candidates: list[tuple[float, ...]]) -> int:
        place = largest(candidates)
        return place if candidates[place][0] > 0.7 else -1

    learnt = choices(right_if_large)
    trees = trees_from_data(fit_choice_trees(learnt, "abc", CHOICE_SETTINGS, trend=Trend(), boosters=1))
    some = [sum(shares_of([log_odds_of(trees, vector) for vector in page.candidates])) for page in learnt]
    known = [any(page.right) for page in learnt]
    assert statistics.mean(itertools.compress(some, known)) > 0.8
    assert statistics.mean(itertools.compress(some, [not one for one in known])) < 0.2


def test_pages_without_candidates_teach_nothing() -> None:
    trees = trees_from_data(
        fit_choice_trees([Choice([], [], 1.0, "layout")], "abc", CHOICE_SETTINGS, trend=Trend(), boosters=1)
    )
    assert log_odds_of(trees, (1, 2, 3)) == 0
    with pytest.raises(ValueError, match="as many numbers"):
        fit_choice_trees([Choice([(1.0,)], [True], 1.0, "x")], "abc", CHOICE_SETTINGS, trend=Trend(), boosters=1)

"""From which score a field may be accepted unseen."""

from __future__ import annotations

from medharvest.evaluate.accepting import (
    Given,
    accept_figures,
    accept_table,
    threshold_of,
    thresholds,
)


def given(count: int, score: float, *, right: bool = True, field: str = "title") -> list[Given]:
    return [Given(field, score, right, f"layout{n % 10}") for n in range(count)]


def test_a_threshold_is_the_lowest_score_from_which_nearly_all_are_right() -> None:
    assert threshold_of([*given(40, 0.9), *given(10, 0.8), *given(1, 0.7, right=False)]) == 0.8
    assert threshold_of([*given(400, 0.9), *given(1, 0.8, right=False)]) == 0.8
    assert threshold_of([*given(39, 0.9), *given(1, 0.9, right=False)]) is None
    assert threshold_of(given(29, 0.9)) is None


def test_few_right_ones_prove_little() -> None:
    assert threshold_of(given(99, 0.9), imagined=0.5) is None
    assert threshold_of(given(100, 0.9), imagined=0.5) == 0.9


def test_a_field_needs_the_threshold_of_all_fields_of_its_kind_too() -> None:
    fields = [
        *given(120, 0.9),
        *given(40, 0.8),
        *given(3, 0.8, right=False, field="date"),
        *given(40, 0.95, field="date"),
        *given(29, 0.99, field="doi"),
    ]
    printed = [one._replace(field=f"printed:{one.field}") for one in given(50, 0.99)]
    assert thresholds([*fields, *printed]) == {"title": 0.9, "date": 0.95}
    assert thresholds(given(5, 0.9)) == {}
    assert thresholds([*given(50, 0.7, right=False), *printed, *printed]) == {"printed:title": 0.99}


def test_what_passes_is_counted_and_what_of_it_is_wrong() -> None:
    passed = [one._replace(accepted=True) for one in [*given(9, 0.9), *given(1, 0.9, right=False)]]
    everything = [*passed, *given(10, 0.2), *given(5, 0.2, field="doi")]
    rows = {row[0]: row[1:] for row in accept_table(everything).rows}
    assert rows == {
        "title": ("20", "10", "0.500", "1", "0.900"),
        "doi": ("5", "0", "0.000", "0", ""),
        "all": ("25", "10", "0.400", "1", "0.900"),
    }
    assert accept_figures(everything) == (("accepted", 0.4), ("accepted-right", 0.9))
    assert accept_figures(given(9, 0.9)) == ()

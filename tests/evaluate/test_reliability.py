"""Whether scores mean what they say, and which fields pass unseen."""

from __future__ import annotations

import pytest

from medharvest.evaluate.fields import score_page
from medharvest.evaluate.labelled import Labelled, ReadPage
from medharvest.evaluate.reliability import (
    Given,
    accept_table,
    calibration_error,
    given_scores,
    reliability_table,
    threshold_of,
    thresholds,
)


def given(count: int, score: float, *, right: bool = True, field: str = "title") -> list[Given]:
    return [Given(field, score, right, f"layout{n % 10}") for n in range(count)]


def test_of_the_fields_given_a_score_the_share_right_is_shown() -> None:
    fields = [*given(9, 0.9), *given(1, 0.9, right=False), *given(2, 1.0), *given(2, 0.2, right=False)]
    assert reliability_table(fields).rows == (
        ("0 to 0.5", "2", "0.200", "0.000"),
        ("0.9 to 0.95", "10", "0.900", "0.900"),
        ("0.995 to 1", "2", "1.000", "1.000"),
    )
    assert calibration_error(fields) == pytest.approx(2 * 0.2 / 14)
    assert calibration_error([]) == 0


def test_a_threshold_is_the_lowest_score_from_which_nearly_all_are_right() -> None:
    assert threshold_of([*given(40, 0.9), *given(10, 0.8), *given(1, 0.7, right=False)]) == 0.8
    assert threshold_of([*given(400, 0.9), *given(1, 0.8, right=False)]) == 0.8
    assert threshold_of([*given(39, 0.9), *given(1, 0.9, right=False)]) is None
    assert threshold_of(given(29, 0.9)) is None


def test_a_field_needs_the_threshold_of_all_fields_too() -> None:
    fields = [
        *given(40, 0.9),
        *given(40, 0.8),
        *given(3, 0.8, right=False, field="date"),
        *given(40, 0.95, right=True, field="date"),
    ]
    assert thresholds(fields) == {"title": 0.9, "date": 0.95}
    assert thresholds(given(5, 0.9)) == {}


def test_what_passes_is_counted_on_layouts_that_did_not_choose_the_threshold() -> None:
    good = [*given(50, 0.99), *given(50, 0.6, field="doi")]
    bad = [Given("title", 0.99, right=False, layout="other") for _ in range(5)]
    rows = {row[0]: row[1:] for row in accept_table([*good, *bad]).rows}
    assert rows["title"][2:] == ("10", "0.182", "0.500")  # a fold of two layouts, one of them bad
    assert rows["all"][0] == "105"
    assert accept_table([]).rows == (("all", "0", "", "0", "0.000", ""),)


def test_fields_that_were_read_and_are_known_are_looked_at() -> None:
    page: ReadPage = Labelled(id="a", body=b"", truth={"title": "Sleep", "doi": "10.1000/a"}, layout="z")
    answer = {"title": "Sleep", "date": "2010", "scores": {"title": 0.9, "date": 0.8}}
    assert given_scores([page], [answer], [score_page(page.truth, answer)]) == [
        Given("title", 0.9, right=True, layout="z")
    ]
    assert given_scores([page], [{}], [score_page(page.truth, {})]) == []

"""Whether scores mean what they say."""

from __future__ import annotations

import pytest

from medharvest.evaluate.accepting import Given
from medharvest.evaluate.fields import score_page
from medharvest.evaluate.labelled import Labelled, ReadPage
from medharvest.evaluate.reliability import calibration_error, given_scores, reliability_table


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


def test_fields_that_were_read_and_are_known_are_looked_at() -> None:
    page: ReadPage = Labelled(id="a", body=b"", truth={"title": "Sleep", "doi": "10.1000/a"}, layout="z")
    answer = {"title": "Sleep", "date": "2010", "scores": {"title": 0.9, "date": 0.8}, "accepted": ["title"]}
    assert given_scores([page], [answer], [score_page(page.truth, answer)]) == [
        Given("title", 0.9, right=True, layout="z", accepted=True)
    ]
    assert given_scores([page], [{}], [score_page(page.truth, {})]) == []

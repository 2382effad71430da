"""How well unseen layouts are read: the figures and their page."""

from __future__ import annotations

from typing import Any

import pytest
from bench.reading import choose_layouts, measure_acceptance, score_set, wilson_bound
from bench.render_reading import reading_files

from medharvest.evaluate.field_scores import score_prediction
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage


def page(layout: str, title: str = "Snow") -> ReadPage:
    return LabelledPage(id=layout + title, body=b"", truth={"title": title}, layout=layout)


def test_every_layout_counts_once() -> None:
    pages = [page("a"), page("a"), page("a"), page("b", "Ice")]
    found = score_set(pages, lambda _: {"title": "Snow"})
    assert (found["all4"], found["all4 by layout"]) == (0.75, 0.5)
    assert found["layouts"] == 2


def test_a_page_that_cannot_be_read_is_wrong() -> None:
    def fail(_page: ReadPage) -> dict[str, Any]:
        raise ValueError

    assert score_set([page("a")], fail)["all4"] == 0


def test_the_bound_counts_articles() -> None:
    pages = [page("a"), page("b", "Ice")]
    answers = [{"title": "Snow", "scores": {"title": 0.9}, "accepted": ["title"]}] * 2
    scores = [score_prediction(one.truth, answer) for one, answer in zip(pages, answers, strict=True)]
    found = measure_acceptance(pages, answers, scores)
    assert (found["accepted"], found["right"], found["articles"]) == (2, 1, 2)
    assert 0 < found["lower bound"] < 0.5


@pytest.mark.parametrize(("right", "count", "bound"), [(0, 0, 0.0), (600, 600, 0.9955), (0, 10, 0.0)])
def test_a_bound_is_wilsons(right: float, count: int, bound: float) -> None:
    assert wilson_bound(right, count) == pytest.approx(bound, abs=1e-3)


def test_layouts_are_added_family_by_family() -> None:
    pages = [page(layout) for layout in ("a_1", "b", "a_2", "c_1")]
    few, more = ({one.layout for one in choose_layouts(pages, count)} for count in (2, 3))
    assert few < more
    assert len(few) == 2


def test_the_page_shows_every_set_and_the_curve() -> None:
    one = score_set([page("a")], lambda _: {"title": "Snow"})
    row = {
        "layouts": 8,
        "sites": 0,
        "with metadata": {"core4": 0.5, "all4": 0.4},
        "without metadata": {"core4": 0.3, "all4": 0.2},
    }
    result = {
        "command": "python -m bench.reading CORPUS",
        "commit": "0" * 40,
        "versions": {"python": "3.11"},
        "cpu": 9,
        "sets": {"untouched": one},
        "curve": [row, {**row, "layouts": 16}],
    }
    files = reading_files(result)
    assert "| untouched | 1 | 1 | 0.250 | 100.0% | 1.000 | 100.0% |" in files["reading.md"]
    assert "| 8 | 0 | 0.500 | 40.0% | 0.300 | 20.0% |" in files["reading.md"]
    assert "<svg" in files["reading-curve.svg"]
    assert reading_files({**result, "curve": []}).keys() == {"reading.md"}

"""Lines and names of labelled pages are weighed by what turned out right on other layouts."""

from __future__ import annotations

import json

from medharvest.citations.calibration import logistic_probability
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from training.masthead_weights import (
    collect_masthead_cases,
    cross_fit_masthead_weights,
    fit_masthead_weights,
    package_masthead_weights,
)
from training.read_folds import choose_unseen_models

OTHERS = "".join(f"<li>Berg A. Quay {n}. Other J 200{n};{n}:{n}1-{n}9</li>" for n in range(1, 6))


def page(n: int, layout: str) -> ReadPage:
    html = (
        f"<html><head><title>Sleep by sea {n} | Tide Review</title></head><body><p>Tide Review</p>"
        f"<p>Tide Review 2010;{n}:20{n}-30{n}</p><h1>Sleep by sea {n}</h1><p>Anna Berg</p>"
        f"<h2>Related articles</h2><ul>{OTHERS}</ul></body></html>"
    )
    truth = {"title": f"Sleep by sea {n}", "journal": "Tide Review", "volume": str(n), "first_page": f"20{n}"}
    return LabelledPage(id=f"{layout} {n}", body=html.encode(), truth={**truth, "date": "2010"}, layout=layout)


PAGES = tuple(page(n, layout) for n, layout in ((11, "a_1"), (12, "a_2"), (13, "b"), (14, "c")))


def test_lines_and_names_that_agree_with_the_truth_are_right() -> None:
    cases = collect_masthead_cases(PAGES[:1])
    assert {(case.field, case.right) for case in cases} == {
        (kind, right) for kind in ("line", "name") for right in (True, False)
    }
    assert sum(case.right for case in cases if case.field == "line") == 2  # with the metadata and without


def test_fitted_weights_tell_the_own_line_from_the_others() -> None:
    cases = [case for case in collect_masthead_cases(PAGES) if case.field == "line"]
    weights = fit_masthead_weights(collect_masthead_cases(PAGES)).lines
    assert all((logistic_probability(weights, case.signs) > 0.5) == case.right for case in cases)


def test_a_layout_is_weighed_without_its_kin() -> None:
    fitted = cross_fit_masthead_weights(PAGES)
    assert fitted["a_1"] == fitted["a_2"] == fit_masthead_weights(collect_masthead_cases(PAGES[2:]))
    assert fitted["b"] != fitted["a_1"]


def test_a_page_that_is_no_page_teaches_nothing() -> None:
    assert collect_masthead_cases([LabelledPage(id="x", body=b"\0\1", truth={}, layout="x")]) == []


def test_pages_that_the_shipped_weights_saw_are_read_by_others(monkeypatch) -> None:
    content = json.loads(package_masthead_weights(PAGES))
    monkeypatch.setattr("training.read_folds._fitted_mastheads", {})
    monkeypatch.setattr(
        "training.read_folds.shipped_masthead_weights",
        lambda: type("Shipped", (), {"pages": frozenset(content["pages"])}),
    )
    models_of = choose_unseen_models(PAGES)
    assert models_of(PAGES[0]).weights.lines == fit_masthead_weights(collect_masthead_cases(PAGES[2:]))
    assert models_of(PAGES[0]).zones is None

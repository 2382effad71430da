"""The probability that a field is right, and the score from which it may be accepted without review."""

from __future__ import annotations

import hashlib
import json

from medharvest.citations.calibration import logistic_probability
from medharvest.evaluate.read_scores import GivenScore
from medharvest.records import Citation, Evidence
from training.field_calibration import (
    FieldCase,
    cases_of_citation,
    choose_thresholds,
    cross_fit_calibration,
    fit_calibration,
    lowest_threshold,
    package_fitted_cases,
)


def cases(field: str = "title") -> list[FieldCase]:
    """A sign that tells right from wrong in four fields of five, in four layouts."""
    return [
        FieldCase(field, f"layout{n % 4}", ("any", "sure" if n % 5 else "other"), bool(n % 5) or n % 10 == 0)
        for n in range(200)
    ]


def test_what_is_seen_of_right_fields_gains_weight() -> None:
    weights = fit_calibration(cases()).weights["title"]
    sure, other = (logistic_probability(weights, ("any", sign)) for sign in ("sure", "other"))
    assert sure > 0.95
    assert 0.4 < other < 0.7


def test_a_field_that_was_always_right_is_not_sure_for_ever() -> None:
    weights = fit_calibration([FieldCase("doi", "z", ("any",), right=True) for _ in range(50)]).weights["doi"]
    assert 0.97 < logistic_probability(weights, ("any",)) < 0.999


def test_no_layout_is_calibrated_by_itself() -> None:
    own = [FieldCase("title", "odd_1", ("any", "strange"), right=False)] * 30
    fits = cross_fit_calibration([*cases(), *own])
    assert "strange" not in fits["odd_1"].weights["title"]
    assert fits["layout0"].weights["title"]["strange"] < 0


def test_thresholds_of_a_layout_are_chosen_on_others() -> None:
    own = [FieldCase("title", "odd_1", ("any", "sure"), right=False)] * 30
    fits = cross_fit_calibration([*cases(), *own])
    assert "title" in fits["odd_1"].thresholds
    assert "title" not in fits["layout0"].thresholds


def test_cases_are_the_fields_read_whose_truth_is_known() -> None:
    evidence = tuple(
        Evidence(field=field, page="d", source="dc", path="", start=0, end=1, text="x", method="rule", score=0.5)
        for field in ("title", "doi", "publisher")
    )
    citation = Citation(title="Sleep", doi="10.1000/b", publisher="Quay", evidence=evidence)
    found = list(cases_of_citation(citation, {"title": "Sleep", "publisher": "Quay"}, "z"))
    assert [(case.field, case.layout, case.right) for case in found] == [("title", "z", True)]


def test_the_truth_of_cases_is_in_normal_form() -> None:
    proof = Evidence(field="issue", page="d", source="zone", path="", start=0, end=3, text="x", method="m", score=0.5)
    citation = Citation(issue="1-3", evidence=(proof,))
    assert [case.right for case in cases_of_citation(citation, {"issue": "1\u20133"}, "z")] == [True]
    assert [case.right for case in cases_of_citation(citation, {"issue": "1\u20134"}, "z")] == [False]


def test_the_file_holds_weights_thresholds_and_the_digests_of_its_pages() -> None:
    both = [*cases(), *cases("pdf:title")]
    content = json.loads(package_fitted_cases(both, [b"page"]))
    assert content["pages"] == [hashlib.sha256(b"page").hexdigest()]
    assert set(content["weights"]) == set(content["thresholds"]) == {"title", "pdf:title"}
    assert content["thresholds"]["title"] > 0.9


def given(count: int, score: float, *, right: bool = True, field: str = "title") -> list[GivenScore]:
    return [GivenScore(field, score, right, f"layout{n % 10}") for n in range(count)]


def test_a_threshold_is_the_lowest_score_from_which_nearly_all_are_right() -> None:
    assert lowest_threshold([*given(40, 0.9), *given(10, 0.8), *given(1, 0.7, right=False)]) == 0.8
    assert lowest_threshold([*given(400, 0.9), *given(1, 0.8, right=False)]) == 0.8
    assert lowest_threshold([*given(39, 0.9), *given(1, 0.9, right=False)]) is None
    assert lowest_threshold(given(29, 0.9)) is None


def test_few_right_ones_prove_little() -> None:
    assert lowest_threshold(given(99, 0.9), imagined=0.5) is None
    assert lowest_threshold(given(100, 0.9), imagined=0.5) == 0.9


def test_a_field_needs_the_threshold_of_all_fields_of_its_kind_too() -> None:
    fields = [
        *given(120, 0.9),
        *given(40, 0.8),
        *given(3, 0.8, right=False, field="date"),
        *given(40, 0.95, field="date"),
        *given(29, 0.99, field="doi"),
    ]
    printed = [one._replace(field=f"printed:{one.field}") for one in given(50, 0.99)]
    assert choose_thresholds([*fields, *printed]) == {"title": 0.9, "date": 0.95}
    assert choose_thresholds(given(5, 0.9)) == {}
    assert choose_thresholds([*given(50, 0.7, right=False), *printed, *printed]) == {"printed:title": 0.99}


def test_scores_of_a_field_that_was_never_wrong_set_no_limit_of_their_own() -> None:
    fields = [*given(60, 0.99, field="doi"), *given(60, 0.9), *given(1, 0.8, right=False)]
    assert choose_thresholds(fields) == {"doi": 0.9, "title": 0.9}
    assert choose_thresholds([*fields, *given(1, 0.5, right=False, field="doi")])["doi"] == 0.99


def test_a_threshold_of_pdfs_needs_fewer_fields() -> None:
    counts = {"doi": 60, "volume": 16, "issn": 14}
    given = [
        GivenScore(kind + name, 0.9, right=True, layout="a")
        for kind in ("", "pdf:repeated:")
        for name, count in counts.items()
        for _ in range(count)
    ]
    assert choose_thresholds(given) == {"pdf:repeated:doi": 0.9, "pdf:repeated:volume": 0.9}

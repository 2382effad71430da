"""The probability that a field is right, fitted on fields whose truth is known."""

from __future__ import annotations

import hashlib
import json

from medharvest.citations.calibration import probability
from medharvest.evaluate.calibrating import Case, cases_of, cross_fit, fit, package
from medharvest.records import Citation, Evidence


def cases(field: str = "title") -> list[Case]:
    """A sign that tells right from wrong in four fields of five, in four layouts."""
    return [
        Case(field, f"layout{n % 4}", ("any", "sure" if n % 5 else "other"), bool(n % 5) or n % 10 == 0)
        for n in range(200)
    ]


def test_what_is_seen_of_right_fields_gains_weight() -> None:
    weights = fit(cases()).weights["title"]
    sure, other = (probability(weights, ("any", sign)) for sign in ("sure", "other"))
    assert sure > 0.95
    assert 0.4 < other < 0.7


def test_a_field_that_was_always_right_is_not_sure_for_ever() -> None:
    weights = fit([Case("doi", "z", ("any",), right=True) for _ in range(50)]).weights["doi"]
    assert 0.97 < probability(weights, ("any",)) < 0.999


def test_no_layout_is_calibrated_by_itself() -> None:
    own = [Case("title", "odd_1", ("any", "strange"), right=False)] * 30
    fits = cross_fit([*cases(), *own])
    assert "strange" not in fits["odd_1"].weights["title"]
    assert fits["layout0"].weights["title"]["strange"] < 0


def test_thresholds_of_a_layout_are_chosen_on_others() -> None:
    own = [Case("title", "odd_1", ("any", "sure"), right=False)] * 30
    fits = cross_fit([*cases(), *own])
    assert "title" in fits["odd_1"].thresholds
    assert "title" not in fits["layout0"].thresholds


def test_cases_are_the_fields_read_whose_truth_is_known() -> None:
    evidence = tuple(
        Evidence(field=field, page="d", source="dc", path="", start=0, end=1, text="x", method="rule", score=0.5)
        for field in ("title", "doi", "publisher")
    )
    citation = Citation(title="Sleep", doi="10.1000/b", publisher="Quay", evidence=evidence)
    found = list(cases_of(citation, {"title": "Sleep", "publisher": "Quay"}, "z"))
    assert [(case.field, case.layout, case.right) for case in found] == [("title", "z", True)]


def test_the_file_holds_weights_thresholds_and_the_digests_of_its_pages() -> None:
    both = [*cases(), *cases("pdf:title")]
    content = json.loads(package(both, [b"page"]))
    assert content["pages"] == [hashlib.sha256(b"page").hexdigest()]
    assert set(content["weights"]) == set(content["thresholds"]) == {"title", "pdf:title"}
    assert content["thresholds"]["title"] > 0.9

"""Fits the calibration of fields.

The calibration holds the probability that a field was read right, and the score from which a field may be accepted
without review.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from medharvest.citations.calibration import (
    PDF_KEY,
    Calibration,
    calibration_key,
    evidence_signs,
    find_refused_fields,
    logistic_probability,
)
from medharvest.citations.normal_form import normalise_dashes
from medharvest.evaluate.field_scores import SCORED_FIELDS, FieldTally, compare_field
from medharvest.evaluate.read_scores import GivenScore
from medharvest.formats import report
from medharvest.records import Citation
from training.zone_models import split_layouts

_WEIGHT_PENALTY = 2.0  # L2 penalty of the weights
_COMMON_SIGN_PENALTY = 0.01  # L2 penalty of the sign that every field has
_NEWTON_ROUNDS = 40  # of Newton's method, which converges in ten
_MAX_STEP, _MAX_LOGIT = 2.0, 30.0  # of a weight in a round, of a sum of weights: Newton's method may overshoot
_SMALL_STEP = 1e-9  # of a weight: later rounds change nothing
_IMAGINED_ROWS = 0.5  # weight of one right and one wrong row that are added, so that no probability is 0 or 1
ACCEPTED_RIGHT_SHARE = 0.995  # of the fields accepted without review
_MIN_THRESHOLD_FIELDS = 30  # fewer fields are no evidence
# The same for PDFs, of which there are few.
_PDF_RIGHT_SHARE, _MIN_PDF_FIELDS = 0.99, 15
# Wrong fields that are added to the count: a hundred right fields are evidence of 99.5 %, ten are not.
_IMAGINED_WRONG_FIELDS = 0.5


class FieldCase(NamedTuple):
    """One field of one page: its key, its layout, the signs of its evidence, and whether the whole field is right.

    A field that is never accepted, whatever its score, says nothing of the score from which others may be.
    """

    field: str
    layout: str
    signs: tuple[str, ...]
    right: bool
    refused: bool = False


def cases_of_citation(citation: Citation, truth: Mapping[str, Any], layout: str) -> Iterator[FieldCase]:
    """The cases of a citation that is not calibrated yet: every field whose truth is known."""
    said = report(citation)
    # Records are in normal form, and so is the truth here: an issue printed as 4–6 is right as 4-6.
    truth = {**truth, "issue": normalise_dashes(str(truth.get("issue") or ""))}
    refused = find_refused_fields(citation)
    for field, seen in evidence_signs(citation).items():
        tally = compare_field(field, truth, said) if field in SCORED_FIELDS else FieldTally()
        if tally.pages:
            yield FieldCase(calibration_key(citation, field), layout, seen, bool(tally.exact), field in refused)


def fit_calibration(cases: Iterable[FieldCase]) -> Calibration:
    """Fit the weights of the signs of each field, without thresholds."""
    by_field: dict[str, list[FieldCase]] = defaultdict(list)
    for case in cases:
        by_field[case.field].append(case)
    weights = {field: fit_sign_weights(own, {}) for field, own in by_field.items()}
    return Calibration(dict(sorted(weights.items())))


def fit_sign_weights(cases: Sequence[FieldCase], expected: Mapping[str, float]) -> dict[str, float]:
    """Fit a logistic regression over signs by Newton's method; weights are drawn to the expected ones, or to zero."""
    import numpy as np

    names = sorted({sign for case in cases for sign in case.signs})
    place = {name: i for i, name in enumerate(names)}
    rows = [[place[sign] for sign in case.signs] for case in cases] + [[place["any"]]] * 2
    seen = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        seen[i, row] = 1.0
    right = np.array([*(case.right for case in cases), 1.0, 0.0])
    count = np.array([1.0] * len(cases) + [_IMAGINED_ROWS] * 2)
    drawn = np.full(len(names), _WEIGHT_PENALTY)
    drawn[place["any"]] = _COMMON_SIGN_PENALTY
    centre = np.array([0.0 if name == "any" else expected.get(name, 0.0) for name in names])
    weights = centre
    for _ in range(_NEWTON_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -_MAX_LOGIT, _MAX_LOGIT)))
        slope = seen.T @ (count * (right - chance)) - drawn * (weights - centre)
        bend = (seen.T * (count * chance * (1 - chance))) @ seen + np.diag(drawn)
        step = np.linalg.solve(bend, slope)
        weights = weights + step * _MAX_STEP / max(_MAX_STEP, np.abs(step).max())
        if np.abs(step).max() < _SMALL_STEP:
            break
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def cross_fit_calibration(cases: Sequence[FieldCase]) -> dict[str, Calibration]:
    """Fit for each layout a calibration on other layouts only; related layouts are left out too."""
    fits = _fit_weights_by_fold(cases)
    given = _scores_out_of_fold(cases, fits)
    return {
        layout: replace(fits[layout], thresholds=chosen)
        for fold in split_layouts(case.layout for case in cases)
        for chosen in [choose_thresholds([one for one in given if one.layout not in fold])]
        for layout in fold
    }


def _fit_weights_by_fold(cases: Sequence[FieldCase]) -> dict[str, Calibration]:
    return {
        layout: fitted
        for fold in split_layouts(case.layout for case in cases)
        for fitted in [fit_calibration(case for case in cases if case.layout not in fold)]
        for layout in fold
    }


def _scores_out_of_fold(cases: Iterable[FieldCase], fits: Mapping[str, Calibration]) -> list[GivenScore]:
    """The score of each case that may be accepted, by a calibration that was fitted without its layout."""
    return [
        GivenScore(case.field, _score_of_case(fits[case.layout], case), case.right, case.layout)
        for case in cases
        if not case.refused
    ]


def package_fitted_cases(cases: Sequence[FieldCase], bodies: Iterable[bytes]) -> str:
    """Return the file of the shipped calibration: weights from all cases, thresholds from out-of-fold scores."""
    content = {
        "about": "Fitted on fields read from pages of real journals by labellers that saw none of their layouts.",
        "pages": sorted(hashlib.sha256(body).hexdigest() for body in bodies),
        "thresholds": choose_thresholds(_scores_out_of_fold(cases, _fit_weights_by_fold(cases))),
        "weights": fit_calibration(cases).weights,
    }
    return json.dumps(content, ensure_ascii=True, sort_keys=True, indent=1)


def _score_of_case(calibration: Calibration, case: FieldCase) -> float:
    return logistic_probability(calibration.weights.get(case.field, {}), case.signs)


def choose_thresholds(given: Sequence[GivenScore]) -> dict[str, float]:
    """Choose for each key the score from which a field may be accepted without review.

    The score must be high enough for the field, and for all fields of its kind together: a single field has too few
    pages to show 99.5 %. Where a field was never wrong, its own scores set no limit. The kinds are metadata, printed
    text, and PDFs.
    """
    kinds: dict[str, list[GivenScore]] = {}
    for one in given:
        kinds.setdefault(one.field.rpartition(":")[0], []).append(one)
    return {name: found for kind in kinds.values() for name, found in _choose_kind_thresholds(kind)}


def _choose_kind_thresholds(given: Sequence[GivenScore]) -> Iterable[tuple[str, float]]:
    pdf = given[0].field.startswith(PDF_KEY)
    asked = (_PDF_RIGHT_SHARE, _MIN_PDF_FIELDS) if pdf else (ACCEPTED_RIGHT_SHARE, _MIN_THRESHOLD_FIELDS)
    everyones = lowest_threshold(given, *asked, imagined=_IMAGINED_WRONG_FIELDS)
    for name in sorted({one.field for one in given}):
        cases = [one for one in given if one.field == name]
        own = lowest_threshold(cases, *asked)
        if own is not None and everyones is not None:
            yield name, everyones if all(one.right for one in cases) else max(own, everyones)


def lowest_threshold(
    given: Iterable[GivenScore],
    share: float = ACCEPTED_RIGHT_SHARE,
    least: int = _MIN_THRESHOLD_FIELDS,
    *,
    imagined: float = 0.0,
) -> float | None:
    """The lowest score from which at least so many fields and this share of them are right, or None.

    `imagined` wrong fields are added to the count.
    """
    found = None
    right = 0
    ordered = sorted(given, key=lambda one: -one.score)
    for count, one in enumerate(ordered, 1):
        right += one.right
        last = count == len(ordered) or ordered[count].score < one.score
        if last and count >= least and right >= share * (count + imagined):
            found = one.score
    return found

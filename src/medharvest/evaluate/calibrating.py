"""Fits the probability that a field was read right on pages with truth; its weights are plain data."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from medharvest.citations import report
from medharvest.citations.calibration import Calibration, key_of, probability, signs_of
from medharvest.evaluate.accepting import Given, thresholds
from medharvest.evaluate.fields import FIELDS, Tally, compare
from medharvest.evaluate.zone_training import folds_of
from medharvest.records import Citation

_KEPT_NEAR = 2.0  # how strongly weights are drawn to nothing
_FREE = 0.01  # the same for the sign that every field has
_ROUNDS = 25  # of Newton's method, which settles in ten
_IMAGINED = 0.5  # rows right and rows wrong that are added: no field is right for ever


class Case(NamedTuple):
    """One field read on one page, by its key: what was seen of it, and whether all of it was right."""

    field: str
    layout: str
    signs: tuple[str, ...]
    right: bool


def cases_of(citation: Citation, truth: Mapping[str, Any], layout: str) -> Iterator[Case]:
    """Every field of a citation, its scores not yet calibrated, of which the truth is known."""
    said = report(citation)
    for field, seen in signs_of(citation).items():
        tally = compare(field, truth, said) if field in FIELDS else Tally()
        if tally.pages:
            yield Case(key_of(citation, field), layout, seen, bool(tally.exact))


def fit(cases: Iterable[Case]) -> Calibration:
    """The weights of each sign of each field, without thresholds."""
    by_field: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_field[case.field].append(case)
    return Calibration({field: _weights(own) for field, own in sorted(by_field.items())})


def _weights(cases: Sequence[Case]) -> dict[str, float]:
    """Logistic regression over signs by Newton's method."""
    import numpy as np

    names = sorted({sign for case in cases for sign in case.signs})
    place = {name: i for i, name in enumerate(names)}
    rows = [[place[sign] for sign in case.signs] for case in cases] + [[place["any"]]] * 2
    seen = np.zeros((len(rows), len(names)))
    for i, row in enumerate(rows):
        seen[i, row] = 1.0
    right = np.array([*(case.right for case in cases), 1.0, 0.0])
    count = np.array([1.0] * len(cases) + [_IMAGINED] * 2)
    drawn = np.full(len(names), _KEPT_NEAR)
    drawn[place["any"]] = _FREE
    weights = np.zeros(len(names))
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-seen @ weights))
        slope = seen.T @ (count * (right - chance)) - drawn * weights
        bend = (seen.T * (count * chance * (1 - chance))) @ seen + np.diag(drawn)
        weights = weights + np.linalg.solve(bend, slope)
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def cross_fit(cases: Sequence[Case]) -> dict[str, Calibration]:
    """By layout the calibration fitted without it and its kin, and thresholds chosen on all others."""
    fits = _cross_fit(cases)
    given = _given(cases, fits)
    return {
        layout: replace(fits[layout], thresholds=chosen)
        for fold in folds_of(case.layout for case in cases)
        for chosen in [thresholds([one for one in given if one.layout not in fold])]
        for layout in fold
    }


def _cross_fit(cases: Sequence[Case]) -> dict[str, Calibration]:
    return {
        layout: fitted
        for fold in folds_of(case.layout for case in cases)
        for fitted in [fit(case for case in cases if case.layout not in fold)]
        for layout in fold
    }


def _given(cases: Iterable[Case], fits: Mapping[str, Calibration]) -> list[Given]:
    """Each case with the score that a calibration gives it which did not see it."""
    return [Given(case.field, _score(fits[case.layout], case), case.right, case.layout) for case in cases]


def package(cases: Sequence[Case], bodies: Iterable[bytes]) -> str:
    """The file of the shipped calibration: weights of all cases, thresholds of scores given out of fold."""
    content = {
        "about": "Fitted on fields read from pages of real journals by labellers that saw none of their layouts.",
        "pages": sorted(hashlib.sha256(body).hexdigest() for body in bodies),
        "thresholds": thresholds(_given(cases, _cross_fit(cases))),
        "weights": fit(cases).weights,
    }
    return json.dumps(content, ensure_ascii=True, sort_keys=True, indent=1)


def _score(calibration: Calibration, case: Case) -> float:
    return probability(calibration.weights.get(case.field, {}), case.signs)

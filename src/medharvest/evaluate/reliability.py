"""Whether scores mean what they say: of the fields given 0.9, were nine in ten right? And which pass unseen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.fields import FIELDS, PageScore
from medharvest.evaluate.results import Table, number
from medharvest.evaluate.zone_training import folds_of

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import ReadPage

BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
ACCEPT = 0.995  # the share of fields accepted unseen that must be right
_FEWEST = 30  # fields; fewer than these prove nothing
_DERIVED = {"year": "date"}  # fields that are part of another


class Given(NamedTuple):
    """One field as read: the score it was given, and whether all of it was right."""

    field: str
    score: float
    right: bool
    layout: str = ""


def given_scores(
    pages: Sequence[ReadPage], answers: Sequence[Mapping[str, Any]], scores: Sequence[PageScore]
) -> list[Given]:
    """Every field that was read and whose truth is known."""
    return [
        Given(field, answer["scores"][field], bool(score.fields[field].exact), page.layout)
        for page, answer, score in zip(pages, answers, scores, strict=True)
        for field in FIELDS
        if field not in _DERIVED and score.fields[field].pages and field in answer.get("scores", {})
    ]


def calibration_error(given: Sequence[Given]) -> float:
    """How far the mean score of a bin is from its share right, over all bins by their size."""
    gaps = (
        len(own) * abs(mean_of([one.score for one in own]) - share(sum(one.right for one in own), len(own)))
        for _, own in _by_bin(given)
    )
    return sum(gaps) / max(1, len(given))


def reliability_table(given: Sequence[Given]) -> Table:
    """Of the fields given a score, how many were right."""
    rows = (
        (
            f"{low:g} to {high:g}",
            str(len(own)),
            number(mean_of([one.score for one in own])),
            number(share(sum(one.right for one in own), len(own))),
        )
        for (low, high), own in _by_bin(given)
    )
    return Table(("score given", "fields", "mean score", "share right"), tuple(rows))


def _by_bin(given: Sequence[Given]) -> list[tuple[tuple[float, float], list[Given]]]:
    tops = (*BINS[1:], 1.0)
    bins = [
        ((low, high), [one for one in given if low <= one.score and (one.score < high or high == 1.0)])
        for low, high in zip(BINS, tops, strict=True)
    ]
    return [(span, own) for span, own in bins if own]


def accept_table(given: Sequence[Given]) -> Table:
    """By field the score from which it may be accepted unseen, and how that works on layouts it was not chosen on."""
    by_field = {name: own for name in FIELDS if (own := [one for one in given if one.field == name])}
    accepted = _passed(given)
    passed = {name: [one for one in accepted if one.field == name] for name in by_field}
    chosen = thresholds(given)
    rows = [_accept_row(name, own, passed[name], chosen.get(name)) for name, own in by_field.items()]
    everything = _accept_row("all", given, accepted, None)
    return Table(("accept unseen", "fields", "threshold", "pass", "share", "right"), (*rows, everything))


def _accept_row(name: str, given: Sequence[Given], passed: Sequence[Given], threshold: float | None) -> tuple[str, ...]:
    return (
        name,
        str(len(given)),
        "" if threshold is None else f"{threshold:.4f}",
        str(len(passed)),
        number(share(len(passed), len(given))),
        number(share(sum(one.right for one in passed), len(passed))) if passed else "",
    )


def _passed(given: Sequence[Given]) -> list[Given]:
    """The fields at or above the threshold that the other layouts chose."""
    out = []
    for fold in folds_of(one.layout for one in given):
        chosen = thresholds([one for one in given if one.layout not in fold])
        out += [one for one in given if one.layout in fold and one.score >= chosen.get(one.field, math.inf)]
    return out


def thresholds(given: Sequence[Given]) -> dict[str, float]:
    """By field the score from which it may be accepted unseen: it must do for the field, and for all fields together.

    One field alone has too few pages to prove 99.5 %.
    """
    everyones = threshold_of(given)
    own = {name: threshold_of(one for one in given if one.field == name) for name in {one.field for one in given}}
    return {name: max(found, everyones) for name, found in own.items() if found is not None and everyones is not None}


def threshold_of(given: Iterable[Given]) -> float | None:
    """The lowest score from which 99.5 % of the fields are right; None where too few fields prove it."""
    found = None
    right = 0
    ordered = sorted(given, key=lambda one: -one.score)
    for count, one in enumerate(ordered, 1):
        right += one.right
        last = count == len(ordered) or ordered[count].score < one.score
        if last and count >= _FEWEST and right >= ACCEPT * count:
            found = one.score
    return found

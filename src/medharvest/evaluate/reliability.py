"""Whether scores mean what they say: nine in ten of the fields given 0.9 should be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from medharvest.evaluate.accepting import Given
from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.fields import FIELDS, PageScore
from medharvest.evaluate.results import Table, number

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import ReadPage

BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
_DERIVED = {"year": "date"}  # fields that are part of another


def given_scores(
    pages: Sequence[ReadPage], answers: Sequence[Mapping[str, Any]], scores: Sequence[PageScore]
) -> list[Given]:
    """Every field that was read and whose truth is known."""
    return [
        Given(
            field,
            answer["scores"][field],
            bool(score.fields[field].exact),
            page.layout,
            field in answer.get("accepted", ()),
        )
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

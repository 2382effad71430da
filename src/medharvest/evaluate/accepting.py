"""From which score a field may be accepted unseen, and how that works on layouts the score was not chosen on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from medharvest.evaluate.counts import share
from medharvest.evaluate.fields import FIELDS
from medharvest.evaluate.results import Table, number

ACCEPT = 0.995  # the share of fields accepted unseen that must be right
_FEWEST = 30  # fields; fewer than these prove nothing
_IMAGINED = 0.5  # wrong fields added to those counted: a hundred right ones in a row prove 99.5 %, ten do not


class Given(NamedTuple):
    """One field as read: the score it was given, whether all of it was right, and whether the reader accepts it."""

    field: str
    score: float
    right: bool
    layout: str = ""
    accepted: bool = False


def accept_table(given: Sequence[Given]) -> Table:
    """By field how many pass unseen, by thresholds chosen on other layouts, and how many of these are wrong."""
    by_field = {name: own for name in FIELDS if (own := [one for one in given if one.field == name])}
    rows = [_row(name, own) for name, own in by_field.items()]
    return Table(("accept unseen", "fields", "pass", "share", "wrong", "right"), (*rows, _row("all", given)))


def _row(name: str, given: Sequence[Given]) -> tuple[str, ...]:
    passed = [one for one in given if one.accepted]
    right = sum(one.right for one in passed)
    return (
        name,
        str(len(given)),
        str(len(passed)),
        number(share(len(passed), len(given))),
        str(len(passed) - right),
        number(share(right, len(passed))) if passed else "",
    )


def accept_figures(given: Sequence[Given]) -> tuple[tuple[str, float], ...]:
    """The share of all fields that pass unseen, and the share of these that are right; nothing where none passes."""
    passed = [one for one in given if one.accepted]
    right = sum(one.right for one in passed)
    shares = (("accepted", share(len(passed), len(given))), ("accepted-right", share(right, len(passed))))
    return shares if passed else ()


def thresholds(given: Sequence[Given]) -> dict[str, float]:
    """By key the score from which a field may be accepted unseen.

    It must do for the field, and for all fields of its kind together, for one alone has too few pages to prove 99.5 %.
    Kinds are what metadata state, what is printed, and what PDFs print.
    """
    kinds: dict[str, list[Given]] = {}
    for one in given:
        kinds.setdefault(one.field.rpartition(":")[0], []).append(one)
    return {name: found for kind in kinds.values() for name, found in _of_kind(kind)}


def _of_kind(given: Sequence[Given]) -> Iterable[tuple[str, float]]:
    everyones = threshold_of(given, imagined=_IMAGINED)
    for name in sorted({one.field for one in given}):
        own = threshold_of(one for one in given if one.field == name)
        if own is not None and everyones is not None:
            yield name, max(own, everyones)


def threshold_of(given: Iterable[Given], *, imagined: float = 0.0) -> float | None:
    """The lowest score from which 99.5 % of the fields are right, imagined wrong ones counted; None where none does."""
    found = None
    right = 0
    ordered = sorted(given, key=lambda one: -one.score)
    for count, one in enumerate(ordered, 1):
        right += one.right
        last = count == len(ordered) or ordered[count].score < one.score
        if last and count >= _FEWEST and right >= ACCEPT * (count + imagined):
            found = one.score
    return found

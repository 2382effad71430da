"""Adds up records of counts, and turns counts into shares."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")


def add_counts(tallies: Iterable[T], zero: T) -> T:
    """Add records of counts field by field."""
    total: Any = zero
    names = [item.name for item in fields(total)]
    sums = dict.fromkeys(names, 0)
    for tally in tallies:
        for name in names:
            sums[name] += getattr(tally, name)
    added: T = replace(total, **sums)
    return added


def share(part: int, whole: int) -> float:
    """The part of a whole, 0 of nothing."""
    return part / max(1, whole)


def mean_of(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0

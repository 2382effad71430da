"""How far two people agree on records that both keyed: per field, and beyond chance where values are few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from medharvest.records import Citation
from medharvest.web.fields import FIELDS, Field, as_text


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of a field: how many pairs, how many agree, and Cohen's kappa where the field has few values."""

    field: Field
    pairs: int
    same: int
    kappa: float | None

    @property
    def share(self) -> float:
        """The share of pairs that agree."""
        return self.same / self.pairs if self.pairs else 1.0


def agreements(pairs: Iterable[tuple[Citation, Citation]]) -> list[Agreement]:
    """The agreement of each field that anybody filled."""
    known = list(pairs)
    found = []
    for field in FIELDS:
        texts = [(as_text(one, field), as_text(two, field)) for one, two in known]
        filled = [pair for pair in texts if any(pair)]
        if filled:
            same = sum(one == two for one, two in filled)
            chance = kappa(filled) if field.few else None
            found.append(Agreement(field, len(filled), same, chance))
    return found


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two people's values; None where chance alone would agree always."""
    count = len(pairs)
    observed = sum(one == two for one, two in pairs) / count
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(first[value] * second[value] for value in first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def conflicts(one: Citation, two: Citation) -> list[tuple[Field, str, str]]:
    """The fields in which two people's records differ."""
    texts = [(field, as_text(one, field), as_text(two, field)) for field in FIELDS]
    return [(field, first, second) for field, first, second in texts if first != second]

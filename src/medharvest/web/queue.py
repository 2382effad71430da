"""In which order the records of an issue are looked at, and what can be accepted without a look at each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from medharvest.records import Citation
from medharvest.web.fields import FIELDS, as_text

_SETTLED = frozenset({"accepted", "corrected", "auto-accepted"})
_UNTOLD = 0.5  # score of a value that says nothing of its own
_ABSENT = 0.9  # score of a field that is empty: most records lack some, rightly


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """How sure the fields of a record are: the score of each that has one, and the least of them, weighted."""

    scores: Mapping[str, float]
    least: float
    field: str  # that it belongs to; empty where nothing is in doubt

    @property
    def lowest(self) -> float:
        """The plain score of that field."""
        return self.scores.get(self.field, 1.0)


def doubt_of(citation: Citation, states: Mapping[str, str]) -> Doubt:
    """The doubts in a record; what a person or the thresholds accepted is in none."""
    scores = scores_of(citation)
    open_ones = {name: score for name, score in scores.items() if states.get(name, "") not in _SETTLED}
    doubts = {name: weighted(name, score) for name, score in open_ones.items()}
    field = min(doubts, key=lambda name: doubts[name], default="")
    return Doubt(scores=scores, least=doubts.get(field, 1.0), field=field)


def weighted(name: str, score: float | None) -> float:
    """A score, the nearer to 1 the less a doubt in the field matters; 1 where it has none."""
    return 1.0 if score is None else 1 - (1 - score) * _WEIGHTS[name] / _HEAVIEST


_WEIGHTS = {field.name: field.weight for field in FIELDS}
_HEAVIEST = max(_WEIGHTS.values())


def scores_of(citation: Citation) -> dict[str, float]:
    """How probable each field is; where pieces of evidence differ, the best counts, as the readers give it to all."""
    found: dict[str, float] = {}
    for proof in citation.evidence:
        found[proof.field] = max(found.get(proof.field, 0.0), proof.score)
    filled = {field.name: bool(as_text(citation, field)) for field in FIELDS}
    return {
        name: found.get(name, _UNTOLD) if filled[name] else _ABSENT
        for name in _WEIGHTS
        if filled[name] or name in _WANTED
    }


_WANTED = frozenset({"title", "authors", "affiliations", "abstract", "journal", "date"})


@dataclass(frozen=True, slots=True)
class Bulk:
    """What accepting above a threshold would do: how many fields of how many records, and some to look at first."""

    fields: int
    records: int
    sample: tuple[tuple[int, str, str, float], ...]  # number of the article, field, text, score


def bulk_of(
    records: Iterable[tuple[int, Citation, Mapping[str, str]]], threshold: float, *, seed: int, most: int = 10
) -> tuple[Bulk, tuple[tuple[int, str], ...]]:
    """The fields that pass a threshold and are only proposed, with a random sample of them."""
    passing: list[tuple[int, str, str, float]] = []
    for number, citation, states in records:
        passing += _passing(number, citation, states, threshold)
    sample = random.Random(seed).sample(passing, min(most, len(passing)))  # noqa: S311  (a sample, no secret)
    chosen = tuple((number, name) for number, name, _, _ in passing)
    return Bulk(len(chosen), len({number for number, _ in chosen}), tuple(sample)), chosen


def _passing(
    number: int, citation: Citation, states: Mapping[str, str], threshold: float
) -> Sequence[tuple[int, str, str, float]]:
    texts = {field.name: as_text(citation, field) for field in FIELDS}
    return [
        (number, name, texts[name], score)
        for name, score in scores_of(citation).items()
        if score >= threshold and texts[name] and states.get(name, "proposed") == "proposed"
    ]

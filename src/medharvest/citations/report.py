"""A citation as the object that `read --json` prints: every key always present."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from medharvest.citations.merge import field_score
from medharvest.records import Alternative, Citation, Evidence, to_json

_GROUPED = {"evidence", "alternatives", "dates"}


def report(citation: Citation) -> dict[str, Any]:
    """The citation as JSON, evidence and alternatives grouped by field, and a score for each."""
    plain = {f.name: to_json(getattr(citation, f.name)) for f in fields(citation) if f.name not in _GROUPED}
    return {
        **plain,
        "dates": {item.name: item.date for item in citation.dates},
        "scores": {name: field_score(citation.evidence, name) for name in _fields(citation.evidence)},
        "evidence": {
            name: [_without_field(proof) for proof in citation.evidence if proof.field == name]
            for name in _fields(citation.evidence)
        },
        "alternatives": {
            name: [{"value": a.value, "score": a.score} for a in citation.alternatives if a.field == name]
            for name in _fields(citation.alternatives)
        },
    }


def _fields(items: tuple[Evidence, ...] | tuple[Alternative, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.field for item in items))


def _without_field(proof: Evidence) -> dict[str, Any]:
    return {name: value for name, value in to_json(proof).items() if name != "field"}

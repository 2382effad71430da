"""A citation as the JSON object that `read --json` prints, with every key present, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from medharvest.citations.calibration import accepted_fields
from medharvest.citations.merge import field_score
from medharvest.codec import from_json, to_json
from medharvest.records import Alternative, Citation, Evidence

_GROUPED_FIELDS = {"evidence", "alternatives", "dates"}
_PLAIN_FIELDS = tuple(field.name for field in fields(Citation) if field.name not in _GROUPED_FIELDS)


def report(citation: Citation) -> dict[str, Any]:
    """The citation as JSON, evidence and alternatives grouped by field, a score for each; what may pass unseen."""
    return {
        **{name: to_json(getattr(citation, name)) for name in _PLAIN_FIELDS},
        "dates": {item.name: item.date for item in citation.dates},
        "accepted": list(accepted_fields(citation)),
        "scores": {name: field_score(citation.evidence, name) for name in _distinct_fields(citation.evidence)},
        "evidence": {
            name: [_evidence_without_field(proof) for proof in citation.evidence if proof.field == name]
            for name in _distinct_fields(citation.evidence)
        },
        "alternatives": {
            name: [{"value": a.value, "score": a.score} for a in citation.alternatives if a.field == name]
            for name in _distinct_fields(citation.alternatives)
        },
    }


def citation_from_report(data: Mapping[str, Any]) -> Citation:
    """The citation of a report; keys it does not know are ignored, a value of a wrong type is a `ValueError`."""
    plain = {name: data[name] for name in _PLAIN_FIELDS if data.get(name) is not None}
    dates = [{"name": name, "date": date} for name, date in (data.get("dates") or {}).items()]
    grouped = {
        name: [{"field": field, **item} for field, items in (data.get(name) or {}).items() for item in items]
        for name in ("evidence", "alternatives")
    }
    whole = {**plain, "dates": dates, **grouped}
    return from_json(Citation, whole)


def _distinct_fields(items: tuple[Evidence, ...] | tuple[Alternative, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.field for item in items))


def _evidence_without_field(proof: Evidence) -> dict[str, Any]:
    return {name: value for name, value in to_json(proof).items() if name != "field"}

"""JSON Lines, and the report of a citation that `read --json` prints. One JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, BinaryIO

from medharvest.citations.calibration import accepted_fields
from medharvest.citations.merge import field_score
from medharvest.codec import format_json, from_json, to_json
from medharvest.formats.reading_notes import ReadingNotes, refuse_record
from medharvest.records import Alternative, Citation, Evidence

_GROUPED_FIELDS = {"evidence", "alternatives", "dates"}
_PLAIN_FIELDS = tuple(field.name for field in fields(Citation) if field.name not in _GROUPED_FIELDS)
_READ_KEYS = frozenset({*_PLAIN_FIELDS, *_GROUPED_FIELDS, "accepted", "scores"})


def report(citation: Citation) -> dict[str, Any]:
    """Return the citation as JSON: evidence, alternatives and scores by field, and the accepted fields."""
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
    """Return the citation of a report; unknown keys are ignored, a value of a wrong type is a `ValueError`."""
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


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write one object per line, as `read --json` prints it."""
    for citation in citations:
        line = format_json(report(citation))
        yield line.encode("utf-8", "replace").decode("utf-8") + "\n"  # a lone surrogate cannot be encoded


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read records line by line; anything else is refused with its line number."""
    for number, line in enumerate(file, 1):
        if line.strip():
            if notes is not None:
                notes.begin_record(number)
            record = _read_report_line(line, number, notes)
            if record is not None:
                yield record


def _read_report_line(line: bytes, number: int, notes: ReadingNotes | None) -> Citation | None:
    try:
        data = json.loads(line)
        record = citation_from_report(data)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        hint = "each line must be one object as printed by `read --json`"
        refuse_record(notes, f"not a record: {error}", line=number, name="jsonl", hint=hint)
        return None
    if notes is not None:
        notes.drop_unread(((name, str(value)) for name, value in data.items() if value), _READ_KEYS)
    return record

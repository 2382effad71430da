"""What the log tells of an article: its record, its status and how far each field was looked at; and its steps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from medharvest.fields import FORMS, OWN, group_of
from medharvest.json_text import dump, load
from medharvest.records import Alternative, Citation, Evidence, from_json
from medharvest.store.rows import FieldState, Status

FIELDS = tuple(item.name for item in fields(Citation))
WHOLE, STATUS, STATE, PROOF = "", "status", ".state", ".evidence"
# A person's word: no later reading replaces it.
JUDGED = frozenset({FieldState.ACCEPTED, FieldState.CORRECTED})


@dataclass(frozen=True, slots=True)
class Content:
    """All that may change of an article; `states` has the fields that are not `proposed`."""

    citation: Citation
    status: Status = Status.PROPOSED
    states: Mapping[str, FieldState] = field(default_factory=dict)


class Step(NamedTuple):
    """One line of the log, as JSON; `before` is None where the article is new."""

    field: str
    before: str | None
    after: str


def steps(before: Content | None, after: Content) -> list[Step]:
    """What leads from one content to the next, or to a first one."""
    if before is None:
        start = Content(after.citation)
        return [Step(WHOLE, None, dump(after.citation)), *_judged(start, after)]
    told = [
        Step(name, dump(old), dump(new))
        for name in FIELDS
        if (old := getattr(before.citation, name)) != (new := getattr(after.citation, name)) and name != "evidence"
    ]
    return [*told, *_proven(before.citation, after.citation), *_judged(before, after)]


def _proven(before: Citation, after: Citation) -> list[Step]:
    """The steps of the evidence: field by field, so that each can be undone, or all at once where its order changed."""
    if before.evidence == after.evidence:
        return []
    told, reached = [], before
    for name in FIELDS:
        old, new = evidence_of(before, name), evidence_of(after, name)
        if old != new:
            reached = with_evidence(reached, name, new)
            told.append(Step(name + PROOF, dump(old), dump(new)))
    if reached.evidence != after.evidence:
        return [Step("evidence", dump(before.evidence), dump(after.evidence))]
    return told


def _judged(before: Content, after: Content) -> Iterator[Step]:
    for name in sorted({*before.states, *after.states}):
        old, new = (one.states.get(name, FieldState.PROPOSED) for one in (before, after))
        if old != new:
            yield Step(name + STATE, dump(old), dump(new))
    if before.status != after.status:
        yield Step(STATUS, dump(before.status), dump(after.status))


def stepped(content: Content, name: str, text: str) -> Content:
    """The content with what one side of a step says."""
    if name == WHOLE:
        return replace(content, citation=load(Citation, text))
    value = json.loads(text)
    if name == STATUS:
        return replace(content, status=Status(value))
    if name.endswith(STATE):
        return replace(content, states=_with_state(content.states, name.removesuffix(STATE), FieldState(value)))
    if name.endswith(PROOF):
        proofs = from_json(Citation, {"evidence": value}).evidence
        return replace(content, citation=with_evidence(content.citation, name.removesuffix(PROOF), proofs))
    return replace(content, citation=with_field(content.citation, name, value))


def _with_state(states: Mapping[str, FieldState], name: str, state: FieldState) -> Mapping[str, FieldState]:
    rest = {other: known for other, known in states.items() if other != name}
    return rest if state is FieldState.PROPOSED else rest | {name: state}


def with_field(citation: Citation, name: str, value: Any) -> Citation:
    """A record with another value of one field, given as JSON."""
    return replace(citation, **{name: getattr(from_json(Citation, {name: value}), name)})


def evidence_of(citation: Citation, name: str) -> tuple[Evidence, ...]:
    """The evidence of a field."""
    return tuple(proof for proof in citation.evidence if proof.field == name)


def with_evidence(citation: Citation, name: str, proofs: Sequence[Evidence]) -> Citation:
    """A record with other evidence of a field, in its place among that of others."""
    return replace(citation, evidence=_in_place(citation.evidence, name, proofs))


def _in_place(items: tuple[Any, ...], name: str, own: Sequence[Any]) -> tuple[Any, ...]:
    """What concerns a field in place of what did before; at the end where nothing did."""
    start = next((n for n, item in enumerate(items) if item.field == name), len(items))
    return (*items[:start], *own, *(item for item in items[start:] if item.field != name))


def reread(before: Content, reading: Citation) -> Content:
    """What becomes of an article that is read again: a person's word stays, the rest is as it was read now."""
    kept = sorted({name for group in _groups(before) for name in group})
    evidence, alternatives = reading.evidence, reading.alternatives
    for name in kept:
        evidence = _in_place(evidence, name, evidence_of(before.citation, name))
        known = [item for item in before.citation.alternatives if item.field == name]
        alternatives = _in_place(alternatives, name, [*known, *_losing(before, reading, name)])
    values = {name: getattr(before.citation, name) for name in kept}
    citation = replace(reading, **values, evidence=evidence, alternatives=alternatives)
    changed = {name for name in FIELDS if getattr(citation, name) != getattr(before.citation, name)}
    states = {name: state for name, state in before.states.items() if name not in changed}
    seen = before.status in {Status.ACCEPTED, Status.AUTO_ACCEPTED} and changed - OWN
    return Content(citation, Status.PROPOSED if seen else before.status, states)


def _groups(content: Content) -> Iterator[tuple[str, ...]]:
    for name, state in content.states.items():
        if state in JUDGED:
            yield group_of(name)


def _losing(before: Content, reading: Citation, name: str) -> Iterator[Alternative]:
    """The reading that a person's word stands against, unless it is known; other forms of a field have none."""
    value, known = getattr(reading, name), {(item.field, item.value) for item in before.citation.alternatives}
    text = field_text(value)
    other = value and value != getattr(before.citation, name) and (name, text) not in known
    if other and name not in FORMS:
        scores = {proof.field: proof.score for proof in reading.evidence}
        yield Alternative(field=name, value=text, score=scores.get(name, 0.0))


def merged(base: Citation, new: Citation, now: Citation) -> Citation:
    """What one writer made of a base, on top of what another made of it meanwhile; the other's word stays."""
    if base == now:
        return new
    values: dict[str, Any] = {}
    for name in FIELDS:
        old, mine, theirs = (getattr(one, name) for one in (base, new, now))
        if name in {"evidence", "alternatives"}:
            values[name] = (*theirs, *(item for item in mine if item not in old and item not in theirs))
        else:
            untouched = all(getattr(base, part) == getattr(now, part) for part in group_of(name))
            values[name] = mine if untouched else theirs
    return Citation(**values)


def field_text(value: Any) -> str:
    """A value as one text: lists as JSON."""
    return value if isinstance(value, str) else dump(value)

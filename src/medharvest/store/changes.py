"""The append-only log of changes: the content of an article, the steps between two contents, and their acts.

`diff_contents` gives the steps of a change, and `apply_change_step` replays or reverses one of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from medharvest.codec import decode_record, encode_record, from_json
from medharvest.fields import FORM_FIELDS, RECORD_OWN_FIELDS, field_group
from medharvest.records import Alternative, Citation, Evidence
from medharvest.store.rows import Change, FieldState, Status, to_storable
from medharvest.store.tables import act, change

CHANGES_PER_READ = 500

_LAST_CHANGE = select(func.max(change.c.id))
SELECT_CHANGES = select(
    change,
    func.coalesce(act.c.caused_by, 0).label("caused_by"),
    func.coalesce(act.c.undoes, 0).label("undoes"),
    func.coalesce(act.c.page, "").label("page"),
).outerjoin(act, act.c.batch == change.c.batch)
CITATION_FIELDS = tuple(item.name for item in fields(Citation))
WHOLE_RECORD, STATUS_FIELD, STATE_SUFFIX, EVIDENCE_SUFFIX = "", "status", ".state", ".evidence"
# States that a person gave: no later reading replaces such a field.
JUDGED_STATES = frozenset({FieldState.ACCEPTED, FieldState.CORRECTED})


@dataclass(frozen=True, slots=True)
class ActTies:
    """How an act is related to others: the act that caused it, the act it undoes, the page it taught."""

    caused_by: int | None = None
    undoes: int | None = None
    page: str = ""


NO_TIES = ActTies()


@dataclass(frozen=True, slots=True)
class TaughtPage:
    """A page that an act on an article taught; `stands` if another act taught it too and is still in force."""

    article: int
    page: str
    stands: bool


def next_batch_number(connection: Connection) -> int:
    """Return a number for the changes of a new act, greater than all before; other writers must be kept out."""
    return int(connection.scalar(_LAST_CHANGE) or 0) + 1


def read_changes(connection: Connection, *conditions: ColumnElement[bool], after: int = 0) -> list[tuple[int, Change]]:
    """Read the next lines of the log in order, each with its number."""
    query = SELECT_CHANGES.where(change.c.id > after, *conditions).order_by(change.c.id).limit(CHANGES_PER_READ)
    return [(row.id, Change(**row._mapping)) for row in connection.execute(query)]  # noqa: SLF001  (public, so named)


def read_changes_of_acts(connection: Connection, batches: Collection[int]) -> list[Change]:
    """Read every line of some acts."""
    query = SELECT_CHANGES.where(change.c.batch.in_(batches)).order_by(change.c.id)
    return [Change(**row._mapping) for row in connection.execute(query)]  # noqa: SLF001


def write_act_ties(connection: Connection, batch: int, ties: ActTies) -> None:
    """Write how an act is related to others."""
    row = {"caused_by": ties.caused_by, "undoes": ties.undoes, "page": to_storable(ties.page)}
    connection.execute(insert(act), {"batch": batch, **row})


def tie_act_to_page(connection: Connection, batch: int, page: str) -> None:
    """Note that an earlier act taught a page."""
    known = connection.execute(update(act).where(act.c.batch == batch).values(page=to_storable(page)))
    if not known.rowcount:
        write_act_ties(connection, batch, ActTies(page=page))


def read_caused_acts(connection: Connection, batch: int) -> list[int]:
    """Read the acts that an act caused and that were not undone."""
    gone = find_undone_acts(read_undoings(connection))
    return [one for one in connection.scalars(select(act.c.batch).where(act.c.caused_by == batch)) if one not in gone]


def read_undoings(connection: Connection) -> dict[int, int]:
    """Read the acts that undo another, each with the act it undoes."""
    query = select(act.c.batch, act.c.undoes).where(act.c.undoes.is_not(None))
    return {row.batch: row.undoes for row in connection.execute(query)}


def find_undone_acts(undoes: Mapping[int, int]) -> set[int]:
    """Return the acts that are undone; an act that undoes another is always later, and may be undone itself."""
    gone: set[int] = set()
    for batch in sorted(undoes, reverse=True):
        if batch not in gone:
            gone.add(undoes[batch])
    return gone


def find_first_act(connection: Connection, batch: int) -> tuple[int, bool]:
    """Return the act that an act undoes, or undoes the undoing of, and whether it is in force."""
    undoes, first = read_undoings(connection), batch
    while first in undoes:
        first = undoes[first]
    return first, first not in find_undone_acts(undoes)


def find_taught_page(connection: Connection, batch: int) -> TaughtPage | None:
    """Find the page that an act taught, or that the act it undoes taught; `stands` as if this act were undone."""
    undoes = read_undoings(connection)
    gone = find_undone_acts({**undoes, next_batch_number(connection): batch})
    first = batch
    while first in undoes:
        first = undoes[first]
    page = connection.scalar(select(act.c.page).where(act.c.batch == first))
    if not page:
        return None
    article = connection.execute(select(change.c.article).where(change.c.batch == first).limit(1)).scalar_one()
    query = select(change.c.batch).join(act, act.c.batch == change.c.batch)
    teaching = connection.scalars(query.where(change.c.article == article, act.c.page == page))
    return TaughtPage(article, page, stands=any(one not in gone for one in teaching))


@dataclass(frozen=True, slots=True)
class ArticleContent:
    """All that acts can change in an article; `states` has the fields that are not `proposed`."""

    citation: Citation
    status: Status = Status.PROPOSED
    states: Mapping[str, FieldState] = field(default_factory=dict)


class ChangeStep(NamedTuple):
    """One line of the log, as JSON; `before` is None if the article is new."""

    field: str
    before: str | None
    after: str


def diff_contents(before: ArticleContent | None, after: ArticleContent) -> list[ChangeStep]:
    """Return the steps from one content to the next; from None, to the first content."""
    if before is None:
        start = ArticleContent(after.citation)
        return [ChangeStep(WHOLE_RECORD, None, encode_record(after.citation)), *_diff_judgements(start, after)]
    steps = [
        ChangeStep(name, encode_record(old), encode_record(new))
        for name in CITATION_FIELDS
        if (old := getattr(before.citation, name)) != (new := getattr(after.citation, name)) and name != "evidence"
    ]
    return [*steps, *_diff_evidence(before.citation, after.citation), *_diff_judgements(before, after)]


def _diff_evidence(before: Citation, after: Citation) -> list[ChangeStep]:
    """Return the steps of the evidence: one per field, so that each can be undone; one for all if its order changed."""
    if before.evidence == after.evidence:
        return []
    steps, reached = [], before
    for name in CITATION_FIELDS:
        old, new = evidence_of_field(before, name), evidence_of_field(after, name)
        if old != new:
            if with_field_evidence(reached, name, old) != reached:  # its items are not side by side
                break
            reached = with_field_evidence(reached, name, new)
            steps.append(ChangeStep(name + EVIDENCE_SUFFIX, encode_record(old), encode_record(new)))
    if reached.evidence != after.evidence:
        return [ChangeStep("evidence", encode_record(before.evidence), encode_record(after.evidence))]
    return steps


def _diff_judgements(before: ArticleContent, after: ArticleContent) -> Iterator[ChangeStep]:
    for name in sorted({*before.states, *after.states}):
        old, new = (one.states.get(name, FieldState.PROPOSED) for one in (before, after))
        if old != new:
            yield ChangeStep(name + STATE_SUFFIX, encode_record(old), encode_record(new))
    if before.status != after.status:
        yield ChangeStep(STATUS_FIELD, encode_record(before.status), encode_record(after.status))


def apply_change_step(content: ArticleContent, name: str, text: str) -> ArticleContent:
    """Return the content with one side of a step, `before` or `after`, applied."""
    if name == WHOLE_RECORD:
        return replace(content, citation=decode_record(Citation, text))
    value = json.loads(text)
    if name == STATUS_FIELD:
        return replace(content, status=Status(value))
    if name.endswith(STATE_SUFFIX):
        return replace(
            content, states=_with_field_state(content.states, name.removesuffix(STATE_SUFFIX), FieldState(value))
        )
    if name.endswith(EVIDENCE_SUFFIX):
        proofs = from_json(Citation, {"evidence": value}).evidence
        return replace(
            content, citation=with_field_evidence(content.citation, name.removesuffix(EVIDENCE_SUFFIX), proofs)
        )
    return replace(content, citation=with_json_value(content.citation, name, value))


def _with_field_state(states: Mapping[str, FieldState], name: str, state: FieldState) -> Mapping[str, FieldState]:
    rest = {other: known for other, known in states.items() if other != name}
    return rest if state is FieldState.PROPOSED else rest | {name: state}


def with_json_value(citation: Citation, name: str, value: Any) -> Citation:
    """Return the record with another value of one field, given as JSON."""
    return replace(citation, **{name: getattr(from_json(Citation, {name: value}), name)})


def evidence_of_field(citation: Citation, name: str) -> tuple[Evidence, ...]:
    """Return the evidence of a field."""
    return tuple(proof for proof in citation.evidence if proof.field == name)


def with_field_evidence(citation: Citation, name: str, proofs: Sequence[Evidence]) -> Citation:
    """Return the record with other evidence of a field, at the same position."""
    return replace(citation, evidence=_replace_items_of_field(citation.evidence, name, proofs))


def _replace_items_of_field(items: tuple[Any, ...], name: str, own: Sequence[Any]) -> tuple[Any, ...]:
    """Replace the items of a field, at their position; at the end if there were none."""
    start = next((n for n, item in enumerate(items) if item.field == name), len(items))
    return (*items[:start], *own, *(item for item in items[start:] if item.field != name))


def apply_new_reading(before: ArticleContent, reading: Citation) -> ArticleContent:
    """Return the content after a new reading: what a person accepted or corrected stays, the rest is replaced."""
    kept = sorted({name for group in _judged_field_groups(before) for name in group})
    evidence, alternatives = reading.evidence, reading.alternatives
    for name in kept:
        evidence = _replace_items_of_field(evidence, name, evidence_of_field(before.citation, name))
        known = [item for item in before.citation.alternatives if item.field == name]
        alternatives = _replace_items_of_field(
            alternatives, name, [*known, *_losing_alternatives(before, reading, name)]
        )
    values = {name: getattr(before.citation, name) for name in kept}
    citation = replace(reading, **values, evidence=evidence, alternatives=alternatives)
    changed = {name for name in CITATION_FIELDS if getattr(citation, name) != getattr(before.citation, name)}
    states = {name: state for name, state in before.states.items() if name not in changed}
    seen = before.status in {Status.ACCEPTED, Status.AUTO_ACCEPTED} and changed - RECORD_OWN_FIELDS
    return ArticleContent(citation, Status.PROPOSED if seen else before.status, states)


def _judged_field_groups(content: ArticleContent) -> Iterator[tuple[str, ...]]:
    for name, state in content.states.items():
        if state in JUDGED_STATES:
            yield field_group(name)


def _losing_alternatives(before: ArticleContent, reading: Citation, name: str) -> Iterator[Alternative]:
    """Yield the new reading as an alternative to a person's value, unless it is known already."""
    value, known = getattr(reading, name), {(item.field, item.value) for item in before.citation.alternatives}
    text = field_value_text(value)
    other = value and value != getattr(before.citation, name) and (name, text) not in known
    if other and name not in FORM_FIELDS:
        scores = {proof.field: proof.score for proof in reading.evidence}
        yield Alternative(field=name, value=text, score=scores.get(name, 0.0))


def merge_parallel_edits(base: Citation, new: Citation, now: Citation) -> Citation:
    """Merge one writer's edit of a base with another's, made meanwhile (`now`); the other's values win."""
    if base == now:
        return new
    values: dict[str, Any] = {}
    for name in CITATION_FIELDS:
        old, mine, theirs = (getattr(one, name) for one in (base, new, now))
        if name in {"evidence", "alternatives"}:
            values[name] = (*theirs, *(item for item in mine if item not in old and item not in theirs))
        else:
            untouched = all(getattr(base, part) == getattr(now, part) for part in field_group(name))
            values[name] = mine if untouched else theirs
    return Citation(**values)


def field_value_text(value: Any) -> str:
    """Return a value as text; lists become JSON."""
    return value if isinstance(value, str) else encode_record(value)

"""The append-only log of changes.

The content of an article, the steps between two contents, and the acts they belong to.
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
# A person's word: no later reading replaces it.
JUDGED_STATES = frozenset({FieldState.ACCEPTED, FieldState.CORRECTED})


@dataclass(frozen=True, slots=True)
class ActTies:
    """What an act has to do with others: the act that taught it, the one it takes back, the page it taught."""

    caused_by: int | None = None
    undoes: int | None = None
    page: str = ""


NO_TIES = ActTies()


@dataclass(frozen=True, slots=True)
class TaughtPage:
    """A page that an act on an article taught; `stands` where another act taught it too and is still in force."""

    article: int
    page: str
    stands: bool


def next_batch_number(connection: Connection) -> int:
    """A number for the changes of one act, greater than that of any before; other writers are kept out."""
    return int(connection.scalar(_LAST_CHANGE) or 0) + 1


def read_changes(connection: Connection, *conditions: ColumnElement[bool], after: int = 0) -> list[tuple[int, Change]]:
    """The next lines in their order, each with its number."""
    query = SELECT_CHANGES.where(change.c.id > after, *conditions).order_by(change.c.id).limit(CHANGES_PER_READ)
    return [(row.id, Change(**row._mapping)) for row in connection.execute(query)]  # noqa: SLF001  (public, so named)


def read_changes_of_acts(connection: Connection, batches: Collection[int]) -> list[Change]:
    """Every line of some acts."""
    query = SELECT_CHANGES.where(change.c.batch.in_(batches)).order_by(change.c.id)
    return [Change(**row._mapping) for row in connection.execute(query)]  # noqa: SLF001


def write_act_ties(connection: Connection, batch: int, ties: ActTies) -> None:
    """Note what an act has to do with others."""
    row = {"caused_by": ties.caused_by, "undoes": ties.undoes, "page": to_storable(ties.page)}
    connection.execute(insert(act), {"batch": batch, **row})


def tie_act_to_page(connection: Connection, batch: int, page: str) -> None:
    """Note that an act done earlier taught a page."""
    known = connection.execute(update(act).where(act.c.batch == batch).values(page=to_storable(page)))
    if not known.rowcount:
        write_act_ties(connection, batch, ActTies(page=page))


def read_caused_acts(connection: Connection, batch: int) -> list[int]:
    """The acts that an act caused and that were not taken back."""
    gone = find_undone_acts(read_undoings(connection))
    return [one for one in connection.scalars(select(act.c.batch).where(act.c.caused_by == batch)) if one not in gone]


def read_undoings(connection: Connection) -> dict[int, int]:
    """The acts that took back another, each with that one."""
    query = select(act.c.batch, act.c.undoes).where(act.c.undoes.is_not(None))
    return {row.batch: row.undoes for row in connection.execute(query)}


def find_undone_acts(undoes: Mapping[int, int]) -> set[int]:
    """The acts that are not in force: what takes back an act may have been taken back itself, and is always later."""
    gone: set[int] = set()
    for batch in sorted(undoes, reverse=True):
        if batch not in gone:
            gone.add(undoes[batch])
    return gone


def find_taught_page(connection: Connection, batch: int) -> TaughtPage | None:
    """The page that an act taught, or the one that it takes back did; as it is once the act itself is taken back."""
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
    """All that may change of an article; `states` has the fields that are not `proposed`."""

    citation: Citation
    status: Status = Status.PROPOSED
    states: Mapping[str, FieldState] = field(default_factory=dict)


class ChangeStep(NamedTuple):
    """One line of the log, as JSON; `before` is None where the article is new."""

    field: str
    before: str | None
    after: str


def diff_contents(before: ArticleContent | None, after: ArticleContent) -> list[ChangeStep]:
    """What leads from one content to the next, or to a first one."""
    if before is None:
        start = ArticleContent(after.citation)
        return [ChangeStep(WHOLE_RECORD, None, encode_record(after.citation)), *_diff_judgements(start, after)]
    told = [
        ChangeStep(name, encode_record(old), encode_record(new))
        for name in CITATION_FIELDS
        if (old := getattr(before.citation, name)) != (new := getattr(after.citation, name)) and name != "evidence"
    ]
    return [*told, *_diff_evidence(before.citation, after.citation), *_diff_judgements(before, after)]


def _diff_evidence(before: Citation, after: Citation) -> list[ChangeStep]:
    """The steps of the evidence: field by field, so that each can be undone, or all at once where its order changed."""
    if before.evidence == after.evidence:
        return []
    told, reached = [], before
    for name in CITATION_FIELDS:
        old, new = evidence_of_field(before, name), evidence_of_field(after, name)
        if old != new:
            reached = with_field_evidence(reached, name, new)
            told.append(ChangeStep(name + EVIDENCE_SUFFIX, encode_record(old), encode_record(new)))
    if reached.evidence != after.evidence:
        return [ChangeStep("evidence", encode_record(before.evidence), encode_record(after.evidence))]
    return told


def _diff_judgements(before: ArticleContent, after: ArticleContent) -> Iterator[ChangeStep]:
    for name in sorted({*before.states, *after.states}):
        old, new = (one.states.get(name, FieldState.PROPOSED) for one in (before, after))
        if old != new:
            yield ChangeStep(name + STATE_SUFFIX, encode_record(old), encode_record(new))
    if before.status != after.status:
        yield ChangeStep(STATUS_FIELD, encode_record(before.status), encode_record(after.status))


def apply_change_step(content: ArticleContent, name: str, text: str) -> ArticleContent:
    """The content with what one side of a step says."""
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
    """A record with another value of one field, given as JSON."""
    return replace(citation, **{name: getattr(from_json(Citation, {name: value}), name)})


def evidence_of_field(citation: Citation, name: str) -> tuple[Evidence, ...]:
    """The evidence of a field."""
    return tuple(proof for proof in citation.evidence if proof.field == name)


def with_field_evidence(citation: Citation, name: str, proofs: Sequence[Evidence]) -> Citation:
    """A record with other evidence of a field, in its place among that of others."""
    return replace(citation, evidence=_replace_items_of_field(citation.evidence, name, proofs))


def _replace_items_of_field(items: tuple[Any, ...], name: str, own: Sequence[Any]) -> tuple[Any, ...]:
    """What concerns a field in place of what did before; at the end where nothing did."""
    start = next((n for n, item in enumerate(items) if item.field == name), len(items))
    return (*items[:start], *own, *(item for item in items[start:] if item.field != name))


def apply_new_reading(before: ArticleContent, reading: Citation) -> ArticleContent:
    """What becomes of an article that is read again: a person's word stays, the rest is as it was read now."""
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
    """The reading that a person's word stands against, unless it is known; other forms of a field have none."""
    value, known = getattr(reading, name), {(item.field, item.value) for item in before.citation.alternatives}
    text = field_value_text(value)
    other = value and value != getattr(before.citation, name) and (name, text) not in known
    if other and name not in FORM_FIELDS:
        scores = {proof.field: proof.score for proof in reading.evidence}
        yield Alternative(field=name, value=text, score=scores.get(name, 0.0))


def merge_parallel_edits(base: Citation, new: Citation, now: Citation) -> Citation:
    """What one writer made of a base, on top of what another made of it meanwhile; the other's word stays."""
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
    """A value as one text: lists as JSON."""
    return value if isinstance(value, str) else encode_record(value)

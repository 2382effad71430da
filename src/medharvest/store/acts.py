"""`Act`: every write to an article goes through it.

An act writes articles together with their issues, field values and zones, and logs each change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, starmap
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from medharvest.codec import encode_record
from medharvest.fields import FIELD_NAMES
from medharvest.records import Citation, LabelledZone, Verdict
from medharvest.store import changes, search_index
from medharvest.store.changes import NO_TIES, ActTies, ArticleContent, ChangeStep, diff_contents
from medharvest.store.identity import KEY_NAMES, ArticleKeys, article_key_values
from medharvest.store.rows import FieldState, Status, to_storable
from medharvest.store.tables import article, change, issue, value, zone
from medharvest.store.transactions import insert_rows, next_row_numbers, placeholder_of

# Read an article by its number, and change it; the change also sets the columns whose values it is given.
SELECT_ARTICLE = select(article).where(article.c.id == bindparam("wanted"))
_UPDATE_ARTICLE = update(article).where(article.c.id == bindparam("wanted")).values(version=article.c.version + 1)
IssueKey = tuple[str, str, str]
# No journal name is this long, and PostgreSQL refuses index entries over about 2700 bytes.
_MAX_ISSUE_KEY, _MAX_ISSUE_DATE = 500, 40
_ISSUES_PER_LOOKUP = 500

_ISSUE_KEY_ROW = "(?, ?, ?)"
_FIND_ISSUES = """WITH wanted (journal, volume, number) AS (VALUES {rows})
    SELECT issue.id, issue.journal, issue.volume, issue.number FROM wanted JOIN issue
    ON issue.journal = wanted.journal AND issue.volume = wanted.volume AND issue.number = wanted.number"""
_JUDGEABLE_FIELDS = frozenset(FIELD_NAMES)
_PROPOSED_STATE = FieldState.PROPOSED.value

_DELETE_FIELD_VALUES = delete(value).where(value.c.article == bindparam("id"))

_SELECT_FIELD_STATES = select(value.c.article, value.c.field, value.c.state).where(
    value.c.article.in_(bindparam("ids", expanding=True)),
    value.c.ord == 0,
    value.c.state != FieldState.PROPOSED.value,
)

_NO_ORIGIN = ("", "", "", "")
# Begins `who` of a label that a person gave; methods have no such prefix.
_PERSON_PREFIX = "operator "
# No journal's layout is nested this deep, and PostgreSQL refuses index entries over about 2700 bytes.
_MAX_ZONE_PATH = 2_000
# The label of a person is never replaced.
_UPSERT_ZONE = f"""INSERT INTO zone (page, path, label, score, who, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (page, path) DO UPDATE SET label = excluded.label, score = excluded.score, who = excluded.who,
        at = excluded.at WHERE substr(zone.who, 1, {len(_PERSON_PREFIX)}) <> '{_PERSON_PREFIX}'"""  # noqa: S608  (a word of our own)


class Act:
    """What a person or program does to articles in one transaction; all its changes have the same `batch`."""

    def __init__(self, connection: Connection, *, who: str, at: str, reason: str = "", ties: ActTies = NO_TIES) -> None:
        self._connection = connection
        self.at = at
        self.batch = changes.next_batch_number(connection)
        self._who = to_storable(who)
        self._reason = to_storable(reason)
        self._ties = ties
        self._issues = IssueLookup(connection)

    def add(self, new: Sequence[tuple[ArticleKeys, ArticleContent]]) -> list[int]:
        """Add articles, and return their numbers in the same order."""
        if not new:
            return []
        ids = next_row_numbers(self._connection, article, len(new))
        steps = [diff_contents(None, content) for _, content in new]
        issues = self._issues.numbers([(keys, content.citation) for keys, content in new])
        rows = (
            (
                id_,
                *article_key_values(keys),
                first[0].after,
                self.at,
                self.at,
                content.status.value,
                1,
                self.batch,
                issue,
            )
            for id_, (keys, content), first, issue in zip(ids, new, steps, issues, strict=True)
        )
        insert_rows(self._connection, article, rows)
        self._note(zip(ids, steps, strict=True))
        write_field_values(self._connection, zip(ids, (content for _, content in new), strict=True))
        note_evidence_zones(self._connection, (content.citation for _, content in new), at=self.at)
        search_index.index_citations(self._connection, zip(ids, (content.citation for _, content in new), strict=True))
        return ids

    def change(self, id_: int, keys: ArticleKeys, before: ArticleContent, after: ArticleContent) -> bool:
        """Change an article; return whether anything differed."""
        steps = diff_contents(before, after)
        if not steps:
            return False
        row = {"wanted": id_, "updated": self.at, "status": after.status.value, "changed": self.batch}
        if before.citation != after.citation:  # most acts only accept or correct fields
            row |= {"citation": encode_record(after.citation), "issue_id": self._issues.number(after.citation, keys)}
            row |= zip(KEY_NAMES, article_key_values(keys), strict=True)
        self._connection.execute(_UPDATE_ARTICLE, row)
        self._note([(id_, steps)])
        replace_field_values(self._connection, id_, after)
        if before.citation.evidence != after.citation.evidence:
            note_evidence_zones(self._connection, [after.citation], at=self.at)
        if _searchable_citation(before) != _searchable_citation(after):
            search_index.reindex_citation(self._connection, id_, _searchable_citation(after))
        return True

    def _note(self, steps: Iterable[tuple[int, Sequence[ChangeStep]]]) -> None:
        """Add lines to the log, and write the ties of the act with the first of them."""
        rows = (
            (self.at, self._who, id_, step.field, step.before, step.after, self._reason, self.batch)
            for id_, all_ in steps
            for step in all_
        )
        insert_rows(self._connection, change, rows, but=("id",))
        if self._ties != NO_TIES:
            changes.write_act_ties(self._connection, self.batch, self._ties)
            self._ties = NO_TIES


def _searchable_citation(content: ArticleContent) -> Citation | None:
    """Return the citation that search may find; None for a deleted article."""
    return None if content.status is Status.DELETED else content.citation


class IssueLookup:
    """The issues of one transaction: each is looked up once, and added if it is new."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[IssueKey, int] = {}

    def number(self, citation: Citation, keys: ArticleKeys) -> int | None:
        """Return the id of a record's issue; None without a journal, or without both volume and number."""
        return self.numbers([(keys, citation)])[0]

    def numbers(self, records: Sequence[tuple[ArticleKeys, Citation]]) -> list[int | None]:
        """Return the ids of the issues of records, looked up and added together."""
        keys = [_issue_key_of(one) for one, _ in records]
        wanted: dict[IssueKey, Citation] = {}
        for key, (_, citation) in zip(keys, records, strict=True):
            if key and key not in self._known:
                wanted.setdefault(key, citation)
        self._look_up(list(wanted))
        self._make({key: citation for key, citation in wanted.items() if key not in self._known})
        return [self._known[key] if key else None for key in keys]

    def _look_up(self, keys: Sequence[IssueKey]) -> None:
        for start in range(0, len(keys), _ISSUES_PER_LOOKUP):
            some = keys[start : start + _ISSUES_PER_LOOKUP]
            rows = ", ".join([_ISSUE_KEY_ROW] * len(some)).replace("?", placeholder_of(self._connection))
            found = self._connection.exec_driver_sql(_FIND_ISSUES.format(rows=rows), tuple(chain.from_iterable(some)))
            self._known |= {(journal, volume, number): id_ for id_, journal, volume, number in found}

    def _make(self, new: Mapping[IssueKey, Citation]) -> None:
        if new:
            ids = next_row_numbers(self._connection, issue, len(new))
            titles = [
                (to_storable(citation.journal), to_storable(citation.date)[:_MAX_ISSUE_DATE])
                for citation in new.values()
            ]
            rows = [(id_, *key, *title) for id_, key, title in zip(ids, new, titles, strict=True)]
            insert_rows(self._connection, issue, rows)
            self._known |= zip(new, ids, strict=True)


def _issue_key_of(keys: ArticleKeys) -> IssueKey | None:
    key = (keys.journal or keys.issn, keys.volume, keys.issue)
    return key if key[0] and (key[1] or key[2]) and max(map(len, key)) <= _MAX_ISSUE_KEY else None


def write_field_values(connection: Connection, contents: Iterable[tuple[int, ArticleContent]]) -> None:
    """Write the field values of new articles."""
    insert_rows(connection, value, chain.from_iterable(starmap(_field_value_rows, contents)))


def replace_field_values(connection: Connection, id_: int, content: ArticleContent) -> None:
    """Replace the field values of an article."""
    connection.execute(_DELETE_FIELD_VALUES, {"id": id_})
    write_field_values(connection, [(id_, content)])


def read_field_states(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, FieldState]]:
    """Read the fields of each article whose state is not `proposed`."""
    found: dict[int, dict[str, FieldState]] = {}
    for number, field, state in connection.execute(_SELECT_FIELD_STATES, {"ids": ids}):
        found.setdefault(number, {})[field] = FieldState(state)
    return found


def _field_value_rows(id_: int, content: ArticleContent) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each field that has evidence or a state, then one for each alternative."""
    proofs = {proof.field: proof for proof in reversed(content.citation.evidence)}  # the first of each field wins
    for name in sorted(_JUDGEABLE_FIELDS & {*proofs, *content.states}):
        state = content.states[name].value if name in content.states else _PROPOSED_STATE
        proof = proofs.get(name)
        where = _storable_origin(proof.page, proof.path, proof.source, proof.method) if proof else _NO_ORIGIN
        yield (id_, name, 0, None, *where, proof and proof.score, state)
    counts: Counter[str] = Counter()
    for other in content.citation.alternatives:
        if other.field in _JUDGEABLE_FIELDS:
            counts[other.field] += 1
            n, text = counts[other.field], to_storable(other.value)
            yield (id_, other.field, n, text, *_NO_ORIGIN, other.score, _PROPOSED_STATE)


@lru_cache(maxsize=1000)  # fields of one page and records of one file share most of it
def _storable_origin(page: str, path: str, source: str, method: str) -> tuple[str, str, str, str]:
    return to_storable(page), to_storable(path), to_storable(source), to_storable(method)


def note_evidence_zones(connection: Connection, citations: Iterable[Citation], *, at: str) -> None:
    """Label the zones that the fields of records were found in; the field with the best score wins."""
    proofs = (proof for one in citations for proof in one.evidence if proof.source == "zone" and proof.page)
    rows: dict[tuple[str, str], tuple[Any, ...]] = {}
    for proof in sorted(proofs, key=lambda proof: proof.score):
        if _is_indexable_path(proof.path):
            place = to_storable(proof.page), to_storable(proof.path)
            rows[place] = (*place, to_storable(proof.field), proof.score, to_storable(proof.method) or "unknown", at)
    if rows:
        connection.exec_driver_sql(_UPSERT_ZONE.replace("?", placeholder_of(connection)), list(rows.values()))


def write_zone_labels(
    connection: Connection, page: str, labelled: Sequence[LabelledZone], *, who: str, at: str
) -> None:
    """Replace the labels of zones; only a person replaces the label of a person."""
    known = {} if who else read_zone_labels(connection, page)
    fixed = {path for path, verdict in known.items() if verdict.method.startswith(_PERSON_PREFIX)}
    rows = {
        to_storable(item.zone.path): {
            "page": to_storable(page),
            "path": to_storable(item.zone.path),
            "label": to_storable(item.verdict.label),
            "score": item.verdict.score,
            "who": _PERSON_PREFIX + to_storable(who) if who else to_storable(item.verdict.method) or "unknown",
            "at": at,
        }
        for item in labelled
        if to_storable(item.zone.path) not in fixed and _is_indexable_path(item.zone.path)
    }
    if rows:
        connection.execute(delete(zone).where(zone.c.page == to_storable(page), zone.c.path.in_(list(rows))))
        connection.execute(insert(zone), list(rows.values()))


def read_zone_labels(connection: Connection, page: str) -> dict[str, Verdict]:
    """Read the labels of a page's zones, by their paths."""
    query = select(zone).where(zone.c.page == to_storable(page)).order_by(zone.c.path)
    return {row.path: Verdict(row.label, row.score, row.who) for row in connection.execute(query)}


def _is_indexable_path(path: str) -> bool:
    return len(path.encode("utf-8", "replace")) <= _MAX_ZONE_PATH

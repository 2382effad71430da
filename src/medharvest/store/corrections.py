"""What people do to records: `ReviewRepository`, which is `store.review`, and its parts.

People correct and accept fields, delete records, teach a journal from a correction, and undo an act. Each method
returns the batch of the act, by which it can be undone:

    batch = store.review.set_values(1, {"title": "Tides and gout"}, who="ada")
    store.review.undo(batch, who="ada")
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from medharvest.codec import decode_record, to_json
from medharvest.errors import ConflictError, StoreError
from medharvest.fields import FIELD_NAMES, cleared_form_values, has_loose_ties
from medharvest.records import Citation, Evidence
from medharvest.store import acts, articles, changes, duplicates, journals
from medharvest.store.acts import SELECT_ARTICLE, Act
from medharvest.store.changes import (
    JUDGED_STATES,
    NO_TIES,
    ActTies,
    ArticleContent,
    apply_change_step,
    apply_new_reading,
    field_value_text,
    with_field_evidence,
    with_json_value,
)
from medharvest.store.duplicates import DuplicatePair, PairState
from medharvest.store.identity import ArticleKeys, article_keys_of, keys_of_article_row
from medharvest.store.people import DELETE_LEASE
from medharvest.store.rows import Change, FieldState, Status
from medharvest.store.transactions import Transactions

_STRING_FIELDS = frozenset(name for name in FIELD_NAMES if isinstance(getattr(Citation(), name), str))
NO_VERSIONS: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLesson:
    """What a page, named by its digest, teaches a journal; the host is added to the journal.

    A new journal is added; one without ISSNs gets these. A lesson with an empty text removes what the page taught.
    """

    journal: str
    host: str
    page: str
    text: str
    issn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """What a corrected record teaches, as it was previewed; `versions` are those of all its articles at that time.

    `values` are corrected together with it; if they are empty, `act` is the earlier act that corrected them. `others`
    are other records as the lesson changes them.
    """

    article: int
    values: Mapping[str, Any]
    act: int
    lesson: PageLesson
    others: Mapping[int, Citation]
    versions: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRecord:
    """Two records as one: the number of the kept and of the hidden one, and the merged values.

    `states` are those of values that a person had accepted or corrected in the hidden one. If `versions` are given and
    a record was changed since then, a `ConflictError` is raised.
    """

    kept: int
    gone: int
    citation: Citation
    states: Mapping[str, FieldState]
    versions: Mapping[int, int] = field(default_factory=dict)


class ReviewRepository:
    """The acts of people on records; each method is one act and one transaction, and needs the name of the person."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def set_value(
        self, article: int, field: str, value: Any, *, who: str, reason: str = "", version: int | None = None
    ) -> int:
        """Correct one field: see `set_values`."""
        return self.set_values(article, {field: value}, who=who, reason=reason, version=version)

    def set_values(
        self, article: int, values: Mapping[str, Any], *, who: str, reason: str = "", version: int | None = None
    ) -> int:
        """Correct fields of a record.

        They are `corrected` from now on, and no later reading replaces them. If `version` is given and somebody else
        changed the record since that version was read, a `ConflictError` is raised.
        """
        with self._editing(who, reason) as editor:
            editor.correct(article, values, who=who, version=version)
        return editor.batch

    def set_values_each(
        self,
        values: Mapping[int, Mapping[str, Any]],
        *,
        who: str,
        reason: str = "",
        versions: Mapping[int, int] = NO_VERSIONS,
    ) -> int:
        """Correct other fields of each record, all in one act; nothing if a record is not of the version given."""
        with self._editing(who, reason) as editor:
            for number, given in values.items():
                editor.correct(number, given, who=who, version=versions.get(number))
        return editor.batch

    def accept(
        self,
        articles: int | Iterable[int],
        fields: Collection[str] = (),
        *,
        who: str,
        reason: str = "",
        state: FieldState = FieldState.ACCEPTED,
        version: int | None = None,
    ) -> int:
        """Accept fields of records; without `fields`, whole records with everything they contain.

        A program that accepts above a threshold gives the state `auto-accepted`: no person has confirmed it.
        """
        with self._editing(who, reason) as editor:
            for article in unique_article_numbers(articles):
                editor.accept(article, fields, state=state, version=version)
        return editor.batch

    def accept_each(
        self,
        fields: Mapping[int, Collection[str]],
        *,
        who: str,
        reason: str = "",
        state: FieldState = FieldState.ACCEPTED,
    ) -> int:
        """Accept other fields of each record, all in one act."""
        with self._editing(who, reason) as editor:
            for article, names in fields.items():
                editor.accept(article, names, state=state, version=None)
        return editor.batch

    def settle(
        self, article: int, values: Mapping[str, Any], fields: Collection[str], *, who: str, reason: str = ""
    ) -> int:
        """Correct fields of a record and accept others, in one act."""
        with self._editing(who, reason) as editor:
            if values:
                editor.correct(article, values, who=who, version=None)
            if fields:
                editor.accept(article, fields, state=FieldState.ACCEPTED, version=None)
        return editor.batch

    def finish(self, article: int, *, who: str, version: int | None = None) -> int:
        """Accept a whole record, and end the person's lease on it."""
        with self._editing(who, "") as editor:
            editor.accept(article, (), state=FieldState.ACCEPTED, version=version)
            editor.give_back(article, who=who)
        return editor.batch

    def delete(self, articles: int | Iterable[int], *, who: str, reason: str = "", version: int | None = None) -> int:
        """Hide records; nothing is removed."""
        with self._editing(who, reason) as editor:
            for article in unique_article_numbers(articles):
                editor.delete(article, version=version)
        return editor.batch

    def undo(
        self,
        batch: int,
        *,
        who: str,
        reason: str = "",
        lesson: PageLesson | None = None,
        versions: Mapping[int, int] = NO_VERSIONS,
    ) -> int:
        """Undo an act and all it caused, by further changes.

        Records that it added are deleted, and what it taught is forgotten. `lesson` is what its page teaches from now
        on, made from records of these `versions`. If any of it was changed again, nothing is undone: a `ConflictError`.
        """
        with self._acting(who, reason or f"undo of {batch}", ActTies(undoes=batch)) as (connection, act):
            undo_act_and_lesson(connection, batch, act, lesson=lesson, versions=versions, url=self._transactions.url)
            first, in_force = changes.find_first_act(connection, batch)
            duplicates.follow_undone_act(connection, first, in_force=in_force, who=who, at=act.at)
        return act.batch

    def merge(self, merged: MergedRecord, *, who: str, reason: str = "") -> int:
        """Merge two records: the kept one gets the merged values, the other one is hidden; both can be split again."""
        with self._acting(who, reason or f"merge of {merged.kept} and {merged.gone}") as (connection, act):
            RecordEditor(connection, act, url=self._transactions.url).merge(merged)
            pair = DuplicatePair(one=merged.kept, two=merged.gone, score=1.0, method="person")
            duplicates.note_pairs(connection, [pair], at=act.at)
            known = duplicates.read_pair(connection, merged.kept, merged.gone, url=self._transactions.url)
            decided = replace(known, state=PairState.MERGED, kept=merged.kept, act=act.batch)
            duplicates.decide_pair(connection, decided, who=who, at=act.at)
        return act.batch

    def split(self, one: int, two: int, *, who: str, state: PairState = PairState.DIFFERENT) -> int:
        """Give back both records of a merge; what was changed in the kept one since then stays.

        The pair is `different` from now on, or `open` to be offered again.
        """
        url = self._transactions.url
        with self._transactions.reading() as connection:
            pair = duplicates.read_pair(connection, one, two, url=url)
        with self._acting(who, f"split of {pair.one} and {pair.two}", ActTies(undoes=pair.act or None)) as (
            connection,
            act,
        ):
            pair = duplicates.read_pair(connection, one, two, url=url)
            if pair.state is not PairState.MERGED:
                raise StoreError(f"records {pair.one} and {pair.two} are not merged", url=url, hint="nothing to split")
            RecordEditor(connection, act, url=url).split(pair.act)
            duplicates.decide_pair(connection, replace(pair, state=state), who=who, at=act.at)
        return act.batch

    def without_act(self, batch: int) -> dict[int, Citation]:
        """Return the records of an act and of all it caused as they would be if it were undone."""
        url = self._transactions.url
        with self._transactions.reading() as connection:
            return {row.id: after.citation for row, _, after in contents_without_act(connection, batch, url=url)}

    def teach(self, taught: Teaching, *, who: str, reason: str = "") -> int:
        """Save what a corrected record teaches: correction, lesson, journal and the other records, all or nothing.

        Return the act that taught it, by which all of it is undone. If one of the records is no longer of the version
        that was previewed, nothing is saved: a `ConflictError`.
        """
        self._require_name(who)
        with self._transactions.writing() as connection:
            at, url = self._transactions.now(), self._transactions.url
            return teach_correction(connection, taught, who=who, at=at, reason=reason, url=url)

    @contextmanager
    def _editing(self, who: str, reason: str) -> Iterator[RecordEditor]:
        with self._acting(who, reason) as (connection, act):
            yield RecordEditor(connection, act, url=self._transactions.url)

    @contextmanager
    def _acting(self, who: str, reason: str, ties: ActTies = NO_TIES) -> Iterator[tuple[Connection, Act]]:
        self._require_name(who)
        with self._transactions.writing() as connection:
            yield connection, Act(connection, who=who, at=self._transactions.now(), reason=reason, ties=ties)

    def _require_name(self, who: str) -> None:
        if not who:
            raise StoreError("no person is named for this act", url=self._transactions.url, hint="give `who`")


class RecordEditor:
    """Edits articles in one transaction; all edits are part of the same act."""

    def __init__(self, connection: Connection, act: Act, *, url: str) -> None:
        self._connection = connection
        self._act = act
        self._url = url
        self.batch = act.batch

    def correct(self, id_: int, given: Mapping[str, Any], *, who: str, version: int | None) -> None:
        """Set fields to the values a person gave; the person is their evidence from now on."""
        row, before = self._take(id_, version)
        forms = {
            name: value for field in given for name, value in cleared_form_values(field).items() if name not in given
        }
        citation = before.citation
        for name, value in ({**given, **forms}).items():
            citation = self._with(citation, name, value)
        self._check_links(citation)
        for name in (*given, *forms):
            citation = with_field_evidence(
                citation, name, [_evidence_of_person(name, citation, who)] if name in given else []
            )
        states = {**before.states, **dict.fromkeys(given, FieldState.CORRECTED)}
        self._change(row, before, ArticleContent(citation, before.status, states))

    def accept(self, id_: int, fields: Collection[str], *, state: FieldState, version: int | None) -> None:
        """Accept fields, or the whole record with every field that has a value."""
        row, before = self._take(id_, version)
        for name in fields:
            self._check_field(name)
        named = fields or [name for name in FIELD_NAMES if getattr(before.citation, name)]
        open_ = [name for name in named if before.states.get(name) not in JUDGED_STATES]
        status = before.status if fields else Status(state.value)
        if before.status is Status.ACCEPTED:  # a program never replaces the decision of a person
            status = before.status
        self._change(
            row, before, ArticleContent(before.citation, status, {**before.states, **dict.fromkeys(open_, state)})
        )

    def give_back(self, id_: int, *, who: str) -> None:
        """End the person's lease on a record."""
        self._connection.execute(DELETE_LEASE, {"wanted": id_, "who": who})

    def delete(self, id_: int, *, version: int | None) -> None:
        """Mark a record as deleted; it stays in the log."""
        row, before = self._take(id_, version)
        self._change(row, before, replace(before, status=Status.DELETED))

    def merge(self, merged: MergedRecord) -> None:
        """Write the merged values to one record and hide the other; what a person judged in the first one stays."""
        row, before = self._take(merged.kept, merged.versions.get(merged.kept))
        after = apply_new_reading(before, merged.citation)
        self._change(row, before, replace(after, states={**merged.states, **after.states}))
        self.delete(merged.gone, version=merged.versions.get(merged.gone))

    def split(self, batch: int) -> None:
        """Take back the changes of a merge, but for values that were changed again."""
        lines = changes.read_changes_of_acts(self._connection, [batch])
        for id_ in dict.fromkeys(line.article for line in lines):
            row, before = self._take(id_, None)
            after = before
            for line in reversed([line for line in lines if line.article == id_]):
                if line.before is not None and apply_change_step(after, line.field, line.after) == after:
                    after = apply_change_step(after, line.field, line.before)
            self._change(row, before, after)

    def require(self, versions: Mapping[int, int]) -> None:
        """Raise a `ConflictError` if an article was changed since its version was read."""
        for id_, version in versions.items():
            self._take(id_, version)

    def undo(self, batch: int) -> None:
        """Undo an act with all it caused; refused if any of it was changed again."""
        for row, before, after in contents_without_act(self._connection, batch, url=self._url):
            self._change(row, before, after)

    def _take(self, id_: int, version: int | None) -> tuple[Any, ArticleContent]:
        return _read_required_version(self._connection, id_, version, url=self._url)

    def _change(self, row: Any, before: ArticleContent, after: ArticleContent) -> None:
        self._act.change(
            row.id, _keys_after_edit(keys_of_article_row(row), before.citation, after.citation), before, after
        )

    def _with(self, citation: Citation, name: str, value: Any) -> Citation:
        self._check_field(name)
        if name in _STRING_FIELDS and not isinstance(value, str):
            raise StoreError(f"{name} takes text, not {type(value).__name__}", url=self._url, hint="give one string")
        try:
            return with_json_value(citation, name, to_json(value))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            hint = "give a value of the field's type: see `Citation`"
            raise StoreError(f"{name} cannot hold this value", url=self._url, hint=hint) from error

    def _check_field(self, name: str) -> None:
        if name not in FIELD_NAMES:
            raise StoreError(f"no such field: {name}", url=self._url, hint=f"the fields are {', '.join(FIELD_NAMES)}")

    def _check_links(self, citation: Citation) -> None:
        if has_loose_ties(citation):
            known = len(citation.affiliations)
            hint = f"there are {known} affiliations, counted from 0; give authors and affiliations together"
            raise StoreError("an author refers to an affiliation that does not exist", url=self._url, hint=hint)


def contents_without_act(
    connection: Connection, batch: int, *, url: str
) -> Iterator[tuple[Any, ArticleContent, ArticleContent]]:
    """Yield the articles of an act and of all it caused: each row, its content, and the content without the act."""
    lines = changes.read_changes_of_acts(connection, [batch, *changes.read_caused_acts(connection, batch)])
    if not any(line.batch == batch for line in lines):
        raise StoreError(f"no such act: {batch}", url=url, hint="`changes` gives the batch of each change")
    for id_ in dict.fromkeys(line.article for line in lines):
        row, before = _read_required_version(connection, id_, None, url=url)
        after = before
        for line in reversed([line for line in lines if line.article == id_]):
            after = _content_without_change(after, line, latest=row.changed)
        yield row, before, after


def _content_without_change(content: ArticleContent, line: Change, *, latest: int) -> ArticleContent:
    """Return the content without one change; an article that the change added is deleted."""
    if line.before is None:
        in_force = latest == line.batch
        undone = replace(content, status=Status.DELETED)
    else:
        in_force = apply_change_step(content, line.field, line.after) == content
        undone = apply_change_step(content, line.field, line.before)
    if not in_force:
        message = f"article {line.article} was changed again after act {line.batch}: {line.field or 'record'}"
        raise ConflictError(message, article=line.article, hint="undo the later act first")
    return undone


def _read_required_version(
    connection: Connection, id_: int, version: int | None, *, url: str
) -> tuple[Any, ArticleContent]:
    """Read the row and content of an article; refused if its version is not the one that was read."""
    row = connection.execute(SELECT_ARTICLE, {"wanted": id_}).first()
    if row is None:
        raise StoreError(f"no such article: {id_}", url=url, hint="`find` gives the numbers")
    if version is not None and row.version != version:
        message = f"article {id_} was changed meanwhile: version {row.version}, not {version}"
        raise ConflictError(message, article=id_, hint="read it again, then change it")
    states = acts.read_field_states(connection, [id_]).get(id_, {})
    return row, ArticleContent(decode_record(Citation, row.citation), Status(row.status), states)


def _evidence_of_person(name: str, citation: Citation, who: str) -> Evidence:
    """Build the evidence for a value that a person gave."""
    text = field_value_text(getattr(citation, name))
    return Evidence(
        field=name, page="", source="operator", path="", start=0, end=len(text), text=text, method=who, score=1.0
    )


def _keys_after_edit(stored: ArticleKeys, before: Citation, after: Citation) -> ArticleKeys:
    """Return the keys an article is found by: changed ones as the person left them, even if empty."""
    if before == after:
        return stored
    old, new = asdict(article_keys_of(before)), asdict(article_keys_of(after))
    return ArticleKeys(**{name: new[name] if new[name] != old[name] else key for name, key in asdict(stored).items()})


def unique_article_numbers(articles: int | Iterable[int]) -> list[int]:
    """Return the numbers of articles, each once."""
    return [articles] if isinstance(articles, int) else list(dict.fromkeys(articles))


def teach_correction(connection: Connection, teaching: Teaching, *, who: str, at: str, reason: str, url: str) -> int:
    """Save what a record teaches, and return the act that taught it, by which all of it is undone."""
    act = Act(connection, who=who, at=at, reason=reason, ties=ActTies(page=teaching.lesson.page))
    editor = RecordEditor(connection, act, url=url)
    editor.require(teaching.versions)
    if teaching.values:
        editor.correct(teaching.article, teaching.values, who=who, version=None)
    else:
        changes.tie_act_to_page(connection, teaching.act, teaching.lesson.page)
    _keep_page_lesson(connection, teaching.lesson, at=at)
    cause = act.batch if teaching.values else teaching.act
    why = f"taught by article {teaching.article}"
    caused = Act(connection, who=who, at=at, reason=why, ties=ActTies(caused_by=cause))
    for number, citation in teaching.others.items():
        articles.rewrite_article(connection, caused, number, citation)
    return cause


def undo_act_and_lesson(
    connection: Connection, batch: int, act: Act, *, lesson: PageLesson | None, versions: Mapping[int, int], url: str
) -> None:
    """Undo an act and all it caused; the page it taught then teaches `lesson`, or nothing.

    Without a lesson, the page keeps what it teaches if another act that taught it is still in force.
    """
    taught = changes.find_taught_page(connection, batch)
    editor = RecordEditor(connection, act, url=url)
    editor.require(versions)
    editor.undo(batch)
    if taught is not None and (lesson is not None or not taught.stands):
        journals.revert_layout_lessons(connection, taught.page)
    if lesson is not None and lesson.text:
        _keep_page_lesson(connection, lesson, at=act.at)


def _keep_page_lesson(connection: Connection, lesson: PageLesson, *, at: str) -> None:
    id_ = journals.ensure_journal(connection, lesson.journal, lesson.host, issn=lesson.issn, at=at)
    journals.write_layout_lesson_of_act(connection, id_, lesson.page, lesson.text, at=at)

"""What people do to records: correct and accept fields, delete a record, teach from a correction, undo an act."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection

from medharvest.codec import decode_record, to_json
from medharvest.errors import ConflictError, StoreError
from medharvest.fields import FIELD_NAMES, cleared_form_values, has_loose_ties
from medharvest.records import Citation, Evidence
from medharvest.store import acts, articles, changes, journals
from medharvest.store.acts import SELECT_ARTICLE, Act
from medharvest.store.changes import (
    JUDGED_STATES,
    ActTies,
    ArticleContent,
    apply_change_step,
    field_value_text,
    with_field_evidence,
    with_json_value,
)
from medharvest.store.identity import ArticleKeys, article_keys_of, keys_of_article_row
from medharvest.store.people import DELETE_LEASE
from medharvest.store.rows import Change, FieldState, Status

_STRING_FIELDS = frozenset(name for name in FIELD_NAMES if isinstance(getattr(Citation(), name), str))


class RecordEditor:
    """The articles of one transaction as people change them; each method is a part of the same act."""

    def __init__(self, connection: Connection, act: Act, *, url: str) -> None:
        self._connection = connection
        self._act = act
        self._url = url
        self.batch = act.batch

    def correct(self, id_: int, given: Mapping[str, Any], *, who: str, version: int | None) -> None:
        """Set fields to what a person says; it is their evidence from now on."""
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
        """Accept fields, or the whole record with every field that holds something."""
        row, before = self._take(id_, version)
        for name in fields:
            self._check_field(name)
        named = fields or [name for name in FIELD_NAMES if getattr(before.citation, name)]
        open_ = [name for name in named if before.states.get(name) not in JUDGED_STATES]
        status = before.status if fields else Status(state.value)
        if before.status is Status.ACCEPTED:  # a program does not take back a person's word
            status = before.status
        self._change(
            row, before, ArticleContent(before.citation, status, {**before.states, **dict.fromkeys(open_, state)})
        )

    def give_back(self, id_: int, *, who: str) -> None:
        """Let others work on a record."""
        self._connection.execute(DELETE_LEASE, {"wanted": id_, "who": who})

    def delete(self, id_: int, *, version: int | None) -> None:
        """Hide a record; the log keeps it."""
        row, before = self._take(id_, version)
        self._change(row, before, replace(before, status=Status.DELETED))

    def require(self, versions: Mapping[int, int]) -> None:
        """Refuse to go on where an article was changed since its version was read."""
        for id_, version in versions.items():
            self._take(id_, version)

    def undo(self, batch: int) -> None:
        """Take back an act as a whole, with all it caused; refused where something of it was changed again."""
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
            hint = "give it as the record has it: see `Citation`"
            raise StoreError(f"{name} cannot hold this value", url=self._url, hint=hint) from error

    def _check_field(self, name: str) -> None:
        if name not in FIELD_NAMES:
            raise StoreError(f"no such field: {name}", url=self._url, hint=f"the fields are {', '.join(FIELD_NAMES)}")

    def _check_links(self, citation: Citation) -> None:
        if has_loose_ties(citation):
            known = len(citation.affiliations)
            hint = f"there are {known} of them, counted from 0; give authors and affiliations together"
            raise StoreError("an author names an affiliation that is not there", url=self._url, hint=hint)


def contents_without_act(
    connection: Connection, batch: int, *, url: str
) -> Iterator[tuple[Any, ArticleContent, ArticleContent]]:
    """The articles of an act and of all it caused: each row, its content, and what that was without the act."""
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
    """The content without one change; an article that it made is deleted."""
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
    """An article as it stands, its row beside it; refused where that is not the version that was read."""
    row = connection.execute(SELECT_ARTICLE, {"wanted": id_}).first()
    if row is None:
        raise StoreError(f"no such article: {id_}", url=url, hint="`find` gives the numbers")
    if version is not None and row.version != version:
        message = f"article {id_} was changed meanwhile: version {row.version}, not {version}"
        raise ConflictError(message, article=id_, hint="read it again, then change it")
    states = acts.read_field_states(connection, [id_]).get(id_, {})
    return row, ArticleContent(decode_record(Citation, row.citation), Status(row.status), states)


def _evidence_of_person(name: str, citation: Citation, who: str) -> Evidence:
    """A person's word as evidence."""
    text = field_value_text(getattr(citation, name))
    return Evidence(
        field=name, page="", source="operator", path="", start=0, end=len(text), text=text, method=who, score=1.0
    )


def _keys_after_edit(stored: ArticleKeys, before: Citation, after: Citation) -> ArticleKeys:
    """The keys an article is found by: what a person changed is so, also where nothing is left."""
    if before == after:
        return stored
    old, new = asdict(article_keys_of(before)), asdict(article_keys_of(after))
    return ArticleKeys(**{name: new[name] if new[name] != old[name] else key for name, key in asdict(stored).items()})


def unique_article_numbers(articles: int | Iterable[int]) -> list[int]:
    """The numbers of articles, each once."""
    return [articles] if isinstance(articles, int) else list(dict.fromkeys(articles))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLesson:
    """What a page, named by its digest, teaches a journal; the journal gets the host.

    A journal that is new is made; one without ISSNs gets these. A page without a text teaches nothing any more.
    """

    journal: str
    host: str
    page: str
    text: str
    issn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """What a corrected record teaches, as somebody saw it before: `versions` are those of all its articles then.

    `values` are corrected with it; where they are none, `act` is the act that did so before. `others` are other records
    as the lesson makes them.
    """

    article: int
    values: Mapping[str, Any]
    act: int
    lesson: PageLesson
    others: Mapping[int, Citation]
    versions: Mapping[int, int]


def teach_correction(connection: Connection, teaching: Teaching, *, who: str, at: str, reason: str, url: str) -> int:
    """Keep what a record teaches; the act that taught it, by which all of it is undone."""
    act = Act(connection, who=who, at=at, reason=reason, ties=ActTies(page=teaching.lesson.page))
    desk = RecordEditor(connection, act, url=url)
    desk.require(teaching.versions)
    if teaching.values:
        desk.correct(teaching.article, teaching.values, who=who, version=None)
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
    """Take back an act and all it caused; the page it taught teaches another lesson, or none.

    Without a lesson, what the page teaches stays where another act that taught it stands.
    """
    taught = changes.find_taught_page(connection, batch)
    desk = RecordEditor(connection, act, url=url)
    desk.require(versions)
    desk.undo(batch)
    if taught is not None and (lesson is not None or not taught.stands):
        journals.revert_layout_lessons(connection, taught.page)
    if lesson is not None and lesson.text:
        _keep_page_lesson(connection, lesson, at=act.at)


def _keep_page_lesson(connection: Connection, lesson: PageLesson, *, at: str) -> None:
    id_ = journals.ensure_journal(connection, lesson.journal, lesson.host, issn=lesson.issn, at=at)
    journals.write_layout_lesson_of_act(connection, id_, lesson.page, lesson.text, at=at)

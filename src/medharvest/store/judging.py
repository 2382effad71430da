"""What people do to records: correct and accept fields, delete a record, undo an act."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection

from medharvest.errors import ConflictError, StoreError
from medharvest.fields import NAMES, cleared_forms, has_loose_ties
from medharvest.json_text import load
from medharvest.records import Citation, Evidence, to_json
from medharvest.store import changes, values
from medharvest.store.acts import ARTICLE, Act
from medharvest.store.contents import JUDGED, Content, field_text, stepped, with_evidence, with_field
from medharvest.store.finding import stored_keys
from medharvest.store.identity import Keys, keys_of
from medharvest.store.people import GIVE_BACK
from medharvest.store.rows import Change, FieldState, Status

_TEXTS = frozenset(name for name in NAMES if isinstance(getattr(Citation(), name), str))


class Desk:
    """The articles of one transaction as people change them; each method is a part of the same act."""

    def __init__(self, connection: Connection, act: Act, *, url: str) -> None:
        self._connection = connection
        self._act = act
        self._url = url
        self.batch = act.batch

    def correct(self, id_: int, given: Mapping[str, Any], *, who: str, version: int | None) -> None:
        """Set fields to what a person says; it is their evidence from now on."""
        row, before = self._take(id_, version)
        forms = {name: value for field in given for name, value in cleared_forms(field).items() if name not in given}
        citation = before.citation
        for name, value in ({**given, **forms}).items():
            citation = self._with(citation, name, value)
        self._check_links(citation)
        for name in (*given, *forms):
            citation = with_evidence(citation, name, [_word(name, citation, who)] if name in given else [])
        states = {**before.states, **dict.fromkeys(given, FieldState.CORRECTED)}
        self._change(row, before, Content(citation, before.status, states))

    def accept(self, id_: int, fields: Collection[str], *, state: FieldState, version: int | None) -> None:
        """Accept fields, or the whole record with every field that holds something."""
        row, before = self._take(id_, version)
        for name in fields:
            self._check_field(name)
        named = fields or [name for name in NAMES if getattr(before.citation, name)]
        open_ = [name for name in named if before.states.get(name) not in JUDGED]
        status = before.status if fields else Status(state.value)
        if before.status is Status.ACCEPTED:  # a program does not take back a person's word
            status = before.status
        self._change(row, before, Content(before.citation, status, {**before.states, **dict.fromkeys(open_, state)}))

    def give_back(self, id_: int, *, who: str) -> None:
        """Let others work on a record."""
        self._connection.execute(GIVE_BACK, {"wanted": id_, "who": who})

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
        for row, before, after in without_act(self._connection, batch, url=self._url):
            self._change(row, before, after)

    def _take(self, id_: int, version: int | None) -> tuple[Any, Content]:
        return _taken(self._connection, id_, version, url=self._url)

    def _change(self, row: Any, before: Content, after: Content) -> None:
        self._act.change(row.id, _keys(stored_keys(row), before.citation, after.citation), before, after)

    def _with(self, citation: Citation, name: str, value: Any) -> Citation:
        self._check_field(name)
        if name in _TEXTS and not isinstance(value, str):
            raise StoreError(f"{name} takes text, not {type(value).__name__}", url=self._url, hint="give one string")
        try:
            return with_field(citation, name, to_json(value))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            hint = "give it as the record has it: see `Citation`"
            raise StoreError(f"{name} cannot hold this value", url=self._url, hint=hint) from error

    def _check_field(self, name: str) -> None:
        if name not in NAMES:
            raise StoreError(f"no such field: {name}", url=self._url, hint=f"the fields are {', '.join(NAMES)}")

    def _check_links(self, citation: Citation) -> None:
        if has_loose_ties(citation):
            known = len(citation.affiliations)
            hint = f"there are {known} of them, counted from 0; give authors and affiliations together"
            raise StoreError("an author names an affiliation that is not there", url=self._url, hint=hint)


def without_act(connection: Connection, batch: int, *, url: str) -> Iterator[tuple[Any, Content, Content]]:
    """The articles of an act and of all it caused: each row, its content, and what that was without the act."""
    lines = changes.of_acts(connection, [batch, *changes.caused_by(connection, batch)])
    if not any(line.batch == batch for line in lines):
        raise StoreError(f"no such act: {batch}", url=url, hint="`changes` gives the batch of each change")
    for id_ in dict.fromkeys(line.article for line in lines):
        row, before = _taken(connection, id_, None, url=url)
        after = before
        for line in reversed([line for line in lines if line.article == id_]):
            after = _without_line(after, line, latest=row.changed)
        yield row, before, after


def _without_line(content: Content, line: Change, *, latest: int) -> Content:
    """The content without one change; an article that it made is deleted."""
    if line.before is None:
        in_force = latest == line.batch
        undone = replace(content, status=Status.DELETED)
    else:
        in_force = stepped(content, line.field, line.after) == content
        undone = stepped(content, line.field, line.before)
    if not in_force:
        message = f"article {line.article} was changed again after act {line.batch}: {line.field or 'record'}"
        raise ConflictError(message, article=line.article, hint="undo the later act first")
    return undone


def _taken(connection: Connection, id_: int, version: int | None, *, url: str) -> tuple[Any, Content]:
    """An article as it stands, its row beside it; refused where that is not the version that was read."""
    row = connection.execute(ARTICLE, {"wanted": id_}).first()
    if row is None:
        raise StoreError(f"no such article: {id_}", url=url, hint="`find` gives the numbers")
    if version is not None and row.version != version:
        message = f"article {id_} was changed meanwhile: version {row.version}, not {version}"
        raise ConflictError(message, article=id_, hint="read it again, then change it")
    states = values.states(connection, [id_]).get(id_, {})
    return row, Content(load(Citation, row.citation), Status(row.status), states)


def _word(name: str, citation: Citation, who: str) -> Evidence:
    """A person's word as evidence."""
    text = field_text(getattr(citation, name))
    return Evidence(
        field=name, page="", source="operator", path="", start=0, end=len(text), text=text, method=who, score=1.0
    )


def _keys(stored: Keys, before: Citation, after: Citation) -> Keys:
    """The keys an article is found by: what a person changed is so, also where nothing is left."""
    if before == after:
        return stored
    old, new = asdict(keys_of(before)), asdict(keys_of(after))
    return Keys(**{name: new[name] if new[name] != old[name] else key for name, key in asdict(stored).items()})


def one_by_one(articles: int | Iterable[int]) -> list[int]:
    """The numbers of articles, each once."""
    return [articles] if isinstance(articles, int) else list(dict.fromkeys(articles))

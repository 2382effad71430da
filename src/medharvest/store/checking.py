"""Whether a store is whole: the database's own checks, and every article as the log of its changes tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import ModuleType
from typing import Any

from sqlalchemy import Connection, select

from medharvest.json_text import load
from medharvest.records import Citation
from medharvest.store import values
from medharvest.store.changes import LINES
from medharvest.store.contents import FIELDS, Content, stepped
from medharvest.store.rows import Change, FieldState, Status
from medharvest.store.tables import article, change

BATCH = 500


def problems(connection: Connection, backend: ModuleType) -> Iterator[str]:
    """What is wrong, one line each; nothing where the store is whole."""
    yield from backend.broken(connection)
    last = 0
    while rows := _next(connection, last):
        last = rows[-1].id
        lines, states = _lines(connection, rows[0].id, last), values.states(connection, [row.id for row in rows])
        for row in rows:
            told = lines.get(row.id, [])
            yield from (f"article {row.id}: {what}" for what in _wrong(row, told, states.get(row.id, {})))


def replayed(lines: Sequence[Change]) -> Content | None:
    """The content that the log of an article leads to; None where a line does not follow from those before it."""
    if not lines or lines[0].before is not None:
        return None
    content = Content(load(Citation, lines[0].after))
    for line in lines[1:]:
        if line.before is None or stepped(content, line.field, line.before) != content:
            return None
        content = stepped(content, line.field, line.after)
    return content


def _next(connection: Connection, after: int) -> Sequence[Any]:
    columns = (article.c.id, article.c.citation, article.c.status, article.c.version, article.c.changed)
    query = select(*columns).where(article.c.id > after).order_by(article.c.id).limit(BATCH)
    return connection.execute(query).all()


def _lines(connection: Connection, first: int, last: int) -> dict[int, list[Change]]:
    query = LINES.where(change.c.article.between(first, last)).order_by(change.c.article, change.c.id)
    lines = (Change(**row._mapping) for row in connection.execute(query))  # noqa: SLF001  (public, so named)
    return {id_: list(own) for id_, own in groupby(lines, key=lambda line: line.article)}


def _wrong(row: Any, lines: Sequence[Change], states: Mapping[str, FieldState]) -> Iterator[str]:
    batches = {line.batch for line in lines}
    if not lines:
        yield "nothing in the log"
        return
    if row.version < len(batches) or row.changed != max(batches):
        yield "its last change is not the last in the log"
    if len(lines) == 1 and lines[0].after == row.citation and not states and row.status == Status.PROPOSED:
        return  # most of them: nothing needs to be taken apart
    told = replayed(lines)
    if told is None:
        yield "a change in the log does not follow from those before it"
        return
    stored = load(Citation, row.citation)
    different = [name for name in FIELDS if getattr(stored, name) != getattr(told.citation, name)]
    different += ["status"] * (row.status != told.status) + ["states"] * (dict(states) != dict(told.states))
    if different:
        yield f"not what the log says: {', '.join(different)}"

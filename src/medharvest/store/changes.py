"""Statements about the log of changes, which is only ever added to."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select

from medharvest.store.rows import Change
from medharvest.store.tables import change

BATCH = 500


def next_batch(connection: Connection) -> int:
    """A number for the changes of one act, greater than that of any before; other writers are kept out."""
    return int(connection.scalar(_LAST) or 0) + 1


_LAST = select(func.max(change.c.id))


def read(connection: Connection, *conditions: ColumnElement[bool], after: int = 0) -> list[tuple[int, Change]]:
    """The next lines in their order, each with its number."""
    query = select(change).where(change.c.id > after, *conditions).order_by(change.c.id).limit(BATCH)
    return [(row.id, Change(**row._mapping)) for row in connection.execute(query)]  # noqa: SLF001  (public, so named)


def of_batch(connection: Connection, batch: int) -> list[Change]:
    """Every line of an act."""
    query = select(change).where(change.c.batch == batch).order_by(change.c.id)
    return [Change(**row._mapping) for row in connection.execute(query)]  # noqa: SLF001

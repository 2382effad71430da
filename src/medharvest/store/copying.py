"""All that a store holds in another: every table row by row, proven equal by a digest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, func, select

from medharvest.errors import StoreError
from medharvest.store import documents
from medharvest.store.rows import Copied
from medharvest.store.tables import DERIVED, metadata
from medharvest.store.transactions import insert_rows

BATCH = 500
# What search finds is made anew from the rest.
TABLES = tuple(table for table in metadata.sorted_tables if table not in DERIVED)


def copy(source: Connection, target: Connection, *, url: str) -> Copied:
    """Copy into a store without a row; `url` names it in errors."""
    for table in TABLES:
        if target.execute(select(table).limit(1)).first() is not None:
            hint = "name a new file, or an empty database"
            raise StoreError(f"store is not empty, it has rows in {table.name}: {url}", url=url, hint=hint)
    told = _Digest()
    for table in TABLES:
        for rows in _batches(told.of(table, _rows(source, table))):
            insert_rows(target, table, rows)
        _go_on_counting(target, table)
    copied = digest(target)
    if copied != told.result():
        hint = "the copy was thrown away; run `medharvest store check` on both, then try again"
        raise StoreError(f"copy is not equal: {url}", url=url, hint=hint)
    documents.rebuild(target)
    return copied


def digest(connection: Connection) -> Copied:
    """How many rows a store has, and a digest of them that no order and no kind of database changes."""
    told = _Digest()
    for table in TABLES:
        for _ in told.of(table, _rows(connection, table)):
            pass
    return told.result()


class _Digest:
    """Digests of rows, added up: databases give them in different orders."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def of(self, table: Table, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
        """Give the rows of a table on, each taken into the digest."""
        names = [column.name for column in table.columns]
        for row in rows:
            text = json.dumps([table.name, *sorted(zip(names, row, strict=True), key=lambda pair: pair[0])])
            self._sum += int.from_bytes(sha256(text.encode("ascii")).digest(), "big")
            self._rows += 1
            yield tuple(row)

    def result(self) -> Copied:
        """The digest of all rows so far."""
        return Copied(self._rows, sha256(f"{self._rows} {self._sum % 2**256:x}".encode("ascii")).hexdigest())


def _rows(connection: Connection, table: Table) -> Iterable[Sequence[Any]]:
    return connection.execute(select(table), execution_options={"yield_per": BATCH})


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _go_on_counting(connection: Connection, table: Table) -> None:
    """Let a server number further rows after those that were copied; SQLite does so by itself."""
    own = table.autoincrement_column
    if own is None or connection.dialect.name == "sqlite":
        return
    last = connection.scalar(select(func.max(own)))
    if last:
        sequence = func.pg_get_serial_sequence(table.name, own.name)
        connection.execute(select(func.setval(sequence, last)))

"""Databases beside the store.

`ForeignTable` is a table in another database that records are delivered to, created if it is missing. `Terminology` is
a vocabulary that is too large for memory, in its own SQLite file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Column, Connection, Engine, Integer, MetaData, Table, Text, insert, inspect, update

from medharvest.atomic_file import replace_file
from medharvest.errors import StoreError
from medharvest.store.backends import BACKENDS
from medharvest.store.rows import to_storable
from medharvest.store.transactions import open_write_transaction, translate_database_errors

KEY_COLUMN = "id"
_TERMINOLOGY_TABLES = """
CREATE TABLE name (concept TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE relation (concept TEXT NOT NULL, kin TEXT NOT NULL, other TEXT NOT NULL);
"""
_TERMINOLOGY_INDEXES = """
CREATE INDEX name_concept ON name (concept, rank);
CREATE INDEX name_folded ON name (folded, rank);
CREATE INDEX relation_concept ON relation (concept, kin);
"""
NameRow = tuple[str, str, str, int]  # concept, name, case-folded name, 0 for the preferred one
RelationRow = tuple[str, str, str]  # concept, relation, other concept


class ForeignTable:
    """An open table; rows are identified by `id`, and values without a column in the table are left out."""

    def __init__(self, url: URL, name: str, columns: Sequence[str]) -> None:
        self._name = url.render_as_string(hide_password=True)
        with translate_database_errors(self._name):
            self._engine: Engine = BACKENDS[url.get_backend_name()].make_engine(url)
            try:
                with open_write_transaction(self._engine) as connection:
                    self._table = self._open(connection, name, columns)
            except BaseException:
                self._engine.dispose()
                raise

    def upsert(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, or replace those with the same `id`; all of them or none."""
        with translate_database_errors(self._name), open_write_transaction(self._engine) as connection:
            for row in rows:
                self._write(connection, {name: _to_storable_value(row[name]) for name in row if name in self._table.c})

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()

    def _open(self, connection: Connection, name: str, columns: Sequence[str]) -> Table:
        metadata = MetaData()
        if not inspect(connection).has_table(name):
            own = [Column(KEY_COLUMN, Integer, primary_key=True, autoincrement=False)]
            table = Table(name, metadata, *own, *(Column(one, Text) for one in columns if one != KEY_COLUMN))
            table.create(connection)
            return table
        table = Table(name, metadata, autoload_with=connection)
        if KEY_COLUMN not in table.c:
            hint = "add a column `id`, or name another table with ?table="
            raise StoreError(f"table {name} has no column id: {self._name}", url=self._name, hint=hint)
        return table

    def _write(self, connection: Connection, row: Mapping[str, Any]) -> None:
        # Works on every database; the transaction keeps our other writers out between the two statements.
        done = connection.execute(update(self._table).where(self._table.c[KEY_COLUMN] == row[KEY_COLUMN]).values(**row))
        if not done.rowcount:
            connection.execute(insert(self._table), dict(row))


def _to_storable_value(value: Any) -> Any:
    return to_storable(value) if isinstance(value, str) else value


def build_terminology(path: Path, names: Iterable[NameRow], relations: Iterable[RelationRow]) -> None:
    """Write the file of a vocabulary; it appears under its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replace_file(path) as part, closing(sqlite3.connect(part)) as database:
            database.executescript(_TERMINOLOGY_TABLES)
            database.executemany("INSERT INTO name VALUES (?, ?, ?, ?)", names)
            database.executemany("INSERT INTO relation VALUES (?, ?, ?)", relations)
            database.commit()
            database.executescript(_TERMINOLOGY_INDEXES)
    except sqlite3.Error as error:
        raise StoreError(f"vocabulary cannot be written: {path}", url=str(path), hint=str(error)) from error


class Terminology:
    """An open vocabulary file, for reading."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

    def concepts(self, folded: str) -> list[str]:
        """Return the concepts with a case-folded name; those that prefer it come first."""
        found = self._database.execute("SELECT concept FROM name WHERE folded = ? ORDER BY rank, concept", (folded,))
        return list(dict.fromkeys(row[0] for row in found))

    def names(self, concept: str) -> list[str]:
        """Return the names of a concept, the preferred one first."""
        found = self._database.execute("SELECT name FROM name WHERE concept = ? ORDER BY rank, rowid", (concept,))
        return list(dict.fromkeys(row[0] for row in found))

    def relatives(self, concept: str, kin: str) -> list[str]:
        """Return the concepts that have a relation (`kin`) to a concept."""
        found = self._database.execute(
            "SELECT DISTINCT other FROM relation WHERE concept = ? AND kin = ? ORDER BY other", (concept, kin)
        )
        return [row[0] for row in found]

    def close(self) -> None:
        """Close the file."""
        self._database.close()

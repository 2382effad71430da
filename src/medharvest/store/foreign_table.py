"""`ForeignTable`: a table in another database that records are delivered to, created if it is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import URL, Column, Connection, Engine, Integer, MetaData, Table, Text, insert, inspect, update

from medharvest.errors import StoreError
from medharvest.store.backends import BACKENDS
from medharvest.store.rows import to_storable
from medharvest.store.transactions import open_write_transaction, translate_database_errors

KEY_COLUMN = "id"


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

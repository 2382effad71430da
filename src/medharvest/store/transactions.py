"""Transactions that write: each database's `begin` listener sees that they keep other writers out."""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Engine, Table

_OPTION = "medharvest_writing"


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that keeps other writers out from its beginning."""
    with engine.connect() as connection, marked(connection).begin():
        yield connection


def marked(connection: Connection) -> Connection:
    """Mark the connection, before it begins, as one that writes."""
    return connection.execution_options(**{_OPTION: True})


def is_writing(connection: Connection) -> bool:
    """Whether the connection was marked."""
    return _OPTION in connection.get_execution_options()


def mark(connection: Connection) -> str:
    """How a statement marks a parameter."""
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


def insert_rows(
    connection: Connection, table: Table, rows: Iterable[tuple[object, ...]], *, but: tuple[str, ...] = ()
) -> None:
    """Insert rows given in the order of the table's columns, handed to the driver in bulk; without some columns."""
    run_for_each(connection, _insert(table, mark(connection), but), rows)


def run_for_each(connection: Connection, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Run a statement for each row. The driver takes them as they are made: to keep them all costs time and memory."""
    try:
        with closing(connection.connection.cursor()) as cursor:
            cursor.executemany(statement, rows)  # type: ignore[arg-type]  # drivers take whatever can be gone through
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError(statement, None, error) from error


@cache
def _insert(table: Table, sign: str, but: tuple[str, ...]) -> str:
    names = [f'"{column.name}"' for column in table.columns if column.name not in but]
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(sign for _ in names)})"  # noqa: S608


def next_numbers(connection: Connection, table: Table, count: int) -> list[int]:
    """Numbers for rows that are to be made in a table, none of them used before; other writers are kept out."""
    if connection.dialect.name == "sqlite":
        last = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).scalar() or 0
        return list(range(last + 1, last + 1 + count))
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    return [int(row[0]) for row in connection.exec_driver_sql(query, (table.name, count))]

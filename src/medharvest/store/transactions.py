"""Write transactions, bulk statements, and database errors translated into `StoreError`."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from medharvest.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Engine, Table

_WRITE_OPTION = "medharvest_writing"
_FOLDER_HINT = "the folder must exist and be writable"
_SERVER_HINT = "check host, port and that the server runs"
_SERVER_UNREACHABLE = "database server cannot be reached"
_PRIMARY_CODE_MASK = 0xFF  # the part of SQLite's codes that says what kind of error it is
_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# SQLSTATE: connection lost, taken back because of another transaction, too many of something, a lock that is held,
# the server shutting down or starting.
_TRANSIENT_SQLSTATES = ("08", "40", "53", "55P03", "57P")

# Part of the driver's message (any case) -> what is wrong, hint; the first that fits wins.
# SQLite's come first, then PostgreSQL's.
DRIVER_PROBLEMS = (
    ("file is not a database", "not a SQLite database", "name another file, or move this one away"),
    ("unable to open database file", "store cannot be opened", _FOLDER_HINT),
    ("readonly database", "store cannot be written", "check the permissions of the file and its folder"),
    ("database is locked", "store is in use by another program", "try again when that has finished"),
    ("disk is full", "disk is full", "free some space and try again"),
    ("malformed", "store is damaged", "restore a backup"),
    ("disk i/o error", "disk cannot be read or written", "check the disk, then restore a backup"),
    ("password", "database refuses the login", "check user and password in the store URL"),
    ("no pg_hba.conf entry", "database refuses the login", "the server's pg_hba.conf must allow it"),
    ("database .* does not exist", "no such database on the server", "create it: createdb NAME"),
    ("role .* does not exist", "no such user on the server", "create it: createuser NAME"),
    (
        "permission denied",
        "database refuses the access",
        "the user must be allowed to create tables",
    ),
    ("failed to resolve host", "database server is unknown", "check the host in the store URL"),
    ("connection.*(refused|failed|timeout|closed|lost)", _SERVER_UNREACHABLE, _SERVER_HINT),
)


@contextmanager
def open_write_transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that keeps other writers out from its beginning."""
    with engine.connect() as connection, mark_as_writing(connection).begin():
        yield connection


def mark_as_writing(connection: Connection) -> Connection:
    """Mark the connection, before it begins, as one that writes."""
    return connection.execution_options(**{_WRITE_OPTION: True})


def is_write_connection(connection: Connection) -> bool:
    """Whether the connection was marked."""
    return _WRITE_OPTION in connection.get_execution_options()


def placeholder_of(connection: Connection) -> str:
    """How a statement marks a parameter."""
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


def insert_rows(
    connection: Connection, table: Table, rows: Iterable[tuple[object, ...]], *, but: tuple[str, ...] = ()
) -> None:
    """Insert rows given in the order of the table's columns, handed to the driver in bulk; without some columns."""
    execute_for_rows(connection, _insert_statement(table, placeholder_of(connection), but), rows)


def execute_for_rows(connection: Connection, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Run a statement for each row. The driver takes them as they are made: to keep them all costs time and memory."""
    try:
        with closing(connection.connection.cursor()) as cursor:
            cursor.executemany(statement, rows)  # type: ignore[arg-type]  # drivers take whatever can be gone through
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError(statement, None, error) from error


@cache
def _insert_statement(table: Table, sign: str, but: tuple[str, ...]) -> str:
    names = [f'"{column.name}"' for column in table.columns if column.name not in but]
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(sign for _ in names)})"  # noqa: S608


def next_row_numbers(connection: Connection, table: Table, count: int) -> list[int]:
    """Numbers for rows that are to be made in a table, none of them used before; other writers are kept out."""
    if connection.dialect.name == "sqlite":
        last = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).scalar() or 0
        return list(range(last + 1, last + 1 + count))
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    return [int(row[0]) for row in connection.exec_driver_sql(query, (table.name, count))]


@contextmanager
def translate_database_errors(url: str) -> Iterator[None]:
    """Raise a `StoreError` about `url` for whatever the database or its driver raises inside."""
    try:
        yield
    # The drivers themselves refuse text that is no UTF-8 and numbers beyond 64 bits.
    except (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError) as error:
        message, hint = _explain_database_error(error)
        raise StoreError(f"{message}: {url}", url=url, hint=hint, passing=is_transient_error(error)) from error


def is_transient_error(error: Exception) -> bool:
    """Whether the same may work later: the database is in use, shuts down, or cannot be reached."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", 0) & _PRIMARY_CODE_MASK in _BUSY_CODES
    state = getattr(original, "sqlstate", None)
    if state:
        return str(state).startswith(_TRANSIENT_SQLSTATES)
    # Of a server that does not answer the driver has no more to say than its class and its words.
    return isinstance(error, OperationalError) and _explain_database_error(error)[0] == _SERVER_UNREACHABLE


def mask_store_password(url: str) -> str:
    """The URL without its password, fit for a message."""
    return re.sub(r"(?<=://)([^:@/]*):.*@", r"\1:***@", url)


def _explain_database_error(error: Exception) -> tuple[str, str]:
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = " ".join(str(original).split())
    for pattern, message, hint in DRIVER_PROBLEMS:
        if re.search(pattern, text, re.IGNORECASE):
            return message, hint
    return "store failed", text[:200]

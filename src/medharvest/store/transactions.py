"""`Transactions`: how every repository reads and writes its database.

Also here: write transactions, bulk statements, and database errors translated into `StoreError`.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from medharvest.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sqlalchemy import Connection, Engine, Table

T = TypeVar("T")
K = TypeVar("K")
_WRITE_OPTION = "medharvest_writing"
_FOLDER_HINT = "the folder must exist and be writable"
_SERVER_HINT = "check host, port and that the server runs"
_SERVER_UNREACHABLE = "database server cannot be reached"
_PRIMARY_CODE_MASK = 0xFF  # the part of SQLite's error codes that names the kind of error
_BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# SQLSTATE classes: connection lost, rolled back because of another transaction, too few resources, a lock that is held,
# the server shutting down or starting.
_TRANSIENT_SQLSTATES = ("08", "40", "53", "55P03", "57P")

# Part of the driver's message (in any case), what is wrong, hint. The first match wins.
# SQLite's messages come first, then PostgreSQL's.
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
    (
        "database system is (starting|shutting|in recovery|not)",
        "database server is restarting",
        "try again in a moment",
    ),
    (
        "connection.*(refused|failed|timeout|closed|lost)|(closed the|terminating) connection",
        _SERVER_UNREACHABLE,
        _SERVER_HINT,
    ),
)


class Transactions:
    """The transactions of one open database; all repositories of a store share it.

    `url` names the store in messages, and `now` gives the time as the store writes it.
    """

    def __init__(self, engine: Engine, *, url: str, now: Callable[[], str]) -> None:
        self.engine = engine
        self.url = url
        self.now = now
        self._open = True
        self._write_lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection to read from."""
        with self.guarded(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that keeps other writers out; it is committed at the end of the block."""
        # Threads of one program wait for this lock: SQLite would let them sleep, longer each time, until it is free.
        with self.guarded(), self._write_lock, open_write_transaction(self.engine) as connection:
            yield connection

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Refuse to work on a closed store, and raise database errors as `StoreError`."""
        if not self._open:
            raise StoreError(f"store is closed: {self.url}", url=self.url, hint="open it again")
        with translate_database_errors(self.url):
            yield

    def in_batches(self, read: Callable[[Connection, K], list[tuple[K, T]]], last: K) -> Iterator[T]:
        """Yield what `read` returns batch by batch, each read after the last key of the one before."""
        # No connection stays open between two batches: the caller may write while it reads, or stop half-way.
        while True:
            with self.reading() as connection:
                batch = read(connection, last)
            if not batch:
                return
            yield from (item for _, item in batch)
            last = batch[-1][0]

    def close(self) -> None:
        """Close the connections to the database."""
        self._open = False
        self.engine.dispose()


@contextmanager
def open_write_transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that keeps other writers out from its start."""
    with engine.connect() as connection, mark_as_writing(connection).begin():
        yield connection


def mark_as_writing(connection: Connection) -> Connection:
    """Mark a connection as one that writes, before its transaction begins."""
    return connection.execution_options(**{_WRITE_OPTION: True})


def is_write_connection(connection: Connection) -> bool:
    """Whether `mark_as_writing` marked the connection."""
    return _WRITE_OPTION in connection.get_execution_options()


def placeholder_of(connection: Connection) -> str:
    """Return the placeholder of a parameter in a statement."""
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


def insert_rows(
    connection: Connection, table: Table, rows: Iterable[tuple[object, ...]], *, but: tuple[str, ...] = ()
) -> None:
    """Insert rows in bulk, their values in the order of the table's columns; columns named in `but` are left out."""
    execute_for_rows(connection, _insert_statement(table, placeholder_of(connection), but), rows)


def execute_for_rows(connection: Connection, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Run a statement for each row; the driver takes the rows one by one, so they need not be in memory together."""
    try:
        with closing(connection.connection.cursor()) as cursor:
            cursor.executemany(statement, rows)  # type: ignore[arg-type]  # drivers take any iterable
    except connection.dialect.loaded_dbapi.Error as error:
        raise DBAPIError(statement, None, error) from error


@cache
def _insert_statement(table: Table, sign: str, but: tuple[str, ...]) -> str:
    names = [f'"{column.name}"' for column in table.columns if column.name not in but]
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(sign for _ in names)})"  # noqa: S608


def next_row_numbers(connection: Connection, table: Table, count: int) -> list[int]:
    """Return unused numbers for new rows of a table; the caller's transaction must keep other writers out."""
    if connection.dialect.name == "sqlite":
        last = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table.name,)).scalar() or 0
        return list(range(last + 1, last + 1 + count))
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    return [int(row[0]) for row in connection.exec_driver_sql(query, (table.name, count))]


@contextmanager
def translate_database_errors(url: str) -> Iterator[None]:
    """Raise every error of the database or its driver as a `StoreError` about `url`."""
    try:
        yield
    # The drivers refuse text that is not UTF-8 and numbers beyond 64 bits with these two.
    except (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError) as error:
        message, hint = _explain_database_error(error)
        raise StoreError(f"{message}: {url}", url=url, hint=hint, passing=is_transient_error(error)) from error


def is_transient_error(error: Exception) -> bool:
    """Whether another try may succeed later: the database is in use, shutting down, or cannot be reached."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", 0) & _PRIMARY_CODE_MASK in _BUSY_CODES
    state = getattr(original, "sqlstate", None)
    if state:
        return str(state).startswith(_TRANSIENT_SQLSTATES)
    # When a server does not answer, the driver gives only the error class and a message.
    return isinstance(error, OperationalError) and _explain_database_error(error)[0] == _SERVER_UNREACHABLE


def mask_store_password(url: str) -> str:
    """Return the URL without its password, for messages."""
    return re.sub(r"(?<=://)([^:@/]*):.*@", r"\1:***@", url)


def _explain_database_error(error: Exception) -> tuple[str, str]:
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = " ".join(str(original).split())
    for pattern, message, hint in DRIVER_PROBLEMS:
        if re.search(pattern, text, re.IGNORECASE):
            return message, hint
    return "store failed", text[:200]

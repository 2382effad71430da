"""Database errors turned into `StoreError`: what is wrong in the user's words, and a hint."""

from __future__ import annotations

import re
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from medharvest.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = "the folder must exist and be writable"
_SERVER = "check host, port and that the server runs"
_AWAY = "database server cannot be reached"
_PRIMARY = 0xFF  # the part of SQLite's codes that says what kind of error it is
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
# SQLSTATE: connection lost, taken back because of another transaction, too many of something, a lock that is held,
# the server shutting down or starting.
_PASSING_STATES = ("08", "40", "53", "55P03", "57P")

# Part of the driver's message (any case) -> what is wrong, hint; the first that fits wins.
# SQLite's come first, then PostgreSQL's.
PROBLEMS = (
    ("file is not a database", "not a SQLite database", "name another file, or move this one away"),
    ("unable to open database file", "store cannot be opened", _FOLDER),
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
    ("connection.*(refused|failed|timeout|closed|lost)", _AWAY, _SERVER),
)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Raise a `StoreError` about `url` for whatever the database or its driver raises inside."""
    try:
        yield
    # The drivers themselves refuse text that is no UTF-8 and numbers beyond 64 bits.
    except (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError) as error:
        message, hint = _explain(error)
        raise StoreError(f"{message}: {url}", url=url, hint=hint, passing=is_passing(error)) from error


def is_passing(error: Exception) -> bool:
    """Whether the same may work later: the database is in use, shuts down, or cannot be reached."""
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(original, sqlite3.Error):
        return getattr(original, "sqlite_errorcode", 0) & _PRIMARY in _BUSY
    state = getattr(original, "sqlstate", None)
    if state:
        return str(state).startswith(_PASSING_STATES)
    # Of a server that does not answer the driver has no more to say than its class and its words.
    return isinstance(error, OperationalError) and _explain(error)[0] == _AWAY


def masked(url: str) -> str:
    """The URL without its password, fit for a message."""
    return re.sub(r"(?<=://)([^:@/]*):.*@", r"\1:***@", url)


def _explain(error: Exception) -> tuple[str, str]:
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = " ".join(str(original).split())
    for pattern, message, hint in PROBLEMS:
        if re.search(pattern, text, re.IGNORECASE):
            return message, hint
    return "store failed", text[:200]

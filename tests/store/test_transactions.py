"""Which errors of a database may pass by themselves."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from medharvest.store.transactions import is_transient_error


class Refused(Exception):  # noqa: N818  (as a driver raises it)
    """An error of a server: its SQLSTATE, and words that say nothing."""

    def __init__(self, sqlstate: str | None, words: str = "") -> None:
        super().__init__(words)
        self.sqlstate = sqlstate


def of_sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said in any words")
    error.sqlite_errorcode = code
    return error


BUSY_SNAPSHOT = sqlite3.SQLITE_BUSY | 2 << 8


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (of_sqlite(sqlite3.SQLITE_BUSY), True),
        (of_sqlite(BUSY_SNAPSHOT), True),
        (of_sqlite(sqlite3.SQLITE_LOCKED), True),
        (of_sqlite(sqlite3.SQLITE_FULL), False),
        (sqlite3.OperationalError("database is locked, says a text without a code"), False),
        (Refused("08006"), True),
        (Refused("40001"), True),
        (Refused("53300"), True),
        (Refused("55P03"), True),
        (Refused("57P01"), True),
        (Refused("28P01"), False),
        (Refused("42501", "connection refused, says a table"), False),
        (Refused(None, "connection failed: Connection refused"), True),
        (Refused(None, "consuming input failed: server closed the connection unexpectedly"), True),
        (Refused(None, "password authentication failed"), False),
    ],
)
def test_the_code_of_an_error_says_whether_it_may_pass(error: Exception, *, passing: bool) -> None:
    assert is_transient_error(OperationalError("statement", None, error)) is passing


def test_an_error_of_the_statement_or_of_ours_does_not_pass() -> None:
    refused = Refused(None, "connection refused")
    assert not is_transient_error(ProgrammingError("statement", None, refused))
    assert not is_transient_error(DBAPIError("statement", None, refused))
    assert not is_transient_error(OverflowError("too large"))
    assert is_transient_error(of_sqlite(sqlite3.SQLITE_BUSY))

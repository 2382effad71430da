"""Transactions that write: each database's `begin` listener sees that they keep other writers out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

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

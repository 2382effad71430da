"""What only PostgreSQL needs; the function names are those of `sqlite.py`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select

from medharvest.errors import StoreError
from medharvest.store.transactions import is_writing, writing

if TYPE_CHECKING:
    from pathlib import Path

# Any number, the same in every process that writes to the store.
LOCK = 0x6D656468
CONNECT_SECONDS = "10"
# How a statement marks a parameter.
MARK = "%s"


def make_engine(url: URL) -> Engine:
    """Build an engine over psycopg that notices a lost connection before it is used."""
    url = url.set(drivername="postgresql+psycopg")
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": CONNECT_SECONDS})
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except ImportError as error:
        name = url.render_as_string(hide_password=True)
        hint = "pip install 'medharvest[postgres]'"
        raise StoreError("PostgreSQL needs the package psycopg", url=name, hint=hint) from error
    event.listen(engine, "begin", _begin)
    return engine


def settle(_engine: Engine) -> None:
    """Do nothing: the server's own settings hold."""


def backup(_engine: Engine, _revision: str) -> Path | None:
    """Make none: a failed migration is rolled back, and copies are the server's business."""
    return None


def copy_file(_engine: Engine, _target: Path) -> bool:
    """Copy nothing: there is no file."""
    return False


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that reads, and sees nothing of what others write meanwhile."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        yield connection


def vacuum(engine: Engine) -> None:
    """Give the space of removed rows back to the tables."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM (ANALYZE)")


def size(engine: Engine) -> int:
    """Bytes of the database."""
    with engine.connect() as connection:
        return int(connection.scalar(select(func.pg_database_size(func.current_database()))) or 0)


def broken(_connection: Connection) -> Iterator[str]:
    """Find nothing: the server keeps references whole, and damage is its administrator's business."""
    yield from ()


# Nothing to prepare: PostgreSQL alters tables in place.
migrating = writing


@contextmanager
def recording(connection: Any) -> Iterator[Any]:
    """Open a transaction on the driver's connection that keeps other writers out."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            yield cursor
            connection.commit()
        finally:
            connection.rollback()


def _begin(connection: Connection) -> None:
    # One writer at a time, as with SQLite: two programs must not both find an article new.
    if is_writing(connection):
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))

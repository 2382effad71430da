"""What only SQLite needs: pragmas, transactions that really begin, copies of the file."""

from __future__ import annotations

import itertools
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from medharvest.errors import StoreError
from medharvest.store.fts5 import TOGETHER
from medharvest.store.transactions import is_writing, marked

if TYPE_CHECKING:
    from collections.abc import Iterator

# Another process may hold the file while it records a page or migrates.
BUSY_SECONDS = 30.0
# Indexes of a million records are looked up all over: what is read stays in memory up to here.
CACHE_KILOBYTES = 65_536
# Pages of the write-ahead log (40 MB) before it is taken over: of pages that change often only the last form is then.
LOG_PAGES = 10_000
# How a statement marks a parameter.
MARK = "?"


def make_engine(url: URL) -> Engine:
    """Build an engine whose transactions hold tables too and whose commits are on disk."""
    database = url.database or ":memory:"
    _check_folder(database)
    options: dict[str, Any] = {"timeout": BUSY_SECONDS, "isolation_level": None}
    if database == ":memory:":  # one connection, or each would see a database of its own
        engine = create_engine(url, poolclass=StaticPool, connect_args={**options, "check_same_thread": False})
    else:
        engine = create_engine(url, connect_args=options)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def settle(engine: Engine) -> None:
    """Switch to the write-ahead log, once the file is known to be ours."""
    until = time.monotonic() + BUSY_SECONDS
    with engine.connect() as connection:
        while True:
            try:
                _driver(connection).execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:  # unlike other statements, this one does not wait for its turn
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.02)
            else:
                return


def backup(engine: Engine, revision: str) -> Path | None:
    """Copy the file beside itself as `NAME.backup-REVISION`; an earlier copy is kept."""
    with engine.connect() as connection:
        file = _driver(connection).execute("PRAGMA database_list").fetchone()[2]
    if not file:
        return None
    target = _free_name(f"{file}.backup-{revision}")
    copy_file(engine, target)
    return target


def copy_file(engine: Engine, target: Path) -> bool:
    """Copy the database as it is now to a file, while others may write."""
    with engine.connect() as connection, closing(sqlite3.connect(target)) as copy:
        _driver(connection).backup(copy)
    return True


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that reads, and sees nothing of what others write meanwhile."""
    with engine.connect() as connection:
        yield connection


def vacuum(engine: Engine) -> None:
    """Put the parts of the search index together, give the space of removed rows back, empty the write-ahead log."""
    with engine.connect() as connection:
        for statement in (TOGETHER, "VACUUM", "PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)"):
            _driver(connection).execute(statement)


def size(engine: Engine) -> int:
    """Bytes of the database."""
    with engine.connect() as connection:
        driver = _driver(connection)
        pages, size_ = (driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages * size_)


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that may rebuild tables: references are checked at its end, not on the way."""
    with engine.connect() as connection:
        driver = _driver(connection)
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            with marked(connection).begin():
                yield connection
                _check_references(connection)
        finally:
            driver.execute("PRAGMA foreign_keys = ON")


@contextmanager
def recording(connection: Any) -> Iterator[sqlite3.Cursor]:
    """Open a transaction on the driver's connection that a kill cannot undo once it is committed.

    It does not wait for the disk, which takes two to five times as long: a failure of power may undo the last pages,
    never a part of one, and they are asked for again. The next transaction of any other kind waits for them too.
    """
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = NORMAL")
    try:
        cursor.execute("BEGIN IMMEDIATE")
        yield cursor
        connection.commit()
    finally:
        connection.rollback()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()


def broken(connection: Connection) -> Iterator[str]:
    """What SQLite's own checks find."""
    for (line,) in connection.exec_driver_sql("PRAGMA integrity_check"):
        if line != "ok":
            yield f"damaged: {line}"
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to nothing in {parent}"


def _check_folder(database: str) -> None:
    folder = Path(database).parent
    if database != ":memory:" and not database.startswith("file:") and not folder.is_dir():
        raise StoreError(f"no such folder: {folder}", url=database, hint="create it, or name another file")


def _check_references(connection: Connection) -> None:
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise sqlite3.IntegrityError(f"reference to nothing in table {broken[0]}")


def _set_pragmas(driver: sqlite3.Connection, _record: object) -> None:
    driver.execute("PRAGMA foreign_keys = ON")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute(f"PRAGMA cache_size = -{CACHE_KILOBYTES}")
    driver.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")


def _begin(connection: Connection) -> None:
    # A writer that begins as a reader fails at once, without waiting, when another wrote in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing(connection) else "BEGIN")


def _driver(connection: Connection) -> Any:
    return connection.connection.dbapi_connection


def _free_name(name: str) -> Path:
    names = itertools.chain((name,), (f"{name}-{n}" for n in itertools.count(2)))
    return next(path for path in map(Path, names) if not path.exists())

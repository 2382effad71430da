"""The backend for SQLite: pragmas, transactions, file copies, and full-text search with FTS5.

`backends.Backend` lists what this module and `postgres` have in common.
"""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from medharvest.atomic_file import replace_file
from medharvest.errors import StoreError
from medharvest.search.index_fields import INDEX_COLUMNS, SEARCH_FIELDS, encode_mark, fold_words
from medharvest.search.query import And, Or, Query, Text, Without, Years, iter_wanted_terms, split_year_span
from medharvest.store.rows import HIT_MARKS
from medharvest.store.tables import TOPIC_PAGE_DIFFERS
from medharvest.store.transactions import execute_for_rows, is_write_connection, mark_as_writing

# Another process may lock the file while it records a page or migrates.
BUSY_SECONDS = 30.0
# Lookups in the indexes of a million records are scattered: this much of what was read stays in memory, for all
# connections of a process together; a server has one for each thread.
CACHE_KILOBYTES = 65_536
# Pages of the write-ahead log (40 MB) before a checkpoint: pages that change often are then copied only once.
WAL_PAGES = 10_000
PLACEHOLDER = "?"
_INDEX_COLUMN_NAMES = ", ".join(INDEX_COLUMNS)
_OLD_VALUES = ", ".join(f"old.{name}" for name in INDEX_COLUMNS)
_NEW_VALUES = ", ".join(f"new.{name}" for name in INDEX_COLUMNS)
_UNINDEX_OLD_ROW = (
    f"INSERT INTO search (search, rowid, {_INDEX_COLUMN_NAMES}) VALUES ('delete', old.id, {_OLD_VALUES});"  # noqa: S608  (names of our own)
)
_INDEX_NEW_ROW = f"INSERT INTO search (rowid, {_INDEX_COLUMN_NAMES}) VALUES (new.id, {_NEW_VALUES});"  # noqa: S608
_PLACEHOLDERS = ", ".join("?" for _ in range(len(INDEX_COLUMNS) + 1))
_INSERT_DOCUMENT = f"INSERT INTO search (rowid, {_INDEX_COLUMN_NAMES}) VALUES ({_PLACEHOLDERS})"  # noqa: S608
# Pages are written during a crawl. They are only queued then, and indexed before the next search.
_QUEUE_TOPIC_PAGE = (
    "INSERT INTO page_waiting SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM page_waiting WHERE page = new.id);"
)
# The index stores no text; it is updated in the same transaction as the table. Triggers remove changed and deleted
# rows, because they know the old values. New rows are added in bulk, which takes half the time of a trigger.
_TOKENIZER_OPTION = "tokenize='porter unicode61 remove_diacritics 2'"
# Segments of the index are merged eight at a time, not four, and 16 MB of words, not one, are kept in memory before
# they become a segment: each word is then written less often.
MERGE_SETTINGS = (
    "INSERT INTO search (search, rank) VALUES ('automerge', 8)",
    "INSERT INTO search (search, rank) VALUES ('hashsize', 16777216)",
)
# Merges all segments into one: a search then takes a third less time.
OPTIMIZE_INDEX = "INSERT INTO search (search) VALUES ('optimize')"
MEMORY_INDEX_DDL = f"CREATE VIRTUAL TABLE search USING fts5({_INDEX_COLUMN_NAMES}, {_TOKENIZER_OPTION})"
INDEX_DDL = (
    (
        f"CREATE VIRTUAL TABLE search USING fts5({_INDEX_COLUMN_NAMES}, content='document', content_rowid='id',"
        f" {_TOKENIZER_OPTION})"
    ),
    f"CREATE TRIGGER document_gone AFTER DELETE ON document BEGIN {_UNINDEX_OLD_ROW} END",
    f"CREATE TRIGGER document_changed AFTER UPDATE ON document BEGIN {_UNINDEX_OLD_ROW} {_INDEX_NEW_ROW} END",
    f"CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page BEGIN {_QUEUE_TOPIC_PAGE} END",
    (
        f"CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page WHEN {TOPIC_PAGE_DIFFERS}"
        f" BEGIN {_QUEUE_TOPIC_PAGE} END"
    ),
    *MERGE_SETTINGS,
)
_indexed_values = itemgetter("id", *INDEX_COLUMNS)
_COLUMN_WEIGHTS = ", ".join(str(weight) for weight in INDEX_COLUMNS.values())
_COUNT_MATCHES = "SELECT count(*) FROM search WHERE search MATCH ?"
_SELECT_MATCHING_IDS = "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?"
# Ordering a thousand rows takes about two milliseconds, ordering a million two seconds.
_SELECT_BEST_MATCHES = f"""SELECT rowid, score, count(*) OVER () FROM (
    SELECT rowid, -bm25(search, {_COLUMN_WEIGHTS}) AS score FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, rowid LIMIT ? OFFSET ?"""  # noqa: S608  (numbers of our own)
_MAX_SNIPPET_SOURCE = 20_000  # characters of a text that are searched for a snippet
_INSERT_SNIPPET_TEXT = "INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)"
_SELECT_MARKED_TEXT = (
    "SELECT rowid, highlight(search, 0, ?, ?), snippet(search, 1, ?, ?, '…', 30) FROM search WHERE search MATCH ?"
)


def make_engine(url: URL) -> Engine:
    """Build an engine whose transactions include schema changes and whose commits are on disk."""
    database = url.database or ":memory:"
    _check_store_folder(database)
    options: dict[str, Any] = {"timeout": BUSY_SECONDS, "isolation_level": None}
    if database == ":memory:":  # one connection, or each would have its own database
        engine = create_engine(url, poolclass=StaticPool, connect_args={**options, "check_same_thread": False})
    else:
        engine = create_engine(url, connect_args=options)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_sqlite_transaction)
    return engine


def configure_database(engine: Engine) -> None:
    """Switch to the write-ahead log."""
    until = time.monotonic() + BUSY_SECONDS
    with engine.connect() as connection:
        while True:
            try:
                _driver_connection(connection).execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:  # unlike other statements, this one does not wait for a lock
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.02)
            else:
                return


def backup_database(engine: Engine, revision: str) -> Path | None:
    """Copy the file to `NAME.backup-REVISION` in the same folder; earlier copies are kept."""
    with engine.connect() as connection:
        file = _driver_connection(connection).execute("PRAGMA database_list").fetchone()[2]
    if not file:
        return None
    target = _free_backup_path(f"{file}.backup-{revision}")
    try:
        with replace_file(target, durable=True) as temporary:  # a kill leaves no half copy that looks like a backup
            copy_database_file(engine, temporary)
    except OSError as error:
        hint = f"{error.strerror}; a store is not migrated without a backup"
        raise StoreError(f"backup cannot be written: {target}", url=file, hint=hint) from error
    return target


def copy_database_file(engine: Engine, target: Path) -> bool:
    """Copy the database as it is now to a file; others may write meanwhile."""
    with engine.connect() as connection, closing(sqlite3.connect(target)) as copy:
        copy.execute("PRAGMA journal_mode = MEMORY")  # a killed copy is thrown away: no journal may stay beside it
        _driver_connection(connection).backup(copy)
    return True


@contextmanager
def open_snapshot(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that reads and does not see what others write meanwhile."""
    with engine.connect() as connection:
        yield connection


def vacuum_database(engine: Engine) -> None:
    """Merge the search index, give the space of removed rows back, and empty the write-ahead log."""
    with engine.connect() as connection:
        for statement in (OPTIMIZE_INDEX, "VACUUM", "PRAGMA optimize", "PRAGMA wal_checkpoint(TRUNCATE)"):
            _driver_connection(connection).execute(statement)


def database_size(engine: Engine) -> int:
    """Return the size of the database in bytes."""
    with engine.connect() as connection:
        driver = _driver_connection(connection)
        pages, size_ = (driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages * size_)


@contextmanager
def begin_migration(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that may rebuild tables: foreign keys are checked at its end only."""
    with engine.connect() as connection:
        driver = _driver_connection(connection)
        driver.execute("PRAGMA foreign_keys = OFF")
        try:
            with mark_as_writing(connection).begin():
                yield connection
                _check_foreign_keys(connection)
        finally:
            driver.execute("PRAGMA foreign_keys = ON")


@contextmanager
def begin_recording(connection: Any) -> Iterator[sqlite3.Cursor]:
    """Open a transaction on the driver's connection that a kill cannot undo once it is committed.

    It does not wait for the disk, which takes two to five times as long. A power failure may undo the last pages, never
    a part of one, and they are fetched again. The next transaction of any other kind waits until they are on disk.
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


def find_damage(connection: Connection) -> Iterator[str]:
    """Yield one line for each problem that SQLite's own checks find."""
    for (line,) in connection.exec_driver_sql("PRAGMA integrity_check"):
        if line != "ok":
            yield f"damaged: {line}"
    for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to nothing in {parent}"


def _check_store_folder(database: str) -> None:
    folder = Path(database).parent
    if database != ":memory:" and not database.startswith("file:") and not folder.is_dir():
        raise StoreError(f"no such folder: {folder}", url=database, hint="create it, or name another file")


def _check_foreign_keys(connection: Connection) -> None:
    if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise sqlite3.IntegrityError(f"reference to nothing in table {broken[0]}")


def _set_pragmas(driver: sqlite3.Connection, _record: object) -> None:
    driver.execute("PRAGMA foreign_keys = ON")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute(f"PRAGMA cache_size = -{CACHE_KILOBYTES}")
    driver.execute(f"PRAGMA soft_heap_limit = {CACHE_KILOBYTES * 1024}")
    driver.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")


def _begin_sqlite_transaction(connection: Connection) -> None:
    # A transaction that begins as a reader and then writes fails at once, without waiting, if another wrote in between.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write_connection(connection) else "BEGIN")


def _driver_connection(connection: Connection) -> Any:
    return connection.connection.dbapi_connection


def _free_backup_path(name: str) -> Path:
    names = itertools.chain((name,), (f"{name}-{n}" for n in itertools.count(2)))
    return next(path for path in map(Path, names) if not path.exists())


def index_documents(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add new documents to the index."""
    execute_for_rows(connection, _INSERT_DOCUMENT, map(_indexed_values, rows))


def reindex_documents(_connection: Connection, _rows: Sequence[Mapping[str, Any]]) -> None:
    """Do nothing for documents that changed: the triggers did it."""


def count_matches(connection: Connection, query: Query) -> int:
    """Count the documents that match a query."""
    return int(connection.exec_driver_sql(_COUNT_MATCHES, (to_fts5_query(query),)).scalar_one())


def find_matching_ids(connection: Connection, query: Query, *, after: int, limit: int) -> list[int]:
    """Return the next matching documents, by number."""
    return list(connection.exec_driver_sql(_SELECT_MATCHING_IDS, (to_fts5_query(query), after, limit)).scalars())


def rank_matches(
    connection: Connection, query: Query, *, among: int, limit: int, offset: int
) -> tuple[int, list[tuple[int, float]]]:
    """Rank the newest `among` matches: how many there are, and the best, by number and score."""
    rows = connection.exec_driver_sql(_SELECT_BEST_MATCHES, (to_fts5_query(query), among, limit, offset)).all()
    return (rows[0][2] if rows else 0), [(id_, score) for id_, score, _ in rows]


def to_fts5_query(query: Query) -> str:
    """Return the query in the syntax of FTS5; every word is folded and quoted, so that none is an operator."""
    if isinstance(query, And | Or):
        return f" {'AND' if isinstance(query, And) else 'OR'} ".join(f"({to_fts5_query(part)})" for part in query.parts)
    if isinstance(query, Without):
        return f"({to_fts5_query(query.kept)}) NOT ({to_fts5_query(query.dropped)})"
    if isinstance(query, Years):
        return " OR ".join(f'{{marks}} : "{word}"{star}' for word, star in _year_mark_prefixes(query))
    assert isinstance(query, Text)
    return " OR ".join([_to_fts5_term(query)] * query.weight)  # a repeated phrase counts as often as it is repeated


def _to_fts5_term(text: Text) -> str:
    field = SEARCH_FIELDS[text.field or "all"]
    star = " *" if text.prefix else ""
    if field.marked:
        found = f'"{encode_mark(text.field, text.text)}"{star}'
    elif text.phrase:
        found = f'"{" ".join(fold_words(text.text))}"{star}'
    else:
        words = [" ".join(fold_words(word)) for word in text.text.split()]
        found = " AND ".join(f'"{word}"{star}' for word in words if word)
    return f"({{{' '.join(field.columns)}}} : ({found}))"


def _year_mark_prefixes(years: Years) -> Iterator[tuple[str, str]]:
    return (
        (encode_mark("year", year), " *" if whole else "") for year, whole in split_year_span(years.first, years.last)
    )


def mark_hit_texts(query: Query, texts: Sequence[tuple[int, str, str]]) -> dict[int, tuple[str, str]]:
    """Mark the hits in the title and in a snippet of the text of documents, given as number, title and text."""
    found = to_fts5_query(Or(tuple(iter_wanted_terms(query))))
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(MEMORY_INDEX_DDL)
        index.executemany(
            _INSERT_SNIPPET_TEXT, [(id_, title, text[:_MAX_SNIPPET_SOURCE]) for id_, title, text in texts]
        )
        rows = index.execute(_SELECT_MARKED_TEXT, (*HIT_MARKS, *HIT_MARKS, found)).fetchall()
    plain = {id_: (title, "") for id_, title, _ in texts}
    return plain | {id_: (title, piece) for id_, title, piece in rows}

"""Search in SQLite by its full-text index FTS5; the function names are those of `tsvector.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection

from medharvest.search.fields import COLUMNS, FIELDS
from medharvest.search.nodes import And, Or, Query, Text, Without, Years
from medharvest.search.words import fold, mark
from medharvest.store.transactions import run_for_each

_NAMES = ", ".join(COLUMNS)
_OLD = ", ".join(f"old.{name}" for name in COLUMNS)
_NEW = ", ".join(f"new.{name}" for name in COLUMNS)
_GONE = f"INSERT INTO search (search, rowid, {_NAMES}) VALUES ('delete', old.id, {_OLD});"  # noqa: S608  (names of our own)
_CAME = f"INSERT INTO search (rowid, {_NAMES}) VALUES (new.id, {_NEW});"  # noqa: S608
_ADD = f"INSERT INTO search (rowid, {_NAMES}) VALUES ({', '.join('?' for _ in range(len(COLUMNS) + 1))})"  # noqa: S608
# A page is written in the midst of a crawl: that it must be indexed is noted, and done before the next search.
_WAITS = "INSERT INTO page_waiting SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM page_waiting WHERE page = new.id);"
DIFFERS = "old.title <> new.title OR old.text <> new.text OR (old.gone_at IS NULL) <> (new.gone_at IS NULL)"
# The index holds no text of its own; it is kept in step with the table in the same transaction. What changes or goes is
# taken out by triggers, which know what it was; what comes is added in bulk, which takes half the time of a trigger.
_WORDS = "tokenize='porter unicode61 remove_diacritics 2'"
# Parts of the index are put together eight at a time, not four, and the words of many documents are kept in memory (16
# MB, not one) until they make a part: each word is then written less often.
MERGING = (
    "INSERT INTO search (search, rank) VALUES ('automerge', 8)",
    "INSERT INTO search (search, rank) VALUES ('hashsize', 16777216)",
)
# All parts in one: a search then takes a third less.
TOGETHER = "INSERT INTO search (search) VALUES ('optimize')"
TABLE = f"CREATE VIRTUAL TABLE search USING fts5({_NAMES}, {_WORDS})"
DDL = (
    f"CREATE VIRTUAL TABLE search USING fts5({_NAMES}, content='document', content_rowid='id', {_WORDS})",
    f"CREATE TRIGGER document_gone AFTER DELETE ON document BEGIN {_GONE} END",
    f"CREATE TRIGGER document_changed AFTER UPDATE ON document BEGIN {_GONE} {_CAME} END",
    f"CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page BEGIN {_WAITS} END",
    f"CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page WHEN {DIFFERS} BEGIN {_WAITS} END",
    *MERGING,
)
_indexed = itemgetter("id", *COLUMNS)
_WEIGHTS = ", ".join(str(weight) for weight in COLUMNS.values())
_COUNT = "SELECT count(*) FROM search WHERE search MATCH ?"
_IDS = "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?"
# The order of a thousand rows costs some two milliseconds, that of a million two seconds.
_BEST = f"""SELECT rowid, score, count(*) OVER () FROM (
    SELECT rowid, -bm25(search, {_WEIGHTS}) AS score FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, rowid LIMIT ? OFFSET ?"""  # noqa: S608  (numbers of our own)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Index new documents."""
    run_for_each(connection, _ADD, map(_indexed, rows))


def renew(_connection: Connection, _rows: Sequence[Mapping[str, Any]]) -> None:
    """Do nothing for documents that changed: the triggers did it."""


def count(connection: Connection, query: Query) -> int:
    """How many documents a query finds."""
    return int(connection.exec_driver_sql(_COUNT, (match(query),)).scalar_one())


def ids(connection: Connection, query: Query, *, after: int, limit: int) -> list[int]:
    """The next documents that a query finds, by number."""
    return list(connection.exec_driver_sql(_IDS, (match(query), after, limit)).scalars())


def best(
    connection: Connection, query: Query, *, among: int, limit: int, offset: int
) -> tuple[int, list[tuple[int, float]]]:
    """Of the newest `among` documents found: how many they are, and those that fit best, by number and score."""
    rows = connection.exec_driver_sql(_BEST, (match(query), among, limit, offset)).all()
    return (rows[0][2] if rows else 0), [(id_, score) for id_, score, _ in rows]


def match(query: Query) -> str:
    """The query as FTS5 writes it; every word is folded and quoted, so that none is an operator."""
    if isinstance(query, And | Or):
        return f" {'AND' if isinstance(query, And) else 'OR'} ".join(f"({match(part)})" for part in query.parts)
    if isinstance(query, Without):
        return f"({match(query.kept)}) NOT ({match(query.dropped)})"
    if isinstance(query, Years):
        return " OR ".join(f'{{marks}} : "{word}"{star}' for word, star in _year_words(query))
    assert isinstance(query, Text)
    return " OR ".join([_text(query)] * query.weight)  # a phrase given twice counts twice


def _text(text: Text) -> str:
    field = FIELDS[text.field or "all"]
    star = " *" if text.prefix else ""
    if field.marked:
        found = f'"{mark(text.field, text.text)}"{star}'
    elif text.phrase:
        found = f'"{" ".join(fold(text.text))}"{star}'
    else:
        words = [" ".join(fold(word)) for word in text.text.split()]
        found = " AND ".join(f'"{word}"{star}' for word in words if word)
    return f"({{{' '.join(field.columns)}}} : ({found}))"


def _year_words(years: Years) -> Iterator[tuple[str, str]]:
    return ((mark("year", year), " *" if whole else "") for year, whole in years_words(years.first, years.last))


def years_words(first: int, last: int) -> Iterable[tuple[str, bool]]:
    """The years of a span, whole decades, centuries and thousands of years by their beginning."""
    while first <= last:
        size = next(size for size in (1000, 100, 10, 1) if first % size == 0 and first + size - 1 <= last)
        yield (str(first // size), True) if size > 1 else (str(first), False)
        first += size

"""Search in SQLite by its full-text index FTS5; the function names are those of `tsvector.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from medharvest.search.fields import COLUMNS, FIELDS
from medharvest.search.nodes import And, Or, Query, Text, Without, Years
from medharvest.search.words import fold, mark

_NAMES = ", ".join(COLUMNS)
_OLD = ", ".join(f"old.{name}" for name in COLUMNS)
_NEW = ", ".join(f"new.{name}" for name in COLUMNS)
_GONE = f"INSERT INTO search (search, rowid, {_NAMES}) VALUES ('delete', old.id, {_OLD});"  # noqa: S608  (names of our own)
_CAME = f"INSERT INTO search (rowid, {_NAMES}) VALUES (new.id, {_NEW});"  # noqa: S608
# The index holds no text of its own; triggers keep it in step with the table in the same transaction.
_OPTIONS = "content='document', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'"
DDL = (
    f"CREATE VIRTUAL TABLE search USING fts5({_NAMES}, {_OPTIONS})",
    f"CREATE TRIGGER document_came AFTER INSERT ON document BEGIN {_CAME} END",
    f"CREATE TRIGGER document_gone AFTER DELETE ON document BEGIN {_GONE} END",
    f"CREATE TRIGGER document_changed AFTER UPDATE ON document BEGIN {_GONE} {_CAME} END",
)
_WEIGHTS = ", ".join(str(weight) for weight in COLUMNS.values())
_COUNT = "SELECT count(*) FROM search WHERE search MATCH ?"
_IDS = "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?"
# The order of a thousand rows costs some two milliseconds, that of a million two seconds.
_BEST = f"""SELECT rowid, score FROM (
    SELECT rowid, -bm25(search, {_WEIGHTS}) AS score FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?
) ORDER BY score DESC, rowid LIMIT ? OFFSET ?"""  # noqa: S608  (numbers of our own)
_SHOWN = """SELECT highlight(search, 0, ?, ?), snippet(search, 1, ?, ?, '…', 30)
    FROM search WHERE search MATCH ? AND rowid = ?"""


def index(_connection: Connection, _rows: Sequence[Any]) -> None:
    """Do nothing: the triggers did it."""


def count(connection: Connection, query: Query) -> int:
    """How many documents a query finds."""
    return int(connection.exec_driver_sql(_COUNT, (_match(query),)).scalar_one())


def ids(connection: Connection, query: Query, *, after: int, limit: int) -> list[int]:
    """The next documents that a query finds, by number."""
    return list(connection.exec_driver_sql(_IDS, (_match(query), after, limit)).scalars())


def best(connection: Connection, query: Query, *, among: int, limit: int, offset: int) -> list[tuple[int, float]]:
    """The documents that fit best, of the newest `among`: number and score."""
    return [(id_, score) for id_, score in connection.exec_driver_sql(_BEST, (_match(query), among, limit, offset))]


def shown(connection: Connection, query: Query, id_: int, marks: tuple[str, str]) -> tuple[str, str]:
    """The title of a document and a piece of its text, what was found between marks."""
    found = connection.exec_driver_sql(_SHOWN, (*marks, *marks, _match(query), id_)).first()
    return (found[0] or "", found[1] or "") if found else ("", "")


def _match(query: Query) -> str:
    """The query as FTS5 writes it; every word is folded and quoted, so that none is an operator."""
    if isinstance(query, And | Or):
        return f" {'AND' if isinstance(query, And) else 'OR'} ".join(f"({_match(part)})" for part in query.parts)
    if isinstance(query, Without):
        return f"({_match(query.kept)}) NOT ({_match(query.dropped)})"
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

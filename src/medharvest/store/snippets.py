"""Titles and pieces of text with what a query found in them marked; a small index in memory does it for any database.

To ask the large index once more for every hit costs more the larger it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from medharvest.search.nodes import Or, Query, singles
from medharvest.store.fts5 import TABLE, match
from medharvest.store.rows import MARKS

_LONGEST = 20_000  # characters of a text that are looked through
_INSERT = "INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)"
_MARKED = "SELECT rowid, highlight(search, 0, ?, ?), snippet(search, 1, ?, ?, '…', 30) FROM search WHERE search MATCH ?"


def mark_found(query: Query, texts: Sequence[tuple[int, str, str]]) -> dict[int, tuple[str, str]]:
    """Of documents given as number, title and text: the title and a piece of the text, with marks."""
    found = match(Or(tuple(singles(query))))
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(TABLE)
        index.executemany(_INSERT, [(id_, title, text[:_LONGEST]) for id_, title, text in texts])
        rows = index.execute(_MARKED, (*MARKS, *MARKS, found)).fetchall()
    plain = {id_: (title, "") for id_, title, _ in texts}
    return plain | {id_: (title, piece) for id_, title, piece in rows}

"""`Terminology`: a vocabulary too large for memory, in its own SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from medharvest.atomic_file import replace_file
from medharvest.errors import StoreError

_TERMINOLOGY_TABLES = """
CREATE TABLE name (concept TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE relation (concept TEXT NOT NULL, kin TEXT NOT NULL, other TEXT NOT NULL);
"""
_TERMINOLOGY_INDEXES = """
CREATE INDEX name_concept ON name (concept, rank);
CREATE INDEX name_folded ON name (folded, rank);
CREATE INDEX relation_concept ON relation (concept, kin);
"""
NameRow = tuple[str, str, str, int]  # concept, name, the name case folded, 0 for the preferred one
RelationRow = tuple[str, str, str]  # concept, what the other is to it, the other


def build_terminology(path: Path, names: Iterable[NameRow], relations: Iterable[RelationRow]) -> None:
    """Write the file under another name first, so that half of one is never taken for the whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replace_file(path) as part, closing(sqlite3.connect(part)) as database:
            database.executescript(_TERMINOLOGY_TABLES)
            database.executemany("INSERT INTO name VALUES (?, ?, ?, ?)", names)
            database.executemany("INSERT INTO relation VALUES (?, ?, ?)", relations)
            database.commit()
            database.executescript(_TERMINOLOGY_INDEXES)
    except sqlite3.Error as error:
        raise StoreError(f"cannot be written: {path}", url=str(path), hint=str(error)) from error


class Terminology:
    """An open file; it is only read."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

    def concepts(self, folded: str) -> list[str]:
        """The concepts with a name, case folded; those that prefer it first."""
        found = self._database.execute("SELECT concept FROM name WHERE folded = ? ORDER BY rank, concept", (folded,))
        return list(dict.fromkeys(row[0] for row in found))

    def names(self, concept: str) -> list[str]:
        """The names of a concept, the preferred one first."""
        found = self._database.execute("SELECT name FROM name WHERE concept = ? ORDER BY rank, rowid", (concept,))
        return list(dict.fromkeys(row[0] for row in found))

    def relatives(self, concept: str, kin: str) -> list[str]:
        """The concepts that are this to a concept."""
        found = self._database.execute(
            "SELECT DISTINCT other FROM relation WHERE concept = ? AND kin = ? ORDER BY other", (concept, kin)
        )
        return [row[0] for row in found]

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

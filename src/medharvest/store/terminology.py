"""`Terminology`: a vocabulary that is too large for memory, in its own SQLite file."""

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
NameRow = tuple[str, str, str, int]  # concept, name, case-folded name, 0 for the preferred one
RelationRow = tuple[str, str, str]  # concept, relation, other concept


def build_terminology(path: Path, names: Iterable[NameRow], relations: Iterable[RelationRow]) -> None:
    """Write the file of a vocabulary; it appears under its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replace_file(path) as part, closing(sqlite3.connect(part)) as database:
            database.executescript(_TERMINOLOGY_TABLES)
            database.executemany("INSERT INTO name VALUES (?, ?, ?, ?)", names)
            database.executemany("INSERT INTO relation VALUES (?, ?, ?)", relations)
            database.commit()
            database.executescript(_TERMINOLOGY_INDEXES)
    except sqlite3.Error as error:
        raise StoreError(f"vocabulary cannot be written: {path}", url=str(path), hint=str(error)) from error


class Terminology:
    """An open vocabulary file, for reading."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

    def concepts(self, folded: str) -> list[str]:
        """Return the concepts with a case-folded name; those that prefer it come first."""
        found = self._database.execute("SELECT concept FROM name WHERE folded = ? ORDER BY rank, concept", (folded,))
        return list(dict.fromkeys(row[0] for row in found))

    def names(self, concept: str) -> list[str]:
        """Return the names of a concept, the preferred one first."""
        found = self._database.execute("SELECT name FROM name WHERE concept = ? ORDER BY rank, rowid", (concept,))
        return list(dict.fromkeys(row[0] for row in found))

    def relatives(self, concept: str, kin: str) -> list[str]:
        """Return the concepts that have a relation (`kin`) to a concept."""
        found = self._database.execute(
            "SELECT DISTINCT other FROM relation WHERE concept = ? AND kin = ? ORDER BY other", (concept, kin)
        )
        return [row[0] for row in found]

    def close(self) -> None:
        """Close the file."""
        self._database.close()

"""Statements about the issues that articles stand in."""

from __future__ import annotations

from sqlalchemy import Connection, insert, text

from medharvest.records import Citation
from medharvest.store.identity import Keys
from medharvest.store.rows import plain
from medharvest.store.tables import issue

Key = tuple[str, str, str]


class Issues:
    """The issues of one transaction: each is looked up once, and made where it is new."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[Key, int] = {}

    def number(self, citation: Citation, keys: Keys) -> int | None:
        """The id of the issue that a record stands in; None where it names no journal, or neither volume nor number."""
        key = (keys.journal or keys.issn, keys.volume, keys.issue)
        if not key[0] or not (key[1] or key[2]) or any(len(part) > _LONGEST for part in key):
            return None
        if key not in self._known:
            self._known[key] = self._find(key) or self._make(key, citation)
        return self._known[key]

    def _find(self, key: Key) -> int | None:
        names = zip(("journal", "volume", "number"), key, strict=True)
        found: int | None = self._connection.scalar(_FIND, dict(names))
        return found

    def _make(self, key: Key, citation: Citation) -> int:
        journal, volume, number = key
        row = {"journal": journal, "volume": volume, "number": number}
        row |= {"title": plain(citation.journal), "date": plain(citation.date)[:_LONGEST_DATE]}
        return int(self._connection.scalars(insert(issue).returning(issue.c.id), row).one())


_FIND = text("SELECT id FROM issue WHERE journal = :journal AND volume = :volume AND number = :number")
# No name is this long, and PostgreSQL refuses index entries over some 2700 bytes.
_LONGEST, _LONGEST_DATE = 500, 40

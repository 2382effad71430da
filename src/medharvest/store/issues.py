"""Statements about the issues that articles stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from sqlalchemy import Connection

from medharvest.records import Citation
from medharvest.store.identity import Keys
from medharvest.store.rows import plain
from medharvest.store.tables import issue
from medharvest.store.transactions import insert_rows, mark, next_numbers

Key = tuple[str, str, str]
# No name is this long, and PostgreSQL refuses index entries over some 2700 bytes.
_LONGEST, _LONGEST_DATE = 500, 40
_BATCH = 500


class Issues:
    """The issues of one transaction: each is looked up once, and made where it is new."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[Key, int] = {}

    def number(self, citation: Citation, keys: Keys) -> int | None:
        """The id of the issue that a record stands in; None where it names no journal, or neither volume nor number."""
        return self.numbers([(keys, citation)])[0]

    def numbers(self, records: Sequence[tuple[Keys, Citation]]) -> list[int | None]:
        """The ids of the issues that records stand in, looked up and made together."""
        keys = [_key(one) for one, _ in records]
        wanted: dict[Key, Citation] = {}
        for key, (_, citation) in zip(keys, records, strict=True):
            if key and key not in self._known:
                wanted.setdefault(key, citation)
        self._look_up(list(wanted))
        self._make({key: citation for key, citation in wanted.items() if key not in self._known})
        return [self._known[key] if key else None for key in keys]

    def _look_up(self, keys: Sequence[Key]) -> None:
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            rows = ", ".join([_ROW] * len(some)).replace("?", mark(self._connection))
            found = self._connection.exec_driver_sql(_FIND.format(rows=rows), tuple(chain.from_iterable(some)))
            self._known |= {(journal, volume, number): id_ for id_, journal, volume, number in found}

    def _make(self, new: Mapping[Key, Citation]) -> None:
        if new:
            ids = next_numbers(self._connection, issue, len(new))
            titles = [(plain(citation.journal), plain(citation.date)[:_LONGEST_DATE]) for citation in new.values()]
            rows = [(id_, *key, *title) for id_, key, title in zip(ids, new, titles, strict=True)]
            insert_rows(self._connection, issue, rows)
            self._known |= zip(new, ids, strict=True)


def _key(keys: Keys) -> Key | None:
    key = (keys.journal or keys.issn, keys.volume, keys.issue)
    return key if key[0] and (key[1] or key[2]) and max(map(len, key)) <= _LONGEST else None


_ROW = "(?, ?, ?)"
_FIND = """WITH wanted (journal, volume, number) AS (VALUES {rows})
    SELECT issue.id, issue.journal, issue.volume, issue.number FROM wanted JOIN issue
    ON issue.journal = wanted.journal AND issue.volume = wanted.volume AND issue.number = wanted.number"""

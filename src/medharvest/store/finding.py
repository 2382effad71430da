"""Which stored articles records are about: many looked up at once, and those not yet written kept in mind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection

from medharvest.store.identity import NAMES, RULES, Keys, find_same, is_corrected
from medharvest.store.transactions import mark

# What two articles have in common that one of the rules of identity may find the same; sets of ISSNs only overlap.
POINTS = tuple(tuple(name for name in rule.equal if name != "issn") for rule in RULES)
# The columns that are compared to look them up: each begins with those of an index. One title may be that of
# thousands, so a title alone is never asked for. A journal that could not be read is no other journal.
LOOKUPS = (
    ("pmid",),
    ("doi",),
    ("pii",),
    ("title_start", "volume", "first_page"),
    ("title_start", "journal", "title_key"),
)
_UNNAMED = ("title_start", "journal", "url", "title_key")
_ADDRESS = ("title_start", "url", "title_key")
Point = tuple[int, tuple[str, ...]]


class Known:
    """Articles by their keys: those of the store that were looked up, and those that were told."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys: dict[int, Keys] = {}
        self._meeting: defaultdict[Point, set[int]] = defaultdict(set)

    def look_up(self, wanted: Sequence[Keys]) -> None:
        """Know every stored article that one of these may be about, and no other."""
        self._keys.clear()
        self._meeting.clear()
        for names, rows in _lookups(wanted):
            if rows:
                query = _query(names, len(rows), mark(self._connection))
                found = self._connection.exec_driver_sql(query, tuple(chain.from_iterable(rows)))
                for id_, *keys in found:
                    self.add(id_, Keys(**dict(zip(NAMES, keys, strict=True))))

    def add(self, id_: int, keys: Keys) -> None:
        """Know an article."""
        self._keys[id_] = keys
        for point in _points(keys):
            self._meeting[point].add(id_)

    def forget(self, id_: int) -> None:
        """Know an article no more."""
        for point in _points(self._keys.pop(id_)):
            self._meeting[point].discard(id_)

    def find(self, keys: Keys) -> int | None:
        """The article that these keys are about."""
        near = {id_ for point in _points(keys) for id_ in self._meeting.get(point, ())}
        return find_same(keys, [(id_, self._keys[id_]) for id_ in near]) if near else None

    def keys(self, id_: int) -> Keys:
        """The keys of a known article."""
        return self._keys[id_]


class Corrected:
    """Articles that a person corrected, looked up when the first is asked for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._by_page: dict[str, list[tuple[int, Keys, set[str]]]] | None = None

    def find(self, keys: Keys) -> tuple[int, Keys] | None:
        """The article that was read from the same page before it was corrected, with the keys it has now."""
        if self._by_page is None:
            self._by_page = self._read()
        found = self._by_page.get(keys.url, []) if keys.url else []
        return next(((id_, known) for id_, known, fields in found if is_corrected(keys, known, fields)), None)

    def _read(self) -> dict[str, list[tuple[int, Keys, set[str]]]]:
        fields: defaultdict[int, set[str]] = defaultdict(set)
        known: dict[int, Keys] = {}
        for id_, name, *keys in self._connection.exec_driver_sql(_CORRECTED):
            fields[id_].add(name)
            known[id_] = Keys(**dict(zip(NAMES, keys, strict=True)))
        pages: defaultdict[str, list[tuple[int, Keys, set[str]]]] = defaultdict(list)
        for id_ in sorted(known):
            pages[known[id_].url].append((id_, known[id_], fields[id_]))
        return pages


# The state stands in the text, so that the index of corrected values is used.
_CORRECTED = (
    f"SELECT value.article, value.field, {', '.join(f'article.{name}' for name in NAMES)} "  # noqa: S608  (names of our own)
    "FROM value JOIN article ON article.id = value.article WHERE value.state = 'corrected'"
)


def stored_keys(row: Any) -> Keys:
    """The keys in a row of articles."""
    return Keys(**{name: getattr(row, name) for name in NAMES})


@lru_cache(maxsize=2000)  # asked several times of each record of a batch
def _points(keys: Keys) -> list[Point]:
    found = ((n, read(keys)) for n, read in enumerate(_READERS))
    return [(n, point) for n, point in found if all(point)]


def _reader(names: tuple[str, ...]) -> Callable[[Keys], tuple[str, ...]]:
    """What gives some of the keys, always as a tuple."""
    read: Any = attrgetter(*names)
    return read if len(names) > 1 else lambda keys: (read(keys),)


_READERS = tuple(map(_reader, POINTS))


def _lookups(wanted: Sequence[Keys]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """The columns of each look-up with the rows they are compared to."""
    rows = {names: list(map(_reader(names), wanted)) for names in LOOKUPS}
    rows[_ADDRESS] = [(keys.title_start, keys.url, keys.title_key) for keys in wanted if not keys.journal]
    for names, found in rows.items():
        yield names, [row for row in dict.fromkeys(found) if all(row)]
    unnamed = ((keys.title_start, "", keys.url, keys.title_key) for keys in wanted if keys.title_start and keys.url)
    yield _UNNAMED, list(dict.fromkeys(unnamed))


@cache
def _query(names: tuple[str, ...], rows: int, mark: str) -> str:
    """Built as text: the statement has a mark for each value, and to have it made of objects takes most of the time.

    SQLite reads every row for a list of tuples, but not for a table that is joined.
    """
    row = f"({', '.join([mark] * len(names))})"
    same = " AND ".join(f"article.{name} = wanted.{name}" for name in names)
    return (
        f"WITH wanted ({', '.join(names)}) AS (VALUES {', '.join([row] * rows)}) "  # noqa: S608  (names of our own)
        f"SELECT article.id, {', '.join(f'article.{name}' for name in NAMES)} FROM wanted JOIN article ON {same}"
    )

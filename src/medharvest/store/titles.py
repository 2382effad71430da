"""Statements about the titles, abbreviations and ISSNs of journals: what the user set before what lists say."""

from __future__ import annotations

from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select

from medharvest.records import JournalTitle, title_key
from medharvest.store.journals import issn_key
from medharvest.store.rows import plain
from medharvest.store.tables import journal_key, journal_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

USER = "user"
_BATCH = 500
_LONGEST_KEY = 500  # characters: PostgreSQL refuses index entries over some 2700 bytes
_TEXTS = tuple(field.name for field in fields(JournalTitle) if field.name != "issn")


def write(connection: Connection, entry: JournalTitle, *, names: Sequence[str], at: str) -> None:
    """Keep what the user says of a journal, in place of what was said under the same title or one of the names."""
    keys = _name_keys((entry.title, *names))
    found = select(journal_key.c.n).where(journal_key.c.source == USER, journal_key.c.key.in_(keys))
    old = connection.scalar(found.order_by(journal_key.c.n))
    if old is not None:
        _remove(connection, USER, old)
    last = connection.scalar(select(func.max(journal_title.c.n)).where(journal_title.c.source == USER)) or 0
    _insert(connection, USER, [(old or last + 1, entry, names)], at=at)


def replace_list(connection: Connection, source: str, entries: Iterable[JournalTitle], *, at: str) -> int:
    """Keep the entries of a list in place of what it said before, and count them."""
    _remove(connection, source)
    numbered = ((n, entry, ()) for n, entry in enumerate(entries, 1))
    count = 0
    while batch := list(islice(numbered, _BATCH)):
        _insert(connection, source, batch, at=at)
        count = batch[-1][0]
    return count


def lists(connection: Connection) -> tuple[tuple[str, int, str], ...]:
    """Each list with the number of its entries and when the last one was written."""
    source = journal_title.c.source
    query = select(source, func.count(), func.max(journal_title.c.written)).group_by(source).order_by(source)
    return tuple((row[0], row[1], row[2]) for row in connection.execute(query))


def find(connection: Connection, names: Sequence[str], issn: Sequence[str]) -> JournalTitle | None:
    """The one journal with an ISSN, else with a name; None where lists know several journals of that name."""
    by_issn = _entries(connection, [key for key in map(issn_key, issn) if key])
    found = by_issn or _entries(connection, _name_keys(names))
    own, listed = found.get(USER, []), [entry for source in found if source != USER for entry in found[source]]
    if not by_issn and _are_several(listed):
        listed = []
    if own:  # what a list says of another name is another journal's, whatever the ISSN
        listed = [entry for entry in listed if not _names(own[0]).isdisjoint(_names(entry))]
    return _joined([*own[:1], *listed])


def _entries(connection: Connection, keys: Sequence[str]) -> dict[str, list[JournalTitle]]:
    """The entries with one of the keys, by list."""
    if not keys:
        return {}
    same = (journal_key.c.source == journal_title.c.source) & (journal_key.c.n == journal_title.c.n)
    query = select(journal_title).join(journal_key, same).where(journal_key.c.key.in_(keys)).distinct()
    found: dict[str, list[JournalTitle]] = {}
    for row in connection.execute(query.order_by(journal_title.c.source, journal_title.c.n)):
        found.setdefault(row.source, []).append(_entry(row))
    return found


def _names(entry: JournalTitle) -> set[str]:
    return set(_name_keys((entry.title, entry.abbreviation, entry.iso)))


def _are_several(entries: Sequence[JournalTitle]) -> bool:
    """Whether entries of one name are of different journals: two with ISSNs and none in common."""
    sets = [set(entry.issn) for entry in entries if entry.issn]
    return any(one.isdisjoint(two) for place, one in enumerate(sets) for two in sets[:place])


def _joined(entries: Sequence[JournalTitle]) -> JournalTitle | None:
    """Each value from the first entry that has it."""
    if not entries:
        return None
    texts = {name: next((text for entry in entries if (text := getattr(entry, name))), "") for name in _TEXTS}
    return JournalTitle(**texts, issn=next((entry.issn for entry in entries if entry.issn), ()))


def _insert(
    connection: Connection, source: str, batch: Sequence[tuple[int, JournalTitle, Sequence[str]]], *, at: str
) -> None:
    rows = [{"source": source, "n": n, **_row(entry), "written": at} for n, entry, _ in batch]
    keys = [{"key": key, "source": source, "n": n} for n, entry, names in batch for key in _keys(entry, names)]
    connection.execute(insert(journal_title), rows)
    if keys:
        connection.execute(insert(journal_key), keys)


def _remove(connection: Connection, source: str, n: int | None = None) -> None:
    for table in (journal_key, journal_title):
        one = () if n is None else (table.c.n == n,)
        connection.execute(delete(table).where(table.c.source == source, *one))


def _keys(entry: JournalTitle, names: Sequence[str]) -> Iterator[str]:
    issns = filter(None, map(issn_key, entry.issn))
    yield from dict.fromkeys([*issns, *_name_keys((entry.title, entry.abbreviation, entry.iso, *names))])


def _name_keys(names: Iterable[str]) -> list[str]:
    keys = (plain(title_key(name)) for name in names)
    return [key for key in dict.fromkeys(keys) if key and len(key) <= _LONGEST_KEY]


def _row(entry: JournalTitle) -> dict[str, str]:
    return {name: plain(getattr(entry, name)) for name in _TEXTS} | {"issn": plain(" ".join(entry.issn))}


def _entry(row: Any) -> JournalTitle:
    return JournalTitle(**{name: getattr(row, name) for name in _TEXTS}, issn=tuple(row.issn.split()))

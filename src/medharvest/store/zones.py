"""Statements about zones of pages and what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from medharvest.records import Citation, LabelledZone, Verdict
from medharvest.store.rows import plain
from medharvest.store.tables import zone
from medharvest.store.transactions import mark

# How a person's label is told from a method's.
_PERSON = "operator "
# Deeper trees are no layout of a journal, and PostgreSQL refuses index entries over some 2700 bytes.
_LONGEST = 2_000
# A person's label stays.
_NOTE = f"""INSERT INTO zone (page, path, label, score, who, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (page, path) DO UPDATE SET label = excluded.label, score = excluded.score, who = excluded.who,
        at = excluded.at WHERE substr(zone.who, 1, {len(_PERSON)}) <> '{_PERSON}'"""  # noqa: S608  (a word of our own)


def note(connection: Connection, citations: Iterable[Citation], *, at: str) -> None:
    """Keep the zones in which the fields of records were found, each with the field that is the surest there."""
    proofs = (proof for one in citations for proof in one.evidence if proof.source == "zone" and proof.page)
    rows: dict[tuple[str, str], tuple[Any, ...]] = {}
    for proof in sorted(proofs, key=lambda proof: proof.score):
        if _fits(proof.path):
            place = plain(proof.page), plain(proof.path)
            rows[place] = (*place, plain(proof.field), proof.score, plain(proof.method) or "unknown", at)
    if rows:
        connection.exec_driver_sql(_NOTE.replace("?", mark(connection)), list(rows.values()))


def write(connection: Connection, page: str, labelled: Sequence[LabelledZone], *, who: str, at: str) -> None:
    """Keep labels in place of earlier ones; a person's label gives way to a person's only."""
    known = {} if who else read(connection, page)
    fixed = {path for path, verdict in known.items() if verdict.method.startswith(_PERSON)}
    rows = {
        plain(item.zone.path): {
            "page": plain(page),
            "path": plain(item.zone.path),
            "label": plain(item.verdict.label),
            "score": item.verdict.score,
            "who": _PERSON + plain(who) if who else plain(item.verdict.method) or "unknown",
            "at": at,
        }
        for item in labelled
        if plain(item.zone.path) not in fixed and _fits(item.zone.path)
    }
    if rows:
        connection.execute(delete(zone).where(zone.c.page == plain(page), zone.c.path.in_(list(rows))))
        connection.execute(insert(zone), list(rows.values()))


def read(connection: Connection, page: str) -> dict[str, Verdict]:
    """The labels of a page's zones, by their paths."""
    query = select(zone).where(zone.c.page == plain(page)).order_by(zone.c.path)
    return {row.path: Verdict(row.label, row.score, row.who) for row in connection.execute(query)}


def _fits(path: str) -> bool:
    return len(path.encode("utf-8", "replace")) <= _LONGEST

"""Statements about zones of pages and what they hold."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from medharvest.records import LabelledZone, Verdict
from medharvest.store.rows import plain
from medharvest.store.tables import zone

# How a person's label is told from a method's.
OPERATOR = "operator"
_PREFIX = f"{OPERATOR} "


def write(connection: Connection, page: str, labelled: Sequence[LabelledZone], *, who: str, at: str) -> None:
    """Keep labels in place of earlier ones; a person's label gives way to a person's only."""
    known = {} if who else read(connection, page)
    fixed = {path for path, verdict in known.items() if verdict.method.startswith(_PREFIX)}
    rows = {
        plain(item.zone.path): {
            "page": plain(page),
            "path": plain(item.zone.path),
            "label": plain(item.verdict.label),
            "score": item.verdict.score,
            "who": _PREFIX + plain(who) if who else plain(item.verdict.method) or "unknown",
            "at": at,
        }
        for item in labelled
        if plain(item.zone.path) not in fixed
    }
    if rows:
        connection.execute(delete(zone).where(zone.c.page == plain(page), zone.c.path.in_(list(rows))))
        connection.execute(insert(zone), list(rows.values()))


def read(connection: Connection, page: str) -> dict[str, Verdict]:
    """The labels of a page's zones, by their paths."""
    query = select(zone).where(zone.c.page == plain(page)).order_by(zone.c.path)
    return {row.path: Verdict(row.label, row.score, row.who) for row in connection.execute(query)}

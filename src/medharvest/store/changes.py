"""Statements about the log of changes, which is only ever added to, and about what ties its acts together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from medharvest.store.rows import Change, plain
from medharvest.store.tables import act, change

BATCH = 500


@dataclass(frozen=True, slots=True)
class Ties:
    """What an act has to do with others: the act that taught it, the one it takes back, the page it taught."""

    caused_by: int | None = None
    undoes: int | None = None
    page: str = ""


NO_TIES = Ties()


@dataclass(frozen=True, slots=True)
class TaughtPage:
    """A page that an act on an article taught; `stands` where another act taught it too and is still in force."""

    article: int
    page: str
    stands: bool


def next_batch(connection: Connection) -> int:
    """A number for the changes of one act, greater than that of any before; other writers are kept out."""
    return int(connection.scalar(_LAST) or 0) + 1


_LAST = select(func.max(change.c.id))
LINES = select(
    change,
    func.coalesce(act.c.caused_by, 0).label("caused_by"),
    func.coalesce(act.c.undoes, 0).label("undoes"),
    func.coalesce(act.c.page, "").label("page"),
).outerjoin(act, act.c.batch == change.c.batch)


def read(connection: Connection, *conditions: ColumnElement[bool], after: int = 0) -> list[tuple[int, Change]]:
    """The next lines in their order, each with its number."""
    query = LINES.where(change.c.id > after, *conditions).order_by(change.c.id).limit(BATCH)
    return [(row.id, Change(**row._mapping)) for row in connection.execute(query)]  # noqa: SLF001  (public, so named)


def of_acts(connection: Connection, batches: Collection[int]) -> list[Change]:
    """Every line of some acts."""
    query = LINES.where(change.c.batch.in_(batches)).order_by(change.c.id)
    return [Change(**row._mapping) for row in connection.execute(query)]  # noqa: SLF001


def tie(connection: Connection, batch: int, ties: Ties) -> None:
    """Note what an act has to do with others."""
    row = {"caused_by": ties.caused_by, "undoes": ties.undoes, "page": plain(ties.page)}
    connection.execute(insert(act), {"batch": batch, **row})


def tie_page(connection: Connection, batch: int, page: str) -> None:
    """Note that an act done earlier taught a page."""
    known = connection.execute(update(act).where(act.c.batch == batch).values(page=plain(page)))
    if not known.rowcount:
        tie(connection, batch, Ties(page=page))


def caused_by(connection: Connection, batch: int) -> list[int]:
    """The acts that an act caused and that were not taken back."""
    gone = taken_back(undoings(connection))
    return [one for one in connection.scalars(select(act.c.batch).where(act.c.caused_by == batch)) if one not in gone]


def undoings(connection: Connection) -> dict[int, int]:
    """The acts that took back another, each with that one."""
    query = select(act.c.batch, act.c.undoes).where(act.c.undoes.is_not(None))
    return {row.batch: row.undoes for row in connection.execute(query)}


def taken_back(undoes: Mapping[int, int]) -> set[int]:
    """The acts that are not in force: what takes back an act may have been taken back itself, and is always later."""
    gone: set[int] = set()
    for batch in sorted(undoes, reverse=True):
        if batch not in gone:
            gone.add(undoes[batch])
    return gone


def taught_page(connection: Connection, batch: int) -> TaughtPage | None:
    """The page that an act taught, or the one that it takes back did; as it is once the act itself is taken back."""
    undoes = undoings(connection)
    gone = taken_back({**undoes, next_batch(connection): batch})
    first = batch
    while first in undoes:
        first = undoes[first]
    page = connection.scalar(select(act.c.page).where(act.c.batch == first))
    if not page:
        return None
    article = connection.execute(select(change.c.article).where(change.c.batch == first).limit(1)).scalar_one()
    query = select(change.c.batch).join(act, act.c.batch == change.c.batch)
    teaching = connection.scalars(query.where(change.c.article == article, act.c.page == page))
    return TaughtPage(article, page, stands=any(one not in gone for one in teaching))

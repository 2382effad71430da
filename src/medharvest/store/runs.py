"""Statements about runs, and what is read of their nodes and pages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, or_, select, update

from medharvest.records import Kind, Node, Place, Reason, Validators, Wish
from medharvest.store.recording import address
from medharvest.store.rows import PageRow, Run, RunState, plain
from medharvest.store.tables import article_run, node, page, run

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# A thousand nodes are some hundred kilobytes.
BATCH = 1000
# A table is several times quicker than to call the enum, and a plan may have a million nodes.
_KINDS = {kind.value: kind for kind in Kind}
_PLACES = {place.value: place for place in Place}


def insert_run(connection: Connection, *, url: str, folder: str, options: str, at: str) -> int:
    """Add a run and give its id."""
    row = {
        "url": plain(url),
        "folder": plain(folder),
        "state": RunState.RUNNING.value,
        "started": at,
        "options": plain(options),
        "archive_length": 0,
    }
    return int(connection.scalars(insert(run).returning(run.c.id), row).one())


def read_nodes(connection: Connection, id_: int, *, after: int) -> list[tuple[int, Node]]:
    """The next nodes of a run, each with its number."""
    query = _NODES.where(node.c.run == id_, node.c.n > after).order_by(node.c.n).limit(BATCH)
    return [(row[0], _node(row)) for row in connection.execute(query).all()]


def read_pages(connection: Connection, id_: int, *, after: int) -> list[tuple[int, PageRow]]:
    """The next pages of a run, each with the number of its node."""
    query = _PAGES.where(page.c.run == id_, page.c.n > after).order_by(page.c.n).limit(BATCH)
    return [(row.n, _page(row)) for row in connection.execute(query)]


def read_validators(connection: Connection, url: str) -> Validators:
    """What a server said of the newest page with this address that it said anything of."""
    query = (
        select(page.c.etag, page.c.last_modified)
        .join_from(page, node)
        .where(page.c.address == address(plain(url)), node.c.url == plain(url))
        .where(or_(page.c.etag != "", page.c.last_modified != ""))
        .order_by(page.c.run.desc(), page.c.n.desc())
    )
    found = connection.execute(query.limit(1)).first()
    return Validators(*found) if found else Validators()


def update_state(connection: Connection, id_: int, state: RunState, *, at: str) -> None:
    """Set a run's state, and its end unless it is running."""
    ended = None if state is RunState.RUNNING else at
    connection.execute(update(run).where(run.c.id == id_).values(state=state.value, ended=ended))


def read_runs(connection: Connection, id_: int | None = None) -> tuple[Run, ...]:
    """Every run with its counts, the oldest first; or the one with this id."""
    pages = _counts(connection, page.c.run, id_)
    failures = _counts(connection, node.c.run, id_, node.c.place == Place.REVISITED.value)
    citations = _counts(connection, article_run.c.run, id_)
    query = select(run).where(*([] if id_ is None else [run.c.id == id_]))
    return tuple(
        Run(
            id=row.id,
            url=row.url,
            folder=row.folder,
            state=RunState(row.state),
            started=row.started,
            ended=row.ended or "",
            pages=pages.get(row.id, 0),
            failures=failures.get(row.id, 0),
            citations=citations.get(row.id, 0),
            options=row.options,
            archive_length=row.archive_length,
        )
        for row in connection.execute(query.order_by(run.c.id))
    )


def pages_with(connection: Connection, id_: int, *, digests: Collection[str], url: str) -> list[PageRow]:
    """The pages of a run that arrived and have one of the digests, or came from an address."""
    query = _PAGES.where(page.c.run == id_, page.c.digest.in_(digests) | (node.c.url == plain(url)))
    return [_page(row) for row in connection.execute(query.order_by(page.c.n))]


def exists(connection: Connection, id_: int) -> bool:
    """Whether there is such a run."""
    return connection.scalar(select(run.c.id).where(run.c.id == id_)) is not None


_NODES = select(
    node.c.n,
    node.c.url,
    node.c.kind,
    node.c.parent,
    node.c.depth,
    node.c.article_key,
    node.c.place,
    node.c.position,
    node.c.flag,
    node.c.reason,
    node.c.detail,
    node.c.tries,
    page.c.final_url,
    page.c.digest,
    page.c.size,
).join_from(node, page, isouter=True)
_PAGES = select(page, node.c.url, node.c.kind.label("promised"), node.c.parent, node.c.article_key).join_from(
    page, node
)


def _node(row: Sequence[Any]) -> Node:
    n, url, kind, parent, depth, article_key, place, position, flag, reason, detail, tries, final_url, digest, size = (
        row
    )
    return Node(
        n=n,
        # Interned: the children of a page share the text of its address.
        wish=Wish(url=url, kind=_KINDS[kind], parent=sys.intern(parent), depth=depth, article_key=article_key),
        place=_PLACES[place],
        position=position,
        flag=flag,
        reason=Reason(reason) if reason else None,
        detail=detail,
        tries=tries,
        final_url=final_url or "",
        digest=digest or "",
        size=size or 0,
    )


def _page(row: Any) -> PageRow:
    return PageRow(
        n=row.n,
        url=row.url,
        final_url=row.final_url,
        promised=Kind(row.promised),
        kind=Kind(row.kind),
        status=row.status,
        digest=row.digest,
        size=row.size,
        parent=row.parent,
        article_key=row.article_key,
        asked_at=row.asked_at,
        arrived_at=row.arrived_at,
    )


def _counts(connection: Connection, of: Any, id_: int | None, *conditions: Any) -> dict[int, int]:
    which = [*conditions, *([] if id_ is None else [of == id_])]
    return {row[0]: row[1] for row in connection.execute(select(of, func.count()).where(*which).group_by(of))}

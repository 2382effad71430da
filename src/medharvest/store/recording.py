"""Writes the state of a crawl after each page: plain statements, handed to the driver in bulk.

A crawl does this for every page, so nothing is built here but the rows: the statements are texts made once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from types import ModuleType
from typing import Any

from sqlalchemy import Engine, Table
from sqlalchemy.exc import DBAPIError

from medharvest.records import Node, Outcome
from medharvest.store import topic_pages
from medharvest.store.rows import plain
from medharvest.store.tables import node, page

Rows = list[tuple[Any, ...]]
Relevant = tuple[Rows, Rows]
NOTHING: Relevant = ([], [])
# What changes of a node once it is known.
_MOVING = ("place", "position", "flag", "tries", "reason", "detail")


class Recording:
    """The statements of one kind of database; `backend` is the module of that kind."""

    def __init__(self, backend: ModuleType) -> None:
        self.backend = backend
        self.nodes = _upsert(node, _MOVING, backend.MARK)
        self.page = _upsert(page, [column.name for column in page.columns if not column.primary_key], backend.MARK)
        self.length = "UPDATE run SET archive_length = coalesce(?, archive_length) WHERE id = ?".replace(
            "?", backend.MARK
        )
        self.relevant = topic_pages.statements(backend.MARK)

    def record(
        self,
        engine: Engine,
        run: int,
        outcome: Outcome | None,
        nodes: tuple[Node, ...],
        *,
        archive_length: int | None,
        relevant: Relevant = NOTHING,
    ) -> bool:
        """Write the nodes, the page if it arrived, and the archive's length, all or nothing; False without a run.

        `relevant` are rows of pages that belong to a topic, as `topic_pages.rows` gives them.
        """
        with self._writing(engine) as cursor:
            cursor.execute(self.length, (archive_length, run))
            if cursor.rowcount != 1:
                return False
            if nodes:
                cursor.executemany(self.nodes, node_rows(run, nodes))
            if outcome is not None and outcome.reason is None:
                cursor.execute(self.page, _page_row(run, outcome, nodes))
            for statement, rows in zip(self.relevant, relevant, strict=True):
                if rows:
                    cursor.executemany(statement, rows)
        return True

    @contextmanager
    def _writing(self, engine: Engine) -> Iterator[Any]:
        """A cursor of the driver's own in a transaction that keeps other writers out."""
        try:
            with closing(engine.raw_connection()) as connection, self.backend.recording(connection) as cursor:
                yield cursor
        except engine.dialect.loaded_dbapi.Error as error:
            raise DBAPIError("record", None, error) from error


def node_rows(run: int, nodes: Iterable[Node]) -> list[tuple[Any, ...]]:
    """The rows of nodes in the order of the table's columns."""
    return [
        (
            run,
            item.n,
            plain(item.wish.url),
            item.wish.kind.value,
            plain(item.wish.parent),
            item.wish.depth,
            plain(item.wish.article_key),
            item.place.value,
            item.position,
            item.flag,
            item.tries,
            item.reason and item.reason.value,
            plain(item.detail),
        )
        for item in nodes
    ]


def address(url: str) -> int:
    """64 bits of a URL's digest: short to index, where whole addresses may be too long for it."""
    digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _page_row(run: int, outcome: Outcome, nodes: tuple[Node, ...]) -> tuple[Any, ...]:
    url = outcome.wish.url
    n = next((item.n for item in nodes if item.wish.url == url), None)
    if n is None:
        raise ValueError(f"the page that arrived is none of the nodes: {url}")
    return (
        run,
        n,
        address(plain(url)),
        plain(outcome.final_url),
        outcome.kind.value,
        outcome.status,
        plain(outcome.digest),
        outcome.size,
        plain(outcome.asked_at),
        plain(outcome.arrived_at),
        plain(outcome.validators.etag),
        plain(outcome.validators.last_modified),
    )


def _upsert(table: Table, changing: Iterable[str], mark: str) -> str:
    names = [column.name for column in table.columns]
    changes = ", ".join(f"{name} = excluded.{name}" for name in changing)
    marks = ", ".join(mark for _ in names)
    return (
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks}) "  # noqa: S608  (names of our own tables)
        f"ON CONFLICT (run, n) DO UPDATE SET {changes}"
    )

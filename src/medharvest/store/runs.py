"""Runs in the store: their nodes, pages and plan state, and the relevant pages of topical crawls."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, Table, func, insert, or_, select, update
from sqlalchemy.exc import DBAPIError

from medharvest.codec import encode_record
from medharvest.records import Kind, Node, Outcome, Place, Reason, Validators, Wish
from medharvest.store.rows import ConceptCount, PageRow, RelevantPage, Run, RunState, to_storable
from medharvest.store.tables import article_run, node, page, page_topic, run, topic_page

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# A thousand nodes are some hundred kilobytes.
NODES_PER_READ = 1000
# A table is several times quicker than to call the enum, and a plan may have a million nodes.
_KIND_BY_VALUE = {kind.value: kind for kind in Kind}
_PLACE_BY_VALUE = {place.value: place for place in Place}

_SELECT_NODES = select(
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
_SELECT_PAGES = select(page, node.c.url, node.c.kind.label("promised"), node.c.parent, node.c.article_key).join_from(
    page, node
)
StatementRows = list[tuple[Any, ...]]
RelevantRows = tuple[StatementRows, StatementRows]
NO_RELEVANT_ROWS: RelevantRows = ([], [])
# What changes of a node once it is known.
_CHANGING_NODE_COLUMNS = ("place", "position", "flag", "tries", "reason", "detail")
TOPIC_PAGES_PER_READ = 100  # a page may have half a megabyte of text
_PAGE_COLUMNS = ("url", "title", "text", "topic", "value", "concepts", "run", "seen_at")
_TOPIC_COLUMNS = ("topic", "value", "concepts", "run")


def insert_run_row(connection: Connection, *, url: str, folder: str, options: str, at: str) -> int:
    """Add a run and give its id."""
    row = {
        "url": to_storable(url),
        "folder": to_storable(folder),
        "state": RunState.RUNNING.value,
        "started": at,
        "options": to_storable(options),
        "archive_length": 0,
    }
    return int(connection.scalars(insert(run).returning(run.c.id), row).one())


def read_run_nodes(connection: Connection, id_: int, *, after: int) -> list[tuple[int, Node]]:
    """The next nodes of a run, each with its number."""
    query = _SELECT_NODES.where(node.c.run == id_, node.c.n > after).order_by(node.c.n).limit(NODES_PER_READ)
    return [(row[0], _node_of_row(row)) for row in connection.execute(query).all()]


def read_run_pages(connection: Connection, id_: int, *, after: int) -> list[tuple[int, PageRow]]:
    """The next pages of a run, each with the number of its node."""
    query = _SELECT_PAGES.where(page.c.run == id_, page.c.n > after).order_by(page.c.n).limit(NODES_PER_READ)
    return [(row.n, _page_of_row(row)) for row in connection.execute(query)]


def read_page_validators(connection: Connection, url: str) -> Validators:
    """What a server said of the newest page with this address that it said anything of."""
    query = (
        select(page.c.etag, page.c.last_modified)
        .join_from(page, node)
        .where(page.c.address == hash_page_address(to_storable(url)), node.c.url == to_storable(url))
        .where(or_(page.c.etag != "", page.c.last_modified != ""))
        .order_by(page.c.run.desc(), page.c.n.desc())
    )
    found = connection.execute(query.limit(1)).first()
    return Validators(*found) if found else Validators()


def update_run_state(connection: Connection, id_: int, state: RunState, *, at: str) -> None:
    """Set a run's state, and its end unless it is running."""
    ended = None if state is RunState.RUNNING else at
    connection.execute(update(run).where(run.c.id == id_).values(state=state.value, ended=ended))


def read_run_rows(connection: Connection, id_: int | None = None) -> tuple[Run, ...]:
    """Every run with its counts, the oldest first; or the one with this id."""
    pages = _count_by_run(connection, page.c.run, id_)
    failures = _count_by_run(connection, node.c.run, id_, node.c.place == Place.REVISITED.value)
    citations = _count_by_run(connection, article_run.c.run, id_)
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


def find_run_pages(connection: Connection, id_: int, *, digests: Collection[str], url: str) -> list[PageRow]:
    """The pages of a run that arrived and have one of the digests, or came from an address."""
    query = _SELECT_PAGES.where(page.c.run == id_, page.c.digest.in_(digests) | (node.c.url == to_storable(url)))
    return [_page_of_row(row) for row in connection.execute(query.order_by(page.c.n))]


def has_run(connection: Connection, id_: int) -> bool:
    """Whether there is such a run."""
    return connection.scalar(select(run.c.id).where(run.c.id == id_)) is not None


def _node_of_row(row: Sequence[Any]) -> Node:
    n, url, kind, parent, depth, article_key, place, position, flag, reason, detail, tries, final_url, digest, size = (
        row
    )
    return Node(
        n=n,
        # Interned: the children of a page share the text of its address.
        wish=Wish(url=url, kind=_KIND_BY_VALUE[kind], parent=sys.intern(parent), depth=depth, article_key=article_key),
        place=_PLACE_BY_VALUE[place],
        position=position,
        flag=flag,
        reason=Reason(reason) if reason else None,
        detail=detail,
        tries=tries,
        final_url=final_url or "",
        digest=digest or "",
        size=size or 0,
    )


def _page_of_row(row: Any) -> PageRow:
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


def _count_by_run(connection: Connection, of: Any, id_: int | None, *conditions: Any) -> dict[int, int]:
    which = [*conditions, *([] if id_ is None else [of == id_])]
    return {row[0]: row[1] for row in connection.execute(select(of, func.count()).where(*which).group_by(of))}


class CrawlRecorder:
    """The statements of one kind of database; `backend` is the module of that kind."""

    def __init__(self, backend: ModuleType) -> None:
        self.backend = backend
        self.nodes = _upsert_statement(node, _CHANGING_NODE_COLUMNS, backend.PLACEHOLDER)
        self.page = _upsert_statement(
            page, [column.name for column in page.columns if not column.primary_key], backend.PLACEHOLDER
        )
        self.length = "UPDATE run SET archive_length = coalesce(?, archive_length) WHERE id = ?".replace(
            "?", backend.PLACEHOLDER
        )
        self.relevant = build_topic_page_statements(backend.PLACEHOLDER)

    def record(
        self,
        engine: Engine,
        run: int,
        outcome: Outcome | None,
        nodes: tuple[Node, ...],
        *,
        archive_length: int | None,
        relevant: RelevantRows = NO_RELEVANT_ROWS,
    ) -> bool:
        """Write the nodes, the page if it arrived, and the archive's length, all or nothing; False without a run.

        `relevant` are rows of pages that belong to a topic, as `topic_pages.rows` gives them.
        """
        with self._writing(engine) as cursor:
            cursor.execute(self.length, (archive_length, run))
            if cursor.rowcount != 1:
                return False
            if nodes:
                cursor.executemany(self.nodes, node_rows_of_run(run, nodes))
            if outcome is not None and outcome.reason is None:
                cursor.execute(self.page, _page_row_of_outcome(run, outcome, nodes))
            for statement, rows in zip(self.relevant, relevant, strict=True):
                if rows:
                    cursor.executemany(statement, rows)
        return True

    @contextmanager
    def _writing(self, engine: Engine) -> Iterator[Any]:
        """A cursor of the driver's own in a transaction that keeps other writers out."""
        try:
            with closing(engine.raw_connection()) as connection, self.backend.begin_recording(connection) as cursor:
                yield cursor
        except engine.dialect.loaded_dbapi.Error as error:
            raise DBAPIError("record", None, error) from error


def node_rows_of_run(run: int, nodes: Iterable[Node]) -> list[tuple[Any, ...]]:
    """The rows of nodes in the order of the table's columns."""
    return [
        (
            run,
            item.n,
            to_storable(item.wish.url),
            item.wish.kind.value,
            to_storable(item.wish.parent),
            item.wish.depth,
            to_storable(item.wish.article_key),
            item.place.value,
            item.position,
            item.flag,
            item.tries,
            item.reason and item.reason.value,
            to_storable(item.detail),
        )
        for item in nodes
    ]


def hash_page_address(url: str) -> int:
    """64 bits of a URL's digest: short to index, where whole addresses may be too long for it."""
    digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _page_row_of_outcome(run: int, outcome: Outcome, nodes: tuple[Node, ...]) -> tuple[Any, ...]:
    url = outcome.wish.url
    n = next((item.n for item in nodes if item.wish.url == url), None)
    if n is None:
        raise ValueError(f"the page that arrived is none of the nodes: {url}")
    return (
        run,
        n,
        hash_page_address(to_storable(url)),
        to_storable(outcome.final_url),
        outcome.kind.value,
        outcome.status,
        to_storable(outcome.digest),
        outcome.size,
        to_storable(outcome.asked_at),
        to_storable(outcome.arrived_at),
        to_storable(outcome.validators.etag),
        to_storable(outcome.validators.last_modified),
    )


def _upsert_statement(table: Table, changing: Iterable[str], mark: str) -> str:
    names = [column.name for column in table.columns]
    changes = ", ".join(f"{name} = excluded.{name}" for name in changing)
    marks = ", ".join(mark for _ in names)
    return (
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({marks}) "  # noqa: S608  (names of our own tables)
        f"ON CONFLICT (run, n) DO UPDATE SET {changes}"
    )


def build_topic_page_statements(mark: str) -> tuple[str, str]:
    """The texts that write a page and its topic; one that is known is replaced, and is there again."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in _PAGE_COLUMNS[1:])
    page = (
        f"INSERT INTO topic_page ({', '.join(_PAGE_COLUMNS)}) VALUES ({', '.join(mark for _ in _PAGE_COLUMNS)}) "  # noqa: S608
        f"ON CONFLICT (url) DO UPDATE SET {changes}, gone_at = NULL"
    )
    later = ", ".join(f"{name} = excluded.{name}" for name in _TOPIC_COLUMNS[1:])
    topic = (
        f"INSERT INTO page_topic (page, {', '.join(_TOPIC_COLUMNS)}) VALUES "  # noqa: S608  (names of our own tables)
        f"((SELECT id FROM topic_page WHERE url = {mark}), {', '.join(mark for _ in _TOPIC_COLUMNS)}) "
        f"ON CONFLICT (page, topic) DO UPDATE SET {later}"
    )
    return page, topic


def build_topic_page_rows(
    run: int, pages: Iterable[RelevantPage], *, at: str
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What the two statements take."""
    found, topics = [], []
    for one in pages:
        url, topic, concepts = to_storable(one.url), to_storable(one.topic), to_storable(encode_record(one.concepts))
        seen = one.seen_at or at
        found.append((url, to_storable(one.title), to_storable(one.text), topic, one.value, concepts, run, seen))
        topics.append((url, topic, one.value, concepts, run))
    return found, topics


def read_topic_pages(connection: Connection, topic: str, *, after: int) -> list[tuple[int, RelevantPage]]:
    """The next pages, each with its number; of one topic with what they are to it."""
    page, query = topic_page.c, select(topic_page)
    if topic:
        of = page_topic.c
        columns = [page.id, page.url, page.title, page.text, page.seen_at, page.gone_at]
        query = select(*columns, of.topic, of.value, of.concepts, of.run).join(page_topic, of.page == page.id)
        query = query.where(of.topic == to_storable(topic))
    found = connection.execute(query.where(page.id > after).order_by(page.id).limit(TOPIC_PAGES_PER_READ))
    return [(row.id, _topic_page_of_row(row)) for row in found]


def count_pages_by_topic(connection: Connection) -> dict[str, int]:
    """The topics of all pages, each with how many pages it has."""
    topic = page_topic.c.topic
    found = connection.execute(select(topic, func.count().label("pages")).group_by(topic).order_by(topic))
    return {row.topic: row.pages for row in found}


def count_pages_of_run(connection: Connection, run: int) -> int:
    """How many pages a run kept last."""
    of = page_topic.c
    return connection.scalar(select(func.count(func.distinct(of.page))).where(of.run == run)) or 0


def update_topic_page(connection: Connection, page: RelevantPage, *, at: str) -> None:
    """Write what a page turned out to be when it was visited again; one that is not known is passed over."""
    here, topic = topic_page.c.url == to_storable(page.url), to_storable(page.topic)
    seen = {"title": to_storable(page.title), "text": to_storable(page.text), "seen_at": at, "gone_at": None}
    connection.execute(update(topic_page).where(here).values(seen))
    concepts = {"concepts": to_storable(encode_record(page.concepts))}
    connection.execute(update(topic_page).where(here, topic_page.c.topic == topic).values(concepts))
    known = select(topic_page.c.id).where(here).scalar_subquery()
    of_topic = (page_topic.c.page == known, page_topic.c.topic == topic)
    connection.execute(update(page_topic).where(*of_topic).values(concepts))


def mark_topic_page_seen(connection: Connection, url: str, *, at: str, gone: bool) -> None:
    """Note that a page is there as it was, or that it has vanished."""
    change = {"gone_at": at} if gone else {"seen_at": at, "gone_at": None}
    connection.execute(update(topic_page).where(topic_page.c.url == to_storable(url)).values(change))


def _topic_page_of_row(row: Any) -> RelevantPage:
    return RelevantPage(
        id=row.id,
        url=row.url,
        title=row.title,
        text=row.text,
        topic=row.topic,
        value=row.value,
        concepts=tuple(ConceptCount(**one) for one in json.loads(row.concepts)),
        run=row.run,
        seen_at=row.seen_at,
        gone_at=row.gone_at or "",
    )

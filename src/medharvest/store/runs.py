"""Runs with their nodes and pages: `RunRepository`, which is `store.runs`, and its statements."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, Table, delete, func, insert, or_, select, update
from sqlalchemy.exc import DBAPIError

from medharvest.errors import StoreError
from medharvest.records import ARTICLE_KINDS, Kind, Node, Outcome, Place, Reason, Validators, Wish
from medharvest.store.rows import PageRow, RelevantPage, Run, RunState, to_storable
from medharvest.store.tables import article_run, node, page, run
from medharvest.store.topic_pages import build_topic_page_rows, build_topic_page_statements

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from medharvest.store.backends import Backend
    from medharvest.store.transactions import Transactions

# A thousand nodes take some hundred kilobytes.
NODES_PER_READ = 1000
ROWS_PER_STATEMENT = 500  # older versions of SQLite allow 999 values in a statement
# A lookup in a dictionary is several times faster than calling the enum, and a plan may have a million nodes.
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
# The columns of a node that change after it was added.
_CHANGING_NODE_COLUMNS = ("place", "position", "flag", "tries", "reason", "detail")


class RunRepository:
    """The runs of a store, their nodes, and the pages that arrived."""

    def __init__(self, transactions: Transactions, recorder: CrawlRecorder) -> None:
        self._transactions = transactions
        self._recorder = recorder

    def __call__(self) -> tuple[Run, ...]:
        """Return what `all` returns: `store.runs()` was a method once."""
        return self.all()

    def begin(self, url: str, folder: str, nodes: tuple[Node, ...], options: str = "") -> int:
        """Add a run with the first nodes of its plan, and return its number; `options` says how to resume it."""
        with self._transactions.writing() as connection:
            number = insert_run_row(connection, url=url, folder=folder, options=options, at=self._transactions.now())
            if nodes:
                connection.exec_driver_sql(self._recorder.nodes, node_rows_of_run(number, nodes))
            return number

    def record(
        self,
        run: int,
        outcome: Outcome | None,
        nodes: tuple[Node, ...],
        *,
        archive_length: int | None = None,
        relevant: Sequence[RelevantPage] = (),
    ) -> None:
        """Record what an outcome changed: the nodes, the page if it arrived, the new length of the archive.

        `relevant` are pages of a topical crawl that belong to the collection. A kill after this loses nothing of it;
        `docs/concepts/store.md` says what a power failure may undo.
        """
        rows = build_topic_page_rows(run, relevant, at=self._transactions.now()) if relevant else NO_RELEVANT_ROWS
        with self._transactions.guarded():
            known = self._recorder.record(
                self._transactions.engine, run, outcome, nodes, archive_length=archive_length, relevant=rows
            )
            if not known:
                raise _no_such_run(run, url=self._transactions.url)

    def reopen_pages(self, run: int, numbers: Sequence[int], *, archive_length: int) -> None:
        """Record that the archive lost these pages: closed ones go back to Open, as if they were never requested."""
        with self._transactions.writing() as connection:
            for begin in range(0, len(numbers), ROWS_PER_STATEMENT):
                some = numbers[begin : begin + ROWS_PER_STATEMENT]
                connection.execute(delete(page).where(page.c.run == run, page.c.n.in_(some)))
                closed = (node.c.run == run, node.c.n.in_(some), node.c.place == Place.CLOSED.value)
                connection.execute(update(node).where(*closed).values(place=Place.OPEN.value, flag=1, tries=0))
            update_archive_length(connection, run, archive_length)

    def unwind(self, run: int, numbers: Sequence[int], *, archive_length: int) -> None:
        """Forget the pages of a topical crawl from the first of these numbers on: its order follows from the pages."""
        with self._transactions.writing() as connection:
            if numbers:
                for table in (page, node):
                    connection.execute(delete(table).where(table.c.run == run, table.c.n >= min(numbers)))
            update_archive_length(connection, run, archive_length)

    def end(self, run: int, state: RunState) -> None:
        """Set how a run ended; `running` opens it again, so that it can be resumed."""
        with self._transactions.writing() as connection:
            require_run(connection, run, url=self._transactions.url)
            update_run_state(connection, run, state, at=self._transactions.now())

    def get(self, run: int) -> Run:
        """Return one run."""
        with self._transactions.reading() as connection:
            found = read_run_rows(connection, run)
        if not found:
            raise _no_such_run(run, url=self._transactions.url)
        return found[0]

    def all(self) -> tuple[Run, ...]:
        """Return every run, the oldest first."""
        with self._transactions.reading() as connection:
            return read_run_rows(connection)

    def nodes(self, run: int) -> Iterator[Node]:
        """Yield every node of a run in the order of `n`."""
        with self._transactions.reading() as connection:
            require_run(connection, run, url=self._transactions.url)
        return self._transactions.in_batches(lambda connection, last: read_run_nodes(connection, run, after=last), 0)

    def pages(self, run: int) -> Iterator[PageRow]:
        """Yield every page of a run that arrived, in the order of `n`."""
        with self._transactions.reading() as connection:
            require_run(connection, run, url=self._transactions.url)
        return self._transactions.in_batches(lambda connection, last: read_run_pages(connection, run, after=last), 0)

    def find_article_page(self, url: str) -> int | None:
        """Return the newest finished run in which an article's page arrived from this address; None without one."""
        with self._transactions.reading() as connection:
            return read_run_of_article_page(connection, url)

    def validators(self, url: str) -> Validators:
        """Return the ETag and date that the server sent with the newest page at this address; empty without any."""
        with self._transactions.reading() as connection:
            return read_page_validators(connection, url)


def insert_run_row(connection: Connection, *, url: str, folder: str, options: str, at: str) -> int:
    """Add a run and return its id."""
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
    """Read the next nodes of a run, each with its number."""
    query = _SELECT_NODES.where(node.c.run == id_, node.c.n > after).order_by(node.c.n).limit(NODES_PER_READ)
    return [(row[0], _node_of_row(row)) for row in connection.execute(query).all()]


def read_run_pages(connection: Connection, id_: int, *, after: int) -> list[tuple[int, PageRow]]:
    """Read the next pages of a run, each with the number of its node."""
    query = _SELECT_PAGES.where(page.c.run == id_, page.c.n > after).order_by(page.c.n).limit(NODES_PER_READ)
    return [(row.n, _page_of_row(row)) for row in connection.execute(query)]


def read_page_validators(connection: Connection, url: str) -> Validators:
    """Read the validators of the newest page at this address that has any."""
    query = (
        select(page.c.etag, page.c.last_modified)
        .join_from(page, node)
        .where(page.c.address == hash_page_address(to_storable(url)), node.c.url == to_storable(url))
        .where(or_(page.c.etag != "", page.c.last_modified != ""))
        .order_by(page.c.run.desc(), page.c.n.desc())
    )
    found = connection.execute(query.limit(1)).first()
    return Validators(*found) if found else Validators()


def read_run_of_article_page(connection: Connection, url: str) -> int | None:
    """Read the newest finished run in which an article's page arrived from this address."""
    query = (
        select(page.c.run)
        .join_from(page, node)
        .join(run, run.c.id == page.c.run)
        .where(page.c.address == hash_page_address(to_storable(url)), node.c.url == to_storable(url))
        .where(run.c.state == RunState.FINISHED.value, page.c.kind.in_(kind.value for kind in ARTICLE_KINDS))
        .order_by(page.c.run.desc())
    )
    return connection.scalar(query.limit(1))


def update_run_state(connection: Connection, id_: int, state: RunState, *, at: str) -> None:
    """Set the state of a run, and its end unless it is running."""
    ended = None if state is RunState.RUNNING else at
    connection.execute(update(run).where(run.c.id == id_).values(state=state.value, ended=ended))


def update_archive_length(connection: Connection, id_: int, length: int) -> None:
    """Set how many bytes of its archive belong to the pages of a run."""
    connection.execute(update(run).where(run.c.id == id_).values(archive_length=length))


def read_run_rows(connection: Connection, id_: int | None = None) -> tuple[Run, ...]:
    """Read every run with its counts, the oldest first; or the one with this id."""
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
    """Return the pages of a run that have one of the digests or came from the address."""
    query = _SELECT_PAGES.where(page.c.run == id_, page.c.digest.in_(digests) | (node.c.url == to_storable(url)))
    return [_page_of_row(row) for row in connection.execute(query.order_by(page.c.n))]


def require_run(connection: Connection, id_: int, *, url: str) -> None:
    """Raise a `StoreError` if there is no such run; `url` names the store in it."""
    if connection.scalar(select(run.c.id).where(run.c.id == id_)) is None:
        raise _no_such_run(id_, url=url)


def _no_such_run(id_: int, *, url: str) -> StoreError:
    return StoreError(f"no such run: {id_}", url=url, hint="runs are numbered from 1 in each store")


def _node_of_row(row: Sequence[Any]) -> Node:
    n, url, kind, parent, depth, article_key, place, position, flag, reason, detail, tries, final_url, digest, size = (
        row
    )
    return Node(
        n=n,
        # Interned: all links of a page share one string for its address.
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
    """Writes the outcomes of a crawl, with statements that are built once for the kind of database."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
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
        """Write the nodes, the page if it arrived, and the archive's length, all or nothing; False if no such run.

        `relevant` are rows of pages that belong to a topic, as `build_topic_page_rows` returns them.
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
        """Give a cursor of the driver, in a transaction that keeps other writers out."""
        try:
            with closing(engine.raw_connection()) as connection, self._backend.begin_recording(connection) as cursor:
                yield cursor
        except engine.dialect.loaded_dbapi.Error as error:
            raise DBAPIError("record", None, error) from error


def node_rows_of_run(run: int, nodes: Iterable[Node]) -> list[tuple[Any, ...]]:
    """Build the rows of nodes, in the order of the table's columns."""
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
    """Return 64 bits of a URL's digest: short enough to index, which whole addresses may not be."""
    digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _page_row_of_outcome(run: int, outcome: Outcome, nodes: tuple[Node, ...]) -> tuple[Any, ...]:
    url = outcome.wish.url
    n = next((item.n for item in nodes if item.wish.url == url), None)
    if n is None:
        raise ValueError(f"the page that arrived is not among the nodes: {url}")
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


def _upsert_statement(table: Table, changing: Iterable[str], placeholder: str) -> str:
    names = [column.name for column in table.columns]
    changes = ", ".join(f"{name} = excluded.{name}" for name in changing)
    values = ", ".join(placeholder for _ in names)
    return (
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values}) "  # noqa: S608  (names of our own tables)
        f"ON CONFLICT (run, n) DO UPDATE SET {changes}"
    )

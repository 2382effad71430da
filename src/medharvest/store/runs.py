"""Statements about runs, their steps and their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, insert, select, update

from medharvest.records import Outcome, Wish
from medharvest.store.rows import Run, RunState, Step, dump, load, plain
from medharvest.store.tables import article_run, page, run, step

if TYPE_CHECKING:
    from collections.abc import Sequence

# Outcomes carry all links of a page: a hundred of them are some megabytes.
BATCH = 100


def insert_run(connection: Connection, *, url: str, folder: str, at: str) -> int:
    """Add a run and give its id."""
    row = {"url": plain(url), "folder": plain(folder), "state": RunState.RUNNING.value, "started": at}
    return int(connection.scalars(insert(run).returning(run.c.id), row).one())


def insert_steps(connection: Connection, id_: int, entries: Sequence[Wish | Outcome], *, at: str) -> None:
    """Append steps to a run, and the pages of the outcomes that arrived."""
    first = connection.scalar(select(func.coalesce(func.max(step.c.n), 0) + 1).where(step.c.run == id_))
    numbered = list(enumerate(entries, start=first or 1))
    if numbered:
        connection.execute(insert(step), [_step_row(entry, at) | {"run": id_, "n": n} for n, entry in numbered])
    if pages := [_page_row(entry) | {"run": id_, "n": n} for n, entry in numbered if _arrived(entry)]:
        connection.execute(insert(page), pages)


def read_steps(connection: Connection, id_: int, *, after: int) -> list[tuple[int, Step]]:
    """The next steps of a run, each with its number."""
    query = select(step.c.n, step.c.way, step.c.body).where(step.c.run == id_, step.c.n > after)
    return [(row.n, _step(row)) for row in connection.execute(query.order_by(step.c.n).limit(BATCH))]


def update_state(connection: Connection, id_: int, state: RunState, *, at: str) -> None:
    """Set a run's state, and its end unless it is running."""
    ended = None if state is RunState.RUNNING else at
    connection.execute(update(run).where(run.c.id == id_).values(state=state.value, ended=ended))


def read_runs(connection: Connection) -> tuple[Run, ...]:
    """Every run with its counts, the oldest first."""
    pages = _counts(connection, select(page.c.run, func.count()).group_by(page.c.run))
    failures = _counts(connection, _failures())
    citations = _counts(connection, select(article_run.c.run, func.count()).group_by(article_run.c.run))
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
        )
        for row in connection.execute(select(run).order_by(run.c.id))
    )


def exists(connection: Connection, id_: int) -> bool:
    """Whether there is such a run."""
    return connection.scalar(select(run.c.id).where(run.c.id == id_)) is not None


def _failures() -> Any:
    # An address has failed for good when every outcome fed for it was a failure.
    lost = (
        select(step.c.run, step.c.url)
        .where(step.c.way == "fed")
        .group_by(step.c.run, step.c.url)
        .having(func.count() == func.count(step.c.reason))
        .subquery()
    )
    return select(lost.c.run, func.count()).group_by(lost.c.run)


def _counts(connection: Connection, query: Any) -> dict[int, int]:
    return {row[0]: row[1] for row in connection.execute(query)}


def _step_row(entry: Wish | Outcome, at: str) -> dict[str, Any]:
    if isinstance(entry, Wish):
        return {"way": "handed", "url": plain(entry.url), "reason": None, "body": dump(entry), "at": at}
    reason = entry.reason.value if entry.reason else None
    return {"way": "fed", "url": plain(entry.wish.url), "reason": reason, "body": dump(entry), "at": at}


def _arrived(entry: Wish | Outcome) -> bool:
    return isinstance(entry, Outcome) and entry.reason is None


def _page_row(entry: Wish | Outcome) -> dict[str, Any]:
    assert isinstance(entry, Outcome)
    return {
        "url": plain(entry.wish.url),
        "final_url": plain(entry.final_url),
        "kind": entry.kind.value,
        "digest": plain(entry.digest),
        "size": entry.size,
    }


def _step(row: Any) -> Step:
    if row.way == "handed":
        return Step(row.n, load(Wish, row.body), None)
    return Step(row.n, None, load(Outcome, row.body))

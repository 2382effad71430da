"""What was sent of each article to each target: read before a delivery, written after each batch, listed for OAI."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, insert, select, update

from medharvest.json_text import load
from medharvest.records import Citation
from medharvest.store.articles import BATCH
from medharvest.store.rows import plain
from medharvest.store.tables import article, delivery

Opened = Callable[[], AbstractContextManager[Connection]]
_LISTED = ("sent", "deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What became of an article at a target: `sent`, `refused`, `failed`, or `deleted` from what the target lists.

    `n` counts the changes of all of them, in the order they were made; it and `at` are the store's to set.
    """

    article: int
    digest: str
    state: str
    remote_id: str = ""
    detail: str = ""
    n: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of what a target lists: changes after the one numbered `after`, made from `since` to `until`."""

    after: int = 0
    since: str = ""
    until: str = ""


class Deliveries:
    """The deliveries of a store; `Store.deliveries` gives them."""

    def __init__(self, reading: Opened, writing: Opened, now: Callable[[], str]) -> None:
        self._reading = reading
        self._writing = writing
        self._now = now

    def record(self, number: int) -> Citation | None:
        """The record of an article."""
        with self._reading() as connection:
            text = connection.scalar(select(article.c.citation).where(article.c.id == number))
        return None if text is None else load(Citation, text)

    def changed(self, after: int) -> tuple[int, tuple[int, ...]]:
        """The batch of the last change of any record, and the articles with a change after the batch given."""
        with self._reading() as connection:
            rows = connection.execute(select(article.c.id, article.c.changed).where(article.c.changed > after)).all()
        return max((row.changed for row in rows), default=after), tuple(sorted(row.id for row in rows))

    def find(self, target: str, articles: Iterable[int]) -> dict[int, Delivered]:
        """What became of articles at a target, by article."""
        wanted, found = iter(articles), {}
        with self._reading() as connection:
            while some := list(islice(wanted, BATCH)):
                rows = connection.execute(_of(target).where(delivery.c.article.in_(some)))
                found.update({row.article: _delivered(row) for row in rows})
        return found

    def keep(self, target: str, items: Iterable[Delivered]) -> None:
        """Keep what became of articles in place of what was kept of them before; all of them or none."""
        batch = tuple(items)
        with self._writing() as connection:
            last, at = connection.scalar(select(func.max(delivery.c.n))) or 0, self._now()
            for n, item in enumerate(batch, last + 1):
                _keep(connection, target, item, n=n, at=at)

    def listed(self, target: str, span: Span, *, limit: int) -> list[Delivered]:
        """What a target lists, in the order it was changed."""
        query = _of(target).where(*_within(span)).order_by(delivery.c.n).limit(limit)
        with self._reading() as connection:
            return [_delivered(row) for row in connection.execute(query)]

    def count(self, target: str, span: Span) -> int:
        """How many a target lists."""
        query = select(func.count()).where(delivery.c.target == target, *_within(span))
        with self._reading() as connection:
            return connection.scalar(query) or 0

    def earliest(self, target: str) -> str:
        """When the oldest of what a target lists was changed; empty where it lists nothing."""
        query = select(func.min(delivery.c.at)).where(delivery.c.target == target, delivery.c.state.in_(_LISTED))
        with self._reading() as connection:
            return connection.scalar(query) or ""

    def states(self, target: str) -> dict[str, int]:
        """How many articles stand how at a target."""
        query = select(delivery.c.state, func.count()).where(delivery.c.target == target).group_by(delivery.c.state)
        with self._reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}


def of_articles(numbers: Iterable[int]) -> list[ColumnElement[bool]]:
    """The condition for some articles."""
    return [article.c.id.in_(numbers)]


def _of(target: str) -> Select[Any]:
    return select(delivery).where(delivery.c.target == target)


def _within(span: Span) -> list[ColumnElement[bool]]:
    conditions = [delivery.c.state.in_(_LISTED), delivery.c.n > span.after]
    if span.since:
        conditions.append(delivery.c.at >= span.since)
    if span.until:
        conditions.append(delivery.c.at <= span.until)
    return conditions


def _keep(connection: Connection, target: str, item: Delivered, *, n: int, at: str) -> None:
    values = {
        "digest": item.digest,
        "state": item.state,
        "remote_id": plain(item.remote_id),
        "detail": plain(item.detail),
        "n": n,
        "at": at,
    }
    key = {"target": target, "article": item.article}
    done = connection.execute(update(delivery).filter_by(**key).values(**values))
    if not done.rowcount:
        connection.execute(insert(delivery), {**key, **values})


def _delivered(row: Any) -> Delivered:
    return Delivered(
        article=row.article,
        digest=row.digest,
        state=row.state,
        remote_id=row.remote_id,
        detail=row.detail,
        n=row.n,
        at=row.at,
    )

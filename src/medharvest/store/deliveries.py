"""`Deliveries`, which is `store.deliveries`: what each target received, and what OAI-PMH lists of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from medharvest.codec import decode_record
from medharvest.records import Citation
from medharvest.store.articles import ARTICLES_PER_READ
from medharvest.store.rows import to_storable
from medharvest.store.tables import article, delivery
from medharvest.store.transactions import Transactions

_LISTED_STATES = ("sent", "deleted")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """The state of an article at a target: `sent`, `refused`, `failed`, or `deleted` from what the target lists.

    `n` counts the changes of all rows, in the order they were made; the store sets it, and `at`.
    """

    article: int
    digest: str
    state: str
    remote_id: str = ""
    detail: str = ""
    n: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySpan:
    """A part of what a target lists: changes after number `after`, made from `since` to `until`."""

    after: int = 0
    since: str = ""
    until: str = ""


class Deliveries:
    """The deliveries of a store, by the name of a target and the digest of its address.

    Rows of an older store have no address; they count for any address of their target until `adopt` gives them one.
    """

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def record(self, number: int) -> Citation | None:
        """Return the record of an article; None if there is no such article."""
        with self._transactions.reading() as connection:
            text = connection.scalar(select(article.c.citation).where(article.c.id == number))
        return None if text is None else decode_record(Citation, text)

    def changed(self, after: int) -> tuple[int, tuple[int, ...]]:
        """Return the batch of the last change, and the articles that changed after the given batch."""
        with self._transactions.reading() as connection:
            rows = connection.execute(select(article.c.id, article.c.changed).where(article.c.changed > after)).all()
        return max((row.changed for row in rows), default=after), tuple(sorted(row.id for row in rows))

    def adopt(self, target: str, *, address: str) -> None:
        """Take rows of a target whose address is not known for rows of this address."""
        if not address:
            return
        here = select(delivery.c.article).where(delivery.c.target == target, delivery.c.address == address)
        unknown = (delivery.c.target == target, delivery.c.address == "")
        with self._transactions.writing() as connection:
            connection.execute(delete(delivery).where(*unknown, delivery.c.article.in_(here)))
            connection.execute(update(delivery).where(*unknown).values(address=address))

    def has_moved(self, target: str, *, address: str) -> bool:
        """Whether records were sent to this target at another address, and none at this one."""
        query = select(delivery.c.article).where(delivery.c.target == target).limit(1)
        with self._transactions.reading() as connection:
            if connection.execute(query.where(*_conditions_of_place(target, address))).first():
                return False
            return connection.execute(query).first() is not None

    def find(self, target: str, articles: Iterable[int], *, address: str = "") -> dict[int, DeliveryRow]:
        """Return the rows of articles at a target, by article."""
        wanted, found = iter(articles), {}
        with self._transactions.reading() as connection:
            while some := list(islice(wanted, ARTICLES_PER_READ)):
                query = _select_deliveries(target, address).where(delivery.c.article.in_(some))
                rows = connection.execute(query.order_by(delivery.c.address))  # those without an address first
                found.update({row.article: _delivery_of_row(row) for row in rows})
        return found

    def keep(self, target: str, items: Iterable[DeliveryRow], *, address: str = "") -> None:
        """Write the rows of articles in place of earlier ones; all of them or none."""
        batch = tuple(items)
        with self._transactions.writing() as connection:
            last, at = connection.scalar(select(func.max(delivery.c.n))) or 0, self._transactions.now()
            for n, item in enumerate(batch, last + 1):
                _upsert_delivery(connection, (target, address), item, n=n, at=at)

    def listed(self, target: str, span: DeliverySpan, *, limit: int, address: str = "") -> list[DeliveryRow]:
        """Return what a target lists, in the order of the changes."""
        found = _select_deliveries(target, address).where(*_conditions_of_span(span))
        query = found.order_by(delivery.c.n).limit(limit)
        with self._transactions.reading() as connection:
            return [_delivery_of_row(row) for row in connection.execute(query)]

    def count(self, target: str, span: DeliverySpan) -> int:
        """Count what a target without an address lists."""
        query = select(func.count()).where(*_conditions_of_place(target, ""), *_conditions_of_span(span))
        with self._transactions.reading() as connection:
            return connection.scalar(query) or 0

    def earliest(self, target: str) -> str:
        """Return the time of the oldest change that a target without an address lists; empty if it lists nothing."""
        listed = delivery.c.state.in_(_LISTED_STATES)
        query = select(func.min(delivery.c.at)).where(*_conditions_of_place(target, ""), listed)
        with self._transactions.reading() as connection:
            return connection.scalar(query) or ""

    def states(self, target: str, *, address: str = "") -> dict[str, int]:
        """Count the articles at a target by state."""
        counted = select(delivery.c.state, func.count()).where(*_conditions_of_place(target, address))
        query = counted.group_by(delivery.c.state)
        with self._transactions.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}


def _select_deliveries(target: str, address: str) -> Select[Any]:
    return select(delivery).where(*_conditions_of_place(target, address))


def _conditions_of_place(target: str, address: str) -> tuple[ColumnElement[bool], ...]:
    return delivery.c.target == target, delivery.c.address.in_({"", address})


def _conditions_of_span(span: DeliverySpan) -> list[ColumnElement[bool]]:
    conditions = [delivery.c.state.in_(_LISTED_STATES), delivery.c.n > span.after]
    if span.since:
        conditions.append(delivery.c.at >= span.since)
    if span.until:
        conditions.append(delivery.c.at <= span.until)
    return conditions


def _upsert_delivery(connection: Connection, place: tuple[str, str], item: DeliveryRow, *, n: int, at: str) -> None:
    values = {
        "digest": item.digest,
        "state": item.state,
        "remote_id": to_storable(item.remote_id),
        "detail": to_storable(item.detail),
        "n": n,
        "at": at,
    }
    key = {"target": place[0], "address": place[1], "article": item.article}
    done = connection.execute(update(delivery).filter_by(**key).values(**values))
    if not done.rowcount:
        connection.execute(insert(delivery), {**key, **values})


def _delivery_of_row(row: Any) -> DeliveryRow:
    return DeliveryRow(
        article=row.article,
        digest=row.digest,
        state=row.state,
        remote_id=row.remote_id,
        detail=row.detail,
        n=row.n,
        at=row.at,
    )

"""Relevant pages of topical crawls: `TopicPageRepository`, which is `store.topic_pages`, and its statements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select, update

from medharvest.codec import encode_record
from medharvest.store.rows import ConceptCount, RelevantPage, to_storable
from medharvest.store.tables import page_topic, topic_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from medharvest.store.transactions import Transactions

TOPIC_PAGES_PER_READ = 100  # a page may have half a megabyte of text
_PAGE_COLUMNS = ("url", "title", "text", "topic", "value", "concepts", "run", "seen_at")
_TOPIC_COLUMNS = ("topic", "value", "concepts", "run")


class TopicPageRepository:
    """The relevant pages that topical crawls found."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def __call__(self, topic: str = "") -> Iterator[RelevantPage]:
        """Return what `all` returns: `store.topic_pages()` was a method once."""
        return self.all(topic)

    def all(self, topic: str = "") -> Iterator[RelevantPage]:
        """Yield the pages in the order they were first found, including those that have vanished.

        With a topic: its pages only, with value, concepts and run for this topic. Without: those of the last crawl
        that saw the page.
        """
        return self._transactions.in_batches(
            lambda connection, last: read_topic_pages(connection, topic, after=last), 0
        )

    def topics(self) -> dict[str, int]:
        """Return the topics that pages were found for, each with the number of its pages."""
        with self._transactions.reading() as connection:
            return count_pages_by_topic(connection)

    def count_of_run(self, run: int) -> int:
        """Count the relevant pages that a run kept, without those that a later run saw again."""
        with self._transactions.reading() as connection:
            return count_pages_of_run(connection, run)

    def revise(self, page: RelevantPage) -> None:
        """Replace what is stored of a page after it was visited again."""
        with self._transactions.writing() as connection:
            update_topic_page(connection, page, at=self._transactions.now())

    def touch(self, url: str, *, gone: bool = False) -> None:
        """Record that a page was visited again and is unchanged, or has vanished."""
        with self._transactions.writing() as connection:
            mark_topic_page_seen(connection, url, at=self._transactions.now(), gone=gone)


def build_topic_page_statements(placeholder: str) -> tuple[str, str]:
    """Build the statements that write a page and its topic; a known page is replaced and no longer marked as gone."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in _PAGE_COLUMNS[1:])
    page = (
        f"INSERT INTO topic_page ({', '.join(_PAGE_COLUMNS)}) "  # noqa: S608  (names of our own tables)
        f"VALUES ({', '.join(placeholder for _ in _PAGE_COLUMNS)}) "
        f"ON CONFLICT (url) DO UPDATE SET {changes}, gone_at = NULL"
    )
    later = ", ".join(f"{name} = excluded.{name}" for name in _TOPIC_COLUMNS[1:])
    topic = (
        f"INSERT INTO page_topic (page, {', '.join(_TOPIC_COLUMNS)}) VALUES "  # noqa: S608  (names of our own tables)
        f"((SELECT id FROM topic_page WHERE url = {placeholder}), {', '.join(placeholder for _ in _TOPIC_COLUMNS)}) "
        f"ON CONFLICT (page, topic) DO UPDATE SET {later}"
    )
    return page, topic


def build_topic_page_rows(
    run: int, pages: Iterable[RelevantPage], *, at: str
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Build the rows for the statements of `build_topic_page_statements`."""
    found, topics = [], []
    for one in pages:
        url, topic, concepts = to_storable(one.url), to_storable(one.topic), to_storable(encode_record(one.concepts))
        seen = one.seen_at or at
        found.append((url, to_storable(one.title), to_storable(one.text), topic, one.value, concepts, run, seen))
        topics.append((url, topic, one.value, concepts, run))
    return found, topics


def read_topic_pages(connection: Connection, topic: str, *, after: int) -> list[tuple[int, RelevantPage]]:
    """Read the next pages, each with its number; with a topic, its pages and their values for it."""
    page, query = topic_page.c, select(topic_page)
    if topic:
        of = page_topic.c
        columns = [page.id, page.url, page.title, page.text, page.seen_at, page.gone_at]
        query = select(*columns, of.topic, of.value, of.concepts, of.run).join(page_topic, of.page == page.id)
        query = query.where(of.topic == to_storable(topic))
    found = connection.execute(query.where(page.id > after).order_by(page.id).limit(TOPIC_PAGES_PER_READ))
    return [(row.id, _topic_page_of_row(row)) for row in found]


def count_pages_by_topic(connection: Connection) -> dict[str, int]:
    """Count the pages of each topic."""
    topic = page_topic.c.topic
    found = connection.execute(select(topic, func.count().label("pages")).group_by(topic).order_by(topic))
    return {row.topic: row.pages for row in found}


def count_pages_of_run(connection: Connection, run: int) -> int:
    """Count the pages that this run was the last to keep."""
    of = page_topic.c
    return connection.scalar(select(func.count(func.distinct(of.page))).where(of.run == run)) or 0


def update_topic_page(connection: Connection, page: RelevantPage, *, at: str) -> None:
    """Write what a page contained when it was visited again; an unknown page is ignored."""
    here, topic = topic_page.c.url == to_storable(page.url), to_storable(page.topic)
    seen = {"title": to_storable(page.title), "text": to_storable(page.text), "seen_at": at, "gone_at": None}
    connection.execute(update(topic_page).where(here).values(seen))
    concepts = {"concepts": to_storable(encode_record(page.concepts))}
    connection.execute(update(topic_page).where(here, topic_page.c.topic == topic).values(concepts))
    known = select(topic_page.c.id).where(here).scalar_subquery()
    of_topic = (page_topic.c.page == known, page_topic.c.topic == topic)
    connection.execute(update(page_topic).where(*of_topic).values(concepts))


def mark_topic_page_seen(connection: Connection, url: str, *, at: str, gone: bool) -> None:
    """Note that a page is still there unchanged, or that it has vanished."""
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

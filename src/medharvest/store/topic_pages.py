"""Statements about the relevant pages of topical crawls: written with the state of a crawl, read for search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select, update

from medharvest.json_text import dump
from medharvest.store.rows import ConceptCount, RelevantPage, plain
from medharvest.store.tables import page_topic, topic_page

if TYPE_CHECKING:
    from collections.abc import Iterable

BATCH = 100  # a page may have half a megabyte of text
_PAGE = ("url", "title", "text", "topic", "value", "concepts", "run", "seen_at")
_TOPIC = ("topic", "value", "concepts", "run")


def statements(mark: str) -> tuple[str, str]:
    """The texts that write a page and its topic; one that is known is replaced, and is there again."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in _PAGE[1:])
    page = (
        f"INSERT INTO topic_page ({', '.join(_PAGE)}) VALUES ({', '.join(mark for _ in _PAGE)}) "  # noqa: S608
        f"ON CONFLICT (url) DO UPDATE SET {changes}, gone_at = NULL"
    )
    later = ", ".join(f"{name} = excluded.{name}" for name in _TOPIC[1:])
    topic = (
        f"INSERT INTO page_topic (page, {', '.join(_TOPIC)}) VALUES "  # noqa: S608  (names of our own tables)
        f"((SELECT id FROM topic_page WHERE url = {mark}), {', '.join(mark for _ in _TOPIC)}) "
        f"ON CONFLICT (page, topic) DO UPDATE SET {later}"
    )
    return page, topic


def rows(run: int, pages: Iterable[RelevantPage], *, at: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What the two statements take."""
    found, topics = [], []
    for page in pages:
        url, topic, concepts = plain(page.url), plain(page.topic), plain(dump(page.concepts))
        seen = page.seen_at or at
        found.append((url, plain(page.title), plain(page.text), topic, page.value, concepts, run, seen))
        topics.append((url, topic, page.value, concepts, run))
    return found, topics


def read(connection: Connection, topic: str, *, after: int) -> list[tuple[int, RelevantPage]]:
    """The next pages, each with its number; of one topic with what they are to it."""
    page, query = topic_page.c, select(topic_page)
    if topic:
        of = page_topic.c
        columns = [page.id, page.url, page.title, page.text, page.seen_at, page.gone_at]
        query = select(*columns, of.topic, of.value, of.concepts, of.run).join(page_topic, of.page == page.id)
        query = query.where(of.topic == plain(topic))
    found = connection.execute(query.where(page.id > after).order_by(page.id).limit(BATCH))
    return [(row.id, _page(row)) for row in found]


def topics(connection: Connection) -> dict[str, int]:
    """The topics of all pages, each with how many pages it has."""
    topic = page_topic.c.topic
    found = connection.execute(select(topic, func.count().label("pages")).group_by(topic).order_by(topic))
    return {row.topic: row.pages for row in found}


def kept_by(connection: Connection, run: int) -> int:
    """How many pages a run kept last."""
    of = page_topic.c
    return connection.scalar(select(func.count(func.distinct(of.page))).where(of.run == run)) or 0


def revise(connection: Connection, page: RelevantPage, *, at: str) -> None:
    """Write what a page turned out to be when it was visited again; one that is not known is passed over."""
    here, topic = topic_page.c.url == plain(page.url), plain(page.topic)
    seen = {"title": plain(page.title), "text": plain(page.text), "seen_at": at, "gone_at": None}
    connection.execute(update(topic_page).where(here).values(seen))
    concepts = {"concepts": plain(dump(page.concepts))}
    connection.execute(update(topic_page).where(here, topic_page.c.topic == topic).values(concepts))
    known = select(topic_page.c.id).where(here).scalar_subquery()
    of_topic = (page_topic.c.page == known, page_topic.c.topic == topic)
    connection.execute(update(page_topic).where(*of_topic).values(concepts))


def touch(connection: Connection, url: str, *, at: str, gone: bool) -> None:
    """Note that a page is there as it was, or that it has vanished."""
    change = {"gone_at": at} if gone else {"seen_at": at, "gone_at": None}
    connection.execute(update(topic_page).where(topic_page.c.url == plain(url)).values(change))


def _page(row: Any) -> RelevantPage:
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

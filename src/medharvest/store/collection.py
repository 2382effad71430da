"""The collection as search sees it: citations and pages, found by a query and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, func, insert, select

from medharvest.search.nodes import Query
from medharvest.store import documents
from medharvest.store.rows import Found, Hit, Search, plain
from medharvest.store.snippets import mark_found
from medharvest.store.tables import document, search_log

# Of more hits the newest are ranked: to order a million takes seconds, and nobody reads them.
RANKED = 10_000
_BATCH = 1000
_PAGES = 100  # indexed in one transaction: a page may have half a megabyte of text
_LONGEST = 2000  # characters of a query that the log keeps
_SHOWN = (document.c.title, document.c.text)
Opening = Callable[[], AbstractContextManager[Connection]]


class SearchIndex:
    """What a store holds, to search in; `reading` and `writing` open its transactions."""

    def __init__(self, reading: Opening, writing: Opening, now: Callable[[], str]) -> None:
        self._reading = reading
        self._writing = writing
        self._now = now

    def search(self, query: Query, *, limit: int = 20, offset: int = 0) -> Found:
        """The documents that fit a query best, and how many there are in all."""
        with self._reading() as connection:
            index = documents.INDEXES[connection.dialect.name]
            ranked, best = index.best(connection, query, among=RANKED, limit=limit, offset=offset)
            # To find everything once more costs as much again: only where that is not known yet.
            total = ranked if 0 < ranked < RANKED else index.count(connection, query)
            hits = _hits(connection, query, dict(best))
        return Found(total=total, ranked=min(total, RANKED), hits=tuple(hits))

    def count(self, query: Query) -> int:
        """How many documents a query finds."""
        with self._reading() as connection:
            return int(documents.INDEXES[connection.dialect.name].count(connection, query))

    def refs(self, query: Query) -> Iterator[tuple[str, int]]:
        """Everything a query finds, in the order it was indexed: kind, and number of the article or page."""
        last = 0
        while True:
            with self._reading() as connection:
                index = documents.INDEXES[connection.dialect.name]
                batch = index.ids(connection, query, after=last, limit=_BATCH)
                rows = _refs(connection, batch)
            yield from rows
            if len(batch) < _BATCH:
                return
            last = batch[-1]

    def size(self) -> Mapping[str, int]:
        """How many documents there are of each kind."""
        with self._reading() as connection:
            query = select(document.c.kind, func.count()).group_by(document.c.kind)
            return {row[0]: row[1] for row in connection.execute(query)}

    def put(self, rows: Sequence[documents.Row]) -> None:
        """Index documents, as `documents.of_page` and `of_citation` make them."""
        with self._writing() as connection:
            documents.put(connection, rows)

    def catch_up(self) -> int:
        """Index the pages that crawls kept, changed or lost since the last time; how many they were."""
        done = 0
        while self._is_waiting():
            with self._writing() as connection:
                done += documents.take_waiting(connection, _PAGES)
        return done

    def _is_waiting(self) -> bool:
        with self._reading() as connection:
            return documents.is_waiting(connection)

    def untagged(self, limit: int = _BATCH) -> list[tuple[int, str, str]]:
        """Documents whose concepts nobody looked for yet: number, title and text."""
        with self._reading() as connection:
            return documents.untagged(connection, limit)

    def tag(self, tags: Mapping[int, Sequence[tuple[str, int]]], *, vocabulary: str) -> None:
        """Keep the concepts of documents, each with how often it is named."""
        words = {id_: documents.concept_words(concepts) for id_, concepts in tags.items()}
        with self._writing() as connection:
            documents.tag(connection, words, vocabulary=vocabulary)

    def reindex(self) -> int:
        """Make the index anew; how many citations it has. Pages are indexed by `catch_up`."""
        with self._writing() as connection:
            return documents.rebuild(connection)

    def log(self, query: str, hits: int) -> None:
        """Note a search."""
        row = {"query": plain(query[:_LONGEST]), "at": self._now(), "hits": hits}
        with self._writing() as connection:
            connection.execute(insert(search_log), row)

    def searches(self) -> tuple[Search, ...]:
        """Every search, the oldest first."""
        with self._reading() as connection:
            rows = connection.execute(select(search_log).order_by(search_log.c.id))
            return tuple(Search(id=row.id, query=row.query, at=row.at, hits=row.hits) for row in rows)


def _hits(connection: Connection, query: Query, scores: Mapping[int, float]) -> list[Hit]:
    """The hits of documents in the order of their scores."""
    columns = (document.c.id, document.c.kind, document.c.ref, document.c.url, document.c.year, *_SHOWN)
    rows = {row.id: row for row in connection.execute(select(*columns).where(document.c.id.in_(scores)))}
    marked = mark_found(query, [(row.id, row.title, row.text) for row in rows.values()])
    return [
        Hit(
            kind=rows[id_].kind,
            number=rows[id_].ref,
            url=rows[id_].url,
            title=_one_line(marked[id_][0]),
            snippet=_one_line(marked[id_][1]),
            year=rows[id_].year,
            score=score,
        )
        for id_, score in scores.items()
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _refs(connection: Connection, ids: Sequence[int]) -> list[tuple[str, int]]:
    query: Any = select(document.c.kind, document.c.ref).where(document.c.id.in_(ids)).order_by(document.c.id)
    return [(row.kind, row.ref) for row in connection.execute(query)]

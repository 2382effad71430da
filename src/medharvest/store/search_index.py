"""`SearchIndex`: search over citations and pages, one indexed document for each, kept in step with the store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from operator import itemgetter
from types import MappingProxyType, ModuleType
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from medharvest.codec import decode_record
from medharvest.fields import fields_searched_in
from medharvest.records import Author, Citation
from medharvest.search.index_fields import encode_mark
from medharvest.search.query import Query
from medharvest.store import postgres, sqlite
from medharvest.store.rows import Hit, LoggedSearch, SearchResult, Status, to_storable
from medharvest.store.sqlite import mark_hit_texts
from medharvest.store.tables import article, document, page_waiting, search_log, topic_page
from medharvest.store.transactions import insert_rows, next_row_numbers

# Of more hits the newest are ranked: to order a million takes seconds, and nobody reads them.
MAX_RANKED_HITS = 10_000
_DOCUMENTS_PER_READ = 1000
_PAGES_PER_TRANSACTION = 100  # indexed in one transaction: a page may have half a megabyte of text
_MAX_LOGGED_QUERY = 2000  # characters of a query that the log keeps
_SHOWN_COLUMNS = (document.c.title, document.c.text)
Opening = Callable[[], AbstractContextManager[Connection]]
CITATION_DOCUMENT, PAGE_DOCUMENT = "citation", "page"
# What only one database can do, by its name; both modules have the same functions.
TEXT_INDEXES: Mapping[str, ModuleType] = MappingProxyType({"sqlite": sqlite, "postgresql": postgres})
MAX_INDEXED_TEXT = 200_000  # characters of a text that are indexed
_MAX_CONCEPT_REPEATS = 5  # mentions of a concept that count
_DOCUMENTS_PER_STATEMENT = 500
_DOCUMENT_YEAR = re.compile(r"[0-9]{4}(?![0-9])")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_DOCUMENT_COLUMNS = tuple(column.name for column in document.columns if column.name != "id")
_document_values = itemgetter("id", *_DOCUMENT_COLUMNS)
# The fields that stand in each column of the index, and those of which each value is one word.
_FIELDS_BY_COLUMN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {column: fields_searched_in(column) for column in ("title", "text", "subjects", "authors", "journal", "place")}
)
_MARKED_FIELDS = fields_searched_in("marks")
DocumentRow = dict[str, Any]
_EMPTY_DOCUMENT: DocumentRow = dict.fromkeys(_DOCUMENT_COLUMNS, "")

_TEXTS_OF_RECORDS: Mapping[str, Callable[[Any], Iterable[str]]] = MappingProxyType(
    {
        "authors": lambda authors: chain.from_iterable(map(searchable_name_forms, authors)),
        "other_abstracts": lambda others: [other.text for other in others],
    }
)


class SearchIndex:
    """What a store holds, to search in; `reading` and `writing` open its transactions."""

    def __init__(self, reading: Opening, writing: Opening, now: Callable[[], str]) -> None:
        self._reading = reading
        self._writing = writing
        self._now = now

    def search(self, query: Query, *, limit: int = 20, offset: int = 0) -> SearchResult:
        """The documents that fit a query best, and how many there are in all."""
        with self._reading() as connection:
            index = TEXT_INDEXES[connection.dialect.name]
            ranked, best = index.rank_matches(connection, query, among=MAX_RANKED_HITS, limit=limit, offset=offset)
            # To find everything once more costs as much again: only where that is not known yet.
            total = ranked if 0 < ranked < MAX_RANKED_HITS else index.count_matches(connection, query)
            hits = _read_hits(connection, query, dict(best))
        return SearchResult(total=total, ranked=min(total, MAX_RANKED_HITS), hits=tuple(hits))

    def count(self, query: Query) -> int:
        """How many documents a query finds."""
        with self._reading() as connection:
            return int(TEXT_INDEXES[connection.dialect.name].count_matches(connection, query))

    def refs(self, query: Query) -> Iterator[tuple[str, int]]:
        """Everything a query finds, in the order it was indexed: kind, and number of the article or page."""
        last = 0
        while True:
            with self._reading() as connection:
                index = TEXT_INDEXES[connection.dialect.name]
                batch = index.find_matching_ids(connection, query, after=last, limit=_DOCUMENTS_PER_READ)
                rows = _read_document_refs(connection, batch)
            yield from rows
            if len(batch) < _DOCUMENTS_PER_READ:
                return
            last = batch[-1]

    def size(self) -> Mapping[str, int]:
        """How many documents there are of each kind."""
        with self._reading() as connection:
            query = select(document.c.kind, func.count()).group_by(document.c.kind)
            return {row[0]: row[1] for row in connection.execute(query)}

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """Index documents, as `documents.of_page` and `of_citation` make them."""
        with self._writing() as connection:
            put_documents(connection, rows)

    def catch_up(self) -> int:
        """Index the pages that crawls kept, changed or lost since the last time; how many they were."""
        done = 0
        while self._is_waiting():
            with self._writing() as connection:
                done += index_waiting_pages(connection, _PAGES_PER_TRANSACTION)
        return done

    def _is_waiting(self) -> bool:
        with self._reading() as connection:
            return has_waiting_pages(connection)

    def untagged(self, limit: int = _DOCUMENTS_PER_READ) -> list[tuple[int, str, str]]:
        """Documents whose concepts nobody looked for yet: number, title and text."""
        with self._reading() as connection:
            return read_untagged_documents(connection, limit)

    def tag(self, tags: Mapping[int, Sequence[tuple[str, int]]], *, vocabulary: str) -> None:
        """Keep the concepts of documents, each with how often it is named."""
        words = {id_: concept_mark_words(concepts) for id_, concepts in tags.items()}
        with self._writing() as connection:
            write_concept_tags(connection, words, vocabulary=vocabulary)

    def reindex(self) -> int:
        """Make the index anew; how many citations it has. Pages are indexed by `catch_up`."""
        with self._writing() as connection:
            return rebuild_search_index(connection)

    def log(self, query: str, hits: int) -> None:
        """Note a search."""
        row = {"query": to_storable(query[:_MAX_LOGGED_QUERY]), "at": self._now(), "hits": hits}
        with self._writing() as connection:
            connection.execute(insert(search_log), row)

    def searches(self) -> tuple[LoggedSearch, ...]:
        """Every search, the oldest first."""
        with self._reading() as connection:
            rows = connection.execute(select(search_log).order_by(search_log.c.id))
            return tuple(LoggedSearch(id=row.id, query=row.query, at=row.at, hits=row.hits) for row in rows)


def _read_hits(connection: Connection, query: Query, scores: Mapping[int, float]) -> list[Hit]:
    """The hits of documents in the order of their scores."""
    columns = (document.c.id, document.c.kind, document.c.ref, document.c.url, document.c.year, *_SHOWN_COLUMNS)
    rows = {row.id: row for row in connection.execute(select(*columns).where(document.c.id.in_(scores)))}
    marked = mark_hit_texts(query, [(row.id, row.title, row.text) for row in rows.values()])
    return [
        Hit(
            kind=rows[id_].kind,
            number=rows[id_].ref,
            url=rows[id_].url,
            title=_collapse_hit_spaces(marked[id_][0]),
            snippet=_collapse_hit_spaces(marked[id_][1]),
            year=rows[id_].year,
            score=score,
        )
        for id_, score in scores.items()
    ]


def _collapse_hit_spaces(text: str) -> str:
    return " ".join(text.split())


def _read_document_refs(connection: Connection, ids: Sequence[int]) -> list[tuple[str, int]]:
    query: Any = select(document.c.kind, document.c.ref).where(document.c.id.in_(ids)).order_by(document.c.id)
    return [(row.kind, row.ref) for row in connection.execute(query)]


def index_citations(connection: Connection, citations: Iterable[tuple[int, Citation]]) -> None:
    """Index the citations of new articles."""
    _insert_documents(connection, [document_of_citation(ref, citation) for ref, citation in citations])


def reindex_citation(connection: Connection, ref: int, citation: Citation | None) -> None:
    """Index the citation of an article in place of an earlier one; None takes it out."""
    remove_documents(connection, CITATION_DOCUMENT, [ref])
    if citation is not None:
        index_citations(connection, [(ref, citation)])


def put_documents(connection: Connection, rows: Sequence[DocumentRow]) -> None:
    """Index documents, in place of what was indexed of the same citations and pages."""
    for kind in (CITATION_DOCUMENT, PAGE_DOCUMENT):
        remove_documents(connection, kind, [row["ref"] for row in rows if row["kind"] == kind])
    _insert_documents(connection, rows)


def index_waiting_pages(connection: Connection, limit: int) -> int:
    """Index pages that came or changed since the last time, and take out those that vanished; how many they were."""
    waiting = select(topic_page).join(page_waiting, page_waiting.c.page == topic_page.c.id)
    pages = connection.execute(waiting.order_by(topic_page.c.id).limit(limit)).all()
    numbers = [page.id for page in pages]
    remove_documents(connection, PAGE_DOCUMENT, numbers)
    put_documents(connection, [_document_of_stored_page(page) for page in pages if page.gone_at is None])
    connection.execute(delete(page_waiting).where(page_waiting.c.page.in_(numbers)))
    return len(pages)


def has_waiting_pages(connection: Connection) -> bool:
    """Whether there are pages to index."""
    return connection.execute(select(page_waiting).limit(1)).first() is not None


def remove_documents(connection: Connection, kind: str, refs: Sequence[int]) -> None:
    """Take documents out of the index."""
    for start in range(0, len(refs), _DOCUMENTS_PER_STATEMENT):
        some = refs[start : start + _DOCUMENTS_PER_STATEMENT]
        connection.execute(delete(document).where(document.c.kind == kind, document.c.ref.in_(some)))


def rebuild_search_index(connection: Connection) -> int:
    """Index every citation anew, and let every page wait for it; how many citations there are."""
    connection.execute(delete(document))
    connection.execute(delete(page_waiting))
    connection.execute(insert(page_waiting).from_select(["page"], select(topic_page.c.id)))
    last = count = 0
    kept = select(article.c.id, article.c.citation).where(article.c.status != Status.DELETED.value)
    query = kept.order_by(article.c.id).limit(_DOCUMENTS_PER_STATEMENT)
    while rows := connection.execute(query.where(article.c.id > last)).all():
        index_citations(connection, [(row.id, decode_record(Citation, row.citation)) for row in rows])
        last, count = rows[-1].id, count + len(rows)
    return count


def _insert_documents(connection: Connection, rows: Sequence[DocumentRow]) -> None:
    """Every document comes this way: into the table, and into the index."""
    if rows:
        numbers = next_row_numbers(connection, document, len(rows))
        numbered = [{**row, "id": id_} for id_, row in zip(numbers, rows, strict=True)]
        insert_rows(connection, document, map(_document_values, numbered))
        TEXT_INDEXES[connection.dialect.name].index_documents(connection, numbered)


def _document_of_stored_page(page: Any) -> DocumentRow:
    concepts = [(one["id"], one["count"]) for one in json.loads(page.concepts) if one["id"]]
    return document_of_page(page.id, url=page.url, title=page.title, text=page.text, concepts=concepts)


def document_of_citation(ref: int, citation: Citation) -> DocumentRow:
    """The document of a citation."""
    year = _year_of_document(citation)
    words = {
        column: _join_document_lines(*_texts_of_fields(citation, names)) for column, names in _FIELDS_BY_COLUMN.items()
    }
    words["place"] = _join_document_lines(citation.url, words["place"])
    return _build_document(
        kind=CITATION_DOCUMENT,
        ref=ref,
        url=citation.url,
        year=year,
        marks=" ".join(_marks_of_citation(citation, year)),
        **words,
    )


def _texts_of_fields(citation: Citation, names: Iterable[str]) -> Iterator[str]:
    """What the fields of those names say, text by text."""
    for name in names:
        value = getattr(citation, name)
        if isinstance(value, str):
            yield value
        else:
            yield from _TEXTS_OF_RECORDS[name](value) if name in _TEXTS_OF_RECORDS else value


def document_of_page(
    ref: int, *, url: str, title: str, text: str, concepts: Iterable[tuple[str, int]] = (), vocabulary: str = ""
) -> DocumentRow:
    """The document of a page that a crawl kept; `concepts` were found in it, so often, by the vocabulary named.

    Without a vocabulary they are few that are known already, and all are looked for before the next search.
    """
    words = {"title": title, "text": text, "place": url, "marks": encode_mark("kind", PAGE_DOCUMENT)}
    return _build_document(
        kind=PAGE_DOCUMENT, ref=ref, url=url, concepts=concept_mark_words(concepts), vocabulary=vocabulary, **words
    )


def concept_mark_words(concepts: Iterable[tuple[str, int]]) -> str:
    """Concepts as words of the index, each as often as it counts."""
    return " ".join(
        encode_mark("concept", id_) for id_, count in concepts for _ in range(min(count, _MAX_CONCEPT_REPEATS))
    )


def searchable_name_forms(author: Author) -> list[str]:
    """A name as people look for it: in full, with its initials, with the first of them."""
    family, given = author.family, author.given
    forms = [author.collective] if author.collective else []
    if family:
        initials = "".join([part[0] for part in given.replace("-", " ").split()])
        forms += dict.fromkeys([f"{family} {name}".strip() for name in (given, initials, initials[:1])])
    return forms


def read_untagged_documents(connection: Connection, limit: int) -> list[tuple[int, str, str]]:
    """Documents in which nobody looked for concepts yet: number, title and text."""
    query = select(document.c.id, document.c.title, document.c.text, document.c.subjects)
    rows = connection.execute(query.where(document.c.vocabulary == "").order_by(document.c.id).limit(limit))
    return [(row.id, _join_document_lines(row.title, row.subjects), row.text) for row in rows]


def write_concept_tags(connection: Connection, tags: Mapping[int, str], *, vocabulary: str) -> None:
    """Add the concepts of documents, as words; `vocabulary` says whose."""
    for id_, words in tags.items():
        values = {"concepts": to_storable(words), "vocabulary": vocabulary}
        connection.execute(update(document).where(document.c.id == id_).values(**values))
    rows = connection.execute(select(document).where(document.c.id.in_(tags))).mappings().all()
    TEXT_INDEXES[connection.dialect.name].reindex_documents(connection, rows)


def _build_document(**values: Any) -> DocumentRow:
    """A document; what its text may not hold, such as the marks around what is found, is blank in it."""
    return _EMPTY_DOCUMENT | {
        name: _clean_document_text(value) if isinstance(value, str) else value for name, value in values.items()
    }


def _clean_document_text(text: str) -> str:
    some = text[:MAX_INDEXED_TEXT]
    return (
        some if some.isprintable() else to_storable(_CONTROL_CHARACTERS.sub(" ", some))
    )  # the first is told in no time


def _join_document_lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _year_of_document(citation: Citation) -> str:
    return citation.date[:4] if _DOCUMENT_YEAR.match(citation.date) else ""


def _marks_of_citation(citation: Citation, year: str) -> Iterator[str]:
    """Words for what is compared as a whole."""
    yield encode_mark("kind", CITATION_DOCUMENT)
    if year:
        yield encode_mark("year", year)
    for name in _MARKED_FIELDS:
        yield from (encode_mark(name, text) for text in _texts_of_fields(citation, (name,)) if text)

"""`SearchIndex`, which is `store.collection`: search over records and topic pages.

Each record and each page is one document. Records are indexed when they are saved, pages by `catch_up`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from medharvest.codec import decode_record
from medharvest.fields import contributor_name, fields_searched_in, is_retracted
from medharvest.records import Author, Citation
from medharvest.search.index_fields import encode_mark
from medharvest.search.query import Query
from medharvest.store.backends import BACKENDS
from medharvest.store.rows import Hit, LoggedSearch, SearchResult, Status, to_storable
from medharvest.store.sqlite import mark_hit_texts
from medharvest.store.tables import article, document, page_waiting, search_log, topic_page
from medharvest.store.transactions import Transactions, insert_rows, next_row_numbers

# If there are more hits, only the newest are ranked: ordering a million takes seconds, and nobody reads them.
MAX_RANKED_HITS = 10_000
_DOCUMENTS_PER_READ = 1000
_PAGES_PER_TRANSACTION = 100  # indexed in one transaction: a page may have half a megabyte of text
_MAX_LOGGED_QUERY = 2000  # characters
_SHOWN_COLUMNS = (document.c.title, document.c.text)
CITATION_DOCUMENT, PAGE_DOCUMENT = "citation", "page"
MAX_INDEXED_TEXT = 200_000  # characters
_MAX_CONCEPT_REPEATS = 5  # mentions of a concept that count
_DOCUMENTS_PER_STATEMENT = 500
_DOCUMENT_YEAR = re.compile(r"[0-9]{4}(?![0-9])")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_DOCUMENT_COLUMNS = tuple(column.name for column in document.columns if column.name != "id")
_document_values = itemgetter("id", *_DOCUMENT_COLUMNS)
# The fields that each column of the index contains, and the fields whose values are indexed as one word each.
_FIELDS_BY_COLUMN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {column: fields_searched_in(column) for column in ("title", "text", "subjects", "authors", "journal", "place")}
)
_MARKED_FIELDS = fields_searched_in("marks")
RETRACTED_MARK = encode_mark("corrections", "retracted")
DocumentRow = dict[str, Any]
_EMPTY_DOCUMENT: DocumentRow = dict.fromkeys(_DOCUMENT_COLUMNS, "")

_TEXTS_OF_RECORDS: Mapping[str, Callable[[Any], Iterable[str]]] = MappingProxyType(
    {
        "authors": lambda authors: chain.from_iterable(map(searchable_name_forms, authors)),
        "contributors": lambda others: chain.from_iterable(
            searchable_name_forms(contributor_name(one)) for one in others
        ),
        "other_abstracts": lambda others: [other.text for other in others],
        "mesh": lambda headings: [" ".join([one.name, *(part.name for part in one.qualifiers)]) for one in headings],
        "chemicals": lambda substances: [one.name for one in substances],
        "identifiers": lambda identifiers: [one.value for one in identifiers],
        "corrections": lambda corrections: [one.kind for one in corrections],
        "grants": lambda grants: [one.number for one in grants],
    }
)


class SearchIndex:
    """The search index of a store, and the log of searches."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def search(self, query: Query, *, limit: int = 20, offset: int = 0) -> SearchResult:
        """Return the best matches of a query, and how many there are in all."""
        with self._transactions.reading() as connection:
            index = BACKENDS[connection.dialect.name]
            ranked, best = index.rank_matches(connection, query, among=MAX_RANKED_HITS, limit=limit, offset=offset)
            # Counting costs as much as the search itself, so it is done only if the number is not known yet.
            total = ranked if 0 < ranked < MAX_RANKED_HITS else index.count_matches(connection, query)
            hits = _read_hits(connection, query, dict(best))
        return SearchResult(total=total, ranked=min(total, MAX_RANKED_HITS), hits=tuple(hits))

    def count(self, query: Query) -> int:
        """Count the documents that match a query."""
        with self._transactions.reading() as connection:
            return BACKENDS[connection.dialect.name].count_matches(connection, query)

    def refs(self, query: Query) -> Iterator[tuple[str, int]]:
        """Yield all matches in the order they were indexed: the kind, and the number of the article or page."""
        last = 0
        while True:
            with self._transactions.reading() as connection:
                index = BACKENDS[connection.dialect.name]
                batch = index.find_matching_ids(connection, query, after=last, limit=_DOCUMENTS_PER_READ)
                rows = _read_document_refs(connection, batch)
            yield from rows
            if len(batch) < _DOCUMENTS_PER_READ:
                return
            last = batch[-1]

    def size(self) -> Mapping[str, int]:
        """Count the documents of each kind."""
        with self._transactions.reading() as connection:
            query = select(document.c.kind, func.count()).group_by(document.c.kind)
            return {row[0]: row[1] for row in connection.execute(query)}

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """Index documents, as `document_of_page` and `document_of_citation` build them."""
        with self._transactions.writing() as connection:
            put_documents(connection, rows)

    def catch_up(self) -> int:
        """Index the pages that crawls added, changed or found gone since the last time, and count them."""
        done = 0
        while self._is_waiting():
            with self._transactions.writing() as connection:
                done += index_waiting_pages(connection, _PAGES_PER_TRANSACTION)
        return done

    def _is_waiting(self) -> bool:
        with self._transactions.reading() as connection:
            return has_waiting_pages(connection)

    def untagged(self, limit: int = _DOCUMENTS_PER_READ) -> list[tuple[int, str, str]]:
        """Return documents whose concepts were not looked up yet: number, title and text."""
        with self._transactions.reading() as connection:
            return read_untagged_documents(connection, limit)

    def tag(self, tags: Mapping[int, Sequence[tuple[str, int]]], *, vocabulary: str) -> None:
        """Write the concepts of documents, each with how often it is named."""
        words = {id_: concept_mark_words(concepts) for id_, concepts in tags.items()}
        with self._transactions.writing() as connection:
            write_concept_tags(connection, words, vocabulary=vocabulary)

    def reindex(self) -> int:
        """Rebuild the index, and count its citations; `catch_up` indexes the pages."""
        with self._transactions.writing() as connection:
            return rebuild_search_index(connection)

    def log(self, query: str, hits: int) -> None:
        """Log a search."""
        row = {"query": to_storable(query[:_MAX_LOGGED_QUERY]), "at": self._transactions.now(), "hits": hits}
        with self._transactions.writing() as connection:
            connection.execute(insert(search_log), row)

    def searches(self) -> tuple[LoggedSearch, ...]:
        """Return every logged search, the oldest first."""
        with self._transactions.reading() as connection:
            rows = connection.execute(select(search_log).order_by(search_log.c.id))
            return tuple(LoggedSearch(id=row.id, query=row.query, at=row.at, hits=row.hits) for row in rows)


def _read_hits(connection: Connection, query: Query, scores: Mapping[int, float]) -> list[Hit]:
    """Build the hits of documents, in the order of `scores`."""
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
    """Replace the citation of an article in the index; None removes it."""
    remove_documents(connection, CITATION_DOCUMENT, [ref])
    if citation is not None:
        index_citations(connection, [(ref, citation)])


def put_documents(connection: Connection, rows: Sequence[DocumentRow]) -> None:
    """Index documents in place of earlier ones of the same citations and pages."""
    for kind in (CITATION_DOCUMENT, PAGE_DOCUMENT):
        remove_documents(connection, kind, [row["ref"] for row in rows if row["kind"] == kind])
    _insert_documents(connection, rows)


def index_waiting_pages(connection: Connection, limit: int) -> int:
    """Index the next new or changed pages, remove those that vanished, and count both."""
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
    """Remove documents from the index."""
    for start in range(0, len(refs), _DOCUMENTS_PER_STATEMENT):
        some = refs[start : start + _DOCUMENTS_PER_STATEMENT]
        connection.execute(delete(document).where(document.c.kind == kind, document.c.ref.in_(some)))


def rebuild_search_index(connection: Connection) -> int:
    """Index every citation again, queue every page, and count the citations."""
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
    """Add documents to the table and to the index; every new document is added here."""
    if rows:
        numbers = next_row_numbers(connection, document, len(rows))
        numbered = [{**row, "id": id_} for id_, row in zip(numbers, rows, strict=True)]
        insert_rows(connection, document, map(_document_values, numbered))
        BACKENDS[connection.dialect.name].index_documents(connection, numbered)


def _document_of_stored_page(page: Any) -> DocumentRow:
    concepts = [(one["id"], one["count"]) for one in json.loads(page.concepts) if one["id"]]
    return document_of_page(page.id, url=page.url, title=page.title, text=page.text, concepts=concepts)


def document_of_citation(ref: int, citation: Citation) -> DocumentRow:
    """Build the document of a citation."""
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
    """Yield the texts of some fields."""
    for name in names:
        value = getattr(citation, name)
        if isinstance(value, str):
            yield value
        else:
            yield from _TEXTS_OF_RECORDS[name](value) if name in _TEXTS_OF_RECORDS else value


def document_of_page(
    ref: int, *, url: str, title: str, text: str, concepts: Iterable[tuple[str, int]] = (), vocabulary: str = ""
) -> DocumentRow:
    """Build the document of a topic page; `concepts` are those that the vocabulary found, with their counts.

    Without a vocabulary, `concepts` are only the few that the crawl found; all are looked up before the next search.
    """
    words = {"title": title, "text": text, "place": url, "marks": encode_mark("kind", PAGE_DOCUMENT)}
    return _build_document(
        kind=PAGE_DOCUMENT, ref=ref, url=url, concepts=concept_mark_words(concepts), vocabulary=vocabulary, **words
    )


def concept_mark_words(concepts: Iterable[tuple[str, int]]) -> str:
    """Return concepts as words of the index, each repeated as often as it counts."""
    return " ".join(
        encode_mark("concept", id_) for id_, count in concepts for _ in range(min(count, _MAX_CONCEPT_REPEATS))
    )


def searchable_name_forms(author: Author) -> list[str]:
    """Return the forms of a name that people search for: in full, with all initials, with the first initial."""
    family, given = author.family, author.given
    forms = [author.collective] if author.collective else []
    if family:
        initials = "".join([part[0] for part in given.replace("-", " ").split()])
        forms += dict.fromkeys([f"{family} {name}".strip() for name in (given, initials, initials[:1])])
    return forms


def read_untagged_documents(connection: Connection, limit: int) -> list[tuple[int, str, str]]:
    """Read documents whose concepts were not looked up yet: number, title and text."""
    query = select(document.c.id, document.c.title, document.c.text, document.c.subjects)
    rows = connection.execute(query.where(document.c.vocabulary == "").order_by(document.c.id).limit(limit))
    return [(row.id, _join_document_lines(row.title, row.subjects), row.text) for row in rows]


def write_concept_tags(connection: Connection, tags: Mapping[int, str], *, vocabulary: str) -> None:
    """Write the concepts of documents, as words of the index; `vocabulary` names their vocabulary."""
    for id_, words in tags.items():
        values = {"concepts": to_storable(words), "vocabulary": vocabulary}
        connection.execute(update(document).where(document.c.id == id_).values(**values))
    found = connection.execute(select(document).where(document.c.id.in_(tags)))
    rows = [row._asdict() for row in found]
    BACKENDS[connection.dialect.name].reindex_documents(connection, rows)


def _build_document(**values: Any) -> DocumentRow:
    """Build a document; control characters, such as the marks around hits, are replaced by blanks."""
    return _EMPTY_DOCUMENT | {
        name: _clean_document_text(value) if isinstance(value, str) else value for name, value in values.items()
    }


def _clean_document_text(text: str) -> str:
    some = text[:MAX_INDEXED_TEXT]
    # The first check is fast, and most texts pass it.
    return some if some.isprintable() else to_storable(_CONTROL_CHARACTERS.sub(" ", some))


def _join_document_lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _year_of_document(citation: Citation) -> str:
    return citation.date[:4] if _DOCUMENT_YEAR.match(citation.date) else ""


def _marks_of_citation(citation: Citation, year: str) -> Iterator[str]:
    """Yield the words for values that are compared as a whole."""
    yield encode_mark("kind", CITATION_DOCUMENT)
    if year:
        yield encode_mark("year", year)
    if is_retracted(citation):
        yield RETRACTED_MARK
    for name in _MARKED_FIELDS:
        yield from (encode_mark(name, text) for text in _texts_of_fields(citation, (name,)) if text)

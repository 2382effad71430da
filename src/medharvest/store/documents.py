"""What search finds: one row a citation or page, with its words by column; kept in step with what it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from types import MappingProxyType, ModuleType
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from medharvest.fields import searched_in
from medharvest.json_text import load
from medharvest.records import Author, Citation
from medharvest.search.words import mark
from medharvest.store import fts5, tsvector
from medharvest.store.rows import Status, plain
from medharvest.store.tables import article, document, page_waiting, topic_page
from medharvest.store.transactions import insert_rows, next_numbers

CITATION, PAGE = "citation", "page"
# What only one database can do, by its name; both modules have the same functions.
INDEXES: Mapping[str, ModuleType] = MappingProxyType({"sqlite": fts5, "postgresql": tsvector})
LONGEST = 200_000  # characters of a text that are indexed
_MOST_REPEATS = 5  # mentions of a concept that count
_BATCH = 500
_YEAR = re.compile(r"[0-9]{4}(?![0-9])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_COLUMNS = tuple(column.name for column in document.columns if column.name != "id")
_columns = itemgetter("id", *_COLUMNS)
# The fields that stand in each column of the index, and those of which each value is one word.
_WORDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {column: searched_in(column) for column in ("title", "text", "subjects", "authors", "journal", "place")}
)
_MARKED = searched_in("marks")
Row = dict[str, Any]
_EMPTY: Row = dict.fromkeys(_COLUMNS, "")


def add(connection: Connection, citations: Iterable[tuple[int, Citation]]) -> None:
    """Index the citations of new articles."""
    _insert(connection, [of_citation(ref, citation) for ref, citation in citations])


def change(connection: Connection, ref: int, citation: Citation | None) -> None:
    """Index the citation of an article in place of an earlier one; None takes it out."""
    remove(connection, CITATION, [ref])
    if citation is not None:
        add(connection, [(ref, citation)])


def put(connection: Connection, rows: Sequence[Row]) -> None:
    """Index documents, in place of what was indexed of the same citations and pages."""
    for kind in (CITATION, PAGE):
        remove(connection, kind, [row["ref"] for row in rows if row["kind"] == kind])
    _insert(connection, rows)


def take_waiting(connection: Connection, limit: int) -> int:
    """Index pages that came or changed since the last time, and take out those that vanished; how many they were."""
    waiting = select(topic_page).join(page_waiting, page_waiting.c.page == topic_page.c.id)
    pages = connection.execute(waiting.order_by(topic_page.c.id).limit(limit)).all()
    numbers = [page.id for page in pages]
    remove(connection, PAGE, numbers)
    put(connection, [_of_stored(page) for page in pages if page.gone_at is None])
    connection.execute(delete(page_waiting).where(page_waiting.c.page.in_(numbers)))
    return len(pages)


def is_waiting(connection: Connection) -> bool:
    """Whether there are pages to index."""
    return connection.execute(select(page_waiting).limit(1)).first() is not None


def remove(connection: Connection, kind: str, refs: Sequence[int]) -> None:
    """Take documents out of the index."""
    for start in range(0, len(refs), _BATCH):
        some = refs[start : start + _BATCH]
        connection.execute(delete(document).where(document.c.kind == kind, document.c.ref.in_(some)))


def rebuild(connection: Connection) -> int:
    """Index every citation anew, and let every page wait for it; how many citations there are."""
    connection.execute(delete(document))
    connection.execute(delete(page_waiting))
    connection.execute(insert(page_waiting).from_select(["page"], select(topic_page.c.id)))
    last = count = 0
    kept = select(article.c.id, article.c.citation).where(article.c.status != Status.DELETED.value)
    query = kept.order_by(article.c.id).limit(_BATCH)
    while rows := connection.execute(query.where(article.c.id > last)).all():
        add(connection, [(row.id, load(Citation, row.citation)) for row in rows])
        last, count = rows[-1].id, count + len(rows)
    return count


def _insert(connection: Connection, rows: Sequence[Row]) -> None:
    """Every document comes this way: into the table, and into the index."""
    if rows:
        numbers = next_numbers(connection, document, len(rows))
        numbered = [{**row, "id": id_} for id_, row in zip(numbers, rows, strict=True)]
        insert_rows(connection, document, map(_columns, numbered))
        INDEXES[connection.dialect.name].add(connection, numbered)


def _of_stored(page: Any) -> Row:
    concepts = [(one["id"], one["count"]) for one in json.loads(page.concepts) if one["id"]]
    return of_page(page.id, url=page.url, title=page.title, text=page.text, concepts=concepts)


def of_citation(ref: int, citation: Citation) -> Row:
    """The document of a citation."""
    year = _year(citation)
    words = {column: _lines(*_texts(citation, names)) for column, names in _WORDED.items()}
    words["place"] = _lines(citation.url, words["place"])
    return _row(kind=CITATION, ref=ref, url=citation.url, year=year, marks=" ".join(_marks(citation, year)), **words)


def _texts(citation: Citation, names: Iterable[str]) -> Iterator[str]:
    """What the fields of those names say, text by text."""
    for name in names:
        value = getattr(citation, name)
        if isinstance(value, str):
            yield value
        else:
            yield from _OF_RECORDS[name](value) if name in _OF_RECORDS else value


def of_page(
    ref: int, *, url: str, title: str, text: str, concepts: Iterable[tuple[str, int]] = (), vocabulary: str = ""
) -> Row:
    """The document of a page that a crawl kept; `concepts` were found in it, so often, by the vocabulary named.

    Without a vocabulary they are few that are known already, and all are looked for before the next search.
    """
    words = {"title": title, "text": text, "place": url, "marks": mark("kind", PAGE)}
    return _row(kind=PAGE, ref=ref, url=url, concepts=concept_words(concepts), vocabulary=vocabulary, **words)


def concept_words(concepts: Iterable[tuple[str, int]]) -> str:
    """Concepts as words of the index, each as often as it counts."""
    return " ".join(mark("concept", id_) for id_, count in concepts for _ in range(min(count, _MOST_REPEATS)))


def name_forms(author: Author) -> list[str]:
    """A name as people look for it: in full, with its initials, with the first of them."""
    family, given = author.family, author.given
    forms = [author.collective] if author.collective else []
    if family:
        initials = "".join([part[0] for part in given.replace("-", " ").split()])
        forms += dict.fromkeys([f"{family} {name}".strip() for name in (given, initials, initials[:1])])
    return forms


_OF_RECORDS: Mapping[str, Callable[[Any], Iterable[str]]] = MappingProxyType(
    {
        "authors": lambda authors: chain.from_iterable(map(name_forms, authors)),
        "other_abstracts": lambda others: [other.text for other in others],
    }
)


def untagged(connection: Connection, limit: int) -> list[tuple[int, str, str]]:
    """Documents in which nobody looked for concepts yet: number, title and text."""
    query = select(document.c.id, document.c.title, document.c.text, document.c.subjects)
    rows = connection.execute(query.where(document.c.vocabulary == "").order_by(document.c.id).limit(limit))
    return [(row.id, _lines(row.title, row.subjects), row.text) for row in rows]


def tag(connection: Connection, tags: Mapping[int, str], *, vocabulary: str) -> None:
    """Add the concepts of documents, as words; `vocabulary` says whose."""
    for id_, words in tags.items():
        values = {"concepts": plain(words), "vocabulary": vocabulary}
        connection.execute(update(document).where(document.c.id == id_).values(**values))
    rows = connection.execute(select(document).where(document.c.id.in_(tags))).mappings().all()
    INDEXES[connection.dialect.name].renew(connection, rows)


def _row(**values: Any) -> Row:
    """A document; what its text may not hold, such as the marks around what is found, is blank in it."""
    return _EMPTY | {name: _clean(value) if isinstance(value, str) else value for name, value in values.items()}


def _clean(text: str) -> str:
    some = text[:LONGEST]
    return some if some.isprintable() else plain(_CONTROL.sub(" ", some))  # the first is told in no time


def _lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _year(citation: Citation) -> str:
    return citation.date[:4] if _YEAR.match(citation.date) else ""


def _marks(citation: Citation, year: str) -> Iterator[str]:
    """Words for what is compared as a whole."""
    yield mark("kind", CITATION)
    if year:
        yield mark("year", year)
    for name in _MARKED:
        yield from (mark(name, text) for text in _texts(citation, (name,)) if text)

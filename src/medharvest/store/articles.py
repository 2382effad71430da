"""Statements about articles, their citations and the trail of their changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, insert, or_, select, update

from medharvest.records import Citation
from medharvest.store import documents
from medharvest.store.identity import NAMES, Keys, find_same, joined, keys_of
from medharvest.store.rows import Saved, dump, load, plain
from medharvest.store.tables import article, article_run, change, run

if TYPE_CHECKING:
    from collections.abc import Sequence

WHO = "medharvest"
BATCH = 200
# The indexed columns; every rule of identity names one of them.
_LOOKED_UP = ("pmid", "doi", "pii", "title_start")


def save(connection: Connection, run_id: int | None, citations: Sequence[Citation], *, at: str) -> Saved:
    """Insert each citation or replace the one of the same article, and count what happened."""
    counts: Counter[str] = Counter()
    indexed = {}
    for citation in citations:
        id_, what = _save_one(connection, citation, at)
        counts[what] += 1
        if what != "same":
            indexed[id_] = documents.of_citation(id_, citation)
        if run_id is not None:
            _see(connection, run_id, id_)
    documents.put(connection, list(indexed.values()))
    return Saved(**counts)


def find(connection: Connection, citation: Citation) -> tuple[int, Citation] | None:
    """The article that a citation is about, with its number."""
    row = _find(connection, keys_of(citation))
    return None if row is None else (row.id, load(Citation, row.citation))


def read_one(connection: Connection, id_: int) -> Citation | None:
    """The citation of an article."""
    text = connection.scalar(select(article.c.citation).where(article.c.id == id_))
    return None if text is None else load(Citation, text)


def numbered(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], *, after: int
) -> list[tuple[int, tuple[int, Citation]]]:
    """The next citations, each with the number of its article."""
    return [(id_, (id_, citation)) for id_, citation in read(connection, conditions, after=after)]


def write(connection: Connection, id_: int | None, citation: Citation, *, who: str, at: str) -> int:
    """Keep a citation as that of an article, or of a new one, and note who changed it."""
    keys, text = keys_of(citation), dump(citation)
    if id_ is None:
        id_ = _insert(connection, keys, text, at)
        _note(connection, id_, before=None, after=text, at=at, who=who)
        documents.put(connection, [documents.of_citation(id_, citation)])
        return id_
    old = connection.execute(select(article).where(article.c.id == id_)).one()
    _update(connection, id_, joined(keys, _stored_keys(old)), text, at)
    _note(connection, id_, before=old.citation, after=text, at=at, who=who)
    documents.put(connection, [documents.of_citation(id_, citation)])
    return id_


def wanted(*, run: int | None, issue: str) -> list[ColumnElement[bool]]:
    """The conditions for the articles of a run, of an issue, of both."""
    conditions = [] if run is None else [article.c.id.in_(_seen_by(run))]
    return conditions + _of_issue(plain(issue.strip()))


def read(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], *, after: int
) -> list[tuple[int, Citation]]:
    """The next citations in the order their articles were first saved, each with its article's id."""
    query = select(article.c.id, article.c.citation).where(article.c.id > after, *conditions)
    rows = connection.execute(query.order_by(article.c.id).limit(BATCH))
    return [(row.id, load(Citation, row.citation)) for row in rows]


def _save_one(connection: Connection, citation: Citation, at: str) -> tuple[int, str]:
    keys, text = keys_of(citation), dump(citation)
    old = _find(connection, keys)
    if old is None:
        id_ = _insert(connection, keys, text, at)
        _note(connection, id_, before=None, after=text, at=at)
        return id_, "new"
    # Also by value: a citation stored before a field was added to the record has not changed.
    if old.citation == text or load(Citation, old.citation) == citation:
        return old.id, "same"
    _update(connection, old.id, joined(keys, _stored_keys(old)), text, at)
    _note(connection, old.id, before=old.citation, after=text, at=at)
    return old.id, "changed"


def _find(connection: Connection, keys: Keys) -> Any:
    values = asdict(keys)
    known = [article.c[name] == values[name] for name in _LOOKED_UP if values[name]]
    if not known:
        return None
    rows = {row.id: row for row in connection.execute(select(article).where(or_(*known)))}
    same = find_same(keys, [(id_, _stored_keys(row)) for id_, row in rows.items()])
    return None if same is None else rows[same]


def _stored_keys(row: Any) -> Keys:
    return Keys(**{name: getattr(row, name) for name in NAMES})


def _insert(connection: Connection, keys: Keys, text: str, at: str) -> int:
    row = asdict(keys) | {"citation": text, "created": at, "updated": at}
    return int(connection.scalars(insert(article).returning(article.c.id), row).one())


def _update(connection: Connection, id_: int, keys: Keys, text: str, at: str) -> None:
    values = asdict(keys) | {"citation": text, "updated": at}
    connection.execute(update(article).where(article.c.id == id_).values(**values))


def _note(connection: Connection, id_: int, *, before: str | None, after: str, at: str, who: str = WHO) -> None:
    row = {"at": at, "who": who, "article": id_, "before": before, "after": after}
    connection.execute(insert(change), row)


def _see(connection: Connection, run_id: int, id_: int) -> None:
    pair = {"run": run_id, "article": id_}
    if connection.execute(select(article_run).filter_by(**pair)).first() is None:
        connection.execute(insert(article_run), pair)


def _seen_by(run_id: int) -> Any:
    return select(article_run.c.article).where(article_run.c.run == run_id)


def _of_issue(issue: str) -> list[ColumnElement[bool]]:
    if not issue:
        return []
    if "://" in issue:
        began = select(run.c.id).where(run.c.url == issue)
        return [article.c.id.in_(select(article_run.c.article).where(article_run.c.run.in_(began)))]
    volume, _, number = issue.partition("(")
    return [article.c.volume == volume.strip(), article.c.issue == number.removesuffix(")").strip()]

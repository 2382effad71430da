"""Statements about articles and their citations; every write is part of an act."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, literal, select, text, tuple_

from medharvest.codec import decode_record
from medharvest.records import Citation
from medharvest.store import acts
from medharvest.store.acts import SELECT_ARTICLE, Act
from medharvest.store.changes import ArticleContent, apply_new_reading, merge_parallel_edits
from medharvest.store.identity import (
    ArticleKeys,
    CorrectedArticles,
    StoredArticles,
    article_keys_of,
    join_article_keys,
    keys_of_article_row,
)
from medharvest.store.rows import Article, ChangedArticle, FieldState, SaveCounts, Status, to_storable
from medharvest.store.tables import article, article_run, run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

PROGRAM_AUTHOR = "medharvest"
ARTICLES_PER_READ = 200
_CITATIONS_PER_SAVE = 1000  # articles looked up, made and indexed at once
# Above any number of an article: one that is not written yet.
_FIRST_PENDING_NUMBER = 2**62
ArticlePlace = tuple[int, int]  # in the order of a run, then by number
BEFORE_FIRST_PLACE: ArticlePlace = (-1, 0)


class OutgoingArticle(NamedTuple):
    """An article that may go out: its number, its record, its version; a deleted one only to say that it is gone."""

    number: int
    citation: Citation
    version: int
    deleted: bool = False


def save_citations(connection: Connection, run_id: int | None, citations: Sequence[Citation], *, at: str) -> SaveCounts:
    """Insert each citation or replace the one of the same article, and count what happened."""
    saving = _CitationSaver(connection, Act(connection, who=PROGRAM_AUTHOR, at=at))
    for start in range(0, len(citations), _CITATIONS_PER_SAVE):
        seen = saving.save(citations[start : start + _CITATIONS_PER_SAVE])
        if run_id is not None:
            _note_articles_of_run(connection, run_id, seen, after=start)
    return SaveCounts(**saving.counts)


class _CitationSaver:
    """Saves citations a batch at a time: the articles they are about are looked up together, new ones made together."""

    def __init__(self, connection: Connection, act: Act) -> None:
        self._connection = connection
        self._act = act
        self._known = StoredArticles(connection)
        self._corrected = CorrectedArticles(connection)
        self._new: list[tuple[ArticleKeys, ArticleContent]] = []
        self._made: list[int] = []
        self.counts: Counter[str] = Counter()

    def save(self, citations: Sequence[Citation]) -> list[int]:
        """The numbers of the articles in the order of the citations, each once."""
        all_keys = [article_keys_of(citation) for citation in citations]
        self._known.look_up(all_keys)
        self._made = []
        seen = [self._save_one(*pair) for pair in zip(all_keys, citations, strict=True)]
        self._flush()
        made = iter(self._made)
        return list(dict.fromkeys(next(made) if id_ is None else id_ for id_ in seen))

    def _save_one(self, keys: ArticleKeys, citation: Citation) -> int | None:
        """The number of the article if it is known already."""
        found = self._known.find(keys)
        if found is not None and found >= _FIRST_PENDING_NUMBER:  # one of this batch: it needs a number now
            self._flush()
            found = self._known.find(keys)
        if found is None and (corrected := self._corrected.find(keys)):
            found = corrected[0]
            self._known.add(*corrected)
        if found is None:
            self._known.add(_FIRST_PENDING_NUMBER + len(self._new), keys)
            self._new.append((keys, ArticleContent(citation)))
            self.counts["new"] += 1
            return None
        before = read_article_content(self._connection, found)
        if before.citation == citation:
            self.counts["same"] += 1
            return found
        after = apply_new_reading(before, citation)
        both = join_article_keys(article_keys_of(after.citation), self._known.keys(found))
        changed = self._act.change(found, both, before, after)
        self._known.forget(found)
        self._known.add(found, both)
        self.counts["changed" if changed else "same"] += 1
        return found

    def _flush(self) -> None:
        made = self._act.add(self._new)
        for n, (id_, (keys, _)) in enumerate(zip(made, self._new, strict=True)):
            self._known.forget(_FIRST_PENDING_NUMBER + n)
            self._known.add(id_, keys)
        self._made += made
        self._new = []


def write_citations_of_articles(
    connection: Connection,
    records: Sequence[tuple[int | None, Citation]],
    *,
    bases: Mapping[int, Citation],
    who: str,
    at: str,
    reason: str = "",
) -> tuple[int, ...]:
    """Keep citations as those of articles, or of new ones; what others changed since a base stays."""
    act = Act(connection, who=who, at=at, reason=reason)
    made = iter(
        act.add([(article_keys_of(citation), ArticleContent(citation)) for id_, citation in records if id_ is None])
    )
    for id_, citation in records:
        if id_ is not None:
            rewrite_article(connection, act, id_, citation, base=bases.get(id_))
    return tuple(next(made) if id_ is None else id_ for id_, _ in records)


def rewrite_article(
    connection: Connection, act: Act, id_: int, citation: Citation, *, base: Citation | None = None
) -> None:
    """Keep a citation as that of an article, as part of an act; what a person accepted or corrected stays."""
    row = _require_article_row(connection, id_)
    before = _content_of_article_row(row, acts.read_field_states(connection, [id_]).get(id_, {}))
    wanted_ = citation if base is None else merge_parallel_edits(base, citation, before.citation)
    after = apply_new_reading(before, wanted_)
    act.change(id_, join_article_keys(article_keys_of(after.citation), keys_of_article_row(row)), before, after)


def find_article(connection: Connection, citation: Citation) -> tuple[int, Citation] | None:
    """The article that a citation is about, with its number."""
    keys, known = article_keys_of(citation), StoredArticles(connection)
    known.look_up([keys])
    found = known.find(keys)
    return None if found is None else (found, decode_record(Citation, _require_article_row(connection, found).citation))


def read_stored_article(connection: Connection, id_: int) -> Article | None:
    """An article with its status and the states of its fields."""
    row = connection.execute(SELECT_ARTICLE, {"wanted": id_}).first()
    if row is None:
        return None
    content = _content_of_article_row(row, acts.read_field_states(connection, [id_]).get(id_, {}))
    return Article(
        number=id_,
        citation=content.citation,
        status=content.status,
        version=row.version,
        states=content.states,
        issue=row.issue_id or 0,
    )


def read_citations_by_number(connection: Connection, numbers: Collection[int]) -> dict[int, Citation]:
    """The records of articles, by number."""
    query = select(article.c.id, article.c.citation).where(article.c.id.in_(numbers))
    return {row.id: decode_record(Citation, row.citation) for row in connection.execute(query)}


def read_article_content(connection: Connection, id_: int) -> ArticleContent:
    """What the log tells of an article, as it stands."""
    return _content_of_article_row(
        _require_article_row(connection, id_), acts.read_field_states(connection, [id_]).get(id_, {})
    )


def article_conditions(*, issue: str, statuses: Collection[Status]) -> list[ColumnElement[bool]]:
    """The conditions for the articles of an issue, as far as somebody looked at them."""
    named = [status.value for status in statuses]
    conditions = [article.c.status.in_(named) if named else article.c.status != Status.DELETED.value]
    return conditions + _conditions_of_issue(to_storable(issue.strip()))


def read_articles(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], *, run: int | None, after: ArticlePlace
) -> list[tuple[ArticlePlace, OutgoingArticle]]:
    """The next articles with their places: in the order they were first saved, or in that of a run."""
    query = select(article.c.id, article.c.citation, article.c.version, article.c.status).where(*conditions)
    if run is None:
        ordered = query.add_columns(literal(0).label("n")).where(article.c.id > after[1]).order_by(article.c.id)
    else:
        place, seen = (article_run.c.n, article_run.c.article), article_run.c.article == article.c.id
        own = query.add_columns(article_run.c.n).join(article_run, seen).where(article_run.c.run == run)
        ordered = own.where(tuple_(*place) > after).order_by(*place)
    return [((row.n, row.id), _outgoing_of_row(row)) for row in connection.execute(ordered.limit(ARTICLES_PER_READ))]


def _outgoing_of_row(row: Any) -> OutgoingArticle:
    return OutgoingArticle(row.id, decode_record(Citation, row.citation), row.version, row.status == Status.DELETED)


def read_changed_articles(
    connection: Connection, *, after: tuple[int, int]
) -> list[tuple[tuple[int, int], ChangedArticle]]:
    """The next articles in the order of their last change, each with its batch and number."""
    query = select(article).where(tuple_(article.c.changed, article.c.id) > after)
    rows = connection.execute(query.order_by(article.c.changed, article.c.id).limit(ARTICLES_PER_READ))
    return [((row.changed, row.id), _changed_article_of_row(row)) for row in rows]


def _changed_article_of_row(row: Any) -> ChangedArticle:
    return ChangedArticle(
        number=row.id,
        version=row.version,
        digest=sha256(row.citation.encode("utf-8")).hexdigest(),
        citation=decode_record(Citation, row.citation),
        deleted=row.status == Status.DELETED,
        batch=row.changed,
        updated=row.updated,
    )


def _require_article_row(connection: Connection, id_: int) -> Any:
    return connection.execute(SELECT_ARTICLE, {"wanted": id_}).one()


def _content_of_article_row(row: Any, states: Mapping[str, FieldState]) -> ArticleContent:
    return ArticleContent(decode_record(Citation, row.citation), Status(row.status), states)


def _note_articles_of_run(connection: Connection, run_id: int, ids: Sequence[int], *, after: int) -> None:
    """Note that a run found articles, each with its place; a run that is resumed finds them in their order again."""
    rows = [{"run": run_id, "article": id_, "n": n} for n, id_ in enumerate(ids, after + 1)]
    connection.execute(_UPSERT_ARTICLE_OF_RUN, rows)


_UPSERT_ARTICLE_OF_RUN = text(
    "INSERT INTO article_run (run, article, n) VALUES (:run, :article, :n) "
    "ON CONFLICT (run, article) DO UPDATE SET n = excluded.n"
)


def _conditions_of_issue(issue: str) -> list[ColumnElement[bool]]:
    if not issue:
        return []
    if "://" in issue:
        began = select(run.c.id).where(run.c.url == issue)
        return [article.c.id.in_(select(article_run.c.article).where(article_run.c.run.in_(began)))]
    volume, _, number = issue.partition("(")
    return [article.c.volume == volume.strip(), article.c.issue == number.removesuffix(")").strip()]

"""Articles and their records: `RecordRepository`, which is `store.records`, and its statements.

Every write is part of an act, so that it is logged.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, literal, select, text, tuple_

from medharvest.codec import decode_record
from medharvest.errors import StoreError
from medharvest.records import Citation
from medharvest.store import acts, changes
from medharvest.store.acts import SELECT_ARTICLE, Act
from medharvest.store.changes import ArticleContent, apply_new_reading, merge_parallel_edits
from medharvest.store.duplicates import DuplicatePair, MergedArticles, note_pairs
from medharvest.store.identity import (
    ArticleKeys,
    CorrectedArticles,
    StoredArticles,
    article_keys_of,
    join_article_keys,
    keys_of_article_row,
)
from medharvest.store.rows import Article, ChangedArticle, FieldState, SaveCounts, Status, to_storable
from medharvest.store.runs import require_run
from medharvest.store.tables import article, article_run, change, run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from medharvest.records import LabelledZone, Verdict
    from medharvest.store.rows import Change
    from medharvest.store.transactions import Transactions

PROGRAM_AUTHOR = "medharvest"
ARTICLES_PER_READ = 200
SHARED_DOI_SCORE = 0.5  # of two articles with one DOI and unlike titles: a mistake in one of them, or a supplement
_CITATIONS_PER_SAVE = 1000  # articles looked up, added and indexed together
# Articles that are not written yet have numbers from here on, above any real one.
_FIRST_PENDING_NUMBER = 2**62
_MAX_ARTICLE_NUMBER = 2**31 - 1
_NO_BASES: Mapping[int, Citation] = MappingProxyType({})
ArticlePlace = tuple[int, int]  # position in a run, then number
BEFORE_FIRST_PLACE: ArticlePlace = (-1, 0)


class OutgoingArticle(NamedTuple):
    """An article to export or deliver: number, record and version; a deleted one, so that targets remove it."""

    number: int
    citation: Citation
    version: int
    deleted: bool = False


class RecordRepository:
    """The records of a store: one for each article."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def __call__(self, numbers: Collection[int]) -> dict[int, Citation]:
        """Return what `citations_of` returns: `store.records(numbers)` was a method once."""
        return self.citations_of(numbers)

    def save(self, run: int | None, citations: Iterable[Citation]) -> SaveCounts:
        """Insert the citations, or replace what is known of their articles; all of them or none."""
        batch = tuple(citations)  # read before the lock is taken: an iterator may be slow
        with self._transactions.writing() as connection:
            if run is not None:
                require_run(connection, run, url=self._transactions.url)
            return save_citations(connection, run, batch, at=self._transactions.now())

    def find(self, citation: Citation) -> tuple[int, Citation] | None:
        """Find the article that a citation is about, by its keys alone: its number and stored record."""
        with self._transactions.reading() as connection:
            return find_article(connection, citation)

    def get(self, number: int) -> Article:
        """Return the article with a number: its record, status, version and the states of its fields."""
        with self._transactions.reading() as connection:
            found = read_stored_article(connection, number)
        if found is None:
            raise StoreError(f"no such article: {number}", url=self._transactions.url, hint="`find` gives the numbers")
        return found

    def citation(self, number: int) -> Citation:
        """Return the record of the article with a number."""
        return self.get(number).citation

    def citations_of(self, numbers: Collection[int]) -> dict[int, Citation]:
        """Return the records of the articles with these numbers; unknown numbers are left out."""
        with self._transactions.reading() as connection:
            return read_citations_by_number(connection, numbers)

    def write(
        self,
        records: Iterable[tuple[int | None, Citation]],
        *,
        who: str,
        bases: Mapping[int, Citation] = _NO_BASES,
        reason: str = "",
        pairs: Iterable[DuplicatePair] = (),
    ) -> tuple[int, ...]:
        """Write each record to the article with its number, or to a new one, and return the numbers; all or none.

        `bases` are the records that the new ones were made from: what others changed since then is kept, and so is
        what a person accepted or corrected. `pairs` are offered for review; in them -1 is the first new article, -2
        the second and so on.
        """
        batch, offered = tuple(records), tuple(pairs)
        with self._transactions.writing() as connection:
            act = Act(connection, who=who, at=self._transactions.now(), reason=reason)
            return write_citations_of_articles(connection, act, batch, bases=bases, pairs=offered)

    def citations(
        self, *, run: int | None = None, issue: str = "", statuses: Collection[Status] = ()
    ) -> Iterator[Citation]:
        """Yield the records, all or those of one run or issue, in the order their articles were first saved.

        The records of a run come in the order of its contents page. An issue is named as `23(3)`, or by the address
        its runs began with. Unless `statuses` are given, all records but the deleted ones are returned.
        """
        return (found.citation for found in self._read_all(run, self._conditions(run, issue, statuses)))

    def numbered(
        self, *, run: int | None = None, issue: str = "", statuses: Collection[Status] = ()
    ) -> Iterator[tuple[int, Citation]]:
        """Yield the records, chosen as in `citations`, each with the number of its article."""
        found = self._read_all(run, self._conditions(run, issue, statuses))
        return ((one.number, one.citation) for one in found)

    def outgoing(
        self,
        *,
        run: int | None = None,
        issue: str = "",
        statuses: Collection[Status] = (),
        numbers: Collection[int] | None = None,
    ) -> Iterator[OutgoingArticle]:
        """Yield the articles to export, chosen as in `citations` or by number; without a status, deleted ones too."""
        wanted = (
            self._conditions(run, issue, statuses or tuple(Status)) if numbers is None else [article.c.id.in_(numbers)]
        )
        return self._read_all(run, wanted)

    def changed_since(self, since: int = 0) -> Iterator[ChangedArticle]:
        """Yield the articles changed after a batch, including deleted ones, in the order of their last change.

        To continue later, give the last batch that was processed completely.
        """
        after = (since, _MAX_ARTICLE_NUMBER)
        return self._transactions.in_batches(
            lambda connection, last: read_changed_articles(connection, after=last), after
        )

    def changes(self, article: int | None = None, *, since: int = 0) -> Iterator[Change]:
        """Yield the log, of one article or of all, after the change with a number."""
        only = () if article is None else (change.c.article == article,)
        return self._transactions.in_batches(
            lambda connection, last: changes.read_changes(connection, *only, after=last), since
        )

    def label_zones(self, page: str, labelled: Iterable[LabelledZone], *, who: str = "") -> None:
        """Write the labels of zones of a page, named by its digest; a method never replaces the label of a person.

        `who` is the person who gave the labels; empty for a method.
        """
        batch = tuple(labelled)
        with self._transactions.writing() as connection:
            acts.write_zone_labels(connection, page, batch, who=who, at=self._transactions.now())

    def zone_labels(self, page: str) -> dict[str, Verdict]:
        """Return the labels of the zones of a page, by their paths."""
        with self._transactions.reading() as connection:
            return acts.read_zone_labels(connection, page)

    def _conditions(self, run: int | None, issue: str, statuses: Collection[Status]) -> list[ColumnElement[bool]]:
        if run is not None:
            with self._transactions.reading() as connection:
                require_run(connection, run, url=self._transactions.url)
        return article_conditions(issue=issue, statuses=statuses)

    def _read_all(self, run: int | None, wanted: Sequence[ColumnElement[bool]]) -> Iterator[OutgoingArticle]:
        return self._transactions.in_batches(
            lambda connection, last: read_articles(connection, wanted, run=run, after=last), BEFORE_FIRST_PLACE
        )


def save_citations(connection: Connection, run_id: int | None, citations: Sequence[Citation], *, at: str) -> SaveCounts:
    """Insert each citation, or replace that of the same article, and count what happened."""
    saving = _CitationSaver(connection, Act(connection, who=PROGRAM_AUTHOR, at=at))
    for start in range(0, len(citations), _CITATIONS_PER_SAVE):
        seen = saving.save(citations[start : start + _CITATIONS_PER_SAVE])
        if run_id is not None:
            _note_articles_of_run(connection, run_id, seen, after=start)
    return SaveCounts(**saving.counts)


class _CitationSaver:
    """Saves citations in batches: known articles are looked up together, new ones added together."""

    def __init__(self, connection: Connection, act: Act) -> None:
        self._connection = connection
        self._act = act
        self._known = StoredArticles(connection)
        self._corrected = CorrectedArticles(connection)
        self._merged = MergedArticles(connection)
        self._new: list[tuple[ArticleKeys, ArticleContent]] = []
        self._namesakes: list[DuplicatePair] = []
        self._made: list[int] = []
        self.counts: Counter[str] = Counter()

    def save(self, citations: Sequence[Citation]) -> list[int]:
        """Save a batch, and return the numbers of the articles in the order of the citations, each once."""
        all_keys = [article_keys_of(citation) for citation in citations]
        self._known.look_up(all_keys)
        self._made = []
        seen = [self._save_one(*pair) for pair in zip(all_keys, citations, strict=True)]
        self._flush()
        made = iter(self._made)
        return list(dict.fromkeys(next(made) if id_ is None else id_ for id_ in seen))

    def _save_one(self, keys: ArticleKeys, citation: Citation) -> int | None:
        """Save one citation; the number of its article, or None if it is a new one."""
        found = self._known.find(keys)
        if found is not None and found >= _FIRST_PENDING_NUMBER:  # added in this batch: it needs its real number now
            self._flush()
            found = self._known.find(keys)
        if found is None and (corrected := self._corrected.find(keys)):
            found = corrected[0]
            self._known.add(*corrected)
        found = found or find_retitled_article(self._connection, self._known, keys)
        if found is None:
            self._add_later(keys, citation)
            return None
        found = self._find_survivor(found)
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

    def _add_later(self, keys: ArticleKeys, citation: Citation) -> None:
        """Add an article with the next flush; one that shares its DOI with another article is offered for review."""
        pending, namesake = _FIRST_PENDING_NUMBER + len(self._new), self._known.find_namesake(keys)
        if namesake is not None:
            self._namesakes.append(DuplicatePair(one=namesake, two=pending, score=SHARED_DOI_SCORE, method="doi"))
            self.counts["uncertain"] += 1
        self._known.add(pending, keys)
        self._new.append((keys, ArticleContent(citation)))
        self.counts["new"] += 1

    def _find_survivor(self, found: int) -> int:
        """Return the article that a merge kept in place of this one, and make its keys known."""
        kept = self._merged.survivor(found)
        if not self._known.knows(kept):
            self._known.add(kept, keys_of_article_row(_require_article_row(self._connection, kept)))
        return kept

    def _flush(self) -> None:
        made = self._act.add(self._new)
        numbers = {_FIRST_PENDING_NUMBER + n: id_ for n, id_ in enumerate(made)}
        for (pending, id_), (keys, _) in zip(numbers.items(), self._new, strict=True):
            self._known.forget(pending)
            self._known.add(id_, keys)
        pairs = [replace(pair, one=numbers.get(pair.one, pair.one), two=numbers[pair.two]) for pair in self._namesakes]
        note_pairs(self._connection, pairs, at=self._act.at)
        self._made += made
        self._new, self._namesakes = [], []


def write_citations_of_articles(
    connection: Connection,
    act: Act,
    records: Sequence[tuple[int | None, Citation]],
    *,
    bases: Mapping[int, Citation],
    pairs: Sequence[DuplicatePair] = (),
) -> tuple[int, ...]:
    """Write citations to articles, or to new ones; what others changed since a base is kept.

    In the pairs to offer for review, -1 is the first new article, -2 the second and so on.
    """
    added = act.add([(article_keys_of(citation), ArticleContent(citation)) for id_, citation in records if id_ is None])
    made, numbers = iter(added), {-n: id_ for n, id_ in enumerate(added, 1)}
    offered = (
        replace(pair, one=numbers.get(pair.one, pair.one), two=numbers.get(pair.two, pair.two)) for pair in pairs
    )
    note_pairs(connection, offered, at=act.at)
    for id_, citation in records:
        if id_ is not None:
            rewrite_article(connection, act, id_, citation, base=bases.get(id_))
    return tuple(next(made) if id_ is None else id_ for id_, _ in records)


def rewrite_article(
    connection: Connection, act: Act, id_: int, citation: Citation, *, base: Citation | None = None
) -> None:
    """Write the citation of an article as part of an act; what a person accepted or corrected is kept."""
    row = _require_article_row(connection, id_)
    before = _content_of_article_row(row, acts.read_field_states(connection, [id_]).get(id_, {}))
    wanted = citation if base is None else merge_parallel_edits(base, citation, before.citation)
    after = apply_new_reading(before, wanted)
    act.change(id_, join_article_keys(article_keys_of(after.citation), keys_of_article_row(row)), before, after)


def find_article(connection: Connection, citation: Citation) -> tuple[int, Citation] | None:
    """Find the article that a citation is about: its number and stored record."""
    keys, known = article_keys_of(citation), StoredArticles(connection)
    known.look_up([keys])
    found = known.find(keys) or find_retitled_article(connection, known, keys)
    found = None if found is None else MergedArticles(connection).survivor(found)
    return None if found is None else (found, decode_record(Citation, _require_article_row(connection, found).citation))


def find_retitled_article(connection: Connection, known: StoredArticles, keys: ArticleKeys) -> int | None:
    """Find the article with the same DOI whose title a person corrected: a reading may still have the old title."""
    namesake = known.find_namesake(keys)
    if namesake is None or namesake >= _FIRST_PENDING_NUMBER:
        return None
    states = acts.read_field_states(connection, [namesake]).get(namesake, {})
    return namesake if states.get("title") is FieldState.CORRECTED else None


def read_stored_article(connection: Connection, id_: int) -> Article | None:
    """Read an article with its status and the states of its fields."""
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
    """Read the records of articles, by number."""
    query = select(article.c.id, article.c.citation).where(article.c.id.in_(numbers))
    return {row.id: decode_record(Citation, row.citation) for row in connection.execute(query)}


def read_article_content(connection: Connection, id_: int) -> ArticleContent:
    """Read the current content of an article: all that the log covers."""
    return _content_of_article_row(
        _require_article_row(connection, id_), acts.read_field_states(connection, [id_]).get(id_, {})
    )


def article_conditions(*, issue: str, statuses: Collection[Status]) -> list[ColumnElement[bool]]:
    """Build the conditions for the articles of an issue that have one of the statuses."""
    named = [status.value for status in statuses]
    conditions = [article.c.status.in_(named) if named else article.c.status != Status.DELETED.value]
    return conditions + _conditions_of_issue(to_storable(issue.strip()))


def read_articles(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], *, run: int | None, after: ArticlePlace
) -> list[tuple[ArticlePlace, OutgoingArticle]]:
    """Read the next articles with their places: in the order they were first saved, or in that of a run."""
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
    """Read the next articles in the order of their last change, each with its batch and number."""
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
    """Note which articles a run found and their positions; a resumed run finds them in the same order."""
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

"""`Overview`, which is `store.overview`: what the review app shows, such as issues with their progress."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from medharvest.codec import decode_record
from medharvest.fields import CORE_FIELDS
from medharvest.records import Citation
from medharvest.store import acts, changes, runs
from medharvest.store.changes import TaughtPage
from medharvest.store.rows import Article, PageRow, Status
from medharvest.store.tables import act, article, article_run, change, issue, run
from medharvest.store.transactions import Transactions

_ALL_RECORDS = 2**31 - 1  # more than any store has
_RECORDS_PER_READ = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRow:
    """An issue and how many of its records have each status; number 0 is for records that belong to no issue."""

    number: int
    title: str = ""
    volume: str = ""
    issue: str = ""
    date: str = ""
    counts: Mapping[str, int]

    @property
    def records(self) -> int:
        """The number of its records."""
        return sum(self.counts.values())

    @property
    def settled(self) -> int:
        """The number of its records that a person accepted."""
        return self.counts.get("accepted", 0)

    @property
    def name(self) -> str:
        """The name of the issue for people, such as `Tides 23(3)`."""
        if not self.number:
            return "Records outside issues"
        number = f"{self.volume}({self.issue})" if self.issue else self.volume
        return f"{self.title} {number}".strip()


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page of an article and the folder of the run that archived it."""

    folder: str
    page: PageRow


class Overview:
    """Reads many records together, for lists and progress."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def issues(self, *, first: int = 0, most: int = 10_000) -> tuple[IssueRow, ...]:
        """Return the issues, the newest first, even with only deleted records; before them, records in no issue."""
        with self._transactions.reading() as connection:
            rows = connection.execute(_SELECT_ISSUES, {"first": first, "most": most}).all()
            outside = _count_by_status(connection, 0) if not first else {}
            counts = _count_by_status(connection, *(row.id for row in rows))
        found = [_issue_of_row(row, counts.get(row.id, {})) for row in rows]
        return (IssueRow(number=0, counts=outside[0]), *found) if outside else tuple(found)

    def issue(self, number: int) -> IssueRow | None:
        """Return one issue; None if it has no records."""
        with self._transactions.reading() as connection:
            row = connection.execute(_SELECT_ISSUE, {"wanted": number}).first()
            counts = _count_by_status(connection, number).get(number)
        if counts is None:
            return None
        return IssueRow(number=0, counts=counts) if row is None else _issue_of_row(row, counts)

    def issues_of(self, title: str) -> tuple[int, ...]:
        """Return the numbers of the issues of a journal, the newest first."""
        query = select(issue.c.id).where(issue.c.title == title).order_by(issue.c.date.desc(), issue.c.id.desc())
        with self._transactions.reading() as connection:
            return tuple(connection.scalars(query))

    def articles(self, issue_number: int, *, first: int = 0, most: int = _ALL_RECORDS) -> tuple[Article, ...]:
        """Return records of an issue in the order they were first saved."""
        return self._articles(_NUMBERS_IN_ORDER, issue_number, first, most)

    def waiting(self, issue_number: int, *, first: int = 0, most: int = _ALL_RECORDS) -> tuple[Article, ...]:
        """Return records of an issue: those that no person accepted first, the newest of them first."""
        return self._articles(_NUMBERS_OPEN_FIRST, issue_number, first, most)

    def _articles(self, order: Mapping[bool, Any], issue_number: int, first: int, most: int) -> tuple[Article, ...]:
        given = {"wanted": issue_number, "first": first, "most": most}
        with self._transactions.reading() as connection:
            numbers = connection.scalars(order[bool(issue_number)], given).all()
            found = {one.number: one for one in _read_issue_articles(connection, numbers)}
        return tuple(found[number] for number in numbers)

    def numbers(self, issue_number: int) -> tuple[int, ...]:
        """Return the numbers of the records of an issue."""
        with self._transactions.reading() as connection:
            given = {"wanted": issue_number, "first": 0, "most": _ALL_RECORDS}
            return tuple(connection.scalars(_NUMBERS_IN_ORDER[bool(issue_number)], given))

    def issue_of(self, number: int) -> int:
        """Return the number of the issue that an article belongs to; 0 if it belongs to none."""
        with self._transactions.reading() as connection:
            return connection.scalar(_SELECT_ISSUE_OF_ARTICLE, {"wanted": number}) or 0

    def archived(self, number: int, *, digests: Collection[str], url: str) -> tuple[ArchivedPage, ...]:
        """Return the pages with a digest or the address, of the runs that found an article; the newest run first."""
        with self._transactions.reading() as connection:
            found = connection.execute(_SELECT_RUNS_OF_ARTICLE, {"wanted": number}).all()
            return tuple(
                ArchivedPage(row.folder, page)
                for row in found
                for page in runs.find_run_pages(connection, row.id, digests=digests, url=url)
            )

    def taught_page(self, batch: int) -> TaughtPage | None:
        """Return the page that an act taught, and whether another act still teaches it; None if there is none."""
        with self._transactions.reading() as connection:
            return changes.find_taught_page(connection, batch)

    def saved_touches(self, numbers: Sequence[int]) -> int:
        """Count the fields of some records that a lesson from another record changed, unless that was undone."""
        with self._transactions.reading() as connection:
            rows = connection.execute(_SELECT_TAUGHT_CHANGES, {"wanted": numbers}).all()
            gone = changes.find_undone_acts(changes.read_undoings(connection)) if rows else set()
        return len({(row.article, row.field) for row in rows if gone.isdisjoint((row.batch, row.caused_by))})


def _count_by_status(connection: Connection, *issues: int) -> dict[int, dict[str, int]]:
    """Count the records of each issue by status; issue 0 is for records in no issue."""
    counts: dict[int, dict[str, int]] = {}
    for id_, status, count in connection.execute(_COUNT_STATUSES[any(issues)], {"wanted": issues}):
        counts.setdefault(id_ or 0, {})[status] = count
    return counts


def _read_issue_articles(connection: Connection, numbers: Sequence[int]) -> Iterator[Article]:
    """Read the records with some numbers, in any order."""
    for start in range(0, len(numbers), _RECORDS_PER_READ):
        some = numbers[start : start + _RECORDS_PER_READ]
        states = acts.read_field_states(connection, some)
        for row in connection.execute(_SELECT_RECORDS, {"wanted": some}):
            yield _article_of_row(row, states.get(row.id, {}))


def _issue_of_row(row: Any, counts: Mapping[str, int]) -> IssueRow:
    return IssueRow(number=row.id, title=row.title, volume=row.volume, issue=row.number, date=row.date, counts=counts)


def _article_of_row(row: Any, states: Mapping[str, Any]) -> Article:
    return Article(
        number=row.id,
        citation=decode_record(Citation, row.citation),
        status=Status(row.status),
        version=row.version,
        states=states,
        issue=row.issue_id or 0,
    )


# Statements of every page of the app. They are built once: building a statement takes longer than running it. Some
# have two forms, for records in an issue (True) and in none (False), which need different conditions.
_WANTED_ID: BindParameter[int] = bindparam("wanted")
_WANTED_IDS: BindParameter[int] = bindparam("wanted", expanding=True)
_ROW_OFFSET: BindParameter[int] = bindparam("first")
_ROW_LIMIT: BindParameter[int] = bindparam("most")
_IS_NOT_DELETED = article.c.status != Status.DELETED.value
_ISSUE_CONDITIONS = {True: article.c.issue_id == _WANTED_ID, False: article.c.issue_id.is_(None)}
_SELECT_ISSUES = select(issue).order_by(issue.c.date.desc(), issue.c.id.desc()).offset(_ROW_OFFSET).limit(_ROW_LIMIT)
_SELECT_ISSUE = select(issue).where(issue.c.id == _WANTED_ID)
_SELECT_ISSUE_OF_ARTICLE = select(article.c.issue_id).where(article.c.id == _WANTED_ID)
_COUNT_STATUSES = {
    inside: select(article.c.issue_id, article.c.status, func.count())
    .where(_IS_NOT_DELETED, place)
    .group_by(article.c.issue_id, article.c.status)
    for inside, place in {True: article.c.issue_id.in_(_WANTED_IDS), False: _ISSUE_CONDITIONS[False]}.items()
}
_NUMBERS_IN_ORDER = {
    inside: select(article.c.id)
    .where(_IS_NOT_DELETED, place)
    .order_by(article.c.id)
    .offset(_ROW_OFFSET)
    .limit(_ROW_LIMIT)
    for inside, place in _ISSUE_CONDITIONS.items()
}
# In descending order of the words, `proposed` comes first, then `auto-accepted`, then `accepted`. This is also the
# order of an index, so that only the wanted rows are read.
_NUMBERS_OPEN_FIRST = {
    inside: query.order_by(None).order_by(article.c.status.desc(), article.c.id.desc())
    for inside, query in _NUMBERS_IN_ORDER.items()
}
_SELECT_RECORDS = select(
    article.c.id, article.c.citation, article.c.status, article.c.version, article.c.issue_id
).where(article.c.id.in_(_WANTED_IDS))
_SELECT_RUNS_OF_ARTICLE = (
    select(run.c.folder, run.c.id)
    .join(article_run, article_run.c.run == run.c.id)
    .where(article_run.c.article == _WANTED_ID)
    .order_by(run.c.id.desc())
)
_SELECT_TAUGHT_CHANGES = (
    select(change.c.batch, change.c.article, change.c.field, act.c.caused_by)
    .join(act, act.c.batch == change.c.batch)
    .where(change.c.article.in_(_WANTED_IDS), change.c.field.in_(CORE_FIELDS), act.c.caused_by.is_not(None))
)

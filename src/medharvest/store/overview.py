"""What the review app looks up: issues with their progress, the records of one, the pages an article was read from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from medharvest.fields import CORE
from medharvest.json_text import load
from medharvest.records import Citation
from medharvest.store import changes, runs, values
from medharvest.store.changes import TaughtPage
from medharvest.store.rows import Article, PageRow, Status
from medharvest.store.tables import act, article, article_run, change, issue, run

Opening = Callable[[], AbstractContextManager[Connection]]
_ALL = 2**31 - 1  # more records than there are
_BATCH = 500  # records that are read together


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRow:
    """An issue and how many of its records have each status; number 0 holds what stands in no issue."""

    number: int
    title: str = ""
    volume: str = ""
    issue: str = ""
    date: str = ""
    counts: Mapping[str, int]

    @property
    def records(self) -> int:
        """How many records it has."""
        return sum(self.counts.values())

    @property
    def settled(self) -> int:
        """How many of them somebody accepted."""
        return self.counts.get("accepted", 0)

    @property
    def name(self) -> str:
        """As people call it."""
        if not self.number:
            return "Records outside issues"
        number = f"{self.volume}({self.issue})" if self.issue else self.volume
        return f"{self.title} {number}".strip()


@dataclass(frozen=True, slots=True)
class Archived:
    """A page of an article and the folder of the run that archived it."""

    folder: str
    page: PageRow


class Overview:
    """Questions about many records at once."""

    def __init__(self, reading: Opening) -> None:
        self._reading = reading

    def issues(self, *, first: int = 0, most: int = 10_000) -> tuple[IssueRow, ...]:
        """Issues, the newest first, also those whose records are all deleted; before them what stands in none."""
        with self._reading() as connection:
            rows = connection.execute(_ISSUES, {"first": first, "most": most}).all()
            outside = _counts(connection, 0) if not first else {}
            counts = _counts(connection, *(row.id for row in rows))
        found = [_issue(row, counts.get(row.id, {})) for row in rows]
        return (IssueRow(number=0, counts=outside[0]), *found) if outside else tuple(found)

    def issue(self, number: int) -> IssueRow | None:
        """One issue; None where it has no records."""
        with self._reading() as connection:
            row = connection.execute(_ISSUE, {"wanted": number}).first()
            counts = _counts(connection, number).get(number)
        if counts is None:
            return None
        return IssueRow(number=0, counts=counts) if row is None else _issue(row, counts)

    def issues_of(self, title: str) -> tuple[int, ...]:
        """The numbers of the issues of a journal, the newest first."""
        query = select(issue.c.id).where(issue.c.title == title).order_by(issue.c.date.desc(), issue.c.id.desc())
        with self._reading() as connection:
            return tuple(connection.scalars(query))

    def articles(self, issue_number: int, *, first: int = 0, most: int = _ALL) -> tuple[Article, ...]:
        """The records of an issue, or some of them, in the order they were first saved."""
        return self._articles(_BY_NUMBER, issue_number, first, most)

    def waiting(self, issue_number: int, *, first: int = 0, most: int = _ALL) -> tuple[Article, ...]:
        """The records of an issue, or some of them: those nobody accepted first, and of them the newest."""
        return self._articles(_OPEN_FIRST, issue_number, first, most)

    def _articles(self, order: Mapping[bool, Any], issue_number: int, first: int, most: int) -> tuple[Article, ...]:
        given = {"wanted": issue_number, "first": first, "most": most}
        with self._reading() as connection:
            numbers = connection.scalars(order[bool(issue_number)], given).all()
            found = {one.number: one for one in _read(connection, numbers)}
        return tuple(found[number] for number in numbers)

    def numbers(self, issue_number: int) -> tuple[int, ...]:
        """The numbers of the records of an issue."""
        with self._reading() as connection:
            given = {"wanted": issue_number, "first": 0, "most": _ALL}
            return tuple(connection.scalars(_BY_NUMBER[bool(issue_number)], given))

    def issue_of(self, number: int) -> int:
        """The number of the issue that an article stands in; 0 where it stands in none."""
        with self._reading() as connection:
            return connection.scalar(_ISSUE_OF, {"wanted": number}) or 0

    def archived(self, number: int, *, digests: Collection[str], url: str) -> tuple[Archived, ...]:
        """The pages of the runs that saw an article which have a digest or the address; the newest run first."""
        with self._reading() as connection:
            found = connection.execute(_RUNS, {"wanted": number}).all()
            return tuple(
                Archived(row.folder, page)
                for row in found
                for page in runs.pages_with(connection, row.id, digests=digests, url=url)
            )

    def taught_page(self, batch: int) -> TaughtPage | None:
        """The page that an act taught, and whether it still does once the act is taken back; None where none."""
        with self._reading() as connection:
            return changes.taught_page(connection, batch)

    def saved_touches(self, numbers: Sequence[int]) -> int:
        """How many fields of some records changed because another record taught it, and still are so."""
        with self._reading() as connection:
            rows = connection.execute(_TAUGHT, {"wanted": numbers}).all()
            gone = changes.taken_back(changes.undoings(connection)) if rows else set()
        return len({(row.article, row.field) for row in rows if gone.isdisjoint((row.batch, row.caused_by))})


def _counts(connection: Connection, *issues: int) -> dict[int, dict[str, int]]:
    """How many records of each issue have each status; of issue 0 those that stand in none."""
    counts: dict[int, dict[str, int]] = {}
    for id_, status, count in connection.execute(_COUNTS[any(issues)], {"wanted": issues}):
        counts.setdefault(id_ or 0, {})[status] = count
    return counts


def _read(connection: Connection, numbers: Sequence[int]) -> Iterator[Article]:
    """The records with some numbers, in any order."""
    for start in range(0, len(numbers), _BATCH):
        some = numbers[start : start + _BATCH]
        states = values.states(connection, some)
        for row in connection.execute(_RECORDS, {"wanted": some}):
            yield _article(row, states.get(row.id, {}))


def _issue(row: Any, counts: Mapping[str, int]) -> IssueRow:
    return IssueRow(number=row.id, title=row.title, volume=row.volume, issue=row.number, date=row.date, counts=counts)


def _article(row: Any, states: Mapping[str, Any]) -> Article:
    return Article(
        number=row.id,
        citation=load(Citation, row.citation),
        status=Status(row.status),
        version=row.version,
        states=states,
        issue=row.issue_id or 0,
    )


# Statements that are asked with every page: made once, for to make one takes longer than to run it. Some have two
# forms, by whether they are about issues: what stands in none is found by another condition.
_THIS: BindParameter[int] = bindparam("wanted")
_THESE: BindParameter[int] = bindparam("wanted", expanding=True)
_FIRST: BindParameter[int] = bindparam("first")
_MOST: BindParameter[int] = bindparam("most")
_THERE = article.c.status != Status.DELETED.value
_PLACES = {True: article.c.issue_id == _THIS, False: article.c.issue_id.is_(None)}
_ISSUES = select(issue).order_by(issue.c.date.desc(), issue.c.id.desc()).offset(_FIRST).limit(_MOST)
_ISSUE = select(issue).where(issue.c.id == _THIS)
_ISSUE_OF = select(article.c.issue_id).where(article.c.id == _THIS)
_COUNTS = {
    inside: select(article.c.issue_id, article.c.status, func.count())
    .where(_THERE, place)
    .group_by(article.c.issue_id, article.c.status)
    for inside, place in {True: article.c.issue_id.in_(_THESE), False: _PLACES[False]}.items()
}
_BY_NUMBER = {
    inside: select(article.c.id).where(_THERE, place).order_by(article.c.id).offset(_FIRST).limit(_MOST)
    for inside, place in _PLACES.items()
}
# By the words for them proposed ones come before those a program accepted, and these before those a person did: it is
# the order of an index, of which then no more is read than wanted.
_OPEN_FIRST = {
    inside: query.order_by(None).order_by(article.c.status.desc(), article.c.id.desc())
    for inside, query in _BY_NUMBER.items()
}
_RECORDS = select(article.c.id, article.c.citation, article.c.status, article.c.version, article.c.issue_id).where(
    article.c.id.in_(_THESE)
)
_RUNS = (
    select(run.c.folder, run.c.id)
    .join(article_run, article_run.c.run == run.c.id)
    .where(article_run.c.article == _THIS)
    .order_by(run.c.id.desc())
)
_TAUGHT = (
    select(change.c.batch, change.c.article, change.c.field, act.c.caused_by)
    .join(act, act.c.batch == change.c.batch)
    .where(change.c.article.in_(_THESE), change.c.field.in_(CORE), act.c.caused_by.is_not(None))
)

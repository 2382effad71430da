"""What the review app looks up: issues with their progress, the records of one, the pages an article was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from medharvest.records import Citation
from medharvest.store import runs, values
from medharvest.store.rows import UNDO, Article, PageRow, Status, load
from medharvest.store.tables import article, article_run, change, issue, run

Opening = Callable[[], AbstractContextManager[Connection]]


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
        query = select(issue).order_by(issue.c.date.desc(), issue.c.id.desc()).offset(first).limit(most)
        with self._reading() as connection:
            rows = connection.execute(query).all()
            outside = _counts(connection, article.c.issue_id.is_(None)) if not first else {}
            counts = _counts(connection, article.c.issue_id.in_([row.id for row in rows]))
        found = [_issue(row, counts.get(row.id, {})) for row in rows]
        return (IssueRow(number=0, counts=outside[0]), *found) if outside else tuple(found)

    def issue(self, number: int) -> IssueRow | None:
        """One issue; None where it has no records."""
        with self._reading() as connection:
            row = connection.execute(select(issue).where(issue.c.id == number)).first()
            counts = _counts(connection, _in(number)).get(number)
        if counts is None:
            return None
        return IssueRow(number=0, counts=counts) if row is None else _issue(row, counts)

    def issues_of(self, title: str) -> tuple[int, ...]:
        """The numbers of the issues of a journal, the newest first."""
        query = select(issue.c.id).where(issue.c.title == title).order_by(issue.c.date.desc(), issue.c.id.desc())
        with self._reading() as connection:
            return tuple(connection.scalars(query))

    def articles(self, issue_number: int) -> tuple[Article, ...]:
        """The records of an issue, in the order they were first saved."""
        with self._reading() as connection:
            rows = connection.execute(select(article).where(_THERE, _in(issue_number)).order_by(article.c.id)).all()
            states = values.states(connection, [row.id for row in rows])
        return tuple(_article(row, states.get(row.id, {})) for row in rows)

    def numbers(self, issue_number: int) -> tuple[int, ...]:
        """The numbers of the records of an issue."""
        query = select(article.c.id).where(_THERE, _in(issue_number)).order_by(article.c.id)
        with self._reading() as connection:
            return tuple(connection.scalars(query))

    def issue_of(self, number: int) -> int:
        """The number of the issue that an article stands in; 0 where it stands in none."""
        with self._reading() as connection:
            return connection.scalar(select(article.c.issue_id).where(article.c.id == number)) or 0

    def archived(self, number: int) -> tuple[Archived, ...]:
        """The pages of the runs that saw an article, the newest run first."""
        query = (
            select(run.c.folder, run.c.id)
            .join(article_run, article_run.c.run == run.c.id)
            .where(article_run.c.article == number)
            .order_by(run.c.id.desc())
        )
        with self._reading() as connection:
            found = connection.execute(query).all()
            return tuple(Archived(row.folder, page) for row in found for page in runs.all_pages(connection, row.id))

    def batches(self, reason: str, *, since: int) -> tuple[int, ...]:
        """The acts since one that were done for a reason, the newest first."""
        query = select(change.c.batch).where(change.c.batch >= since, change.c.reason == reason).distinct()
        with self._reading() as connection:
            return tuple(connection.scalars(query.order_by(change.c.batch.desc())))

    def saved_touches(self, issue_number: int) -> int:
        """How many fields of an issue's records changed because a label was given on another page, and still are so."""
        query = (
            select(change.c.batch, change.c.reason, change.c.article, change.c.field)
            .join(article, article.c.id == change.c.article)
            .where(_in(issue_number), change.c.reason.like("taught by %") | change.c.reason.like(f"{UNDO}%"))
        )
        with self._reading() as connection:
            rows = connection.execute(query).all()
        gone = {row.reason.removeprefix(UNDO) for row in rows}
        return len({(row.article, row.field) for row in rows if _teaches(row) and str(row.batch) not in gone})


def _teaches(row: Any) -> bool:
    return row.reason.startswith("taught by ") and row.field in _CORE


_CORE = frozenset({"title", "authors", "affiliations", "abstract"})


def _counts(connection: Connection, wanted: Any) -> dict[int, dict[str, int]]:
    """How many records of each issue have each status."""
    query = select(article.c.issue_id, article.c.status, func.count()).where(_THERE, wanted)
    counts: dict[int, dict[str, int]] = {}
    for id_, status, count in connection.execute(query.group_by(article.c.issue_id, article.c.status)):
        counts.setdefault(id_ or 0, {})[status] = count
    return counts


_THERE = article.c.status != Status.DELETED.value


def _in(issue_number: int) -> Any:
    return article.c.issue_id == issue_number if issue_number else article.c.issue_id.is_(None)


def _issue(row: Any, counts: Mapping[str, int]) -> IssueRow:
    return IssueRow(number=row.id, title=row.title, volume=row.volume, issue=row.number, date=row.date, counts=counts)


def _article(row: Any, states: Mapping[str, Any]) -> Article:
    return Article(
        number=row.id,
        citation=load(Citation, row.citation),
        status=Status(row.status),
        version=row.version,
        states=states,
    )

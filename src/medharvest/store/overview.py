"""What the review app looks up: issues with their progress, the records of one, the pages an article was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from medharvest.records import Citation
from medharvest.store import runs, values
from medharvest.store.rows import Article, PageRow, Status, load
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

    def issues(self) -> tuple[IssueRow, ...]:
        """Every issue that has records, the newest first."""
        query = select(article.c.issue_id, article.c.status, func.count()).where(_THERE)
        with self._reading() as connection:
            counted = connection.execute(query.group_by(article.c.issue_id, article.c.status)).all()
            rows = {row.id: row for row in connection.execute(select(issue))}
        counts: dict[int, dict[str, int]] = {}
        for id_, status, count in counted:
            counts.setdefault(id_ or 0, {})[status] = count
        known = sorted(counts.keys() & rows.keys(), key=lambda id_: (rows[id_].date, id_), reverse=True)
        found = [_issue(rows[id_], counts[id_]) for id_ in known]
        return (*found, IssueRow(number=0, counts=counts[0])) if 0 in counts else tuple(found)

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
            .where(_in(issue_number), change.c.reason.like("taught by %") | change.c.reason.like("undo of %"))
        )
        with self._reading() as connection:
            rows = connection.execute(query).all()
        gone = {row.reason.removeprefix("undo of ") for row in rows}
        return len({(row.article, row.field) for row in rows if _teaches(row) and str(row.batch) not in gone})


def _teaches(row: Any) -> bool:
    return row.reason.startswith("taught by ") and row.field in _CORE


_CORE = frozenset({"title", "authors", "affiliations", "abstract"})
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

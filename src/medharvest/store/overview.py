"""What the review app looks up: issues with their progress, the records of one, the pages an article was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from medharvest.store import runs
from medharvest.store.rows import PageRow
from medharvest.store.tables import article, article_run, issue, run


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


def read_issues(connection: Connection) -> tuple[IssueRow, ...]:
    """Every issue that has records, the newest first."""
    counts: dict[int, dict[str, int]] = {}
    query = select(article.c.issue_id, article.c.status, func.count()).where(article.c.status != "deleted")
    for id_, status, count in connection.execute(query.group_by(article.c.issue_id, article.c.status)):
        counts.setdefault(id_ or 0, {})[status] = count
    rows = {row.id: row for row in connection.execute(select(issue))}
    found = [
        IssueRow(
            number=id_,
            title=rows[id_].title,
            volume=rows[id_].volume,
            issue=rows[id_].number,
            date=rows[id_].date,
            counts=counts[id_],
        )
        for id_ in sorted(counts.keys() & rows.keys(), key=lambda id_: (rows[id_].date, id_), reverse=True)
    ]
    return (*found, IssueRow(number=0, counts=counts[0])) if 0 in counts else tuple(found)


def numbers(connection: Connection, issue_number: int) -> list[int]:
    """The numbers of the articles of an issue, in the order they were first saved."""
    of_issue = article.c.issue_id == issue_number if issue_number else article.c.issue_id.is_(None)
    query = select(article.c.id).where(of_issue, article.c.status != "deleted")
    return list(connection.scalars(query.order_by(article.c.id)))


def issue_of(connection: Connection, number: int) -> int:
    """The number of the issue that an article stands in; 0 where it stands in none."""
    return connection.scalar(select(article.c.issue_id).where(article.c.id == number)) or 0


def archived(connection: Connection, number: int) -> tuple[Archived, ...]:
    """The pages of the runs that saw an article, the newest run first."""
    query = (
        select(run.c.folder, run.c.id)
        .join(article_run, article_run.c.run == run.c.id)
        .where(article_run.c.article == number)
        .order_by(run.c.id.desc())
    )
    found = connection.execute(query).all()
    return tuple(Archived(row.folder, page) for row in found for page in runs.all_pages(connection, row.id))

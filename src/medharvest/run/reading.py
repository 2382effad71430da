"""The one way from a page that arrived to a citation, for issues and topics alike.

A page is analysed in a worker, by what was taught of its journal. Those that arrived in an earlier sitting of the run
are read from its archive. The forms of an article make one citation; data is shared only within an issue of a journal.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import urlsplit

from medharvest.citations import (
    IssueArticles,
    fill_from_record,
    group_articles,
    merge,
    reformat,
    same_journal,
    share_in_issue,
)
from medharvest.errors import MedharvestError
from medharvest.fetch import ArchiveFetcher
from medharvest.json_text import dump
from medharvest.records import ARTICLE_KINDS, Citation, Kind, Response
from medharvest.run.analysis import Analysis, Confirming, Judging, Request, task_options
from medharvest.run.lessons import lessons_of
from medharvest.run.workers import Job, shared_workers
from medharvest.settings import Read
from medharvest.store import PageRow, Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Readings:
    """What the pages of a run gave: one citation an article, and the pages that could not be read, with the reason.

    `note` says that articles are of several journals or issues; `mixed` that there is no journal of them all.
    """

    citations: tuple[Citation, ...]
    unread: tuple[tuple[PageRow, str], ...]
    note: str = ""
    mixed: bool = False


class PageReader:
    """Analyses the pages of a run and keeps the readings of articles among them.

    Its journal is the one that was named; else each page's own, found by its host and ISSN, or by those of `home`, the
    contents page.
    """

    def __init__(self, store: Store, limits: Read, *, journal: str = "", home: str = "") -> None:
        self._store = store
        self._workers = shared_workers(limits)
        self._journal = journal
        self._home = home
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}
        self._lessons: dict[str, str] = {"": ""}
        self._read: dict[str, tuple[Citation | None, str]] = {}

    async def analyse(
        self, answer: Response, request: Request, *, issue: Citation | None = None
    ) -> Analysis | MedharvestError:
        """What is in a page of an issue, or of none; an article of another journal is read by what that one taught."""
        lessons = self._lessons_of(self._home_journal(answer.final_url, issue))
        analysis = await self._analyse(answer, request, lessons)
        if isinstance(analysis, Analysis) and analysis.citation is not None and analysis.citation.issn:
            own = self._lessons_of(self._own_journal(answer.final_url, analysis.citation, issue))
            if own != lessons:
                return await self._analyse(answer, request, own)
        return analysis

    async def _analyse(self, answer: Response, request: Request, lessons: str) -> Analysis | MedharvestError:
        return await self.ask(answer, request, Analysis, lessons=lessons)

    async def ask(
        self, answer: Response, request: Request | Judging | Confirming, record: type[T], *, lessons: str = ""
    ) -> T | MedharvestError:
        """Have a worker carry out one of the tasks of a crawl on a page."""
        job = Job(
            body=answer.body,
            name=answer.url,
            url=answer.final_url,
            charset=answer.charset,
            task=request.task,
            lessons=lessons,
            options=task_options(request),
        )
        return await asyncio.wrap_future(self._workers.request(job, record))

    def keep(self, url: str, analysis: Analysis) -> None:
        """Keep the reading of a page until the run is put together."""
        self._read[url] = (analysis.citation, analysis.unread)

    def forget(self, url: str) -> None:
        """Drop the reading of a page that is of no interest."""
        self._read.pop(url, None)

    def keep_failure(self, url: str, error: MedharvestError) -> None:
        """Keep why a page that arrived cannot be read."""
        self._read[url] = (None, f"{error.message}; {error.hint}")

    async def gather(
        self,
        pages: Iterable[PageRow],
        archive: ArchiveFetcher,
        request: Callable[[PageRow, Response], Request],
        *,
        issue: Citation | None,
    ) -> Readings:
        """One citation an article, in the order of the pages."""
        read: list[tuple[str, Citation]] = []
        unread: list[tuple[PageRow, str]] = []
        async for page, (citation, why) in self._readings(pages, archive, request, issue):
            if citation is not None:
                read.append((page.article_key, citation))
            elif why:
                unread.append((page, why))
        together = put_together(read, issue)
        citations = tuple(map(self._with_known, together.citations))
        return Readings(citations, tuple(unread), together.note, mixed=together.mixed)

    def _with_known(self, citation: Citation) -> Citation:
        """A citation with what the store knows of this very article from pages that this run did not read."""
        found = self._store.find(citation)
        return fill_from_record(citation, found[1]) if found else citation

    async def _readings(
        self,
        pages: Iterable[PageRow],
        archive: ArchiveFetcher,
        request: Callable[[PageRow, Response], Request],
        issue: Citation | None,
    ) -> AsyncIterator[tuple[PageRow, tuple[Citation | None, str]]]:
        """The reading of each page that may be an article's, in order; a few are read at a time."""
        waiting: deque[tuple[PageRow, asyncio.Task[None] | None]] = deque()
        for page in pages:
            task = None
            if page.url not in self._read and page.promised in ARTICLE_KINDS | {Kind.OTHER}:
                answer = await archive(page.url)
                if isinstance(answer, Response):
                    task = asyncio.create_task(self._read_archived(page, answer, request(page, answer), issue))
            waiting.append((page, task))
            if len(waiting) > self._workers.ahead:
                yield await self._finished(*waiting.popleft())
        for page, task in waiting:
            yield await self._finished(page, task)

    async def _read_archived(self, page: PageRow, answer: Response, request: Request, issue: Citation | None) -> None:
        analysis = await self.analyse(answer, request, issue=issue)
        if isinstance(analysis, Analysis):
            self.keep(page.url, analysis)
        else:
            self.keep_failure(page.url, analysis)

    async def _finished(
        self, page: PageRow, task: asyncio.Task[None] | None
    ) -> tuple[PageRow, tuple[Citation | None, str]]:
        if task is not None:
            await task
        return page, self._read.pop(page.url, (None, ""))

    def _home_journal(self, url: str, issue: Citation | None) -> str:
        """The journal that a page should be of, before it is read."""
        issn = issue.issn if issue else ()
        return self._journal or self._journal_at(url, issn) or (self._journal_at(self._home, issn) if issue else "")

    def _own_journal(self, url: str, citation: Citation, issue: Citation | None) -> str:
        """The journal that the article on a page says it is of."""
        named = self._journal or self._journal_at(url, citation.issn)
        at_home = issue is not None and same_journal(citation, issue) is not False
        return named or (self._home_journal(url, issue) if at_home else "")

    def _lessons_of(self, journal: str) -> str:
        """What was taught of the layout of a journal, as JSON; empty where nothing was."""
        if journal not in self._lessons:
            lessons = lessons_of(self._store, journal)
            self._lessons[journal] = dump(lessons) if lessons else ""
        return self._lessons[journal]

    def _journal_at(self, url: str, issn: Sequence[str]) -> str:
        key = (urlsplit(url).hostname or "", tuple(issn))
        if key not in self._names:
            found = self._store.find_journal(host=key[0], issn=issn)
            self._names[key] = found.name if found else ""
        return self._names[key]


def put_together(readings: Sequence[tuple[str, Citation]], issue: Citation | None) -> IssueArticles:
    """Merge the readings of each article; those of one issue share what it says. Without an issue nothing is shared."""
    merged = [merge(group) for group in group_articles(readings)]
    articles = [citation for citation in merged if _is_article(citation)]
    together = share_in_issue(articles, issue) if issue is not None else IssueArticles(tuple(articles))
    return replace(together, citations=tuple(map(reformat, together.citations)))


def _is_article(citation: Citation) -> bool:
    """Whether a reading holds enough to be an article: a title, and somebody or something behind it."""
    return bool(citation.title and (citation.authors or citation.abstract or citation.doi or citation.first_page))

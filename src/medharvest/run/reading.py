"""The archive of a run to citations: read each article page, put the forms of each article together."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace

from medharvest.citations import complete_issue, fill, group_articles, merge, reformat
from medharvest.fetch import ArchiveFetcher
from medharvest.records import ARTICLE_KINDS, Citation, Kind, Response
from medharvest.run.workers import Job, Reading, Workers, shared_workers
from medharvest.settings import Read
from medharvest.store import PageRow

# Articles that must agree with each other before they outvote the contents page they are linked from.
_QUORUM = 3


@dataclass(frozen=True, slots=True)
class Readings:
    """What an archive gave: one citation an article, and the pages that could not be read, with the reason."""

    citations: tuple[Citation, ...]
    unread: tuple[tuple[PageRow, str], ...]


async def read_archive(
    pages: Iterable[PageRow], archive: ArchiveFetcher, *, issue: Citation | None, limits: Read, lessons: str = ""
) -> Readings:
    """One citation an article, in the order of the contents page; readings of other issues are left out.

    `lessons` are what was taught of the journal's layout, as JSON.
    """
    read: list[tuple[str, Citation]] = []
    unread: list[tuple[PageRow, str]] = []
    async for page, reading in _readings(pages, archive, shared_workers(limits), lessons):
        if isinstance(reading, Citation):
            read.append((page.article_key, reading))
        elif reading is not None:
            unread.append((page, f"{reading.message}; {reading.hint}"))
    return Readings(put_together(read, issue or Citation(kind=Kind.ISSUE)), tuple(unread))


async def _readings(
    pages: Iterable[PageRow], archive: ArchiveFetcher, workers: Workers, lessons: str
) -> AsyncIterator[tuple[PageRow, Reading]]:
    """The reading of each page that may be an article's, in order; a few are read at a time."""
    waiting: deque[tuple[PageRow, asyncio.Future[Reading]]] = deque()
    for page in pages:
        answer = await archive(page.url)
        if page.promised in ARTICLE_KINDS | {Kind.OTHER} and isinstance(answer, Response):
            waiting.append((page, asyncio.wrap_future(workers.submit(_job(page, answer, lessons)))))
        if len(waiting) > workers.ahead:
            done, reading = waiting.popleft()
            yield done, await reading
    for done, reading in waiting:
        yield done, await reading


def _job(row: PageRow, answer: Response, lessons: str) -> Job:
    """A page to be read; a page of no promised kind counts when its content is an article's. PDFs have no lessons."""
    return Job(
        body=answer.body,
        name=row.url,
        url=answer.final_url,
        charset=answer.charset,
        kind=str(row.kind) if row.kind in ARTICLE_KINDS else "",
        articles_only=True,
        lessons="" if row.kind is Kind.PDF else lessons,
    )


def put_together(readings: Sequence[tuple[str, Citation]], issue: Citation) -> tuple[Citation, ...]:
    """Merge the readings of each article, leave out those of other issues, fill gaps from the contents page."""
    merged = [merge(group) for group in group_articles(readings)]
    articles = [citation for citation in merged if _is_article(citation)]
    credible = _credible(issue, articles)
    own = [citation for citation in articles if belongs(citation, credible)]
    shared = complete_issue(credible, own)
    return tuple(reformat(fill(citation, shared)) for citation in own)


def belongs(citation: Citation, issue: Citation) -> bool:
    """Whether a citation does not contradict the volume and number of the contents page."""
    pairs = ((citation.volume, issue.volume), (citation.issue, issue.issue))
    return all(not own or not shared or _number(own) == _number(shared) for own, shared in pairs)


def _is_article(citation: Citation) -> bool:
    """Whether a reading holds enough to be an article: a title, and somebody or something behind it."""
    return bool(citation.title and (citation.authors or citation.abstract or citation.doi or citation.first_page))


def _credible(issue: Citation, articles: Sequence[Citation]) -> Citation:
    """What a contents page says, without a volume or number that it alone gives and its articles give otherwise."""
    return replace(
        issue,
        volume="" if _is_outvoted(issue.volume, [article.volume for article in articles]) else issue.volume,
        issue="" if _is_outvoted(issue.issue, [article.issue for article in articles]) else issue.issue,
    )


def _is_outvoted(stated: str, values: Sequence[str]) -> bool:
    votes = Counter(_number(value) for value in values if value)
    return _number(stated) not in votes and max(votes.values(), default=0) >= _QUORUM


def _number(text: str) -> tuple[str, ...]:
    """A volume or issue number to compare by: `03` is `3`, `1–2` is `1-2`."""
    return tuple(word.lstrip("0") for word in re.findall(r"[^\W_]+", text.lower()))

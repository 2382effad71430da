"""The results of a run: one citation per article, the pages that could not be read, and the summary."""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from medharvest.citations import (
    IssueArticles,
    fill_from_record,
    group_articles,
    is_same_journal,
    may_belong_to_issue,
    merge,
    normalise_citation,
    share_in_issue,
)
from medharvest.codec import encode_record
from medharvest.errors import MedharvestError
from medharvest.fetch import ArchiveFetcher
from medharvest.harvest.analysis import AnalysisRequest, ConfirmRequest, JudgeRequest, PageAnalysis, crawl_task_options
from medharvest.harvest.engine import wait_for_some
from medharvest.harvest.run_folder import Loss, ReadingLog, reading_key
from medharvest.harvest.worker_pool import LostPageError, PageJob, shared_workers
from medharvest.journals.article_reader import lessons_of
from medharvest.journals.inputs import login_hint
from medharvest.records import ARTICLE_KINDS, ArchiveCut, Citation, Kind, Outcome, Place, Reason, Response, Wish
from medharvest.settings import Read
from medharvest.store import PageRow, Store

T = TypeVar("T")
# Failures that a person with a browser can often get past.
_SAVED_BY_HAND = frozenset(
    {Reason.FORBIDDEN, Reason.LOGIN_WALL, Reason.BLOCKED, Reason.ROBOTS, Reason.CLIENT_ERROR, Reason.RATE_LIMITED}
)
_SHARED_DOI_NOTE = "{count} with the DOI of another article kept apart, see: medharvest store duplicates"
_MISSING_PAGES_LISTED = 10  # missing pages named in the summary; the manifest has all
_UNREAD_ARTICLE_NOTE = "not read, because it looks like a contents page, although an article link led to it: {url}"
_NO_CITATION = "no citation was found on it; `medharvest zones` shows what was recognised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """The results of a run: its pages, the missing ones, its citations; if `stopped`, it can be resumed.

    `unread` are pages that arrived but could not be read, each with the reason. `drift` says that the contents page no
    longer matches the layout the journal was taught; `taught` names the journal that learnt from this run; `note` says
    that articles belong to other journals or issues. `lost` has a page of each article that has no record; `read` says
    whether pages were to be read. The outcomes come from the store and have no links.
    """

    run: int
    folder: str
    citations: tuple[Citation, ...]
    pages: tuple[Outcome, ...]
    failures: tuple[Outcome, ...]
    stopped: bool = False
    unread: tuple[Outcome, ...] = ()
    drift: str = ""
    left_out: tuple[str, ...] = ()  # links of the contents pages that were not followed although they may be articles
    taught: str = ""
    note: str = ""
    lost: tuple[Outcome, ...] = ()
    read: bool = True


@dataclass(frozen=True, slots=True)
class RunReadings:
    """The readings of a run: one citation per article, and the pages that could not be read, with the reason.

    `note` says that the articles belong to several journals or issues, or that some share a DOI; `mixed`: they share no
    journal. `recorded` are the keys of the articles with a citation.
    """

    citations: tuple[Citation, ...]
    unread: tuple[tuple[PageRow, str], ...]
    note: str = ""
    mixed: bool = False
    recorded: frozenset[str] = frozenset()


class RunPageReader:
    """Analyses the pages of a run and keeps the readings of the articles among them.

    The journal of a page is `journal` if given; else it is found by the host and ISSN of the page, or of `home`, the
    contents page.
    """

    def __init__(
        self, store: Store, limits: Read, *, journal: str = "", home: str = "", log: ReadingLog | None = None
    ) -> None:
        self._store = store
        self._log = log or ReadingLog()
        self._workers = shared_workers(limits)
        self._journal = journal
        self._home = home
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}
        self._lessons: dict[str, str] = {"": ""}
        self._read: dict[str, tuple[Citation | None, str]] = {}

    async def analyse(
        self, answer: Response, request: AnalysisRequest, *, issue: Citation | None = None
    ) -> PageAnalysis | MedharvestError:
        """Analyse a page, of `issue` if given; an article of another journal is read with that journal's lessons."""
        lessons = self._lessons_of(self._home_journal(answer.final_url, issue))
        analysis = await self._analyse(answer, request, lessons)
        if isinstance(analysis, PageAnalysis) and analysis.citation is not None and analysis.citation.issn:
            own = self._lessons_of(self._own_journal(answer.final_url, analysis.citation, issue))
            if own != lessons:
                return await self._analyse(answer, request, own)
        return analysis

    async def _analyse(
        self, answer: Response, request: AnalysisRequest, lessons: str
    ) -> PageAnalysis | MedharvestError:
        return await self.ask(answer, request, PageAnalysis, lessons=lessons)

    async def ask(
        self,
        answer: Response,
        request: AnalysisRequest | JudgeRequest | ConfirmRequest,
        record: type[T],
        *,
        lessons: str = "",
    ) -> T | MedharvestError:
        """Have a worker carry out a crawl task on a page; one that was lost before is not read again."""
        key = reading_key(request.task, answer.body)
        if why := self._log.why_lost(key):
            return LostPageError(why.message, name=answer.url, hint=why.hint)
        job = PageJob(
            body=answer.body,
            name=answer.url,
            url=answer.final_url,
            charset=answer.charset,
            task=request.task,
            lessons=lessons,
            options=crawl_task_options(request),
        )
        try:
            asked = self._workers.request(job, record, lambda: self._log.begin(key, answer.url))
            read = await asyncio.wrap_future(asked)
        except asyncio.CancelledError:
            self._workers.abandon(job)
            raise
        self._log.end(key, Loss(read.message, read.hint, answer.url) if isinstance(read, LostPageError) else None)
        return read

    def keep(self, url: str, analysis: PageAnalysis) -> None:
        """Keep the reading of a page until the run's citations are merged."""
        self._read[url] = (analysis.citation, analysis.unread)

    def forget(self, url: str) -> None:
        """Drop the reading of a page that is not relevant."""
        self._read.pop(url, None)

    def keep_failure(self, url: str, error: MedharvestError) -> None:
        """Keep why a page that arrived cannot be read."""
        self._read[url] = (None, describe_reading_error(error))

    def save(self, run: int, readings: RunReadings) -> RunReadings:
        """Save the citations of a run; the note then says how many have the DOI of another article."""
        count = self._store.save(run, readings.citations).uncertain
        notes = (readings.note, _SHARED_DOI_NOTE.format(count=count) if count else "")
        return replace(readings, note="; ".join(filter(None, notes)))

    async def gather(
        self,
        pages: Iterable[PageRow],
        archive: ArchiveFetcher,
        request: Callable[[PageRow, Response], AnalysisRequest],
        *,
        issue: Citation | None,
        stop: asyncio.Event,
    ) -> RunReadings:
        """Return one citation per article, in the order of the pages; once stopped, read no further page."""
        read: list[tuple[str, Citation]] = []
        unread: list[tuple[PageRow, str]] = []
        async for page, (citation, why) in self._readings(pages, archive, request, issue, stop):
            if citation is not None:
                read.append((page.article_key, citation))
            elif why:
                unread.append((page, why))
        together = merge_readings(read, issue)
        citations = tuple(map(self._with_known, together.citations))
        recorded = frozenset(key for key, citation in read if _is_article_reading(citation))
        return RunReadings(citations, tuple(unread), together.note, mixed=together.mixed, recorded=recorded)

    def _with_known(self, citation: Citation) -> Citation:
        """Add what the store knows of the article from pages that this run did not read."""
        found = self._store.records.find(citation)
        return fill_from_record(citation, found[1]) if found else citation

    async def _readings(
        self,
        pages: Iterable[PageRow],
        archive: ArchiveFetcher,
        request: Callable[[PageRow, Response], AnalysisRequest],
        issue: Citation | None,
        stop: asyncio.Event,
    ) -> AsyncIterator[tuple[PageRow, tuple[Citation | None, str]]]:
        """Yield the reading of each page that may be an article, in order; a few are read at a time."""
        waiting: deque[tuple[PageRow, asyncio.Task[None] | None]] = deque()
        for page in pages:
            task = None
            may_be_article = page.promised in ARTICLE_KINDS | {Kind.OTHER}
            if page.url not in self._read and may_be_article and not stop.is_set():
                answer = await archive(page.url)
                if isinstance(answer, Response):
                    task = asyncio.create_task(self._read_archived(page, answer, request(page, answer), issue))
                elif answer.reason is not Reason.NOT_FOUND:  # then another page with the same content is archived
                    self._read[page.url] = (None, f"{answer.reason}: {answer.detail}")
            waiting.append((page, task))
            if len(waiting) > self._workers.ahead:
                yield await self._finished(*waiting.popleft(), stop)
        for page, task in waiting:
            yield await self._finished(page, task, stop)

    async def _read_archived(
        self, page: PageRow, answer: Response, request: AnalysisRequest, issue: Citation | None
    ) -> None:
        analysis = await self.analyse(answer, request, issue=issue)
        if isinstance(analysis, PageAnalysis):
            self.keep(page.url, analysis)
        else:
            self.keep_failure(page.url, analysis)

    async def _finished(
        self, page: PageRow, task: asyncio.Task[None] | None, stop: asyncio.Event
    ) -> tuple[PageRow, tuple[Citation | None, str]]:
        if task is not None and not stop.is_set():
            await wait_for_some({task}, stop)
        if task is not None:
            task.result() if task.done() else task.cancel()
        return page, self._read.pop(page.url, (None, ""))

    def _home_journal(self, url: str, issue: Citation | None) -> str:
        """Return the journal a page is expected to belong to, before it is read."""
        issn = issue.issn if issue else ()
        return self._journal or self._journal_at(url, issn) or (self._journal_at(self._home, issn) if issue else "")

    def _own_journal(self, url: str, citation: Citation, issue: Citation | None) -> str:
        """Return the journal that the article on a page names."""
        named = self._journal or self._journal_at(url, citation.issn)
        at_home = issue is not None and is_same_journal(citation, issue) is not False
        return named or (self._home_journal(url, issue) if at_home else "")

    def _lessons_of(self, journal: str) -> str:
        """Return the layout lessons of a journal as JSON; empty if there are none."""
        if journal not in self._lessons:
            lessons = lessons_of(self._store, journal)
            self._lessons[journal] = encode_record(lessons) if lessons else ""
        return self._lessons[journal]

    def _journal_at(self, url: str, issn: Sequence[str]) -> str:
        key = (urlsplit(url).hostname or "", tuple(issn))
        if key not in self._names:
            found = self._store.journals.find(host=key[0], issn=issn)
            self._names[key] = found.name if found else ""
        return self._names[key]


def merge_readings(readings: Sequence[tuple[str, Citation]], issue: Citation | None) -> IssueArticles:
    """Merge the readings of each article; articles of an issue share its values. Without an issue nothing is shared."""
    merged = [merge(group) for group in group_articles(readings)]
    articles = [citation for citation in merged if _is_article_reading(citation)]
    together = share_in_issue(articles, issue) if issue is not None else IssueArticles(tuple(articles))
    return replace(together, citations=tuple(map(normalise_citation, together.citations)))


def _is_article_reading(citation: Citation) -> bool:
    """Whether a reading has enough for an article: a title, and authors, an abstract, a DOI or a page number."""
    return bool(citation.title and (citation.authors or citation.abstract or citation.doi or citation.first_page))


def is_article_of_issue(citation: Citation, issue: Citation) -> bool:
    """Whether a page that no link promised to be an article has one of this issue, as far as the page says.

    News of the journal may look like an article too; they name no journal, volume or issue.
    """
    if not _is_article_reading(citation) or not may_belong_to_issue(citation, issue):
        return False
    same = is_same_journal(citation, issue)
    numbered = (citation.volume and issue.volume) or (citation.issue and issue.issue)
    return bool(numbered) if same is None else same


def describe_reading_error(error: MedharvestError) -> str:
    """Describe in one line why a page could not be read, with the way out."""
    return f"{error.message}; {error.hint}" if error.hint else error.message


def articles_without_record(pages: Iterable[Outcome], recorded: Collection[str]) -> tuple[Outcome, ...]:
    """Return a page of each article that has no record, and the contents pages that are missing.

    Of the pages of an article the first counts: give those that did not arrive or could not be read before the others.
    Other forms of a recorded article do not count.
    """
    found: dict[str, Outcome] = {}
    for outcome in pages:
        wish, came = outcome.wish, outcome.reason is None
        is_article = wish.kind in ARTICLE_KINDS and (not came or outcome.kind in ARTICLE_KINDS)
        if (wish.kind is Kind.ISSUE and not came) or (is_article and wish.article_key not in recorded):
            bare = replace(outcome, reason=Reason.UNREADABLE, detail=_NO_CITATION) if came else outcome
            found.setdefault(wish.article_key or wish.url, bare)
    return tuple(found.values())


def list_unread_articles(pages: Iterable[Outcome], recorded: Collection[str]) -> tuple[str, ...]:
    """Say which pages were not read because they look like a contents page, although an article link led to them."""
    found = {
        outcome.wish.url: outcome.wish.article_key
        for outcome in pages
        if outcome.wish.kind in ARTICLE_KINDS and outcome.kind is Kind.ISSUE
    }
    return tuple(_UNREAD_ARTICLE_NOTE.format(url=url) for url, key in found.items() if key not in recorded)


def missing_pages(store: Store, run: int) -> Iterator[Outcome]:
    """Yield the pages a run did not get, in the order of its list of pages to revisit."""
    nodes = (node for node in store.runs.nodes(run) if node.place is Place.REVISITED)
    for node in sorted(nodes, key=lambda node: node.position):
        yield Outcome(wish=node.wish, reason=node.reason, detail=node.detail)


def outcome_of_row(page: PageRow) -> Outcome:
    """Return the outcome that a stored page came from, without its links."""
    wish = Wish(url=page.url, kind=page.promised, parent=page.parent, article_key=page.article_key)
    return Outcome(
        wish=wish,
        final_url=page.final_url,
        kind=page.kind,
        digest=page.digest,
        size=page.size,
        status=page.status,
        asked_at=page.asked_at,
        arrived_at=page.arrived_at,
    )


def summarise_harvest(harvest: Harvest) -> str:
    """Return a summary of a few lines: articles and files, bytes and speed, missing pages."""
    return "\n".join(_summary_lines(harvest))


def _summary_lines(harvest: Harvest) -> Iterator[str]:
    numbers = harvest_figures(harvest)
    kinds = Counter(page.kind for page in harvest.pages)
    per_kind = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    yield (
        f"run {harvest.run}: {numbers['articles']:.0f} articles, {numbers['files']:.0f} files ({per_kind}), "
        f"{numbers['kbytes']:,.0f} KB in {numbers['seconds']:.1f} s: {numbers['seconds_per_page']:.2f} s per page, "
        f"{numbers['kbytes_per_second']:,.0f} KB/s"
    )
    if harvest.failures:
        reasons = Counter(str(outcome.reason) for outcome in harvest.failures)
        counts = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
        yield f"{len(harvest.failures)} page{'' if len(harvest.failures) == 1 else 's'} did not arrive ({counts})"
    if harvest.unread:
        yield f"{len(harvest.unread)} page{'' if len(harvest.unread) == 1 else 's'} could not be read"
        yield from (f"  unread: {describe_failure(outcome)}" for outcome in harvest.unread[:_MISSING_PAGES_LISTED])
    yield from _missing_page_lines(harvest)
    if harvest.note:
        yield harvest.note
    yield from harvest.left_out
    if harvest.drift:
        yield f"{harvest.drift}; links were judged as for a new journal; teach it again: medharvest learn links"
    if harvest.taught:
        yield f"learnt which links are articles: medharvest journals show {shlex.quote(harvest.taught)}"
    yield from list_harvest_failures(harvest)


def list_harvest_failures(harvest: Harvest) -> Iterator[str]:
    """Yield what a run lacks, with the way on; nothing if it is whole."""
    run, lost = harvest.run, harvest.lost
    if harvest.stopped:
        yield f"stopped; resume with: medharvest runs {run} resume"
    elif lost:
        has = "1 article has" if len(lost) == 1 else f"{len(lost)} articles have"
        again = any(outcome.detail != _NO_CITATION for outcome in lost)
        yield f"{has} no record" + (f"; try the pages again with: {_retry_command(harvest)}" if again else "")
        yield from (f"  no record: {describe_failure(outcome)}" for outcome in lost[:_MISSING_PAGES_LISTED])
        if len(lost) > _MISSING_PAGES_LISTED:
            yield f"  and {len(lost) - _MISSING_PAGES_LISTED} more: medharvest runs {run}"


def _retry_command(harvest: Harvest) -> str:
    """Return the command that requests the missing pages again, with a higher limit if that is what stopped them."""
    if any(outcome.reason is Reason.BUDGET for outcome in harvest.lost):
        return more_pages_command(harvest.run, len(harvest.pages) + len(harvest.failures))
    return f"medharvest runs {harvest.run} retry"


def more_pages_command(run: int, pages: int) -> str:
    """Return the command that fetches the pages of an issue beyond its limit; these may lead to as many again."""
    return f"medharvest runs {run} retry --max-pages {2 * pages}"


def _missing_page_lines(harvest: Harvest) -> Iterator[str]:
    """List the pages a person can fetch with a browser, each with the command that supplies the saved file."""
    by_hand = [outcome for outcome in harvest.failures if outcome.reason in _SAVED_BY_HAND]
    for outcome in by_hand[:_MISSING_PAGES_LISTED]:
        yield f"  blocked: {describe_failure(outcome)}"
        yield f"    save it with your browser, then: {supply_command(harvest.run, outcome)}"
    if len(by_hand) > _MISSING_PAGES_LISTED:
        yield f"  and {len(by_hand) - _MISSING_PAGES_LISTED} more: medharvest runs {harvest.run}"


def supply_command(run: int, outcome: Outcome) -> str:
    """Return the command that supplies a page, once it is saved."""
    return f"medharvest runs {run} supply {shlex.quote(outcome.wish.url)} SAVED.html"


def describe_failure(outcome: Outcome) -> str:
    """Describe a page that did not arrive, with the reason, and how to log in if it asks for that."""
    detail = login_hint(outcome.detail) or outcome.detail
    return f"{outcome.wish.url} ({outcome.reason}{': ' + detail if detail else ''})"


def describe_archive_cut(event: ArchiveCut) -> str:
    """Describe what the archive of a resumed run lost."""
    what = "is damaged" if event.damaged else "was shorter than recorded"
    lost = f"{event.lost} pages are fetched again" if event.lost else "no page is lost"
    return f"archive of run {event.run} {what}, {lost}: {event.path}"


def harvest_figures(harvest: Harvest) -> dict[str, float]:
    """Return the figures the paper reports of a run: articles, files, Kbytes, seconds, and their ratios."""
    kbytes = sum(page.size for page in harvest.pages) / 1000
    seconds = _harvest_seconds(harvest)
    files = len(harvest.pages)
    return {
        "articles": len(harvest.citations),
        "files": files,
        "kbytes": kbytes,
        "seconds": seconds,
        "seconds_per_page": seconds / files if files else 0.0,
        "kbytes_per_second": kbytes / seconds if seconds else 0.0,
    }


def _harvest_seconds(harvest: Harvest) -> float:
    """Return the seconds from the first request to the last answer."""
    asked = min((page.asked_at for page in harvest.pages if page.asked_at), default="")
    arrived = max((page.arrived_at for page in harvest.pages if page.arrived_at), default="")
    if not asked or not arrived:
        return 0.0
    return max(0.0, (datetime.fromisoformat(arrived) - datetime.fromisoformat(asked)).total_seconds())

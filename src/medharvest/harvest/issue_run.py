"""The run of an issue, from its contents page to its citations: start it, resume it, supply a page saved by hand.

`harvest_issue(url, fetcher=…, store=…, folder=…, settings=…)` returns a `Harvest`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from medharvest.citations import may_belong_to_issue
from medharvest.crawl import IssuePlan, LinkSamples
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import (
    AnalysisRequest,
    ConfirmedExamples,
    ConfirmRequest,
    JudgeRequest,
    PageAnalysis,
    analyse_by_links,
)
from medharvest.harvest.engine import (
    Arrival,
    RevalidatingFetcher,
    RunFolder,
    Step,
    Watch,
    fetch_through_refreshes,
    find_free_folder,
    finish_unless_stopped,
    follow_plan,
    keep_supplied_page,
    kind_by_form,
    mark_run_end,
    outcome_of_answer,
)
from medharvest.harvest.run_folder import ReadingLog, claim_run, claim_to_resume
from medharvest.harvest.run_results import (
    Harvest,
    RunPageReader,
    RunReadings,
    articles_without_record,
    describe_reading_error,
    is_article_of_issue,
    list_unread_articles,
    missing_pages,
    outcome_of_row,
)
from medharvest.journals.catalogue import KnownJournal, find_known_journal, register_journal
from medharvest.links import DEFAULT_SETS, PAPER_SETS, ConstraintSets, Drift, JudgedContents, load_constraints
from medharvest.links.contents_page import MAX_JUDGED_LINKS
from medharvest.records import (
    ARTICLE_KINDS,
    Citation,
    Cited,
    Failed,
    Kind,
    Miss,
    Outcome,
    Reason,
    Response,
    Wish,
)
from medharvest.settings import Crawl, Links, Settings, split_login
from medharvest.store import PageRow, RunState, Store

_REASON_BY_WALL = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404, Kind.BLOCKED: Reason.BLOCKED}
_NAMED_CONSTRAINTS = {"": DEFAULT_SETS, "paper": PAPER_SETS}
_UNKNOWN_ISSUE = Citation(kind=Kind.ISSUE)  # before the contents page is read
_LEARN_SECONDS = 2.0  # after the time of a run, for what is learnt from it
_UNFOLLOWED_NOTE = "links not followed: {count:,}, because the page has more than {links:,}: {url}"
_REFUSED_NOTE = "pages refused by the limits and not listed: {count:,}"
_UNPARSED_KINDS = frozenset({Kind.IMAGE, Kind.SUPPLEMENT})

JournalLookup = Callable[[str, Sequence[str]], KnownJournal]


@dataclass(frozen=True, slots=True)
class SuppliedPage:
    """A page that a person saved by hand."""

    url: str
    body: bytes

    def response(self) -> Response:
        """Return the page as if the server had sent it."""
        return Response(
            url=self.url, final_url=self.url, status=200, media_type="text/html", charset="", body=self.body
        )


@dataclass(frozen=True, slots=True)
class _IssueJob:
    run: int
    plan: IssuePlan
    fetcher: Fetcher
    store: Store
    settings: Settings
    earlier: ArchiveFetcher | None = None  # archive of an earlier run of the same issue
    retry: bool = False  # whether pages that were lost in reading are read again


async def harvest_issue(
    url: str,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    watch: Watch | None = None,
) -> Harvest:
    """Harvest the issue at a URL into the store; pages and archive are written to `folder`."""
    url, _ = split_login(url)  # never stored; a fetcher has its logins in its settings
    crawl = settings.crawl
    plan = IssuePlan(url, limits=crawl, concurrency=crawl.workers, links=crawl.links)
    earlier = find_earlier_archive(store, url)
    wishes = plan.begin()
    run = store.runs.begin(url, str(find_free_folder(folder)), plan.changes(), json.dumps(asdict(crawl)))
    with claim_run(store, run):
        job = _IssueJob(run, plan, fetcher, store, settings, earlier)
        return await _carry_out_issue(job, watch=watch or Watch(), wishes=wishes)


def find_earlier_archive(store: Store, url: str) -> ArchiveFetcher | None:
    """Return the archive of the newest run with the same start page that still has one that can be read."""
    for run in reversed(store.runs.all()):
        path = Path(run.folder) / RUN_ARCHIVE
        if run.url == url and path.is_file():
            with suppress(InputError):  # its pages are fetched as new ones
                return ArchiveFetcher(path)
    return None


async def resume_run(  # noqa: PLR0913  (a run, its tools, and how to resume it)
    run: int,
    *,
    fetcher: Fetcher,
    store: Store,
    settings: Settings,
    retry: bool = False,
    max_pages: int | None = None,
    watch: Watch | None = None,
) -> Harvest:
    """Resume a run, first the pages that were in flight; with `retry`, request failed pages again.

    The limit of pages is the one the run began with, or `max_pages`.
    """
    watch = watch or Watch()
    with claim_to_resume(store, run, watch.listen):
        job = _reopen_issue(run, fetcher, store, settings, max_pages)
        if retry:
            job.plan.retry()
            job = replace(job, retry=True)
        return await _carry_out_issue(job, watch=watch)


async def supply_page(
    run: int, page: SuppliedPage, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch | None = None
) -> Harvest:
    """Give a run a page saved by hand, and continue with the pages it leads to."""
    watch = watch or Watch()
    with claim_to_resume(store, run, watch.listen):
        job = _reopen_issue(run, fetcher, store, settings)
        return await _carry_out_issue(job, watch=watch, supplied=page)


def _reopen_issue(
    run: int, fetcher: Fetcher, store: Store, settings: Settings, max_pages: int | None = None
) -> _IssueJob:
    """Restore a run as it was left, with the limits it began with, except for `max_pages`."""
    stored = json.loads(store.runs.get(run).options)
    if "links" not in stored:
        hint = f"resume it with `medharvest runs {run} resume`"
        raise InputError(f"not the run of an issue: {run}", name=str(run), hint=hint)
    given = {} if max_pages is None else {"max_pages": max_pages}
    crawl = Crawl(**{**stored, **given, "links": Links(stored["links"])})
    plan = IssuePlan.restore(store.runs.nodes(run), limits=crawl, concurrency=crawl.workers, links=crawl.links)
    store.runs.end(run, RunState.RUNNING)
    return _IssueJob(run, plan, fetcher, store, replace(settings, crawl=crawl))


async def _carry_out_issue(
    job: _IssueJob, *, watch: Watch, wishes: tuple[Wish, ...] = (), supplied: SuppliedPage | None = None
) -> Harvest:
    """Fetch and read what is left of a run; `wishes` are the ones its plan has handed out already."""
    url, folder = job.store.runs.get(job.run).url, RunFolder(job.store, job.run)
    crawl, log = job.settings.crawl, ReadingLog(folder.path)
    if job.retry:
        log.forget_losses()
    reader = RunPageReader(job.store, job.settings.read, journal=crawl.journal, home=url, log=log)
    asking = RevalidatingFetcher(job.fetcher, job.earlier)
    errand = IssueErrand(job.plan, asking, reader, crawl=crawl, journal_at=_make_journal_lookup(job))
    end = asyncio.get_running_loop().time() + crawl.max_seconds + _LEARN_SECONDS
    with mark_run_end(job.store, job.run, watch):
        if folder.has_pages:
            recalled = errand.recall_issue(await ArchiveFetcher(folder.archive)(url))
            await finish_unless_stopped(recalled, watch.stop)
        if supplied is not None:
            await _take_supplied_page(job, errand, folder, supplied)
        await follow_plan(errand, wishes, run=job.run, store=job.store, folder=folder, watch=watch)
        archive = ArchiveFetcher(folder.archive)
        readings = await _read_run_citations(job, errand, reader, archive, watch)
        taught = ""
        if not readings.mixed:
            learning = _learn_journal(job, reader, archive, errand.issue)
            taught = await finish_unless_stopped(learning, watch.stop, end) or ""
        log.compact()
    harvest = _sum_up_harvest(job, readings, drift=errand.drift, taught=taught, stopped=watch.stop.is_set())
    refused = (_REFUSED_NOTE.format(count=job.plan.dropped),) if job.plan.dropped else ()
    return replace(harvest, left_out=(*errand.left_out, *harvest.left_out, *refused))


def _sum_up_harvest(
    job: _IssueJob, readings: RunReadings, *, drift: Drift | None, taught: str, stopped: bool
) -> Harvest:
    pages = tuple(outcome_of_row(page) for page in job.store.runs.pages(job.run))
    failures, unread = tuple(missing_pages(job.store, job.run)), _unread_outcomes(readings)
    arrived = frozenset(page.wish.article_key for page in pages if page.kind in ARTICLE_KINDS)
    recorded = readings.recorded if job.settings.crawl.read else arrived
    return Harvest(
        run=job.run,
        folder=job.store.runs.get(job.run).folder,
        citations=readings.citations,
        pages=pages,
        failures=failures,
        stopped=stopped,
        unread=unread,
        drift=drift.reason if drift else "",
        taught=taught,
        note=readings.note,
        lost=() if stopped else articles_without_record((*failures, *unread, *pages), recorded),
        left_out=list_unread_articles(pages, recorded),
        read=job.settings.crawl.read,
    )


def _make_journal_lookup(job: _IssueJob) -> JournalLookup:
    """Return a function that finds the journal at an address: the named one, or the one with its host and ISSN."""
    name = job.settings.crawl.journal
    return lambda url, issn: find_known_journal(job.store, name=name, url=url, issn=issn)


async def _take_supplied_page(job: _IssueJob, errand: IssueErrand, folder: RunFolder, page: SuppliedPage) -> None:
    wish = job.plan.wish_for(page.url)
    if wish is None:
        hint = f"`medharvest runs {job.run}` lists its missing pages"
        raise InputError(f"not a missing page of run {job.run}: {page.url}", name=page.url, hint=hint)
    arrival = await errand.supply(wish, page.response())
    if arrival.outcome.reason is not None:
        message = f"not the missing page: {page.url} ({arrival.outcome.detail})"
        raise InputError(message, name=page.url, hint="save the article's own page")
    keep_supplied_page(errand, arrival, run=job.run, store=job.store, folder=folder)


async def _read_run_citations(
    job: _IssueJob, errand: IssueErrand, reader: RunPageReader, archive: ArchiveFetcher, watch: Watch
) -> RunReadings:
    """Merge the readings of a run into citations and save them."""
    if not job.settings.crawl.read:
        return RunReadings((), ())
    issue = errand.issue or Citation(kind=Kind.ISSUE)
    pages = job.store.runs.pages(job.run)
    readings = await reader.gather(pages, archive, errand.request_archived, issue=issue, stop=watch.stop)
    readings = reader.save(job.run, readings)
    for citation in readings.citations:
        watch.listen(Cited(citation))
    for outcome in _unread_outcomes(readings):
        watch.listen(Failed(outcome, 0))
    return readings


def _unread_outcomes(readings: RunReadings) -> tuple[Outcome, ...]:
    return tuple(
        replace(outcome_of_row(page), reason=Reason.UNREADABLE, detail=detail) for page, detail in readings.unread
    )


async def _learn_journal(job: _IssueJob, reader: RunPageReader, archive: ArchiveFetcher, issue: Citation | None) -> str:
    """Teach an untaught journal from the run of its issue; return its name, or "" if nothing was learnt.

    Its name is its ISSN, or else its host.
    """
    crawl, url = job.settings.crawl, job.store.runs.get(job.run).url
    answer = await archive(url)
    issn = issue.issn if issue else ()
    untaught = crawl.learn and not crawl.journal and crawl.links is not Links.CONSTRAINTS
    if not untaught or not isinstance(answer, Response) or answer.media_type.endswith("xml"):
        return ""
    name = next(iter(issn), "") or urlsplit(answer.final_url).hostname or ""
    if not name or find_known_journal(job.store, url=answer.final_url, issn=issn).examples:
        return ""
    found = {row.url: row.kind for row in job.store.runs.pages(job.run)}
    confirmed = await reader.ask(answer, ConfirmRequest(found=found), ConfirmedExamples)
    if isinstance(confirmed, MedharvestError) or not confirmed.examples:
        return ""
    register_journal(job.store, name, answer.final_url, issn)  # the ISSN tells it from other journals of the host
    job.store.journals.teach_links(name, confirmed.examples, digest=confirmed.digest)
    return name


class IssueErrand:
    """The errand of an issue. With constraint sets alone, a page is taken for what its link promised.

    `issue` is what the contents page says about the issue, once it has arrived.
    """

    def __init__(
        self,
        plan: IssuePlan,
        asking: RevalidatingFetcher,
        reader: RunPageReader,
        *,
        crawl: Crawl,
        journal_at: JournalLookup,
    ) -> None:
        self.plan = plan
        self.issue: Citation | None = None
        self.drift: Drift | None = None
        self.left_out: tuple[str, ...] = ()  # notes on links of the contents pages
        self._asking = asking
        self._reader = reader
        self._crawl = crawl
        self._by_constraints = crawl.links is Links.CONSTRAINTS
        self._sets = named_constraints(crawl.constraints)
        self._journal_at = journal_at
        self._samples = LinkSamples()
        self._has_samples = crawl.read and not self._by_constraints

    @property
    def max_seconds(self) -> float:
        """How long the issue may take."""
        return self._crawl.max_seconds

    @property
    def waiting(self) -> int:
        """How many pages are still to be fetched, as far as is known."""
        return self.plan.waiting

    def begin(self) -> tuple[Wish, ...]:
        """Return the first wishes."""
        return self.plan.begin()

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page, following meta refreshes, and analyse it."""
        answer, analysis = await fetch_through_refreshes(
            wish.url, self._asking.ask, lambda answer: self._analyse(wish, answer)
        )
        if isinstance(answer, Miss):
            return Arrival(outcome=Outcome(wish=wish, reason=answer.reason, detail=answer.detail))
        return await self.understand(wish, answer, analysis)

    async def supply(self, wish: Wish, answer: Response) -> Arrival:
        """Analyse a page saved by hand."""
        return await self.understand(wish, answer, await self._analyse(wish, answer))

    def is_new(self, arrival: Arrival) -> bool:
        """Whether the same page has not arrived under another address before."""
        return not self.plan.is_duplicate(arrival.outcome.digest)

    def feed(self, arrival: Arrival) -> Step:
        """Feed an arrival to the plan, and keep the reading of an article."""
        self._keep_reading(arrival)
        wishes = self.plan.feed(arrival.outcome)
        return Step(wishes, self.plan.changes())

    def feed_supplied(self, arrival: Arrival) -> Step:
        """Feed a page saved by hand to the plan."""
        self._keep_reading(arrival)
        self.plan.supply(arrival.outcome)
        return Step((), self.plan.changes())

    def note_recorded(self) -> None:
        """Do nothing: only the store is written."""

    def request_archived(self, page: PageRow, answer: Response) -> AnalysisRequest:
        """Make the request for a page that arrived in an earlier session."""
        request = self._request(page.promised, answer)
        # When such a page arrived, it was no article of the issue.
        other = page.promised is Kind.OTHER and page.kind is Kind.OTHER and self._has_samples
        return replace(request, read=False) if other else request

    async def recall_issue(self, answer: Response | Miss) -> None:
        """Read the contents page of a resumed run again, from its archive."""
        if isinstance(answer, Miss):
            return
        analysis = await self._reader.ask(answer, self._request(Kind.ISSUE, answer), PageAnalysis)
        self.issue = analysis.issue if isinstance(analysis, PageAnalysis) else None
        left = (*self.plan.open, *(item.wish for item in self.plan.revisited))
        if self.issue and any(wish.kind is Kind.OTHER for wish in left) and self._has_samples:
            judged = await self._judge(answer, self.issue)
            if isinstance(judged, JudgedContents):
                self._samples.begin(Wish(url=answer.url, kind=Kind.ISSUE), judged.doubtful)

    def _keep_reading(self, arrival: Arrival) -> None:
        if arrival.analysis is not None and arrival.outcome.reason is None and self.is_new(arrival):
            self._reader.keep(arrival.outcome.wish.url, arrival.analysis)

    def _request(self, promised: Kind, answer: Response) -> AnalysisRequest:
        return AnalysisRequest(
            promised=promised,
            media_type=answer.media_type,
            sets=self._sets,
            by_constraints=self._by_constraints,
            read=self._crawl.read,
        )

    async def _analyse(self, wish: Wish, answer: Response) -> PageAnalysis | MedharvestError:
        formal = kind_by_form(wish, answer)
        if formal in _UNPARSED_KINDS or (formal is Kind.PDF and not self._crawl.read):
            return PageAnalysis(kind=formal)
        request = self._request(wish.kind, answer)
        return analyse_by_links(answer, request) or await self._reader.analyse(
            answer, request, issue=self.issue or _UNKNOWN_ISSUE
        )

    async def understand(
        self, wish: Wish, answer: Response, analysis: PageAnalysis | MedharvestError | None
    ) -> Arrival:
        """Turn an answer into an arrival: by its form first, then by its text."""
        arrived = outcome_of_answer(wish, answer)
        formal = kind_by_form(wish, answer)
        if formal is not None:
            return self._formal(replace(arrived, kind=formal), answer, analysis)
        if not isinstance(analysis, PageAnalysis):
            detail = describe_reading_error(analysis) if analysis else "not analysed"
            return Arrival(outcome=Outcome(wish=wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status))
        if analysis.kind in _REASON_BY_WALL:
            detail, reason = f"looks like a {analysis.kind} page", _REASON_BY_WALL[analysis.kind]
            return Arrival(outcome=Outcome(wish=wish, reason=reason, detail=detail, status=answer.status))
        if analysis.unfollowed:
            note = _UNFOLLOWED_NOTE.format(count=analysis.unfollowed, links=MAX_JUDGED_LINKS, url=wish.url)
            self._note_left_out(note)
        outcome = replace(arrived, kind=analysis.kind, canonical=analysis.canonical, links=analysis.links or ())
        if wish.kind is Kind.ISSUE:
            outcome = await self._contents(outcome, answer, analysis)
        elif wish.kind is Kind.OTHER and outcome.kind in ARTICLE_KINDS and self._has_samples:
            outcome, analysis = self._weigh_sample(outcome, analysis)
        return Arrival(outcome=outcome, answer=answer, analysis=analysis)

    def _weigh_sample(self, outcome: Outcome, analysis: PageAnalysis) -> tuple[Outcome, PageAnalysis]:
        """Let a page that was promised to be nothing lead on if it has an article of the issue, else make it none."""
        if analysis.citation and is_article_of_issue(analysis.citation, self.issue or _UNKNOWN_ISSUE):
            return replace(outcome, further=self._samples.follow(outcome.wish)), analysis
        analysis = replace(analysis, kind=Kind.OTHER, citation=None, unread="")
        return replace(outcome, kind=Kind.OTHER, links=()), analysis

    def _formal(self, outcome: Outcome, answer: Response, analysis: PageAnalysis | MedharvestError | None) -> Arrival:
        """Make the arrival of a file that is not HTML; one that cannot be read has still arrived."""
        if isinstance(analysis, MedharvestError):
            analysis = PageAnalysis(kind=outcome.kind, unread=describe_reading_error(analysis))
        return Arrival(outcome=outcome, answer=answer, analysis=analysis)

    async def _contents(self, outcome: Outcome, answer: Response, analysis: PageAnalysis) -> Outcome:
        """Judge the links of a contents page; drop them all if the page belongs to another issue."""
        read = analysis.issue or Citation(kind=Kind.ISSUE)
        self.issue = self.issue or read
        if not may_belong_to_issue(read, self.issue):
            return replace(outcome, links=())
        outcome = replace(outcome, next_pages=analysis.next_pages)
        if analysis.links is not None:
            return outcome
        judged = await self._judge(answer, read)
        if isinstance(judged, MedharvestError):
            detail = describe_reading_error(judged)
            return Outcome(wish=outcome.wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status)
        sampled = self._has_samples and not outcome.wish.parent
        further = self._samples.begin(outcome.wish, judged.doubtful) if sampled else ()
        return replace(outcome, links=judged.links, further=further)

    async def _judge(self, answer: Response, read: Citation) -> JudgedContents | MedharvestError:
        """Judge the links of a contents page with the examples of its journal."""
        known = self._journal_at(answer.final_url, read.issn)
        sets = replace(self._sets, servers=self._sets.servers | known.hosts)
        judged = await self._reader.ask(answer, JudgeRequest(examples=known.examples, sets=sets), JudgedContents)
        if isinstance(judged, MedharvestError):
            return judged
        self.drift = self.drift or judged.drift
        self._note_left_out(*judged.notes)
        return judged

    def _note_left_out(self, *notes: str) -> None:
        self.left_out = tuple(dict.fromkeys((*self.left_out, *notes)))


def named_constraints(name: str) -> ConstraintSets:
    """Return the constraint sets a setting names: the default ones, the paper's, or those of a file."""
    return load_constraints(Path(name)) if name not in _NAMED_CONSTRAINTS else _NAMED_CONSTRAINTS[name]

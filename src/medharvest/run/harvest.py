"""A run from its first page to its citations: begin it, go on with it, give it a page by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from medharvest.crawl import IssuePlan
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.records import Citation, Cited, Failed, Kind, Outcome, Place, Reason, Response, Wish
from medharvest.run.analysis import Confirmed, Confirming
from medharvest.run.arrivals import IssueErrand, JournalAt
from medharvest.run.asking import Asking
from medharvest.run.files import ARCHIVE
from medharvest.run.follow import RunFolder, Watch, ending, follow, free_folder, keep_supplied
from medharvest.run.reading import PageReader, Readings
from medharvest.run.teaching import known_journal, make_known
from medharvest.settings import Crawl, Links, Settings
from medharvest.store import PageRow, RunState, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What a run gave: its pages, what did not arrive, its citations; `stopped` when it can be gone on with.

    `unread` are pages that arrived and could not be read, each with the reason. `drift` says that the contents page is
    made unlike those the journal was taught with; `taught` names the journal that learnt from this run; `note` says
    that articles are of other journals or issues. The outcomes come from the store, so they are without their links.
    """

    run: int
    folder: str
    citations: tuple[Citation, ...]
    pages: tuple[Outcome, ...]
    failures: tuple[Outcome, ...]
    stopped: bool = False
    unread: tuple[Outcome, ...] = ()
    drift: str = ""
    taught: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Supplied:
    """A page that somebody saved by hand."""

    url: str
    body: bytes

    def response(self) -> Response:
        """The page as if the server had sent it."""
        return Response(
            url=self.url, final_url=self.url, status=200, media_type="text/html", charset="", body=self.body
        )


async def harvest_issue(
    url: str,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    watch: Watch | None = None,
) -> Harvest:
    """Harvest the issue at a URL into the store; pages and archive land in `folder`."""
    crawl = settings.crawl
    plan = IssuePlan(url, limits=crawl, concurrency=crawl.workers, links=crawl.links)
    earlier = _earlier_archive(store, url)
    wishes = plan.begin()
    run = store.begin_run(url, str(free_folder(folder)), plan.changes(), json.dumps(asdict(crawl)))
    job = _Job(run, plan, fetcher, store, settings, earlier)
    return await _carry_out(job, watch=watch or Watch(), wishes=wishes)


async def resume_run(  # noqa: PLR0913  (a run, its tools, and two ways to go on)
    run: int,
    *,
    fetcher: Fetcher,
    store: Store,
    settings: Settings,
    retry: bool = False,
    max_pages: int | None = None,
    watch: Watch | None = None,
) -> Harvest:
    """Go on with a run, the pages in flight when it broke off first; with `retry`, ask again for what failed.

    It may cost as many pages as it might when it began, or `max_pages`.
    """
    job = _reopen(run, fetcher, store, settings, max_pages)
    if retry:
        job.plan.retry()
    return await _carry_out(job, watch=watch or Watch())


async def supply_page(
    run: int, page: Supplied, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch | None = None
) -> Harvest:
    """Give a run a page that somebody saved by hand, and go on with what it leads to."""
    job = _reopen(run, fetcher, store, settings)
    return await _carry_out(job, watch=watch or Watch(), supplied=page)


@dataclass(frozen=True, slots=True)
class _Job:
    run: int
    plan: IssuePlan
    fetcher: Fetcher
    store: Store
    settings: Settings
    earlier: ArchiveFetcher | None = None  # of a run of the same issue


def _reopen(run: int, fetcher: Fetcher, store: Store, settings: Settings, max_pages: int | None = None) -> _Job:
    """A run as it was left, under the limits it began with but for those given."""
    stored = json.loads(store.run(run).options)
    if "links" not in stored:
        hint = f"`medharvest runs {run} resume` goes on with it"
        raise InputError(f"run {run} is not of an issue", name=str(run), hint=hint)
    given = {} if max_pages is None else {"max_pages": max_pages}
    crawl = Crawl(**{**stored, **given, "links": Links(stored["links"])})
    plan = IssuePlan.restore(store.nodes(run), limits=crawl, concurrency=crawl.workers, links=crawl.links)
    store.end_run(run, RunState.RUNNING)
    return _Job(run, plan, fetcher, store, replace(settings, crawl=crawl))


async def _carry_out(
    job: _Job, *, watch: Watch, wishes: tuple[Wish, ...] = (), supplied: Supplied | None = None
) -> Harvest:
    """Fetch and read what is left of a run; `wishes` were handed out already."""
    url, folder = job.store.run(job.run).url, RunFolder(job.store, job.run)
    reader = PageReader(job.store, job.settings.read, journal=job.settings.crawl.journal, home=url)
    asking = Asking(job.fetcher, job.earlier)
    errand = IssueErrand(job.plan, asking, reader, crawl=job.settings.crawl, journal_at=_journals(job))
    with ending(job.store, job.run, watch):
        if folder.has_pages:
            await errand.recall_issue(await ArchiveFetcher(folder.archive)(url))
        if supplied is not None:
            await _supply(job, errand, folder, supplied)
        await follow(errand, wishes, run=job.run, store=job.store, folder=folder, watch=watch)
        archive = ArchiveFetcher(folder.archive)
        readings = await _read(job, errand, reader, archive, watch)
        sure = not watch.stop.is_set() and not readings.mixed
        taught = await _learn(job, reader, archive, errand.issue) if sure else ""
    return Harvest(
        run=job.run,
        folder=str(folder.path),
        citations=readings.citations,
        pages=tuple(_page_outcome(page) for page in job.store.pages(job.run)),
        failures=tuple(missing(job.store, job.run)),
        stopped=watch.stop.is_set(),
        unread=_unread(readings),
        drift=errand.drift.reason if errand.drift else "",
        taught=taught,
        note=readings.note,
    )


def _journals(job: _Job) -> JournalAt:
    """What is known of the journal at an address: the one that was named, or the one found by host and ISSN."""
    name = job.settings.crawl.journal
    return lambda url, issn: known_journal(job.store, name=name, url=url, issn=issn)


async def _read(job: _Job, errand: IssueErrand, reader: PageReader, archive: ArchiveFetcher, watch: Watch) -> Readings:
    """Put the citations of a run together and save them."""
    if not job.settings.crawl.read:
        return Readings((), ())
    issue = errand.issue or Citation(kind=Kind.ISSUE)
    readings = await reader.gather(job.store.pages(job.run), archive, errand.request_archived, issue=issue)
    job.store.save(job.run, readings.citations)
    for citation in readings.citations:
        watch.listen(Cited(citation))
    for outcome in _unread(readings):
        watch.listen(Failed(outcome, 0))
    return readings


def _unread(readings: Readings) -> tuple[Outcome, ...]:
    return tuple(
        replace(_page_outcome(page), reason=Reason.UNREADABLE, detail=detail) for page, detail in readings.unread
    )


async def _learn(job: _Job, reader: PageReader, archive: ArchiveFetcher, issue: Citation | None) -> str:
    """Teach the store a journal from a run of an issue that nobody taught; the name of the journal.

    It is called by its ISSN, or else by its host.
    """
    crawl, url = job.settings.crawl, job.store.run(job.run).url
    answer = await archive(url)
    issn = issue.issn if issue else ()
    untaught = crawl.learn and not crawl.journal and crawl.links is not Links.CONSTRAINTS
    if not untaught or not isinstance(answer, Response) or answer.media_type.endswith("xml"):
        return ""
    name = next(iter(issn), "") or urlsplit(answer.final_url).hostname or ""
    if not name or known_journal(job.store, url=answer.final_url, issn=issn).examples:
        return ""
    found = {row.url: row.kind for row in job.store.pages(job.run)}
    confirmed = await reader.ask(answer, Confirming(found=found), Confirmed)
    if isinstance(confirmed, MedharvestError) or not confirmed.examples:
        return ""
    make_known(job.store, name, answer.final_url, issn)  # another journal on the host has another
    job.store.teach_links(name, confirmed.examples, digest=confirmed.digest)
    return name


def missing(store: Store, run: int) -> Iterator[Outcome]:
    """What a run did not get, in the order of its list of pages to revisit."""
    nodes = (node for node in store.nodes(run) if node.place is Place.REVISITED)
    for node in sorted(nodes, key=lambda node: node.position):
        yield Outcome(wish=node.wish, reason=node.reason, detail=node.detail)


def _page_outcome(page: PageRow) -> Outcome:
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


async def _supply(job: _Job, errand: IssueErrand, folder: RunFolder, page: Supplied) -> None:
    wish = job.plan.wish_for(page.url)
    if wish is None:
        hint = f"`medharvest runs {job.run}` lists what it misses"
        raise InputError(f"run {job.run} does not miss this page: {page.url}", name=page.url, hint=hint)
    arrival = await errand.supply(wish, page.response())
    if arrival.outcome.reason is not None:
        message = f"this is not the page: {page.url} ({arrival.outcome.detail})"
        raise InputError(message, name=page.url, hint="save the article's own page")
    keep_supplied(errand, arrival, run=job.run, store=job.store, folder=folder)


def _earlier_archive(store: Store, url: str) -> ArchiveFetcher | None:
    """The archive of the newest run that began with the same page, where it is still there."""
    for run in reversed(store.runs()):
        path = Path(run.folder) / ARCHIVE
        if run.url == url and path.is_file():
            return ArchiveFetcher(path)
    return None

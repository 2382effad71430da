"""A run from its first page to its citations: begin it, go on with it, give it a page by hand."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from medharvest.crawl import IssuePlan
from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher, Fetcher, WarcWriter
from medharvest.pages import parse_page
from medharvest.records import Citation, Cited, Failed, Outcome, Place, Reason, Response, Wish, to_json
from medharvest.run.arrivals import Arrivals, read_issue_page
from medharvest.run.asking import Asking
from medharvest.run.confirmed import teach_confirmed
from medharvest.run.files import ARCHIVE, write_manifest
from medharvest.run.follow import Errand, Watch, follow
from medharvest.run.lessons import lessons_of
from medharvest.run.output import make_folder
from medharvest.run.reading import read_archive
from medharvest.run.teaching import KnownJournal, known_journal
from medharvest.settings import Crawl, Links, Settings
from medharvest.store import PageRow, RunState, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What a run gave: its pages, what did not arrive, its citations; `stopped` when it can be gone on with.

    `unread` are pages that arrived and could not be read, each with the reason. `drift` says that the contents page is
    made unlike those the journal was taught with; `taught` names the journal that learnt from this run. The outcomes
    come from the store, so they are without their links.
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
    run = store.begin_run(url, str(make_folder(_free(folder))), plan.changes(), json.dumps(asdict(crawl)))
    job = _Job(run, plan, fetcher, store, settings, wishes)
    return await _carry_out(job, earlier=earlier, watch=watch or Watch())


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
    wishes: tuple[Wish, ...] = ()  # already handed out, by a plan that has just begun


def _reopen(run: int, fetcher: Fetcher, store: Store, settings: Settings, max_pages: int | None = None) -> _Job:
    """A run as it was left, under the limits it began with but for those given."""
    stored = json.loads(store.run(run).options)
    given = {} if max_pages is None else {"max_pages": max_pages}
    crawl = Crawl(**{**stored, **given, "links": Links(stored["links"])})
    plan = IssuePlan.restore(store.nodes(run), limits=crawl, concurrency=crawl.workers, links=crawl.links)
    store.end_run(run, RunState.RUNNING)
    return _Job(run, plan, fetcher, store, replace(settings, crawl=crawl))


async def _carry_out(
    job: _Job, *, watch: Watch, earlier: ArchiveFetcher | None = None, supplied: Supplied | None = None
) -> Harvest:
    known = job.store.run(job.run)
    folder = make_folder(Path(known.folder))
    path = folder / ARCHIVE
    with _ending(job.store, job.run, watch):
        with WarcWriter(path, length=known.archive_length) as archive:
            issue = await _known_issue(known.url, path) if known.archive_length else None
            arrivals = Arrivals(folder, archive, crawl=job.settings.crawl, issue=issue, journal=_journals(job))
            if supplied is not None:
                _supply(job, arrivals, supplied)
            asking = Asking(job.fetcher, earlier)
            errand = Errand(job.run, job.plan, job.wishes or job.plan.begin())
            await follow(errand, store=job.store, asking=asking, arrivals=arrivals, watch=watch)
        citations, unread = await _read(job, path, arrivals.issue, watch)
        taught = await _learn(job, known.url, path, arrivals.issue) if not watch.stop.is_set() else ""
    write_manifest(job.store, job.run, folder)
    return Harvest(
        run=job.run,
        folder=str(folder),
        citations=citations,
        pages=tuple(_page_outcome(page) for page in job.store.pages(job.run)),
        failures=tuple(missing(job.store, job.run)),
        stopped=watch.stop.is_set(),
        unread=unread,
        drift=arrivals.drift.reason if arrivals.drift else "",
        taught=taught,
    )


def _journals(job: _Job) -> Callable[[str, Sequence[str]], KnownJournal]:
    """What is known of the journal at an address: the one that was named, or the one found by host and ISSN."""
    name = job.settings.crawl.journal
    return lambda url, issn: known_journal(job.store, name=name, url=url, issn=issn)


async def _learn(job: _Job, url: str, path: Path, issue: Citation | None) -> str:
    """Teach the store a journal from a run of an issue that nobody taught; the name of the journal."""
    crawl = job.settings.crawl
    if not crawl.learn or crawl.journal or crawl.links is Links.CONSTRAINTS:
        return ""
    answer = await ArchiveFetcher(path)(url)
    if not isinstance(answer, Response) or answer.media_type.endswith("xml"):
        return ""
    page = parse_page(answer.body, url=answer.final_url, charset=answer.charset)
    issn = issue.issn if issue else ()
    return teach_confirmed(job.store, page, job.store.pages(job.run), issn=issn, limits=job.settings.read)


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


def _supply(job: _Job, arrivals: Arrivals, page: Supplied) -> None:
    wish = job.plan.wish_for(page.url)
    if wish is None:
        hint = f"`medharvest runs {job.run}` lists what it misses"
        raise InputError(f"run {job.run} does not miss this page: {page.url}", name=page.url, hint=hint)
    outcome = arrivals.take(wish, page.response(), job.plan)
    if outcome.reason is not None:
        message = f"this is not the page: {page.url} ({outcome.detail})"
        raise InputError(message, name=page.url, hint="save the article's own page")
    job.plan.supply(outcome)
    job.store.record(job.run, outcome, job.plan.changes(), archive_length=arrivals.archive_length)


async def _read(
    job: _Job, path: Path, issue: Citation | None, watch: Watch
) -> tuple[tuple[Citation, ...], tuple[Outcome, ...]]:
    """The citations of a run, and the pages that could not be read."""
    if not job.settings.crawl.read:
        return (), ()
    lessons = _lessons(job, issue.issn if issue else ())
    pages, limits = job.store.pages(job.run), job.settings.read
    readings = await read_archive(pages, ArchiveFetcher(path), issue=issue, limits=limits, lessons=lessons)
    unread = tuple(
        replace(_page_outcome(page), reason=Reason.UNREADABLE, detail=detail) for page, detail in readings.unread
    )
    job.store.save(job.run, readings.citations)
    for citation in readings.citations:
        watch.listen(Cited(citation))
    for outcome in unread:
        watch.listen(Failed(outcome, 0))
    return readings.citations, unread


def _lessons(job: _Job, issn: Sequence[str]) -> str:
    """What was taught of the layout of the run's journal, as JSON; empty where nothing was."""
    journal = _journals(job)(job.store.run(job.run).url, issn).name
    lessons = lessons_of(job.store, journal) if journal else ()
    return json.dumps(to_json(lessons)) if lessons else ""


@contextmanager
def _ending(store: Store, run: int, watch: Watch) -> Iterator[None]:
    """Say in the store how a run ended: stopped, whatever stopped it, unless it came to its end."""
    state = RunState.STOPPED
    try:
        yield
        state = RunState.STOPPED if watch.stop.is_set() else RunState.FINISHED
    finally:
        store.end_run(run, state)


async def _known_issue(url: str, path: Path) -> Citation | None:
    """What the contents page said, read again from the archive of a run that is gone on with."""
    answer = await ArchiveFetcher(path)(url)
    if not isinstance(answer, Response):
        return None
    return read_issue_page(parse_page(answer.body, url=answer.final_url, charset=answer.charset))


def _free(folder: Path) -> Path:
    """The folder, or one below it where an earlier run has its archive there: no run takes another's place."""
    below = (folder / f"run-{number}" for number in itertools.count(2))
    return next(path for path in itertools.chain([folder], below) if not (path / ARCHIVE).exists())


def _earlier_archive(store: Store, url: str) -> ArchiveFetcher | None:
    """The archive of the newest run that began with the same page, where it is still there."""
    for run in reversed(store.runs()):
        path = Path(run.folder) / ARCHIVE
        if run.url == url and path.is_file():
            return ArchiveFetcher(path)
    return None

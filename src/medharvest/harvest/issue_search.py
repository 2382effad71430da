"""Find the issues at an address: the page itself, the current issue of a home page, or the issues of an archive.

`resolve_issue(url, …)` gives the contents page of one issue, `search_archive(url, …)` the issues of a journal.
`load_saved_contents(name, …)` gives a contents page that was saved to a file: HTML, MHTML, a feed or sitemap, or a page
in a WARC file.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from medharvest.crawl.archive_plan import ArchivePlan, ArchiveWish, IssueSelection, choose_current_issue
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.fetch.protocol import NO_VALIDATORS
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import ListRequest, PageAnalysis, PageListing, crawl_task_options
from medharvest.harvest.engine import RevalidatingFetcher, Watch, fetch_through_refreshes, finish_unless_stopped
from medharvest.harvest.input_reader import inspect_sources
from medharvest.harvest.issue_run import find_earlier_archive
from medharvest.harvest.worker_pool import PageJob, shared_workers
from medharvest.journals.inputs import Source, fetch_error, load_file
from medharvest.links import canonical_url
from medharvest.links.issue_links import IssueLink, IssueLinkRole, IssueListing
from medharvest.pages.kind import ScoredKind
from medharvest.records import (
    ARTICLE_KINDS,
    Arrived,
    Asked,
    Failed,
    Kind,
    Miss,
    Outcome,
    Page,
    Reason,
    Response,
    Validators,
    Wish,
)
from medharvest.settings import Links, Settings
from medharvest.store import Store

_MAX_STEPS = 4  # pages between a home page and its current issue: archive, decade, year
_CANDIDATES_LISTED = 5  # in a message
_WALL_REASONS = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404, Kind.BLOCKED: Reason.BLOCKED}
# The address is wrong, or nothing answers there: no run is worth keeping, and no page can be supplied.
_WRONG_ADDRESS_REASONS = frozenset(
    {
        Reason.NOT_FOUND,
        Reason.UNKNOWN_HOST,
        Reason.REFUSED,
        Reason.NO_ROUTE,
        Reason.MALFORMED_URL,
        Reason.NO_PROTOCOL,
        Reason.PRIVATE_ADDRESS,
    }
)
Announce = Callable[[str], None]


class ReadyFetcher:
    """Gives the answers that are at hand, each once, and asks another fetcher for the rest."""

    def __init__(self, fetcher: Fetcher, ready: Mapping[str, Response | Miss] | None = None) -> None:
        self.fetcher = fetcher
        self.ready = dict(ready or {})

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Return the answer at hand, or a new one."""
        answer = self.ready.pop(url, None)
        return answer if answer is not None else await self.fetcher(url, validators)


class SettledPages:
    """Pages of articles that an earlier run fetched and that are settled: their record names its volume or issue.

    An article in press is not settled: its page says more once it belongs to an issue.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: dict[int, frozenset[str]] = {}  # by run: the addresses of settled pages
        self._archives: dict[int, ArchiveFetcher | None] = {}

    async def find(self, url: str) -> Response | None:
        """Return the page of a settled article as an earlier run archived it."""
        run = self._store.runs.find_article_page(url)
        archive = self._open_archive(run) if run is not None else None
        if run is None or archive is None or url not in self._settled_pages(run):
            return None
        answer = await archive(url)
        # It counts as fetched now: the time of a run is measured from its first page.
        return replace(answer, asked_at="", arrived_at="") if isinstance(answer, Response) else None

    def _open_archive(self, run: int) -> ArchiveFetcher | None:
        if run not in self._archives:
            path = Path(self._store.runs.get(run).folder) / RUN_ARCHIVE
            try:
                self._archives[run] = ArchiveFetcher(path) if path.is_file() else None
            except InputError:
                self._archives[run] = None
        return self._archives[run]

    def _settled_pages(self, run: int) -> frozenset[str]:
        if run not in self._keys:
            settled = {one.url for one in self._store.citations(run=run) if one.volume or one.issue}
            pages = list(self._store.runs.pages(run))
            keys = {page.article_key for page in pages if {page.url, page.final_url} & settled} - {""}
            self._keys[run] = frozenset(page.url for page in pages if page.article_key in keys)
        return self._keys[run]


class SettledPagesFetcher:
    """Answers pages of settled articles without a request, and asks another fetcher for the rest."""

    def __init__(self, fetcher: Fetcher, settled: SettledPages) -> None:
        self.fetcher = fetcher
        self.settled = settled

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Return the settled page, or a new answer."""
        return await self.settled.find(url) or await self.fetcher(url, validators)


@dataclass(frozen=True, slots=True)
class ResolvedIssue:
    """The contents page of an issue, how it was found if another address was given, and the answers at hand.

    `is_article` says that it looks like the page of an article.
    """

    url: str
    note: str = ""
    answers: Mapping[str, Response | Miss] = field(default_factory=dict)
    is_article: bool = False


@dataclass(frozen=True, slots=True)
class FoundIssues:
    """The issues of an archive, the newest first; notes on what may be missing, and the pages at hand."""

    issues: tuple[IssueLink, ...]
    notes: tuple[str, ...]
    pages: int
    answers: Mapping[str, Response] = field(default_factory=dict)
    stopped: bool = False


class ListingReader:
    """Fetches pages and has a worker read what they say about issues; keeps the answers."""

    def __init__(self, fetcher: Fetcher, settings: Settings, store: Store | None = None) -> None:
        self.answers: dict[str, Response | Miss] = {}
        self._fetcher = fetcher
        self._store = store
        self._workers = shared_workers(settings.read)

    async def read(self, url: str) -> PageListing | Miss | MedharvestError:
        """Return what the page at a URL says; the reason if it did not arrive, the error if it cannot be read."""
        earlier = find_earlier_archive(self._store, url) if self._store is not None else None
        asking = RevalidatingFetcher(self._fetcher, earlier)

        async def ask(address: str) -> Response | Miss:
            self.answers[address] = answer = await asking.ask(address)
            return answer

        found: list[PageListing | MedharvestError] = []

        async def analyse(answer: Response) -> PageAnalysis | MedharvestError:
            listing = await self._have_read(answer)
            found.append(listing)
            return (
                PageAnalysis(kind=listing.kind, onward=listing.onward) if isinstance(listing, PageListing) else listing
            )

        answer, _ = await fetch_through_refreshes(url, ask, analyse)
        if isinstance(answer, Miss):
            return answer
        last = found[-1]
        if isinstance(last, PageListing) and last.kind in _WALL_REASONS:
            return Miss(url, _WALL_REASONS[last.kind], f"looks like a {last.kind} page")
        return last

    async def _have_read(self, answer: Response) -> PageListing | MedharvestError:
        request = ListRequest(media_type=answer.media_type)
        job = PageJob(
            body=answer.body,
            name=answer.url,
            url=answer.final_url,
            charset=answer.charset,
            task=request.task,
            options=crawl_task_options(request),
        )
        try:
            return await asyncio.wrap_future(self._workers.request(job, PageListing))
        except asyncio.CancelledError:
            self._workers.abandon(job)
            raise


async def resolve_issue(
    url: str, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch | None = None
) -> ResolvedIssue:
    """Return the contents page of the issue at a URL: for a home page, that of the current issue.

    Raise if the page lists issues and none of them is surely meant, or if the address is wrong. A page that does not
    arrive for another reason, or that names no issues, is left to the harvest.
    """
    if settings.crawl.links is Links.CONSTRAINTS:
        return ResolvedIssue(url)
    reader = ListingReader(fetcher, settings, store)
    page = await finish_unless_stopped(reader.read(url), (watch or Watch()).stop)
    if isinstance(page, Miss) and page.reason in _WRONG_ADDRESS_REASONS:
        raise fetch_error(page)
    if not isinstance(page, PageListing):
        return ResolvedIssue(url, answers=reader.answers)
    listing = page.listing
    if listing.is_list:
        raise _archive_error(url, listing)
    if not listing.home:
        return ResolvedIssue(url, answers=reader.answers, is_article=page.kind in ARTICLE_KINDS)
    return await _resolve_home_page(url, listing, reader)


async def _resolve_home_page(url: str, listing: IssueListing, reader: ListingReader) -> ResolvedIssue:
    """Go from a home page to the current issue, through the archive if the home page does not name it."""
    page, seen = listing, {url, listing.url}
    for _ in range(_MAX_STEPS):
        choice = choose_current_issue(page)
        if choice.link is not None:
            where = "" if page is listing else f", on {page.url}"
            note = f"{url} is a home page; its current issue is {choice.link.url} ({choice.how}{where})"
            return ResolvedIssue(choice.link.url, note, reader.answers)
        if choice.candidates:
            raise _unsure_error(url, choice.candidates)
        onward = page.with_role(IssueLinkRole.PART) or page.with_role(IssueLinkRole.ARCHIVE)
        link = next((link for link in onward if link.url not in seen), None)
        if link is None:
            break
        seen.add(link.url)
        answer = await reader.read(link.url)
        if not isinstance(answer, PageListing):
            break
        if link.role is IssueLinkRole.PART and not answer.listing.with_role(IssueLinkRole.ISSUE, IssueLinkRole.PART):
            note = f"{url} is a home page; its newest volume is {link.url}"
            return ResolvedIssue(link.url, note, reader.answers)
        page = answer.listing
    return ResolvedIssue(url, _HOME_NOTE.format(url=url) if page is listing else "", reader.answers)


_HOME_NOTE = (
    "{url} is the top of the site and names no issue, so the articles it links to are taken; "
    "if these are not the ones you want, give the address of a contents page"
)


def _archive_error(url: str, listing: IssueListing) -> InputError:
    links = listing.with_role(IssueLinkRole.ISSUE) or listing.with_role(IssueLinkRole.PART)
    every = f"medharvest issue {shlex.quote(url)} --archive"
    hint = f"`{every}` harvests them all; or give the address of one, such as {links[0].url}"
    return InputError(f"a list of {len(links)} issues, not the contents of one: {url}", name=url, hint=hint)


def _unsure_error(url: str, candidates: Iterable[IssueLink]) -> InputError:
    listed = list(candidates)
    shown = ", ".join(f"{link.url} ({link.text})" for link in listed[:_CANDIDATES_LISTED])
    more = f" and {len(listed) - _CANDIDATES_LISTED} more" if len(listed) > _CANDIDATES_LISTED else ""
    hint = f"give the address of one: {shown}{more}; --archive harvests all"
    return InputError(f"a home page with several issues that may be the current one: {url}", name=url, hint=hint)


async def search_archive(
    url: str,
    *,
    selection: IssueSelection,
    fetcher: Fetcher,
    settings: Settings,
    watch: Watch | None = None,
) -> FoundIssues:
    """Find the issues of a journal from its home page, its archive or a volume page.

    Raise if the page does not arrive, or if no issue is found.
    """
    watch = watch or Watch()
    plan = ArchivePlan(url, selection=selection, max_pages=settings.crawl.max_pages, max_depth=settings.crawl.max_depth)
    reader = ListingReader(fetcher, settings)
    pages = 0
    while not watch.stop.is_set() and (wish := plan.next_wish()) is not None:
        page = await finish_unless_stopped(_look_at_page(wish, reader, watch), watch.stop)
        if page is None:
            break
        if isinstance(page, Miss) and wish.role is None and not pages:
            raise fetch_error(page)
        pages += 1
        plan.take(wish, page.listing if isinstance(page, PageListing) else None)
        if not plan.is_issue(wish.url):
            reader.answers.pop(wish.url, None)
    issues = plan.issues()
    if not issues and not watch.stop.is_set():
        raise _nothing_found_error(url, plan, pages)
    ready = {url: answer for url, answer in reader.answers.items() if isinstance(answer, Response)}
    return FoundIssues(issues, tuple(_describe_gaps(plan)), pages, ready, watch.stop.is_set())


async def _look_at_page(wish: ArchiveWish, reader: ListingReader, watch: Watch) -> PageListing | Miss | MedharvestError:
    asked = Wish(url=wish.url, kind=Kind.OTHER)
    watch.listen(Asked(asked))
    page = await reader.read(wish.url)
    if isinstance(page, PageListing):
        watch.listen(Arrived(Outcome(wish=asked), 0))
    elif isinstance(page, Miss):
        watch.listen(Failed(Outcome(wish=asked, reason=page.reason, detail=page.detail), 0))
    else:
        watch.listen(Failed(Outcome(wish=asked, reason=Reason.UNREADABLE, detail=page.message), 0))
    return page


def _nothing_found_error(url: str, plan: ArchivePlan, pages: int) -> InputError:
    if plan.selection and (plan.unknown or plan.has_issues):
        hint = "`--dry-run` without --year and --volume lists what there is"
        return InputError(f"no issue of these years or volumes: {url}", name=url, hint=hint)
    looked = f"{pages} page{'' if pages == 1 else 's'} looked at"
    hint = "give the page that lists the issues or volumes; if scripts build it, try --scripts"
    return InputError(f"no issue found ({looked}): {url}", name=url, hint=hint)


def _describe_gaps(plan: ArchivePlan) -> Iterable[str]:
    """Say what of the archive was not looked at."""
    if plan.unknown:
        yield (
            f"issues left out, because their year or volume is not known: {plan.unknown}; "
            "`--dry-run` without --year and --volume lists them"
        )
    if plan.dropped:
        yield f"pages of the archive not looked at, because of the limits: {plan.dropped}; raise crawl.max_pages"
    for url in plan.failed:
        yield f"page of the archive did not arrive or cannot be read, issues may be missing: {url}"
    for url in plan.unnamed:
        yield f"the current issue does not say which one it is, so it was left out: {url}"


_HEAD_BYTES = 2_000  # of a file, in which a browser notes the address and a feed begins
_SAVED_FROM = re.compile(rb"<!--\s{0,9}saved from url=\(\d{1,5}\)(https?://[^\s>]{1,2000})", re.IGNORECASE)
_PAGES_LISTED = 5  # in a message


@dataclass(frozen=True, slots=True)
class SavedContents:
    """A saved contents page with its address; of a WARC file, the other pages are at hand too."""

    url: str
    page: Response | None = None
    archive: ArchiveFetcher | None = None

    def wrap(self, fetcher: Fetcher) -> Fetcher:
        """Return a fetcher that gives the saved pages and fetches the others."""
        if self.archive is not None:
            return _ArchiveFirstFetcher(self.archive, fetcher)
        return ReadyFetcher(fetcher, {self.url: self.page} if self.page is not None else {})


class _ArchiveFirstFetcher:
    """Answers from an archive what it has, and asks another fetcher for the rest."""

    def __init__(self, archive: ArchiveFetcher, fetcher: Fetcher) -> None:
        self.archive = archive
        self.fetcher = fetcher

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Return the archived page, or a new answer."""
        answer = await self.archive(url) if self.archive.holds(url) else None
        if isinstance(answer, Response):
            return replace(answer, asked_at="", arrived_at="")  # the time of a run is measured from its first page
        return await self.fetcher(url, validators)


def load_saved_contents(name: str, *, url: str, settings: Settings) -> SavedContents:
    """Load a contents page from a file; `url` is its address if the file does not say it.

    Of a WARC file, the page at `url` is taken, or the only contents page in it.
    """
    source = Source(name, url=url)
    if not Path(name).exists():
        hint = "check the path; an address begins with http:// or https://"
        raise InputError(f"neither a file nor a web address: {name}", name=name, hint=hint)
    if source.is_archive:
        return _load_archived_contents(source, url, settings)
    body = load_file(Path(name), name=name, max_bytes=settings.read.max_bytes)
    head = body[:_HEAD_BYTES]
    found = _SAVED_FROM.search(head)
    url = url or (found[1].decode("ascii", "replace") if found else "") or _address_in_page(source, settings)
    if not url.startswith(("http://", "https://")):
        hint = f"give it: medharvest issue {shlex.quote(name)} --url https://…"
        raise InputError(f"the file does not say from which address it was saved: {name}", name=name, hint=hint)
    page = Response(url=url, final_url=url, status=200, media_type="text/html", charset="", body=body)
    return SavedContents(url, page)


def _address_in_page(source: Source, settings: Settings) -> str:
    """Return the address that an .mhtml file names; empty for other pages, and for what is no page."""
    found = next((page for _, page in inspect_sources([source], settings, Page)), None)
    return found.url if isinstance(found, Page) else ""


def _load_archived_contents(source: Source, url: str, settings: Settings) -> SavedContents:
    archive = ArchiveFetcher(Path(source.name), max_bytes=settings.fetch.max_bytes)
    if url:
        if not archive.holds(url):
            hint = f"without --url, the contents page in {source.name} is looked for"
            raise InputError(f"no page with this address in the archive: {url}", name=source.name, hint=hint)
        return SavedContents(url, archive=archive)
    kinds = list(inspect_sources([source], settings, ScoredKind))
    contents = [one.url for one, kind in kinds if isinstance(kind, ScoredKind) and kind.verdict.label == Kind.ISSUE]
    addresses = list({canonical_url(one): one for one in contents})
    if len(addresses) == 1:
        return SavedContents(addresses[0], archive=archive)
    failed = next((kind for _, kind in kinds if isinstance(kind, MedharvestError)), None)
    if failed is not None and not contents:
        raise failed
    shown = ", ".join(addresses[:_PAGES_LISTED])
    pages = f"name a page with --url; see its pages: medharvest classify {shlex.quote(source.name)}"
    hint = f"name one with --url: {shown}" if shown else pages
    count = f"{len(addresses)} contents pages" if addresses else "no contents page"
    raise InputError(f"{count} in this archive: {source.name}", name=source.name, hint=hint)

"""Harvest the issues of a journal's archive, each as a run of its own; what is harvested already is left out.

`plan_archive(found, store)` says of each issue what is left to do, `harvest_archive(...)` does it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from medharvest.errors import InputError, MedharvestError, OutputError
from medharvest.fetch import Fetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.engine import RevalidatingFetcher, Watch, finish_unless_stopped
from medharvest.harvest.issue_run import find_earlier_archive, harvest_issue, resume_run
from medharvest.harvest.issue_search import FoundIssues, ReadyFetcher, SettledPages, SettledPagesFetcher
from medharvest.harvest.run_folder import is_topic_run
from medharvest.harvest.run_results import Harvest
from medharvest.journals.policy import check_download
from medharvest.links import canonical_url, scan_links
from medharvest.links.issue_links import IssueLink
from medharvest.pages import parse_page
from medharvest.records import ARTICLE_KINDS, Kind, Place, Reason, Response
from medharvest.settings import Settings
from medharvest.store import Run, RunState, Store

_MAX_COMPARED_BYTES = 300_000  # of a contents page; a larger one that changed is harvested again


class IssueState(StrEnum):
    """How far an issue is harvested.

    `incomplete`: pages of articles are missing and may arrive later; `lacking`: the site denied them or has none.
    """

    NEW = "new"
    STOPPED = "stopped"
    INCOMPLETE = "incomplete"
    LACKING = "lacking"
    HARVESTED = "harvested"


_DONE_STATES = frozenset({IssueState.HARVESTED, IssueState.LACKING})
# Why a page did not arrive that may arrive if it is asked for again, without a change of limits or rights.
_PASSING_REASONS = frozenset(
    {
        Reason.SERVER_ERROR,
        Reason.TIMEOUT,
        Reason.BROKEN_TRANSFER,
        Reason.RATE_LIMITED,
        Reason.REFUSED,
        Reason.NO_ROUTE,
        Reason.UNKNOWN_HOST,
    }
)


@dataclass(frozen=True, slots=True)
class PlannedIssue:
    """An issue of an archive, how far it is harvested, and the newest run of it; None without one."""

    issue: IssueLink
    state: IssueState
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class ArchiveHarvest:
    """The runs of an archive, the errors of issues that could not be harvested, and how many were left as they are.

    `lacking` are the numbers of earlier runs that lack articles whose pages the site denied or does not have.
    """

    harvests: tuple[Harvest, ...]
    errors: tuple[MedharvestError, ...] = ()
    skipped: int = 0
    lacking: tuple[int, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveWatch:
    """How a caller follows an archive: the events of its runs, the issue that comes next, and each finished run."""

    watch: Watch
    begin: Callable[[PlannedIssue, int, int], None] = lambda planned, number, count: None  # noqa: ARG005
    finish: Callable[[Harvest], None] = lambda harvest: None  # noqa: ARG005


def plan_archive(issues: Iterable[IssueLink], store: Store | None) -> tuple[PlannedIssue, ...]:
    """Say how far each issue is harvested; the runs of the store are known by the address they began with."""
    if store is None:
        return tuple(PlannedIssue(issue, IssueState.NEW) for issue in issues)
    runs = {canonical_url(run.url): run for run in store.runs.all() if not is_topic_run(run.options)}
    return tuple(_plan_issue(issue, runs.get(canonical_url(issue.url)), store) for issue in issues)


def _plan_issue(issue: IssueLink, run: Run | None, store: Store) -> PlannedIssue:
    if run is None or _is_useless(run):
        return PlannedIssue(issue, IssueState.NEW)
    if run.state is not RunState.FINISHED:
        return PlannedIssue(issue, IssueState.STOPPED, run)
    reasons = _reasons_for_gaps(store, run.id)
    passing = not _PASSING_REASONS.isdisjoint(reasons)
    state = IssueState.INCOMPLETE if passing else IssueState.LACKING if reasons else IssueState.HARVESTED
    return PlannedIssue(issue, state, run)


def _is_useless(run: Run) -> bool:
    """Whether a run is begun anew: nothing but a contents page arrived, or its archive is gone."""
    gone = bool(run.archive_length) and not (Path(run.folder) / RUN_ARCHIVE).is_file()
    return gone or (run.state is RunState.FINISHED and not run.citations and run.pages <= 1)


def _reasons_for_gaps(store: Store, run: int) -> frozenset[Reason]:
    """Return why contents pages, or all pages of some article, did not arrive."""
    arrived = {page.article_key for page in store.runs.pages(run) if page.kind in ARTICLE_KINDS}
    missing = [node for node in store.runs.nodes(run) if node.place is not Place.CLOSED and node.reason is not None]
    return frozenset(
        node.reason
        for node in missing
        if node.reason is not None
        and (node.wish.kind is Kind.ISSUE or _is_lost_article(node.wish.kind, node.wish.article_key, arrived))
    )


def _is_lost_article(kind: Kind, key: str, arrived: Collection[str]) -> bool:
    return kind in ARTICLE_KINDS and key not in arrived


async def harvest_archive(
    found: FoundIssues, *, fetcher: Fetcher, store: Store, folder: Path, settings: Settings, watch: ArchiveWatch
) -> ArchiveHarvest:
    """Harvest the issues of an archive one after the other: what is new, stopped or incomplete.

    Of the issues that are harvested only the newest is looked at again, since it may have grown. Pages of articles
    that an earlier run fetched are not requested again.
    """
    planned = plan_archive(found.issues, store)
    job = _ArchiveJob(ReadyFetcher(fetcher, found.answers), store, folder, settings, watch)
    asking = SettledPagesFetcher(job.ready, SettledPages(store))
    harvests: list[Harvest] = []
    errors: list[MedharvestError] = []
    left: list[PlannedIssue] = []
    stop = watch.watch.stop
    for number, one in enumerate(planned, 1):
        if stop.is_set():
            break
        if one.state in _DONE_STATES and (number > 1 or not await job.has_grown(one)):
            left.append(one)
            continue
        watch.begin(one, number, len(planned))
        try:
            harvests.append(await job.harvest(one, asking))
        except (InputError, OutputError) as error:  # another process has the run, or its folder is gone
            errors.append(error)
            continue
        watch.finish(harvests[-1])
    lacking = tuple(one.run.id for one in left if one.run is not None and one.state is IssueState.LACKING)
    return ArchiveHarvest(tuple(harvests), tuple(errors), len(left), lacking, stop.is_set())


@dataclass(frozen=True, slots=True)
class _ArchiveJob:
    ready: ReadyFetcher
    store: Store
    folder: Path
    settings: Settings
    watch: ArchiveWatch

    async def harvest(self, planned: PlannedIssue, fetcher: Fetcher) -> Harvest:
        """Start the run of an issue, or resume it."""
        check_download(self.store, planned.issue.url, self.settings.crawl.journal)
        if planned.run is None or planned.state in _DONE_STATES:
            return await harvest_issue(
                planned.issue.url,
                fetcher=fetcher,
                store=self.store,
                folder=self.folder / _name_issue_folder(planned.issue),
                settings=self.settings,
                watch=self.watch.watch,
            )
        return await resume_run(
            planned.run.id,
            fetcher=fetcher,
            store=self.store,
            settings=self.settings,
            retry=planned.state is IssueState.INCOMPLETE,
            watch=self.watch.watch,
        )

    async def has_grown(self, planned: PlannedIssue) -> bool:
        """Whether the contents page of a harvested issue has new links; it is requested conditionally."""
        url = planned.issue.url
        earlier = find_earlier_archive(self.store, url)
        known = await earlier(url) if earlier is not None else None
        asked = RevalidatingFetcher(self.ready, earlier).ask(url)
        answer = await finish_unless_stopped(asked, self.watch.watch.stop)
        if not isinstance(answer, Response):
            return False
        if isinstance(known, Response) and not has_new_links(known, answer):
            return False
        self.ready.ready[url] = answer
        return True


def has_new_links(known: Response, answer: Response) -> bool:
    """Whether a page has links that it did not have before; one that cannot be compared counts as new."""
    if known.body == answer.body:
        return False
    if max(len(known.body), len(answer.body)) > _MAX_COMPARED_BYTES:
        return True
    try:
        before, after = (
            {canonical_url(link.url) for link in scan_links(parse_page(page.body, url=url, charset=page.charset))}
            for page, url in ((known, answer.final_url), (answer, answer.final_url))
        )
    except InputError:
        return True
    return not after <= before


def _name_issue_folder(issue: IssueLink) -> str:
    """Name the folder of an issue by year, volume and number, or by its address."""
    name = "-".join(filter(None, (issue.name.year, issue.name.volume, issue.name.issue)))
    digest = hashlib.sha256(issue.url.encode("utf-8", "replace")).hexdigest()[:8]
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:60] or digest


def describe_issue(issue: IssueLink) -> str:
    """Describe an issue in one line: its text on the page, else its name or its address."""
    parts = (("volume", issue.name.volume), ("issue", issue.name.issue), ("", issue.name.year))
    named = ", ".join(f"{word} {value}".strip() for word, value in parts if value)
    text = issue.text if len(issue.text) > len(issue.name.issue) else ""
    return f"{named} ({text})" if named and text else named or text or issue.url

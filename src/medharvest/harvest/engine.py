"""The engine of every run: `follow_plan` carries out a plan, several pages at a time.

Each page is fetched, analysed in a worker, written to the archive and the run's folder, fed to the plan and
recorded in the store, in this order. An `Errand` holds what differs between an issue and a topic.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any, Protocol, TypeVar

from medharvest.atomic_file import make_folder, write_binary_file, write_text_file
from medharvest.codec import format_json
from medharvest.errors import MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher, WarcWriter
from medharvest.fetch.protocol import NOT_MODIFIED
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import PageAnalysis
from medharvest.harvest.run_folder import locate_run_folder
from medharvest.records import (
    Arrived,
    Asked,
    Event,
    Failed,
    Kind,
    Miss,
    Node,
    Outcome,
    Place,
    Reason,
    Response,
    Validators,
    Wish,
)
from medharvest.store import RelevantPage, RunState, Store

T = TypeVar("T")
EventListener = Callable[[Event], None]
AskPage = Callable[[str], Awaitable[Response | Miss]]
AnalysePage = Callable[[Response], Awaitable[PageAnalysis | MedharvestError]]
_STOP_SECONDS = 0.4  # for pages in flight to arrive after Ctrl-C or the last second; a resume fetches the others
_PDF_SIGNATURE = b"%PDF-"
_PDF_SIGNATURE_BYTES = 1024
_MAX_REFRESHES = 3  # pages in a row that redirect by a meta refresh
RUN_MANIFEST = "manifest.jsonl"
KIND_FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}
_MAX_FILE_NAME = 80  # characters of an address in a file name; file systems allow 255 bytes
_FILE_SUFFIX = re.compile(r"\.[a-z0-9]{2,5}$", re.IGNORECASE)


def ignore_event(event: Event) -> None:
    """Ignore an event; the default listener."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How a caller follows a run: `listen` gets its events; once `stop` is set, no further page is requested."""

    listen: EventListener = ignore_event
    stop: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What became of a wish: the outcome and, if a page arrived, the server's answer and its analysis."""

    outcome: Outcome
    answer: Response | None = None
    analysis: PageAnalysis | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What follows from an arrival: the next wishes, and what the store keeps."""

    wishes: tuple[Wish, ...]
    nodes: tuple[Node, ...]
    relevant: tuple[RelevantPage, ...] = ()


class Errand(Protocol):
    """A plan, and how its pages are fetched and analysed."""

    @property
    def max_seconds(self) -> float:
        """How long it may take."""
        ...

    @property
    def waiting(self) -> int:
        """How many pages are still to be fetched, as far as is known."""
        ...

    def begin(self) -> tuple[Wish, ...]:
        """Return the first wishes."""
        ...

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page and analyse it."""
        ...

    def is_new(self, arrival: Arrival) -> bool:
        """Whether a page that arrived still has to be written to the archive."""
        ...

    def feed(self, arrival: Arrival) -> Step:
        """Feed an arrival to the plan, once the page is archived."""
        ...

    def note_recorded(self) -> None:
        """Take note that all steps so far are in the store."""
        ...


class SuppliableErrand(Errand, Protocol):
    """An errand that also takes pages a person saved by hand."""

    def feed_supplied(self, arrival: Arrival) -> Step:
        """Feed a page saved by hand to the plan, once it is archived."""
        ...


class RunFolder:
    """The folder of a run: one file per page, and the archive."""

    def __init__(self, store: Store, run: int) -> None:
        self.path = locate_run_folder(store, run)
        self.archive = self.path / RUN_ARCHIVE
        self._length = store.runs.get(run).archive_length

    @property
    def has_pages(self) -> bool:
        """Whether the archive has pages from an earlier session."""
        return bool(self._length)

    @contextmanager
    def writing(self) -> Iterator[WarcWriter]:
        """Open the archive for appending."""
        with WarcWriter(self.archive, length=self._length) as archive:
            yield archive
            self._length = archive.length

    def keep(self, outcome: Outcome, answer: Response, archive: WarcWriter) -> None:
        """Write a page to the archive and to its file; a second fetch replaces the file."""
        archive.append(answer)
        write_binary_file(self.path / name_page_file(outcome.wish.url, outcome.kind), answer.body)


async def follow_plan(
    errand: Errand, wishes: tuple[Wish, ...] = (), *, run: int, store: Store, folder: RunFolder, watch: Watch
) -> None:
    """Fetch what the plan wishes for until nothing is left, the run is stopped, or its time is over.

    Pages in flight then have a moment to arrive. `wishes` are the first ones, if the plan has handed them out already.
    """
    asked: dict[asyncio.Task[Arrival], Wish] = {}
    wishes = wishes or errand.begin()
    began, now = datetime.now(UTC), asyncio.get_running_loop().time
    end = now() + errand.max_seconds + _STOP_SECONDS
    with folder.writing() as archive:
        try:
            while True:
                for wish in () if watch.stop.is_set() else wishes:
                    watch.listen(Asked(wish))
                    asked[asyncio.create_task(errand.bring(wish))] = wish
                if watch.stop.is_set():
                    end = min(end, now() + _STOP_SECONDS)
                done = await wait_for_some(asked, watch.stop, end)
                late = not done and now() >= end
                if not asked or (late and watch.stop.is_set()):
                    return
                wishes, arrivals = (), []
                for task in asked.keys() & (asked if late else done):
                    wish = asked.pop(task)
                    arrivals.append(task.result() if task.done() else _give_up(task, wish, began))
                for step in _take_arrivals(errand, arrivals, run=run, store=store, folder=folder, archive=archive):
                    wishes += step.wishes
                for outcome in (arrival.outcome for arrival in arrivals):
                    watch.listen((Failed if outcome.reason else Arrived)(outcome, errand.waiting))
        finally:
            for task in asked:
                task.cancel()


def _give_up(task: asyncio.Task[Arrival], wish: Wish, began: datetime) -> Arrival:
    """Cancel a page for which no time is left; its times tell the plan that the budget is spent."""
    task.cancel()
    outcome = Outcome(wish=wish, reason=Reason.BUDGET, detail="no time left for this page")
    return Arrival(outcome=replace(outcome, asked_at=began.isoformat(), arrived_at=datetime.now(UTC).isoformat()))


async def wait_for_some(
    tasks: Iterable[asyncio.Task[T]], stop: asyncio.Event, end: float = inf
) -> set[asyncio.Task[T]]:
    """Wait until some tasks are done, `stop` is set, or the event loop's clock is at `end`; return those done."""
    tasks = tuple(tasks)
    left = max(end - asyncio.get_running_loop().time(), 0.0)
    stopping = asyncio.create_task(stop.wait())
    watched: tuple[asyncio.Task[Any], ...] = tasks if stop.is_set() else (*tasks, stopping)
    if tasks:
        await asyncio.wait(watched, timeout=None if left == inf else left, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    return {task for task in tasks if task.done()}


async def finish_unless_stopped(work: Coroutine[Any, Any, T], stop: asyncio.Event, end: float = inf) -> T | None:
    """Return what a coroutine returns; None if `stop` is set, or the event loop's clock is at `end`, before that."""
    if stop.is_set():
        work.close()
        return None
    task = asyncio.create_task(work)
    if await wait_for_some({task}, stop, end):
        return task.result()
    task.cancel()
    return None


def _archive_arrival(errand: Errand, arrival: Arrival, folder: RunFolder, archive: WarcWriter) -> None:
    if arrival.answer is not None and arrival.outcome.reason is None and errand.is_new(arrival):
        folder.keep(arrival.outcome, arrival.answer, archive)


def _take_arrivals(
    errand: Errand, arrivals: Iterable[Arrival], *, run: int, store: Store, folder: RunFolder, archive: WarcWriter
) -> tuple[Step, ...]:
    """Archive the pages that arrived together, feed them to the plan, then record each in one transaction.

    The archive is synced once for all of them, before the store has its new length.
    """
    taken = []
    for arrival in arrivals:
        _archive_arrival(errand, arrival, folder, archive)
        taken.append((arrival, errand.feed(arrival), archive.length))
    archive.sync()
    for arrival, step, length in taken:
        _record_arrival(store, run, arrival, step, length)
    errand.note_recorded()
    return tuple(step for _, step, _ in taken)


def _record_arrival(store: Store, run: int, arrival: Arrival, step: Step, length: int) -> None:
    """Record what an arrival changed and the length of the archive, in one transaction."""
    store.runs.record(run, arrival.outcome, step.nodes, archive_length=length, relevant=step.relevant)


def keep_supplied_page(
    errand: SuppliableErrand, arrival: Arrival, *, run: int, store: Store, folder: RunFolder
) -> None:
    """Archive a page saved by hand, feed it to the plan, and record it."""
    with folder.writing() as archive:
        _archive_arrival(errand, arrival, folder, archive)
        archive.sync()
        _record_arrival(store, run, arrival, errand.feed_supplied(arrival), archive.length)


@contextmanager
def mark_run_end(store: Store, run: int, watch: Watch) -> Iterator[None]:
    """Record how a run ended: finished if it came to its end, else stopped, also after an error."""
    state = RunState.STOPPED
    try:
        yield
        state = RunState.STOPPED if watch.stop.is_set() else RunState.FINISHED
    finally:
        store.runs.end(run, state)
    write_run_manifest(store, run, Path(store.runs.get(run).folder))


def write_run_manifest(store: Store, run: int, folder: Path) -> Path:
    """Write one line per page: pages that arrived with their file, missing ones with the reason."""
    path = folder / RUN_MANIFEST
    write_text_file(path, (format_json(row) + "\n" for row in _manifest_rows(store, run)))
    return path


def _manifest_rows(store: Store, run: int) -> Iterator[dict[str, Any]]:
    for page in store.runs.pages(run):
        yield {
            "url": page.url,
            "final_url": page.final_url,
            "promised": page.promised,
            "kind": page.kind,
            "status": page.status,
            "digest": page.digest,
            "size": page.size,
            "parent": page.parent,
            "asked_at": page.asked_at,
            "arrived_at": page.arrived_at,
            "file": name_page_file(page.url, Kind(page.kind)),
        }
    for node in store.runs.nodes(run):
        if node.place is not Place.CLOSED:
            yield _missing_page_row(node)


def _missing_page_row(node: Node) -> dict[str, Any]:
    return {
        "url": node.wish.url,
        "promised": node.wish.kind,
        "parent": node.wish.parent,
        "place": node.place,
        "reason": node.reason,
        "detail": node.detail,
    }


def find_free_folder(folder: Path) -> Path:
    """Return the folder, or a new one below it if an earlier run has its archive there."""
    place = folder.absolute()  # a run can be resumed from any working directory
    below = (place / f"run-{number}" for number in itertools.count(2))
    return make_folder(next(path for path in itertools.chain([place], below) if not (path / RUN_ARCHIVE).exists()))


def name_page_file(url: str, kind: Kind) -> str:
    """Return the file of a page, relative to the run's folder; named by its address, so a second fetch replaces it."""
    words = re.findall(r"[\w.-]+", re.sub(r"^https?://[^/]*", "", url), re.ASCII)
    name = "_".join(words)[-_MAX_FILE_NAME:] or "index"
    if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} or not _FILE_SUFFIX.search(name):
        suffix = ".pdf" if kind is Kind.PDF else ".html" if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} else ""
        name = name if name.endswith(suffix) else name + suffix
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{KIND_FOLDERS.get(kind, 'Other')}/{digest}-{name}"


class RevalidatingFetcher:
    """Requests pages conditionally: a page that has not changed comes from the archive `earlier`."""

    def __init__(self, fetcher: Fetcher, earlier: ArchiveFetcher | None = None) -> None:
        self.fetcher = fetcher
        self.earlier = earlier

    async def ask(self, url: str) -> Response | Miss:
        """Fetch the page at a URL."""
        known = await self.earlier(url) if self.earlier is not None else None
        if not isinstance(known, Response):
            return await self.fetcher(url)
        answer = await self.fetcher(url, _validators_of(known))
        if isinstance(answer, Response) and answer.status == NOT_MODIFIED:
            return replace(known, url=url, asked_at=answer.asked_at, arrived_at=answer.arrived_at)
        return answer


def _validators_of(known: Response) -> Validators:
    headers = {name.lower(): value for name, value in known.headers}
    return Validators(headers.get("etag", ""), headers.get("last-modified", ""))


async def fetch_through_refreshes(
    url: str, ask: AskPage, analyse: AnalysePage
) -> tuple[Response | Miss, PageAnalysis | MedharvestError | None]:
    """Fetch and analyse the page at a URL, following meta refreshes."""
    answer = await ask(url)
    for left in reversed(range(_MAX_REFRESHES + 1)):
        if isinstance(answer, Miss):
            break
        analysis = await analyse(answer)
        if not isinstance(analysis, PageAnalysis) or not analysis.onward or not left:
            return answer, analysis
        onward = await ask(analysis.onward)
        if isinstance(onward, Miss):
            return replace(onward, url=url), None
        answer = replace(onward, url=url, redirects=(*answer.redirects, analysis.onward, *onward.redirects))
    return answer, None


def outcome_of_answer(wish: Wish, answer: Response) -> Outcome:
    """Make the outcome of an answer; its kind is the one the link promised."""
    headers = {name.lower(): value for name, value in answer.headers}
    return Outcome(
        wish=wish,
        final_url=answer.final_url,
        kind=wish.kind,
        digest=hashlib.sha256(answer.body).hexdigest(),
        size=len(answer.body),
        status=answer.status,
        asked_at=answer.asked_at,
        arrived_at=answer.arrived_at,
        validators=Validators(headers.get("etag", ""), headers.get("last-modified", "")),
    )


def kind_by_form(wish: Wish, answer: Response) -> Kind | None:
    """Return the kind of an answer that is not HTML: an image, a PDF or another supplement; else None."""
    if wish.kind is not Kind.ISSUE and answer.media_type.startswith("image/"):
        return Kind.IMAGE
    if wish.kind is Kind.SUPPLEMENT and answer.media_type != "text/html":
        return Kind.SUPPLEMENT
    return Kind.PDF if _PDF_SIGNATURE in answer.body[:_PDF_SIGNATURE_BYTES] else None

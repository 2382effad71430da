"""The engine of every run: carries out a plan, N pages at a time.

Each page is fetched, analysed in a worker, written to the archive and the run's folder, fed to the plan and
recorded in the store, in this order. What differs between an issue and a topic is an `Errand`.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from medharvest.atomic_file import make_folder, write_binary_file, write_text_file
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher, WarcWriter
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import PageAnalysis
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
    Response,
    Validators,
    Wish,
)
from medharvest.store import RelevantPage, RunState, Store

EventListener = Callable[[Event], None]
AskPage = Callable[[str], Awaitable[Response | Miss]]
AnalysePage = Callable[[Response], Awaitable[PageAnalysis | MedharvestError]]
_MAX_REFRESHES = 3  # pages that send on to the next by themselves
RUN_MANIFEST = "manifest.jsonl"
KIND_FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}
_MAX_FILE_NAME = 80  # characters of an address in a file's name; file systems stop at 255 bytes
_FILE_SUFFIX = re.compile(r"\.[a-z0-9]{2,5}$", re.IGNORECASE)
_UNCHANGED_STATUS = 304


def ignore_event(event: Event) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who follows a run: `listen` hears its events; once `stop` is set no further page is asked for."""

    listen: EventListener = ignore_event
    stop: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What became of a wish: the outcome and, of a page that arrived, the answer of the server and what is in it."""

    outcome: Outcome
    answer: Response | None = None
    analysis: PageAnalysis | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What an arrival comes to: the next wishes, and what the store keeps of it."""

    wishes: tuple[Wish, ...]
    nodes: tuple[Node, ...]
    relevant: tuple[RelevantPage, ...] = ()


class Errand(Protocol):
    """A plan, and how its pages are brought and understood."""

    @property
    def waiting(self) -> int:
        """How many pages are still to come, as far as is known."""
        ...

    def begin(self) -> tuple[Wish, ...]:
        """The first wishes."""
        ...

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page and find out what it is."""
        ...

    def is_new(self, arrival: Arrival) -> bool:
        """Whether the bytes of a page that arrived are still to be kept."""
        ...

    def feed(self, arrival: Arrival) -> Step:
        """Tell the plan, once the page is kept."""
        ...

    def note_recorded(self) -> None:
        """The step is in the store."""
        ...


class SuppliableErrand(Errand, Protocol):
    """An errand whose pages may come by another way."""

    def feed_supplied(self, arrival: Arrival) -> Step:
        """Tell the plan of such a page, once it is kept."""
        ...


class RunFolder:
    """Where a run keeps its pages: a file each, and the archive."""

    def __init__(self, store: Store, run: int) -> None:
        known = store.run(run)
        path = Path(known.folder)
        if known.archive_length and not (path / RUN_ARCHIVE).is_file():
            hint = "put the folder of the run back in its place, or harvest anew"
            raise InputError(f"archive of run {run} is missing: {path / RUN_ARCHIVE}", name=str(path), hint=hint)
        self.path = make_folder(path)
        self.archive = self.path / RUN_ARCHIVE
        self._length = known.archive_length

    @property
    def has_pages(self) -> bool:
        """Whether pages were kept before."""
        return bool(self._length)

    @contextmanager
    def writing(self) -> Iterator[WarcWriter]:
        """The archive, open to be written on."""
        with WarcWriter(self.archive, length=self._length) as archive:
            yield archive
            self._length = archive.length

    def keep(self, outcome: Outcome, answer: Response, archive: WarcWriter) -> None:
        """Archive and file a page; a second fetch replaces its file."""
        archive.append(answer)
        write_binary_file(self.path / name_page_file(outcome.wish.url, outcome.kind), answer.body)


async def follow_plan(
    errand: Errand, wishes: tuple[Wish, ...] = (), *, run: int, store: Store, folder: RunFolder, watch: Watch
) -> None:
    """Fetch what the plan wishes until nothing is left, or until it is stopped and what was asked has come.

    `wishes` were handed out before, by a plan that has just begun.
    """
    asked: set[asyncio.Task[Arrival]] = set()
    wishes = wishes or errand.begin()
    with folder.writing() as archive:
        try:
            while True:
                for wish in () if watch.stop.is_set() else wishes:
                    watch.listen(Asked(wish))
                    asked.add(asyncio.create_task(errand.bring(wish)))
                if not asked:
                    return
                done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                wishes = ()
                for task in done:
                    arrival = task.result()
                    _archive_arrival(errand, arrival, folder, archive)
                    step = errand.feed(arrival)
                    _record_arrival(store, run, arrival, step, archive)
                    errand.note_recorded()
                    wishes += step.wishes
                    outcome = arrival.outcome
                    watch.listen((Failed if outcome.reason else Arrived)(outcome, errand.waiting))
        finally:
            for task in asked:
                task.cancel()


def keep_supplied_page(
    errand: SuppliableErrand, arrival: Arrival, *, run: int, store: Store, folder: RunFolder
) -> None:
    """Keep a page that came by another way, tell the plan, and record it."""
    with folder.writing() as archive:
        _archive_arrival(errand, arrival, folder, archive)
        _record_arrival(store, run, arrival, errand.feed_supplied(arrival), archive)


def _archive_arrival(errand: Errand, arrival: Arrival, folder: RunFolder, archive: WarcWriter) -> None:
    if arrival.answer is not None and arrival.outcome.reason is None and errand.is_new(arrival):
        folder.keep(arrival.outcome, arrival.answer, archive)


def _record_arrival(store: Store, run: int, arrival: Arrival, step: Step, archive: WarcWriter) -> None:
    """Keep what an arrival changed, in one transaction."""
    store.record(run, arrival.outcome, step.nodes, archive_length=archive.length, relevant=step.relevant)


async def fetch_through_refreshes(
    url: str, ask: AskPage, analyse: AnalysePage
) -> tuple[Response | Miss, PageAnalysis | MedharvestError | None]:
    """The page at a URL, or behind the pages that send on from it, with its analysis."""
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


@contextmanager
def mark_run_end(store: Store, run: int, watch: Watch) -> Iterator[None]:
    """Say in the store how a run ended: stopped, whatever stopped it, unless it came to its end."""
    state = RunState.STOPPED
    try:
        yield
        state = RunState.STOPPED if watch.stop.is_set() else RunState.FINISHED
    finally:
        store.end_run(run, state)
    write_run_manifest(store, run, Path(store.run(run).folder))


def find_free_folder(folder: Path) -> Path:
    """The folder, or one below it where an earlier run has its archive there: no run takes another's place."""
    place = folder.absolute()  # a run is gone on with from anywhere
    below = (place / f"run-{number}" for number in itertools.count(2))
    return make_folder(next(path for path in itertools.chain([place], below) if not (path / RUN_ARCHIVE).exists()))


def outcome_of_answer(wish: Wish, answer: Response) -> Outcome:
    """What an answer says of itself; its kind is what was promised."""
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


def name_page_file(url: str, kind: Kind) -> str:
    """The file of a page below its run's folder: named by its address, so that a second fetch replaces it."""
    words = re.findall(r"[\w.-]+", re.sub(r"^https?://[^/]*", "", url), re.ASCII)
    name = "_".join(words)[-_MAX_FILE_NAME:] or "index"
    if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} or not _FILE_SUFFIX.search(name):
        suffix = ".pdf" if kind is Kind.PDF else ".html" if kind not in {Kind.IMAGE, Kind.SUPPLEMENT} else ""
        name = name if name.endswith(suffix) else name + suffix
    mark = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{KIND_FOLDERS.get(kind, 'Other')}/{mark}-{name}"


def write_run_manifest(store: Store, run: int, folder: Path) -> Path:
    """Write a line a page: what arrived with its file, what did not with its reason."""
    path = folder / RUN_MANIFEST
    write_text_file(path, (json.dumps(row, ensure_ascii=False) + "\n" for row in _manifest_rows(store, run)))
    return path


def _manifest_rows(store: Store, run: int) -> Iterator[dict[str, Any]]:
    for page in store.pages(run):
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
    for node in store.nodes(run):
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


class RevalidatingFetcher:
    """A fetcher with a memory: what has not changed since `earlier` comes from there."""

    def __init__(self, fetcher: Fetcher, earlier: ArchiveFetcher | None = None) -> None:
        self.fetcher = fetcher
        self.earlier = earlier

    async def ask(self, url: str) -> Response | Miss:
        """The page at a URL."""
        known = await self.earlier(url) if self.earlier is not None else None
        if not isinstance(known, Response):
            return await self.fetcher(url)
        answer = await self.fetcher(url, _validators_of(known))
        if isinstance(answer, Response) and answer.status == _UNCHANGED_STATUS:
            return replace(known, url=url, asked_at=answer.asked_at, arrived_at=answer.arrived_at)
        return answer


def _validators_of(known: Response) -> Validators:
    headers = {name.lower(): value for name, value in known.headers}
    return Validators(headers.get("etag", ""), headers.get("last-modified", ""))

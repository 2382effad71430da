"""A topical crawl over many sites: its request, its plan on disk, started and resumed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from medharvest.atomic_file import write_binary_file, write_text_file
from medharvest.crawl.frontier import ValueMerge
from medharvest.crawl.strategies import choose_estimator, max_waiting_addresses
from medharvest.crawl.topic_plan import TopicLimits, TopicPlan, Visit
from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.analysis import AnalysisRequest, PageAnalysis
from medharvest.harvest.engine import (
    Arrival,
    RevalidatingFetcher,
    RunFolder,
    Step,
    Watch,
    fetch_through_refreshes,
    find_free_folder,
    follow_plan,
    mark_run_end,
    outcome_of_answer,
)
from medharvest.harvest.page_topics import make_concept_counter, make_relevant_page, topic_page_of_flow
from medharvest.harvest.run_results import RunPageReader, RunReadings
from medharvest.records import Citation, Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.settings import Settings
from medharvest.store import PageRow, RelevantPage, RunState, Store
from medharvest.topics import ConceptSet, concept_lines, read_concepts
from medharvest.topics.estimates import Estimator, TopicPage

CONCEPTS_FILE = "concepts.tsv"
PLAN_FILE = "plan.json"
_MIN_WORK_BETWEEN_SAVES = 5_000  # links and pages between two writings
_LINKS_PER_PAGE = 50  # a page that came takes as much room as so many links, for its words are remembered


async def crawl_topic(
    request: TopicRequest,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Crawl for a topic into the store; pages, archive and the concept set land in `folder`."""
    free = find_free_folder(folder)
    write_binary_file(free / CONCEPTS_FILE, "\n".join(concept_lines(request.concepts)).encode())
    request = replace(request, workers=request.workers or settings.crawl.workers)
    run = store.begin_run(request.seeds[0], str(free), (), request.options())
    return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch or Watch())


async def resume_topic(
    run: int,
    *,
    fetcher: Fetcher,
    store: Store,
    settings: Settings,
    max_pages: int | None = None,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Go on with a crawl as it was written down last; what came since is taken from its archive, in the same order.

    `max_pages` is what it may cost in all beside the seeds, where it shall be more than before.
    """
    request = load_topic_request(store, run)
    request = replace(request, max_pages=max_pages or request.max_pages)
    store.end_run(run, RunState.RUNNING)
    return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch or Watch())


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRequest:
    """What to crawl for and how; `workers` is how many pages are asked for at a time, 0 as the settings say."""

    concepts: ConceptSet
    seeds: tuple[str, ...]
    strategy: str = "best-first"
    estimator: str = "adaptive"
    merge: ValueMerge = ValueMerge.GREATER
    max_pages: int = 1000
    workers: int = 0

    def limits(self) -> TopicLimits:
        """How far its plan goes."""
        most = max_waiting_addresses(self.strategy, self.estimator)
        return TopicLimits(max_pages=self.max_pages, max_waiting=most, merge=self.merge)

    def make_estimator(self) -> Estimator:
        """What values its links, before any page."""
        return choose_estimator(self.strategy, self.estimator)(self.concepts)

    def options(self) -> str:
        """All but the concepts, as a run keeps it."""
        kept = {"topic": self.concepts.topic, "seeds": self.seeds, "strategy": self.strategy, "workers": self.workers}
        return json.dumps({**kept, "estimator": self.estimator, "merge": self.merge, "max_pages": self.max_pages})


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """A page that was asked for, in order: `value` of the link that led there, or the reason why nothing came."""

    n: int
    url: str
    value: float | None
    relevant: bool
    depth: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicHarvest:
    """What a crawl gave; `stopped` when it can be gone on with."""

    run: int
    topic: str
    folder: str
    rows: tuple[TopicRow, ...]
    citations: tuple[Citation, ...]
    stopped: bool


def is_topic_run(options: str) -> bool:
    """Whether the options of a run are those of a topical crawl."""
    return "topic" in json.loads(options or "{}")


def load_topic_request(store: Store, run: int) -> TopicRequest:
    """What a run was asked for."""
    known = store.run(run)
    if not is_topic_run(known.options):
        hint = f"`medharvest runs {run} resume` goes on with it"
        raise InputError(f"run {run} is not of a topic", name=str(run), hint=hint)
    options = json.loads(known.options)
    concepts = replace(_load_stored_concepts(Path(known.folder) / CONCEPTS_FILE), topic=options.pop("topic"))
    seeds, merge = tuple(options.pop("seeds")), ValueMerge(options.pop("merge"))
    return TopicRequest(concepts=concepts, seeds=seeds, merge=merge, **options)


def _load_stored_concepts(path: Path) -> ConceptSet:
    try:
        return read_concepts(path.read_text(encoding="utf-8"), name=str(path))
    except (OSError, UnicodeDecodeError) as error:
        hint = "without the folder of its crawl a topic must be crawled anew"
        raise InputError(f"concept set cannot be read: {path}", name=str(path), hint=hint) from error


class TopicErrand:
    """The errand of a topic: brings pages, those that the run has already from its archive, and values them."""

    def __init__(
        self,
        run: int,
        request: TopicRequest,
        asking: RevalidatingFetcher,
        reader: RunPageReader,
        store: Store,
        *,
        reads: bool,
    ) -> None:
        self.request = request
        self.reads = reads  # whether articles are read into citations
        self._asking = asking
        self._reader = reader
        self._done = {node.n: node for node in store.nodes(run)}
        folder = Path(store.run(run).folder)
        self._archived = ArchiveFetcher(folder / RUN_ARCHIVE) if self._done else None
        self.memory = PlanMemory(folder)
        self.plan = self._restored()
        self._counter = itertools.count(self.plan.settled + 1)
        self._numbers: dict[str, int] = {}  # of pages in flight, in the order they were handed out
        self._unsettled: dict[str, tuple[TopicPage, str]] = {}  # pages that came, with their time
        self._settled = len(self.plan.visited)
        self._named = make_concept_counter(request.concepts)

    def _restored(self) -> TopicPlan:
        """The plan as it was written down last; without that a new one, which takes in again all that came."""
        request = self.request
        known = next(n for n in itertools.count() if n + 1 not in self._done)
        memory = self.memory.read(known=known) if known else None
        if memory is None:
            seeds, estimator = request.seeds, request.make_estimator()
            return TopicPlan(seeds, estimator, limits=request.limits(), concurrency=request.workers)
        return TopicPlan.restore(memory, request.make_estimator(), limits=request.limits(), concurrency=request.workers)

    @property
    def waiting(self) -> int:
        """How many addresses wait or are in flight."""
        return self.plan.waiting

    def begin(self) -> tuple[Wish, ...]:
        """The first wishes."""
        return self._numbered(self.plan.begin())

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page, from the archive where the run has it already, and find out what it says."""
        answer, analysis = await fetch_through_refreshes(wish.url, lambda url: self._ask(wish, url), self._analyse)
        if isinstance(answer, Miss):
            return Arrival(outcome=Outcome(wish=wish, reason=answer.reason, detail=answer.detail))
        return arrival_of_answer(wish, answer, analysis)

    async def _ask(self, wish: Wish, url: str) -> Response | Miss:
        known = self._done.get(self._numbers[wish.url])
        if known is None or self._archived is None:
            return await self._asking.ask(url)
        if known.reason is not None:
            return Miss(url, known.reason, known.detail)
        return await self._archived(url)

    async def _analyse(self, answer: Response) -> PageAnalysis | MedharvestError:
        return await self._reader.analyse(answer, self.request_archived(None, answer))

    def request_archived(self, _page: PageRow | None, answer: Response) -> AnalysisRequest:
        """What is asked of every page."""
        return AnalysisRequest(media_type=answer.media_type, topic=True, read=self.reads)

    def is_new(self, arrival: Arrival) -> bool:
        """Whether a page was not taken from the archive."""
        return self._numbers[arrival.outcome.wish.url] not in self._done

    def feed(self, arrival: Arrival) -> Step:
        """Tell the plan; what has taken effect by then and is relevant goes to the collection."""
        wish, analysis = arrival.outcome.wish, arrival.analysis
        page = None
        if analysis is not None and analysis.flow is not None:
            page = topic_page_of_flow(analysis.flow, arrival.outcome.final_url)
            self._reader.keep(wish.url, analysis)
            self._unsettled[wish.url] = (page, arrival.outcome.arrived_at)
        wishes = self.plan.feed(Visit(wish, page, arrival.outcome.reason))
        node = node_of_outcome(self._numbers.pop(wish.url), arrival.outcome)
        return Step(self._numbered(wishes), (node,), tuple(self._relevant()))

    def note_recorded(self) -> None:
        """Write the plan down when it is time to: never more than the store knows."""
        self.memory.keep(self.plan)

    def _numbered(self, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
        self._numbers.update((wish.url, next(self._counter)) for wish in wishes)
        return wishes

    def _relevant(self) -> Iterator[RelevantPage]:
        """The relevant ones among the pages that have taken effect since the last time."""
        fresh = self.plan.visited[self._settled :]
        self._settled += len(fresh)
        for visit in fresh:
            page, seen_at = self._unsettled.pop(visit.url)
            if visit.own > 0:
                topic, named = self.request.concepts.topic, self._named(page)
                yield make_relevant_page(page, named, url=visit.url, topic=topic, value=visit.own, seen_at=seen_at)
            else:
                self._reader.forget(visit.url)


async def carry_out_topic(
    run: int, request: TopicRequest, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch
) -> TopicHarvest:
    """Follow the plan to its end or until stopped, then put the articles among the relevant pages together."""
    folder = RunFolder(store, run)
    request = replace(request, workers=request.workers or settings.crawl.workers)
    reader = RunPageReader(store, settings.read)
    errand = TopicErrand(run, request, RevalidatingFetcher(fetcher), reader, store, reads=settings.crawl.read)
    with mark_run_end(store, run, watch):
        await follow_plan(errand, run=run, store=store, folder=folder, watch=watch)
        rows = tuple(_make_topic_rows(errand.plan, store, run))
        readings = RunReadings((), ())
        if settings.crawl.read:
            relevant = {row.url for row in rows if row.relevant}
            pages = [page for page in store.pages(run) if page.url in relevant]
            archive = ArchiveFetcher(folder.archive)
            readings = await reader.gather(pages, archive, errand.request_archived, issue=None)
            store.save(run, readings.citations)
    if not watch.stop.is_set():
        errand.memory.forget()
    return TopicHarvest(
        run=run,
        topic=request.concepts.topic,
        folder=str(folder.path),
        rows=rows,
        citations=readings.citations,
        stopped=watch.stop.is_set(),
    )


def _make_topic_rows(plan: TopicPlan, store: Store, run: int) -> Iterator[TopicRow]:
    visited = {visit.url: visit for visit in plan.visited}
    failed = dict(plan.failed)
    for node in store.nodes(run):
        url, visit = node.wish.url, visited.get(node.wish.url)
        yield TopicRow(
            n=node.n,
            url=url,
            value=visit.value if visit and visit.value < float("inf") else None,
            relevant=visit is not None and visit.own > 0,
            depth=node.wish.depth,
            reason=failed.get(url),
        )


def arrival_of_answer(wish: Wish, answer: Response, analysis: PageAnalysis | MedharvestError | None) -> Arrival:
    """What an answer is to a crawl."""
    if not isinstance(analysis, PageAnalysis):
        detail = analysis.message if analysis else "not analysed"
        return Arrival(outcome=Outcome(wish=wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status))
    outcome = replace(outcome_of_answer(wish, answer), kind=analysis.kind)
    return Arrival(outcome=outcome, answer=answer, analysis=analysis)


def node_of_outcome(number: int, outcome: Outcome) -> Node:
    """A page that was asked for, as the store keeps it."""
    return Node(
        n=number,
        wish=outcome.wish,
        place=Place.CLOSED if outcome.reason is None else Place.REVISITED,
        position=number,
        flag=0,
        tries=1,
        reason=outcome.reason,
        detail=outcome.detail,
    )


class PlanMemory:
    """Writes a plan down when as much was done since the last time as it holds.

    So all writings together cost the crawl a fixed share, however large it grows.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / PLAN_FILE
        self._due = _MIN_WORK_BETWEEN_SAVES

    def read(self, *, known: int) -> dict[str, Any] | None:
        """What was written last, unless it is damaged, or knows more than the first `known` pages of the store.

        The latter may be after a failure of power.
        """
        try:
            memory: dict[str, Any] = json.loads(self.path.read_bytes())
            settled, self._due = memory["spent"] - len(memory["flight"]), memory["work"] + _MIN_WORK_BETWEEN_SAVES
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return memory if settled <= known else None

    def keep(self, plan: TopicPlan) -> bool:
        """Write a plan down if it is time to; whether it was."""
        if plan.work < self._due:
            return False
        write_text_file(self.path, [json.dumps(plan.memory(), separators=(",", ":"))])
        self._due = plan.work + max(_MIN_WORK_BETWEEN_SAVES, plan.waiting + _LINKS_PER_PAGE * len(plan.visited))
        return True

    def forget(self) -> None:
        """Remove it; a crawl that has ended needs it no more."""
        self.path.unlink(missing_ok=True)

"""A topical crawl over many sites: start it with `crawl_topic`, resume it with `resume_topic`.

The plan is saved to disk now and then; a resumed crawl takes what arrived since from its archive.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
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
from medharvest.harvest.run_folder import ReadingLog, claim_run, claim_to_resume, is_topic_run
from medharvest.harvest.run_results import RunPageReader, RunReadings, describe_reading_error
from medharvest.records import Citation, Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.settings import Settings, split_login
from medharvest.store import PageRow, RelevantPage, RunState, Store
from medharvest.topics import ConceptSet, concept_lines, read_concepts
from medharvest.topics.estimates import Estimator, TopicPage

CONCEPTS_FILE = "concepts.tsv"
PLAN_FILE = "plan.json"
_MIN_WORK_BETWEEN_SAVES = 5_000  # links and pages between two saves of the plan
_LINKS_PER_PAGE = 50  # a visited page takes as much room in the plan as this many links, since its words are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRequest:
    """What to crawl for and how; `workers` is the number of pages requested at a time, 0 for the setting."""

    concepts: ConceptSet
    seeds: tuple[str, ...]
    strategy: str = "best-first"
    estimator: str = "adaptive"
    merge: ValueMerge = ValueMerge.GREATER
    max_pages: int = 1000
    workers: int = 0

    def limits(self) -> TopicLimits:
        """Return the limits of the plan."""
        most = max_waiting_addresses(self.strategy, self.estimator)
        return TopicLimits(max_pages=self.max_pages, max_waiting=most, merge=self.merge)

    def make_estimator(self) -> Estimator:
        """Make the estimator that values its links, before any page is seen."""
        return choose_estimator(self.strategy, self.estimator)(self.concepts)

    def options(self) -> str:
        """Return everything but the concepts as JSON, as the store keeps it."""
        kept = {"topic": self.concepts.topic, "seeds": self.seeds, "strategy": self.strategy, "workers": self.workers}
        return json.dumps({**kept, "estimator": self.estimator, "merge": self.merge, "max_pages": self.max_pages})


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """A requested page, in order: the `value` of the link to it, or the reason why it did not arrive."""

    n: int
    url: str
    value: float | None
    relevant: bool
    depth: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicHarvest:
    """The results of a topical crawl; if `stopped`, it can be resumed.

    `unread` are pages that were lost in reading, each with the reason. `waiting` counts the addresses that were found
    and not visited.
    """

    run: int
    topic: str
    folder: str
    rows: tuple[TopicRow, ...]
    citations: tuple[Citation, ...]
    stopped: bool
    unread: tuple[tuple[str, str], ...] = ()
    waiting: int = 0


async def crawl_topic(
    request: TopicRequest,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Crawl for a topic into the store; pages, archive and concept set are written to `folder`."""
    free = find_free_folder(folder)
    write_binary_file(free / CONCEPTS_FILE, "\n".join(concept_lines(request.concepts)).encode())
    seeds = tuple(split_login(seed)[0] for seed in request.seeds)  # never stored
    request = replace(request, seeds=seeds, workers=request.workers or settings.crawl.workers)
    run = store.runs.begin(request.seeds[0], str(free), (), request.options())
    with claim_run(store, run):
        watch = watch or Watch()
        return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch)


async def resume_topic(
    run: int,
    *,
    fetcher: Fetcher,
    store: Store,
    settings: Settings,
    max_pages: int | None = None,
    watch: Watch | None = None,
) -> TopicHarvest:
    """Resume a crawl from its last saved plan; pages that arrived since come from its archive, in the same order.

    `max_pages` is a new limit for the whole crawl, not counting the seeds.
    """
    request = load_topic_request(store, run)
    request = replace(request, max_pages=max_pages or request.max_pages)
    watch = watch or Watch()
    with claim_to_resume(store, run, watch.listen):
        store.runs.end(run, RunState.RUNNING)
        return await carry_out_topic(run, request, fetcher=fetcher, store=store, settings=settings, watch=watch)


async def carry_out_topic(
    run: int, request: TopicRequest, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch
) -> TopicHarvest:
    """Follow the plan to its end or until stopped, then merge the articles among the relevant pages."""
    folder = RunFolder(store, run)
    request = replace(request, workers=request.workers or settings.crawl.workers)
    log = ReadingLog(folder.path)
    reader = RunPageReader(store, settings.read, log=log)
    errand = TopicErrand(run, request, RevalidatingFetcher(fetcher), reader, store, reads=settings.crawl.read)
    with mark_run_end(store, run, watch):
        await follow_plan(errand, run=run, store=store, folder=folder, watch=watch)
        rows = tuple(_make_topic_rows(errand.plan, store, run))
        readings = RunReadings((), ())
        if settings.crawl.read:
            relevant = {row.url for row in rows if row.relevant}
            pages = [page for page in store.runs.pages(run) if page.url in relevant]
            archive = ArchiveFetcher(folder.archive)
            readings = await reader.gather(pages, archive, errand.request_archived, issue=None, stop=watch.stop)
            store.save(run, readings.citations)
        log.compact()
    if not watch.stop.is_set():
        errand.memory.forget()
    return TopicHarvest(
        run=run,
        topic=request.concepts.topic,
        folder=str(folder.path),
        rows=rows,
        citations=readings.citations,
        stopped=watch.stop.is_set(),
        unread=_list_unread_pages(log, readings),
        waiting=errand.plan.waiting,
    )


def _list_unread_pages(log: ReadingLog, readings: RunReadings) -> tuple[tuple[str, str], ...]:
    """List the pages lost in reading; files that are no pages, such as images, do not count."""
    lost = {loss.url: "; ".join(filter(None, (loss.message, loss.hint))) for loss in log.losses}
    return tuple((lost | {page.url: why for page, why in readings.unread}).items())


def _make_topic_rows(plan: TopicPlan, store: Store, run: int) -> Iterator[TopicRow]:
    visited = {visit.url: visit for visit in plan.visited}
    failed = dict(plan.failed)
    for node in store.runs.nodes(run):
        url, visit = node.wish.url, visited.get(node.wish.url)
        yield TopicRow(
            n=node.n,
            url=url,
            value=visit.value if visit and visit.value < float("inf") else None,
            relevant=visit is not None and visit.own > 0,
            depth=node.wish.depth,
            reason=failed.get(url),
        )


def load_topic_request(store: Store, run: int) -> TopicRequest:
    """Load the request a run was started with."""
    known = store.runs.get(run)
    if not is_topic_run(known.options):
        hint = f"resume it with `medharvest runs {run} resume`"
        raise InputError(f"not a topical crawl: run {run}", name=str(run), hint=hint)
    options = json.loads(known.options)
    concepts = replace(_load_stored_concepts(Path(known.folder) / CONCEPTS_FILE), topic=options.pop("topic"))
    seeds, merge = tuple(options.pop("seeds")), ValueMerge(options.pop("merge"))
    return TopicRequest(concepts=concepts, seeds=seeds, merge=merge, **options)


def _load_stored_concepts(path: Path) -> ConceptSet:
    try:
        return read_concepts(path.read_text(encoding="utf-8"), name=str(path))
    except (OSError, UnicodeDecodeError) as error:
        hint = "put the run's folder back in its place, or start a new crawl"
        raise InputError(f"concept set cannot be read: {path}", name=str(path), hint=hint) from error


class TopicErrand:
    """The errand of a topical crawl: fetches pages, those the run already has from its archive, and values them."""

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
        self._done = {node.n: node for node in store.runs.nodes(run)}
        folder = Path(store.runs.get(run).folder)
        self._archived = ArchiveFetcher(folder / RUN_ARCHIVE) if self._done else None
        self.memory = PlanMemory(folder)
        self.plan = self._restored()
        self._counter = itertools.count(self.plan.settled + 1)
        self._numbers: dict[str, int] = {}  # numbers of the pages in flight, in the order they were handed out
        self._unsettled: dict[str, tuple[TopicPage, str]] = {}  # pages that arrived, with the time
        self._settled = len(self.plan.visited)
        self._named = make_concept_counter(request.concepts)

    def _restored(self) -> TopicPlan:
        """Restore the last saved plan; without one, make a new plan that takes in all archived pages again."""
        request = self.request
        known = next(n for n in itertools.count() if n + 1 not in self._done)
        memory = self.memory.read(known=known) if known else None
        if memory is None:
            seeds, estimator = request.seeds, request.make_estimator()
            return TopicPlan(seeds, estimator, limits=request.limits(), concurrency=request.workers)
        return TopicPlan.restore(memory, request.make_estimator(), limits=request.limits(), concurrency=request.workers)

    @property
    def max_seconds(self) -> float:
        """Return no limit: a topical crawl is limited by its pages."""
        return inf

    @property
    def waiting(self) -> int:
        """How many addresses are waiting or in flight."""
        return self.plan.waiting

    def begin(self) -> tuple[Wish, ...]:
        """Return the first wishes."""
        return self._numbered(self.plan.begin())

    async def bring(self, wish: Wish) -> Arrival:
        """Fetch a page, from the archive if the run already has it, and analyse it."""
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
        """Make the request for a page; it is the same for every page."""
        return AnalysisRequest(media_type=answer.media_type, topic=True, read=self.reads)

    def is_new(self, arrival: Arrival) -> bool:
        """Whether a page did not come from the archive."""
        return self._numbers[arrival.outcome.wish.url] not in self._done

    def feed(self, arrival: Arrival) -> Step:
        """Feed an arrival to the plan; relevant pages that the plan has settled go to the collection."""
        wish, analysis = arrival.outcome.wish, arrival.analysis
        page = None
        if analysis is not None and analysis.flow is not None:
            page = topic_page_of_flow(analysis.flow, arrival.outcome.final_url, analysis.body)
            self._reader.keep(wish.url, analysis)
            self._unsettled[wish.url] = (page, arrival.outcome.arrived_at)
        wishes = self.plan.feed(Visit(wish, page, arrival.outcome.reason))
        node = node_of_outcome(self._numbers.pop(wish.url), arrival.outcome)
        return Step(self._numbered(wishes), (node,), tuple(self._relevant()))

    def note_recorded(self) -> None:
        """Save the plan when it is due; the saved plan never knows more than the store."""
        self.memory.keep(self.plan)

    def _numbered(self, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
        self._numbers.update((wish.url, next(self._counter)) for wish in wishes)
        return wishes

    def _relevant(self) -> Iterator[RelevantPage]:
        """Yield the relevant pages among those the plan has settled since the last call."""
        fresh = self.plan.visited[self._settled :]
        self._settled += len(fresh)
        for visit in fresh:
            page, seen_at = self._unsettled.pop(visit.url)
            if visit.own > 0:
                topic, named = self.request.concepts.topic, self._named(page)
                yield make_relevant_page(page, named, url=visit.url, topic=topic, value=visit.own, seen_at=seen_at)
            else:
                self._reader.forget(visit.url)


def arrival_of_answer(wish: Wish, answer: Response, analysis: PageAnalysis | MedharvestError | None) -> Arrival:
    """Turn an answer into an arrival."""
    if not isinstance(analysis, PageAnalysis):
        detail = describe_reading_error(analysis) if analysis else "not analysed"
        return Arrival(outcome=Outcome(wish=wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status))
    outcome = replace(outcome_of_answer(wish, answer), kind=analysis.kind)
    return Arrival(outcome=outcome, answer=answer, analysis=analysis)


def node_of_outcome(number: int, outcome: Outcome) -> Node:
    """Make the store's node of a requested page."""
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
    """Saves a plan whenever the work done since the last save equals the size of the plan.

    So all saves together take a fixed share of the crawl, however large it grows.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / PLAN_FILE
        self._due = _MIN_WORK_BETWEEN_SAVES

    def read(self, *, known: int) -> dict[str, Any] | None:
        """Load the last saved plan; None if it is damaged or knows more than the first `known` pages of the store.

        The latter can happen after a power failure.
        """
        try:
            memory: dict[str, Any] = json.loads(self.path.read_bytes())
            settled, self._due = memory["spent"] - len(memory["flight"]), memory["work"] + _MIN_WORK_BETWEEN_SAVES
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return memory if settled <= known else None

    def keep(self, plan: TopicPlan) -> bool:
        """Save a plan if it is due; return whether it was."""
        if plan.work < self._due:
            return False
        write_text_file(self.path, [json.dumps(plan.memory(), separators=(",", ":"))])
        self._due = plan.work + max(_MIN_WORK_BETWEEN_SAVES, plan.waiting + _LINKS_PER_PAGE * len(plan.visited))
        return True

    def forget(self) -> None:
        """Delete the saved plan; a finished crawl no longer needs it."""
        self.path.unlink(missing_ok=True)

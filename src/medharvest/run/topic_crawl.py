"""A topical crawl under way: archive first, then the plan, then the store; what broke off is gone on with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from medharvest.crawl.topic import TopicPlan, Visit
from medharvest.errors import MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.records import Miss, Node, Outcome, Place, Reason, Response, Wish
from medharvest.run.analysis import Analysis, Request
from medharvest.run.asking import Asking
from medharvest.run.files import ARCHIVE
from medharvest.run.follow import Arrival, RunFolder, Step, Watch, arrived_outcome, ending, fetch_page, follow
from medharvest.run.reading import PageReader, Readings
from medharvest.run.relevant import concept_namer, relevant_page
from medharvest.run.topic_memory import PlanMemory
from medharvest.run.topic_pages import flow_page
from medharvest.run.topic_request import TopicHarvest, TopicRequest, TopicRow
from medharvest.settings import Settings
from medharvest.store import PageRow, RelevantPage, Store
from medharvest.topics.estimates import TopicPage


class TopicErrand:
    """The errand of a topic: brings pages, those that the run has already from its archive, and values them."""

    def __init__(
        self, run: int, request: TopicRequest, asking: Asking, reader: PageReader, store: Store, *, reads: bool
    ) -> None:
        self.request = request
        self.reads = reads  # whether articles are read into citations
        self._asking = asking
        self._reader = reader
        self._done = {node.n: node for node in store.nodes(run)}
        folder = Path(store.run(run).folder)
        self._archived = ArchiveFetcher(folder / ARCHIVE) if self._done else None
        self.memory = PlanMemory(folder)
        self.plan = self._restored()
        self._counter = itertools.count(self.plan.settled + 1)
        self._numbers: dict[str, int] = {}  # of pages in flight, in the order they were handed out
        self._unsettled: dict[str, tuple[TopicPage, str]] = {}  # pages that came, with their time
        self._settled = len(self.plan.visited)
        self._named = concept_namer(request.concepts)

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
        answer, analysis = await fetch_page(wish.url, lambda url: self._ask(wish, url), self._analyse)
        if isinstance(answer, Miss):
            return Arrival(outcome=Outcome(wish=wish, reason=answer.reason, detail=answer.detail))
        return understand(wish, answer, analysis)

    async def _ask(self, wish: Wish, url: str) -> Response | Miss:
        known = self._done.get(self._numbers[wish.url])
        if known is None or self._archived is None:
            return await self._asking.ask(url)
        if known.reason is not None:
            return Miss(url, known.reason, known.detail)
        return await self._archived(url)

    async def _analyse(self, answer: Response) -> Analysis | MedharvestError:
        return await self._reader.analyse(answer, self.request_archived(None, answer))

    def request_archived(self, _page: PageRow | None, answer: Response) -> Request:
        """What is asked of every page."""
        return Request(media_type=answer.media_type, topic=True, read=self.reads)

    def is_new(self, arrival: Arrival) -> bool:
        """Whether a page was not taken from the archive."""
        return self._numbers[arrival.outcome.wish.url] not in self._done

    def feed(self, arrival: Arrival) -> Step:
        """Tell the plan; what has taken effect by then and is relevant goes to the collection."""
        wish, analysis = arrival.outcome.wish, arrival.analysis
        page = None
        if analysis is not None and analysis.flow is not None:
            page = flow_page(analysis.flow, arrival.outcome.final_url)
            self._reader.keep(wish.url, analysis)
            self._unsettled[wish.url] = (page, arrival.outcome.arrived_at)
        wishes = self.plan.feed(Visit(wish, page, arrival.outcome.reason))
        node = as_node(self._numbers.pop(wish.url), arrival.outcome)
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
                yield relevant_page(page, named, url=visit.url, topic=topic, value=visit.own, seen_at=seen_at)
            else:
                self._reader.forget(visit.url)


async def carry_out_topic(
    run: int, request: TopicRequest, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch
) -> TopicHarvest:
    """Follow the plan to its end or until stopped, then put the articles among the relevant pages together."""
    folder = RunFolder(store, run)
    request = replace(request, workers=request.workers or settings.crawl.workers)
    reader = PageReader(store, settings.read)
    errand = TopicErrand(run, request, Asking(fetcher), reader, store, reads=settings.crawl.read)
    with ending(store, run, watch):
        await follow(errand, run=run, store=store, folder=folder, watch=watch)
        rows = tuple(_rows(errand.plan, store, run))
        readings = Readings((), ())
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


def _rows(plan: TopicPlan, store: Store, run: int) -> Iterator[TopicRow]:
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


def understand(wish: Wish, answer: Response, analysis: Analysis | MedharvestError | None) -> Arrival:
    """What an answer is to a crawl."""
    if not isinstance(analysis, Analysis):
        detail = analysis.message if analysis else "not analysed"
        return Arrival(outcome=Outcome(wish=wish, reason=Reason.UNREADABLE, detail=detail, status=answer.status))
    outcome = replace(arrived_outcome(wish, answer), kind=analysis.kind)
    return Arrival(outcome=outcome, answer=answer, analysis=analysis)


def as_node(number: int, outcome: Outcome) -> Node:
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

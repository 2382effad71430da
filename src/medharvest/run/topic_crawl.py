"""A topical crawl under way: archive first, then the plan, then the store; what broke off is gone on with."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from medharvest.crawl.topic import TopicPlan, Visit
from medharvest.errors import InputError
from medharvest.fetch import ArchiveFetcher, Fetcher, WarcWriter
from medharvest.pages import classify, parse_page
from medharvest.records import (
    Arrived,
    Asked,
    Citation,
    Failed,
    Kind,
    Miss,
    Node,
    Outcome,
    Place,
    Reason,
    Response,
    Wish,
)
from medharvest.run.arrivals import arrived_outcome
from medharvest.run.asking import Asking
from medharvest.run.files import ARCHIVE, page_file, write_manifest
from medharvest.run.follow import Watch
from medharvest.run.output import write_bytes
from medharvest.run.reading import read_archive
from medharvest.run.relevant import concept_namer, relevant_page
from medharvest.run.topic_memory import PlanMemory
from medharvest.run.topic_pages import topic_page
from medharvest.run.topic_request import TopicHarvest, TopicRequest, TopicRow
from medharvest.settings import Settings
from medharvest.store import RelevantPage, RunState, Store
from medharvest.topics.estimates import TopicPage


class TopicCrawl:
    """A crawl of one run, from its beginning or from where it broke off."""

    def __init__(self, run: int, request: TopicRequest, fetcher: Fetcher, store: Store, settings: Settings) -> None:
        self.run = run
        self.request = request
        self.store = store
        self.settings = settings
        self.folder = Path(store.run(run).folder)
        self._asking = Asking(fetcher)
        self._done = {node.n: node for node in store.nodes(run)}
        self._archived = ArchiveFetcher(self.folder / ARCHIVE) if self._done else None
        self._memory = PlanMemory(self.folder)
        self.plan = self._restored()
        self._numbers = itertools.count(self.plan.settled + 1)
        self._unsettled: dict[str, tuple[TopicPage, str]] = {}  # pages that came, with their time
        self._settled = len(self.plan.visited)
        self._named = concept_namer(request.concepts)

    def _restored(self) -> TopicPlan:
        """The plan as it was written down last; without that a new one, which takes in again all that came."""
        request, workers = self.request, self.request.workers or self.settings.crawl.workers
        known = next(n for n in itertools.count() if n + 1 not in self._done)
        memory = self._memory.read(known=known) if known else None
        if memory is None:
            seeds, estimator = request.seeds, request.make_estimator()
            return TopicPlan(seeds, estimator, limits=request.limits(), concurrency=workers)
        return TopicPlan.restore(memory, request.make_estimator(), limits=request.limits(), concurrency=workers)

    async def carry_out(self, watch: Watch) -> TopicHarvest:
        """Follow the plan to its end or until stopped, then read the articles among the relevant pages."""
        state = RunState.STOPPED
        try:
            with WarcWriter(self.folder / ARCHIVE, length=self.store.run(self.run).archive_length) as archive:
                await self._follow(archive, watch)
            rows = tuple(self._rows())
            citations = await self._read(rows)
            state = RunState.STOPPED if watch.stop.is_set() else RunState.FINISHED
        finally:
            self.store.end_run(self.run, state)
        write_manifest(self.store, self.run, self.folder)
        if state is RunState.FINISHED:
            self._memory.forget()
        return TopicHarvest(
            run=self.run,
            topic=self.request.concepts.topic,
            folder=str(self.folder),
            rows=rows,
            citations=citations,
            stopped=watch.stop.is_set(),
        )

    async def _follow(self, archive: WarcWriter, watch: Watch) -> None:
        wishes = self.plan.begin()
        asked: dict[asyncio.Task[Response | Miss], tuple[int, Wish]] = {}
        try:
            while True:
                for wish in () if watch.stop.is_set() else wishes:
                    watch.listen(Asked(wish))
                    number = next(self._numbers)
                    asked[asyncio.create_task(self._ask(number, wish))] = (number, wish)
                if not asked:
                    return
                done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                wishes = ()
                for task in done:
                    number, wish = asked.pop(task)
                    wishes += self._take(number, wish, task.result(), archive, watch)
        finally:
            for task in asked:
                task.cancel()

    async def _ask(self, number: int, wish: Wish) -> Response | Miss:
        """The page, from the archive where the run has it already."""
        known = self._done.get(number)
        if known is None or self._archived is None:
            return await self._asking.ask(wish.url)
        if known.reason is not None:
            return Miss(wish.url, known.reason, known.detail)
        return await self._archived(wish.url)

    def _take(
        self, number: int, wish: Wish, answer: Response | Miss, archive: WarcWriter, watch: Watch
    ) -> tuple[Wish, ...]:
        outcome, page = understand(wish, answer)
        if number not in self._done and isinstance(answer, Response) and outcome.reason is None:
            archive.append(answer)
            write_bytes(self.folder / page_file(wish.url, outcome.kind), answer.body)
        if page is not None:
            self._unsettled[wish.url] = (page, outcome.arrived_at)
        wishes = self.plan.feed(Visit(wish, page, outcome.reason))
        self.store.record(
            self.run,
            outcome,
            (as_node(number, outcome),),
            archive_length=archive.length,
            relevant=tuple(self._relevant()),
        )
        self._memory.keep(self.plan)
        watch.listen(Failed(outcome, self.plan.waiting) if outcome.reason else Arrived(outcome, self.plan.waiting))
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

    def _rows(self) -> Iterator[TopicRow]:
        visited = {visit.url: visit for visit in self.plan.visited}
        failed = dict(self.plan.failed)
        for node in self.store.nodes(self.run):
            url, visit = node.wish.url, visited.get(node.wish.url)
            yield TopicRow(
                n=node.n,
                url=url,
                value=visit.value if visit and visit.value < float("inf") else None,
                relevant=visit is not None and visit.own > 0,
                depth=node.wish.depth,
                reason=failed.get(url),
            )

    async def _read(self, rows: tuple[TopicRow, ...]) -> tuple[Citation, ...]:
        """The citations of the articles among the relevant pages."""
        if not self.settings.crawl.read:
            return ()
        relevant = {row.url for row in rows if row.relevant}
        pages = [page for page in self.store.pages(self.run) if page.url in relevant]
        archive = ArchiveFetcher(self.folder / ARCHIVE)
        citations = (await read_archive(pages, archive, issue=None, limits=self.settings.read)).citations
        self.store.save(self.run, citations)
        return citations


def understand(wish: Wish, answer: Response | Miss) -> tuple[Outcome, TopicPage | None]:
    """What an answer is to a crawl: the outcome, and the page where it can be read."""
    if isinstance(answer, Miss):
        return Outcome(wish=wish, reason=answer.reason, detail=answer.detail), None
    try:
        page = parse_page(answer.body, url=answer.final_url, charset=answer.charset)
    except InputError as error:
        return Outcome(wish=wish, reason=Reason.UNREADABLE, detail=error.message, status=answer.status), None
    outcome = replace(arrived_outcome(wish, answer), kind=Kind(classify(page).label))
    return outcome, topic_page(page)


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

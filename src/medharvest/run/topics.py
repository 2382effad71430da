"""A topical crawl over many sites: archive first, then the plan, then the store; what broke off is gone on with."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from medharvest.crawl.frontier import Merge
from medharvest.crawl.topic import TopicLimits, TopicPlan, Visit
from medharvest.crawl.ways import most_waiting, way
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
from medharvest.run.output import make_folder, write_bytes
from medharvest.run.reading import read_archive
from medharvest.run.topic_pages import topic_page
from medharvest.settings import Settings
from medharvest.store import RunState, Store
from medharvest.topics import ConceptSet, concept_lines, read_concepts
from medharvest.topics.estimates import TopicPage

CONCEPTS = "concepts.tsv"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRequest:
    """What to crawl for and how."""

    concepts: ConceptSet
    seeds: tuple[str, ...]
    strategy: str = "best-first"
    estimator: str = "adaptive"
    merge: Merge = Merge.GREATER
    max_pages: int = 1000

    def plan(self, concurrency: int) -> TopicPlan:
        """A plan that has not begun."""
        limits = TopicLimits(
            max_pages=self.max_pages, max_waiting=most_waiting(self.strategy, self.estimator), merge=self.merge
        )
        estimator = way(self.strategy, self.estimator)(self.concepts)
        return TopicPlan(self.seeds, estimator, limits=limits, concurrency=concurrency)

    def options(self) -> str:
        """All but the concepts, as a run keeps it."""
        kept = {"topic": self.concepts.topic, "seeds": self.seeds, "strategy": self.strategy}
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
    below = (folder / f"run-{number}" for number in itertools.count(2))
    free = next(path for path in itertools.chain([folder], below) if not (path / ARCHIVE).exists())
    make_folder(free)
    write_bytes(free / CONCEPTS, "\n".join(concept_lines(request.concepts)).encode())
    run = store.begin_run(request.seeds[0], str(free), (), request.options())
    return await _Crawl(run, request, fetcher, store, settings).carry_out(watch or Watch())


async def resume_topic(
    run: int, *, fetcher: Fetcher, store: Store, settings: Settings, watch: Watch | None = None
) -> TopicHarvest:
    """Go on with a crawl: what arrived comes from its archive, in the same order, and is not asked for again."""
    request = stored_request(store, run)
    store.end_run(run, RunState.RUNNING)
    return await _Crawl(run, request, fetcher, store, settings).carry_out(watch or Watch())


def stored_request(store: Store, run: int) -> TopicRequest:
    """What a run was asked for."""
    known = store.run(run)
    options = json.loads(known.options or "{}")
    if "topic" not in options:
        hint = f"`medharvest runs {run} resume` goes on with it"
        raise InputError(f"run {run} is not of a topic", name=str(run), hint=hint)
    text = (Path(known.folder) / CONCEPTS).read_text(encoding="utf-8")
    concepts = replace(read_concepts(text, name=CONCEPTS), topic=options.pop("topic"))
    seeds, merge = tuple(options.pop("seeds")), Merge(options.pop("merge"))
    return TopicRequest(concepts=concepts, seeds=seeds, merge=merge, **options)


class _Crawl:
    """A crawl under way."""

    def __init__(self, run: int, request: TopicRequest, fetcher: Fetcher, store: Store, settings: Settings) -> None:
        self.run = run
        self.request = request
        self.store = store
        self.settings = settings
        self.folder = Path(store.run(run).folder)
        self.plan = request.plan(settings.crawl.workers)
        self._asking = Asking(fetcher)
        self._numbers = itertools.count(1)
        self._done = {node.n: node for node in store.nodes(run)}
        self._archived = ArchiveFetcher(self.folder / ARCHIVE) if self._done else None

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
        wishes = self.plan.feed(Visit(wish, page, outcome.reason))
        place = Place.CLOSED if outcome.reason is None else Place.REVISITED
        node = Node(
            n=number,
            wish=wish,
            place=place,
            position=number,
            flag=0,
            tries=1,
            reason=outcome.reason,
            detail=outcome.detail,
        )
        self.store.record(self.run, outcome, (node,), archive_length=archive.length)
        watch.listen(Failed(outcome, self.plan.waiting) if outcome.reason else Arrived(outcome, self.plan.waiting))
        return wishes

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

"""An issue URL to citations: carry out the plan page by page, record each step, put the articles together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from medharvest.crawl import IssuePlan
from medharvest.fetch import Fetcher
from medharvest.records import Arrived, Asked, Citation, Cited, Event, Failed, Outcome
from medharvest.run.arrivals import Arrivals
from medharvest.run.output import make_folder
from medharvest.settings import Settings
from medharvest.store import RunState, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """What a harvest gave; the outcomes are without their links, which the store's steps hold."""

    run: int
    folder: str
    citations: tuple[Citation, ...]
    pages: tuple[Outcome, ...]
    failures: tuple[Outcome, ...]


async def harvest_issue(
    url: str,
    *,
    fetcher: Fetcher,
    store: Store,
    folder: Path,
    settings: Settings,
    listen: Callable[[Event], None] = lambda _: None,
) -> Harvest:
    """Harvest the issue at a URL into the store; files land in `folder`, events go to `listen`."""
    plan = IssuePlan(url, limits=settings.crawl)
    arrivals = Arrivals(make_folder(folder), settings.read)
    wishes = plan.begin()
    run = store.begin_run(url, str(folder), wishes)
    with _ending(store, run):
        while wishes:
            (wish,) = wishes
            listen(Asked(wish))
            # The file is written before its step is recorded: what the store knows of is on disk.
            outcome = arrivals.take(wish, await fetcher(wish.url))
            wishes = plan.feed(outcome)
            store.record(run, outcome, wishes)
            listen(Failed(outcome, plan.waiting) if outcome.reason else Arrived(outcome, plan.waiting))
        citations = arrivals.citations()
        store.save(run, citations)
    for citation in citations:
        listen(Cited(citation))
    failures = _failures(plan, arrivals)
    return Harvest(run=run, folder=str(folder), citations=citations, pages=tuple(arrivals.pages), failures=failures)


@contextmanager
def _ending(store: Store, run: int) -> Iterator[None]:
    """Say in the store how a run ended: stopped, whatever stopped it, unless it came to its end."""
    state = RunState.STOPPED
    try:
        yield
        state = RunState.FINISHED
    finally:
        store.end_run(run, state)


def _failures(plan: IssuePlan, arrivals: Arrivals) -> tuple[Outcome, ...]:
    """What is on Revisited in the end; what was never asked for has the reason the plan gives."""
    return tuple(
        arrivals.failed.get(item.wish.url)
        or Outcome(wish=item.wish, reason=item.reason, detail="beyond the limits of the crawl")
        for item in plan.revisited
    )

"""Carry out a plan, N pages at a time: archive first, then the plan, then the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from medharvest.crawl import IssuePlan
from medharvest.records import Arrived, Asked, Event, Failed, Miss, Response, Wish
from medharvest.run.arrivals import Arrivals
from medharvest.run.asking import Asking
from medharvest.store import Store

Listen = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who follows a run: `listen` hears its events; once `stop` is set no further page is asked for."""

    listen: Listen = ignore
    stop: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Errand:
    """A run to be carried out: its plan, and what the plan wishes first."""

    run: int
    plan: IssuePlan
    wishes: tuple[Wish, ...]


async def follow(errand: Errand, *, store: Store, asking: Asking, arrivals: Arrivals, watch: Watch) -> None:
    """Fetch what the plan wishes until nothing is left, or until it is stopped and what was asked has come."""
    plan, wishes = errand.plan, errand.wishes
    asked: dict[asyncio.Task[Response | Miss], Wish] = {}
    try:
        while True:
            for wish in () if watch.stop.is_set() else wishes:
                watch.listen(Asked(wish))
                asked[asyncio.create_task(asking.ask(wish.url))] = wish
            if not asked:
                return
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            wishes = ()
            for task in done:
                outcome = arrivals.take(asked.pop(task), task.result(), plan)
                wishes += plan.feed(outcome)
                store.record(errand.run, outcome, plan.changes(), archive_length=arrivals.archive_length)
                watch.listen(Failed(outcome, plan.waiting) if outcome.reason else Arrived(outcome, plan.waiting))
    finally:
        for task in asked:
            task.cancel()

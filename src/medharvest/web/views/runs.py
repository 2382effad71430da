"""Harvests: start one, watch it, go on with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.fetch import Fetcher, make_fetcher
from medharvest.records import Arrived, Asked, Cited, Event, Failed
from medharvest.run.follow import Watch
from medharvest.run.harvest import Harvest, harvest_issue, resume_run
from medharvest.run.policy import check_download
from medharvest.run.summary import summary
from medharvest.settings import Settings
from medharvest.web.asking import Ask, Page, act
from medharvest.web.doing import Work
from medharvest.web.rendering import go

_LONGEST = 2000
_POINTS = 400  # of a curve


def list_runs(ask: Ask) -> Response:
    """Every run, the newest first, and those that are at work."""
    return ask.render("runs.html", runs=tuple(reversed(ask.desk.store.runs())), works=ask.desk.doing.all())


def show_run(ask: Ask) -> Response:
    """One run: its pages, what did not arrive, its records."""
    run = ask.desk.store.run(ask.number())
    nodes = [node for node in ask.desk.store.nodes(run.id) if node.reason is not None]
    pages = list(ask.desk.store.pages(run.id))
    return ask.render("run.html", run=run, missing=nodes, pages=pages)


def start(ask: Ask) -> Response:
    """Harvest an issue; its address is checked as any other is, and private ones are refused by the fetcher."""
    url = ask.text("url").strip()
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > _LONGEST:
        raise InputError("not the address of an issue", name=url[:200], hint="it begins with https:// and names a host")
    check_download(ask.desk.store, url, "")
    folder = ask.desk.folder / f"{parts.hostname}"

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return harvest_issue(url, fetcher=fetcher, store=desk.store, folder=folder, settings=desk.settings, watch=watch)

    work = ask.desk.doing.start(f"harvest of {url}", ask.person.name, carried_out(harvest, ask.desk.settings))
    return go(ask.request, f"/runs#work-{work.number}", say="Begun.")


def resume(ask: Ask) -> Response:
    """Go on with a run; what did not arrive is asked for again."""
    run = ask.desk.store.run(ask.number())

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return resume_run(run.id, fetcher=fetcher, store=desk.store, settings=desk.settings, retry=True, watch=watch)

    work = ask.desk.doing.start(f"rest of run {run.id}", ask.person.name, carried_out(harvest, ask.desk.settings))
    return go(ask.request, f"/runs#work-{work.number}", say="Going on.")


def stop(ask: Ask) -> Response:
    """Let the pages in flight arrive, then stop; the run can be gone on with."""
    work = ask.desk.doing.get(ask.number())
    if work is None:
        raise InputError("no such work", name=str(ask.number()), hint="it ended long ago")
    work.stop.set()
    return go(ask.request, "/runs", say="Stopping when the pages in flight have come.")


def carried_out(harvest: Callable[[Fetcher, Watch], Awaitable[Harvest]], settings: Settings) -> Callable[[Work], str]:
    """A harvest as a work: it tells how far it is, and its summary at the end."""

    async def run(work: Work) -> Harvest:
        stopping = asyncio.Event()
        watcher = asyncio.create_task(_heed(work.stop, stopping))
        async with make_fetcher(settings.fetch) as fetcher:
            try:
                return await harvest(fetcher, Watch(listen=_listener(work), stop=stopping))
            finally:
                watcher.cancel()

    def do(work: Work) -> str:
        return summary(asyncio.run(run(work)))

    return do


async def _heed(wanted: threading.Event, stop: asyncio.Event) -> None:
    while not wanted.is_set():  # noqa: ASYNC110  (it is set from another thread)
        await asyncio.sleep(0.2)
    stop.set()


def _listener(work: Work) -> Callable[[Event], None]:
    pages = records = 0

    def hear(event: Event) -> None:
        nonlocal pages, records
        match event:
            case Asked(wish):
                work.latest = wish.url
            case Arrived(_, waiting) | Failed(_, waiting):
                pages += 1
                work.tell(work.latest, done=pages, waiting=waiting)
            case Cited():
                records += 1
        if len(work.points) < _POINTS:
            work.points.append((float(pages), float(records)))

    return hear


ROUTES = (
    Page("/runs", list_runs),
    Page("/runs/{number:int}", show_run),
    act("/runs", start),
    act("/runs/{number:int}/resume", resume),
    act("/works/{number:int}/stop", stop),
)

"""Harvests: start one, watch it, go on with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.fetch import Fetcher, make_fetcher
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.run_results import Harvest, summarise_harvest
from medharvest.journals.policy import check_download
from medharvest.records import Arrived, Asked, Cited, Event, Failed
from medharvest.settings import Settings
from medharvest.web.context import BackgroundJob, ViewRequest, ViewRoute, post_route
from medharvest.web.responses import redirect_browser

_MAX_ISSUE_URL = 2000
_MAX_CURVE_POINTS = 400  # of a curve


def list_runs(ask: ViewRequest) -> Response:
    """Every run, the newest first, and those that are at work."""
    return ask.render("runs.html", runs=tuple(reversed(ask.desk.store.runs())), works=ask.desk.doing.all())


def show_run(ask: ViewRequest) -> Response:
    """One run: its pages, what did not arrive, its records."""
    run = ask.desk.store.run(ask.number())
    nodes = [node for node in ask.desk.store.nodes(run.id) if node.reason is not None]
    pages = list(ask.desk.store.pages(run.id))
    return ask.render("run.html", run=run, missing=nodes, pages=pages)


def start_issue_harvest(ask: ViewRequest) -> Response:
    """Harvest an issue; its address is checked as any other is, and private ones are refused by the fetcher."""
    url = ask.text("url").strip()
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or len(url) > _MAX_ISSUE_URL:
        raise InputError("not the address of an issue", name=url[:200], hint="it begins with https:// and names a host")
    check_download(ask.desk.store, url, "")
    folder = ask.desk.folder / f"{parts.hostname}"

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return harvest_issue(url, fetcher=fetcher, store=desk.store, folder=folder, settings=desk.settings, watch=watch)

    work = ask.desk.doing.start(f"harvest of {url}", ask.person.name, make_harvest_job(harvest, ask.desk.settings))
    return redirect_browser(ask.request, f"/runs#work-{work.number}", say="Begun.")


def resume_harvest(ask: ViewRequest) -> Response:
    """Go on with a run; what did not arrive is asked for again."""
    run = ask.desk.store.run(ask.number())

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return resume_run(run.id, fetcher=fetcher, store=desk.store, settings=desk.settings, retry=True, watch=watch)

    work = ask.desk.doing.start(f"rest of run {run.id}", ask.person.name, make_harvest_job(harvest, ask.desk.settings))
    return redirect_browser(ask.request, f"/runs#work-{work.number}", say="Going on.")


def stop_job(ask: ViewRequest) -> Response:
    """Let the pages in flight arrive, then stop; the run can be gone on with."""
    work = ask.desk.doing.get(ask.number())
    if work is None:
        raise InputError("no such work", name=str(ask.number()), hint="it ended long ago")
    work.stop.set()
    return redirect_browser(ask.request, "/runs", say="Stopping when the pages in flight have come.")


def make_harvest_job(
    harvest: Callable[[Fetcher, Watch], Awaitable[Harvest]], settings: Settings
) -> Callable[[BackgroundJob], str]:
    """A harvest as a work: it tells how far it is, and its summary at the end."""

    async def run(work: BackgroundJob) -> Harvest:
        stopping = asyncio.Event()
        watcher = asyncio.create_task(_forward_stop(work.stop, stopping))
        async with make_fetcher(settings.fetch) as fetcher:
            try:
                return await harvest(fetcher, Watch(listen=_make_job_listener(work), stop=stopping))
            finally:
                watcher.cancel()

    def do(work: BackgroundJob) -> str:
        return summarise_harvest(asyncio.run(run(work)))

    return do


async def _forward_stop(wanted: threading.Event, stop: asyncio.Event) -> None:
    while not wanted.is_set():  # noqa: ASYNC110  (it is set from another thread)
        await asyncio.sleep(0.2)
    stop.set()


def _make_job_listener(work: BackgroundJob) -> Callable[[Event], None]:
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
        if len(work.points) < _MAX_CURVE_POINTS:
            work.points.append((float(pages), float(records)))

    return hear


ROUTES = (
    ViewRoute("/runs", list_runs),
    ViewRoute("/runs/{number:int}", show_run),
    post_route("/runs", start_issue_harvest),
    post_route("/runs/{number:int}/resume", resume_harvest),
    post_route("/works/{number:int}/stop", stop_job),
)

"""The pages of journals, and of what runs in the background: harvests (watched, stopped, resumed) and deliveries."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from urllib.parse import quote, urlsplit

from starlette.responses import Response

from medharvest.deliver import (
    TARGET_KINDS,
    DeliveryState,
    RetryPolicy,
    TargetAddress,
    configured_targets,
    digest_target_address,
    open_target,
    parse_target,
)
from medharvest.deliver.target_kinds import OAI_KIND
from medharvest.errors import DeliveryError, InputError
from medharvest.fetch import Fetcher, make_fetcher
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.run_results import Harvest, describe_archive_cut, summarise_harvest
from medharvest.journals.article_reader import lessons_of
from medharvest.journals.catalogue import check_journal_name
from medharvest.journals.policy import check_download, set_policy
from medharvest.library.delivery import Delivery, DeliveryResult
from medharvest.library.export import RecordSelection, open_exporter, select_records
from medharvest.records import ArchiveCut, Arrived, Asked, Cited, Event, Failed
from medharvest.settings import Settings, move_logins
from medharvest.store import Journal, OutgoingArticle, Status
from medharvest.store.people import Role
from medharvest.web.context import BackgroundJob, ReviewDesk, ViewRequest, ViewRoute, post_route
from medharvest.web.responses import redirect_browser

_MAX_LISTED_RECORDS = 500  # records of a delivery that are listed one by one


def list_journals(ask: ViewRequest) -> Response:
    """Show every journal."""
    return ask.render("journals.html", journals=ask.desk.store.journals.all())


def show_journal(ask: ViewRequest) -> Response:
    """Show a journal: its names, its policy, and the pages that taught it."""
    store = ask.desk.store
    name = ask.request.path_params["name"]
    journal = store.journals.get(name)
    lessons = lessons_of(store, name)
    return ask.render("journal.html", journal=journal, lessons=lessons, links=store.journals.taught_pages(name))


def save_journal(ask: ViewRequest) -> Response:
    """Add a journal, or change one."""
    name = check_journal_name(ask.text("name").strip())
    known = next((one for one in ask.desk.store.journals.all() if one.name == name), Journal(name=name))
    issn, hosts = (tuple(ask.text(field).split()) for field in ("issn", "hosts"))
    ask.desk.store.journals.save(replace(known, title=ask.text("title").strip(), issn=issn, hosts=hosts))
    return redirect_browser(ask.request, f"/journals/{quote(name)}", say="Saved.")


def save_policy(ask: ViewRequest) -> Response:
    """Save the policy of a journal."""
    name = ask.request.path_params["name"]
    changes = {
        "permission": ask.text("permission").strip(),
        "embargo": ask.text("embargo").strip(),
        "abstracts": ask.text("abstracts") == "1",
        "download": ask.text("download") == "1",
    }
    ask.desk.store.journals.get(name)
    set_policy(ask.desk.store, name, changes)
    return redirect_browser(ask.request, f"/journals/{quote(name)}", say="Saved.")


_MAX_ISSUE_URL = 2000
_MAX_CURVE_POINTS = 400  # of the progress curve


def list_runs(ask: ViewRequest) -> Response:
    """Show all runs, the newest first, and the background jobs."""
    return ask.render("runs.html", runs=tuple(reversed(ask.desk.store.runs.all())), jobs=ask.desk.jobs.all())


def show_run(ask: ViewRequest) -> Response:
    """Show a run: its pages, and those that did not arrive."""
    run = ask.desk.store.runs.get(ask.number())
    nodes = [node for node in ask.desk.store.runs.nodes(run.id) if node.reason is not None]
    pages = list(ask.desk.store.runs.pages(run.id))
    return ask.render("run.html", run=run, missing=nodes, pages=pages)


def start_issue_harvest(ask: ViewRequest) -> Response:
    """Start the harvest of an issue in the background; the fetcher refuses private addresses."""
    url = ask.text("url").strip()
    host = _host_of_web_address(url) if len(url) <= _MAX_ISSUE_URL else ""
    if not host:
        raise InputError(
            "not a valid address", name=url[:200], hint="it must begin with http:// or https:// and name a host"
        )
    (url,), settings = move_logins([url], ask.desk.settings)
    check_download(ask.desk.store, url, "")
    folder = ask.desk.folder / host

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return harvest_issue(url, fetcher=fetcher, store=desk.store, folder=folder, settings=settings, watch=watch)

    job = ask.desk.jobs.start(f"harvest of {url}", ask.person.name, make_harvest_job(harvest, settings))
    return redirect_browser(ask.request, f"/runs#work-{job.number}", say="Started.")


def _host_of_web_address(url: str) -> str:
    """Return the host of a web address; empty if it is not one."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.hostname or ""
    return host if parts.scheme in {"http", "https"} and host.strip(".") else ""


def resume_harvest(ask: ViewRequest) -> Response:
    """Resume a run in the background; missing pages are fetched again."""
    run = ask.desk.store.runs.get(ask.number())

    def harvest(fetcher: Fetcher, watch: Watch) -> Awaitable[Harvest]:
        desk = ask.desk
        return resume_run(run.id, fetcher=fetcher, store=desk.store, settings=desk.settings, retry=True, watch=watch)

    job = ask.desk.jobs.start(f"rest of run {run.id}", ask.person.name, make_harvest_job(harvest, ask.desk.settings))
    return redirect_browser(ask.request, f"/runs#work-{job.number}", say="Resumed.")


def stop_job(ask: ViewRequest) -> Response:
    """Stop a job once the pages in flight have arrived; the run can be resumed."""
    job = ask.desk.jobs.get(ask.number())
    if job is None:
        raise InputError("no such job", name=str(ask.number()), hint="it ended long ago, or never existed")
    job.stop.set()
    return redirect_browser(ask.request, "/runs", say="Stopping when the pages in flight have arrived.")


def make_harvest_job(
    harvest: Callable[[Fetcher, Watch], Awaitable[Harvest]], settings: Settings
) -> Callable[[BackgroundJob], str]:
    """Make a background job of a harvest: it reports progress and returns the summary."""

    async def run(job: BackgroundJob, said: list[str]) -> Harvest:
        stopping = asyncio.Event()
        watcher = asyncio.create_task(_forward_stop(job.stop, stopping))
        async with make_fetcher(settings.fetch) as fetcher:
            try:
                return await harvest(fetcher, Watch(listen=_make_job_listener(job, said), stop=stopping))
            finally:
                watcher.cancel()

    def do(job: BackgroundJob) -> str:
        said: list[str] = []
        harvested = asyncio.run(run(job, said))
        return "\n".join([*said, summarise_harvest(harvested)])

    return do


async def _forward_stop(wanted: threading.Event, stop: asyncio.Event) -> None:
    while not wanted.is_set():  # noqa: ASYNC110  (it is set from another thread)
        await asyncio.sleep(0.2)
    stop.set()


def _make_job_listener(job: BackgroundJob, said: list[str]) -> Callable[[Event], None]:
    """Make a listener that shows the progress in a job, and adds what its result must say to `said`."""
    pages = records = 0

    def hear(event: Event) -> None:
        nonlocal pages, records
        match event:
            case Asked(wish):
                job.latest = wish.url
            case Arrived(_, waiting) | Failed(_, waiting):
                pages += 1
                job.tell(job.latest, done=pages, waiting=waiting)
            case Cited():
                records += 1
            case ArchiveCut():
                said.append(describe_archive_cut(event))
        if len(job.points) < _MAX_CURVE_POINTS:
            job.points.append((float(pages), float(records)))

    return hear


def show_targets(ask: ViewRequest) -> Response:
    """Show every target with the number of its records by state, and the deliveries in progress."""
    deliveries = ask.desk.store.deliveries
    rows = [
        (one.name, one.url, deliveries.states(one.name, address=digest_target_address(one)))
        for one in _known_targets(ask.desk).values()
    ]
    jobs = [one for one in ask.desk.jobs.all() if one.what.startswith("delivery")]
    return ask.render("deliver.html", rows=rows, jobs=jobs, form=TARGET_KINDS["folder"].form)


def show_dry_run(ask: ViewRequest) -> Response:
    """Show what would happen to each record at a target; nothing is sent."""
    address = _target_of_request(ask)
    with _open_delivery(ask.desk, address) as delivery:
        moved, shown = delivery.new_address, list(delivery.show(_select_deliverable(ask)))
    results = [one for one in shown if isinstance(one, DeliveryResult)]
    batches = [one for one in shown if not isinstance(one, DeliveryResult)]
    counts = Counter(_dry_run_state(one) for one in results)
    rows = [(one, _dry_run_state(one)) for one in results if one.receipt.state is not DeliveryState.UNCHANGED]
    listed = rows[:_MAX_LISTED_RECORDS]
    return ask.render("dry.html", name=address.name, moved=moved, rows=listed, counts=counts, batches=batches)


def _dry_run_state(result: DeliveryResult) -> str:
    return "would be sent" if result.receipt.state is DeliveryState.SENT else result.receipt.state.value


def start_delivery(ask: ViewRequest) -> Response:
    """Send new and changed records in a background job."""
    address, desk = _target_of_request(ask), ask.desk
    records = _select_deliverable(ask)

    def do(job: BackgroundJob) -> str:
        with _open_delivery(desk, address) as delivery:
            moved = delivery.new_address
            report = _report_delivery(delivery.send(records, patience=_review_retry_policy(desk)), job)
            return f"{moved}\n{report}" if moved else report

    job = desk.jobs.start(f"delivery to {address.name}", ask.person.name, do)
    return redirect_browser(ask.request, f"/deliver#work-{job.number}", say="Sending.")


def _report_delivery(results: Iterable[DeliveryResult], job: BackgroundJob) -> str:
    """Write the number of records by state, and one line per record that is not unchanged."""
    counts: Counter[str] = Counter()
    lines = []
    for result in results:
        one = result.receipt
        counts[one.state.value] += 1
        job.tell(result.citation.title, done=counts.total())
        more = "; ".join(part for part in (one.remote_id, one.detail, result.note) if part)
        if one.state is not DeliveryState.UNCHANGED:
            lines.append(f"{one.state.value}: {result.citation.title or one.article}" + (f" ({more})" if more else ""))
    total = ", ".join(f"{count} {state}" for state, count in counts.items()) or "no records"
    return "\n".join([total, *lines[:_MAX_LISTED_RECORDS]])


def _select_deliverable(ask: ViewRequest) -> Iterator[OutgoingArticle]:
    """Select the records to deliver: the accepted ones, or all if asked for; of one issue if it is named."""
    statuses = () if ask.text("all") == "1" else (Status.ACCEPTED,)
    return select_records(ask.desk.store, RecordSelection(issue=ask.text("issue").strip(), statuses=statuses))


@contextmanager
def _open_delivery(desk: ReviewDesk, address: TargetAddress) -> Iterator[Delivery]:
    with closing(open_target(address, desk.settings, os.environ)) as target:
        yield Delivery(open_exporter(desk.store), address.name, target, address=digest_target_address(address))


def _review_retry_policy(desk: ReviewDesk) -> RetryPolicy:
    own = desk.settings.deliver
    return RetryPolicy(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff)


def _known_targets(desk: ReviewDesk) -> dict[str, TargetAddress]:
    """Return the targets of the settings; the app accepts no others, so that no one can send records elsewhere."""
    known = configured_targets(desk.settings)
    known.setdefault(OAI_KIND, parse_target(f"{OAI_KIND}=oai:"))
    return known


def _target_of_request(ask: ViewRequest) -> TargetAddress:
    name = ask.request.path_params["name"]
    found = _known_targets(ask.desk).get(name)
    if found is None:
        raise DeliveryError(
            "no such target", target=name, hint="targets are defined in the settings file under [targets]"
        )
    return found


ROUTES = (
    ViewRoute("/journals", list_journals),
    ViewRoute("/journals/{name:path}", show_journal),
    post_route("/journals", save_journal, Role.REVIEWER),
    post_route("/policies/{name:path}", save_policy, Role.REVIEWER),
    ViewRoute("/runs", list_runs),
    ViewRoute("/runs/{number:row}", show_run),
    post_route("/runs", start_issue_harvest),
    post_route("/runs/{number:row}/resume", resume_harvest),
    post_route("/works/{number:row}/stop", stop_job),
    ViewRoute("/deliver", show_targets),
    post_route("/deliver/{name}/dry", show_dry_run, Role.REVIEWER),
    post_route("/deliver/{name}", start_delivery, Role.REVIEWER),
)

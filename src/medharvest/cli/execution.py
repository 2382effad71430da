"""Carry out runs with progress and Ctrl-C, and print and write their results.

Shared by `issue`, `topic`, `runs` and `demo`.
"""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import click

from medharvest.cli.display import print_citation_table, readiness_line
from medharvest.cli.files import select_run_records, select_waiting, write_run_files
from medharvest.cli.main import error_line
from medharvest.cli.output_gate import gate_streams
from medharvest.codec import format_json
from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.fetch import Fetcher, load_cookies, make_fetcher
from medharvest.formats import report
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.issue_search import ReadyFetcher, SavedContents, resolve_issue
from medharvest.harvest.run_results import Harvest, describe_archive_cut, list_harvest_failures, summarise_harvest
from medharvest.journals.inputs import fetch_error
from medharvest.journals.policy import check_download
from medharvest.library.export import RecordSelection, ReleasedRecords
from medharvest.records import ARTICLE_KINDS, ArchiveCut, Arrived, Event, Failed, Kind, Miss
from medharvest.settings import Settings
from medharvest.store import Store

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
HarvestJob = Callable[[Fetcher, Watch], Awaitable[Harvest | MedharvestError]]
NOTHING_EXIT = 1  # nothing came of it
PARTIAL_EXIT = 3  # some of it failed
STOPPED_EXIT = 130  # interrupted by Ctrl-C, as shells report it


class JobResults(NamedTuple, Generic[T]):
    """The results of the jobs that were carried out; `stopped` by Ctrl-C, some may be missing."""

    results: tuple[T, ...]
    stopped: bool


def carry_out_jobs(
    works: Sequence[Callable[[Fetcher, Watch], Awaitable[T]]],
    settings: Settings,
    *,
    quiet: bool,
    cookies: Path | None = None,
) -> JobResults[T]:
    """Carry out runs one after the other with one fetcher; after Ctrl-C the remaining ones are skipped."""
    known = load_cookies(cookies) if cookies else ()

    async def run() -> JobResults[T]:
        done: list[T] = []
        stop = asyncio.Event()
        async with make_fetcher(settings.fetch, cookies=known) as fetcher:
            with _stop_on_interrupt(stop):
                for work in works:
                    if not stop.is_set():
                        with show_progress(quiet=quiet) as listen:
                            done.append(await work(fetcher, Watch(listen=listen, stop=stop)))
        return JobResults(tuple(done), stop.is_set())

    try:
        return asyncio.run(run())
    except KeyboardInterrupt:
        click.echo("`medharvest runs` lists the run; resume it with: medharvest runs RUN resume", err=True)
        raise


@contextmanager
def _stop_on_interrupt(stop: asyncio.Event) -> Iterator[None]:
    """The first Ctrl-C gives the pages in flight a moment to arrive; the second stops at once."""
    loop = asyncio.get_running_loop()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.set)
        click.echo("stopping; pages in flight have a moment to arrive; Ctrl-C again stops at once", err=True)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def make_issue_jobs(
    contents: Sequence[SavedContents | MedharvestError],
    *,
    store: Store,
    folder: Path,
    settings: Settings,
    tell: Callable[[str], None],
) -> tuple[HarvestJob, ...]:
    """Make one job per contents page; several issues get a folder each. `tell` is told which issue a home page gave.

    The error of a page that could not be loaded is the result of its job.
    """

    def work(page: SavedContents | MedharvestError, into: Path) -> HarvestJob:
        async def job(fetcher: Fetcher, watch: Watch) -> Harvest | MedharvestError:
            if isinstance(page, MedharvestError):
                return page
            asking = page.wrap(fetcher)
            try:
                issue = await resolve_issue(page.url, fetcher=asking, store=store, settings=settings, watch=watch)
                check_download(store, issue.url, settings.crawl.journal)
            except (InputError, FetchError) as error:  # other issues may still succeed
                return error
            if issue.note:
                tell(issue.note)
            ready = ReadyFetcher(asking, issue.answers)
            harvest = await harvest_issue(
                issue.url, fetcher=ready, store=store, folder=into, settings=settings, watch=watch
            )
            if issue.is_article and len(harvest.citations) <= 1 and not harvest.stopped:
                tell(f"this looks like the page of an article; read it with: medharvest read {shlex.quote(issue.url)}")
            return harvest

        return job

    alone = len(contents) == 1
    folders = [folder] if alone else [folder / f"{number:02d}" for number in range(1, len(contents) + 1)]
    return tuple(work(page, into) for page, into in zip(contents, folders, strict=True))


def make_resumed_run(
    run: int, *, store: Store, settings: Settings, retry: bool = False, max_pages: int | None = None
) -> HarvestJob:
    """Make the job that resumes a run."""
    return lambda fetcher, watch: resume_run(
        run, fetcher=fetcher, store=store, settings=settings, retry=retry, max_pages=max_pages, watch=watch
    )


def report_harvests(
    done: JobResults[Harvest | MedharvestError],
    store: Store,
    *,
    formats: Sequence[str],
    folder: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Print the records of runs that may leave the store, the summaries of the runs, and the files written.

    Return the exit code. With `quiet`, failures are still printed.
    """
    harvests = [one for one in done.results if isinstance(one, Harvest)]
    errors = [one for one in done.results if isinstance(one, MedharvestError)]
    errors += [error for harvest in harvests if (error := harvest_error(harvest)) is not None]
    runs = tuple(harvest.run for harvest in harvests)
    if any(store.runs.get(run).citations for run in runs):
        records = select_run_records(store, runs, quiet=quiet)
        _print_run_records(store, records, harvests, as_json=as_json, quiet=quiet)
        # With JSON, stdout has nothing but the records.
        said = partial(click.echo, err=as_json)
        write_run_files(records, formats, folder or Path(harvests[0].folder), said=said)
    else:
        print_summaries((harvest for harvest in harvests if not unreached_harvest_error(harvest)), quiet=quiet)
        if not quiet and not errors:
            click.echo("no article was read, so no file was written", err=True)
    for error in errors:
        click.echo(error_line(error), err=True)
    if done.stopped:
        return STOPPED_EXIT
    if len(errors) == len(done.results):
        return NOTHING_EXIT
    return PARTIAL_EXIT if errors or any(harvest.lost for harvest in harvests) else 0


def harvest_error(harvest: Harvest) -> MedharvestError | None:
    """Return the error of a harvest of which nothing came; None also for one that was stopped."""
    if error := unreached_harvest_error(harvest):
        return error
    came = harvest.citations if harvest.read else [page for page in harvest.pages if page.kind in ARTICLE_KINDS]
    if harvest.stopped or came:
        return None
    done = "read" if harvest.read else "fetched"
    hint = (
        f"`medharvest runs {harvest.run}` shows what arrived and what is missing; is the address a contents page? "
        "With --archive it may be a list of issues"
    )
    return InputError(f"no article was {done}: run {harvest.run}", name=str(harvest.run), hint=hint)


def unreached_harvest_error(harvest: Harvest) -> FetchError | None:
    """Return the error of a harvest whose contents page did not arrive."""
    first = next((lost for lost in harvest.failures if lost.wish.kind is Kind.ISSUE and not lost.wish.parent), None)
    if first is None or first.reason is None:
        return None
    return fetch_error(Miss(first.wish.url, first.reason, first.detail))


def _print_run_records(
    store: Store, records: ReleasedRecords, harvests: Sequence[Harvest], *, as_json: bool, quiet: bool
) -> None:
    """Print the records of runs as a table or as JSON lines, the summaries, and how many records are ready."""
    citations = tuple(records)
    waiting = set(select_waiting(store, RecordSelection(runs=tuple(harvest.run for harvest in harvests))))
    if as_json:
        for citation in citations:
            click.echo(format_json(report(citation)))
    else:
        print_citation_table(citations, accepted=set(citations) - waiting)
    print_summaries(harvests, quiet=quiet)
    if citations and not quiet:
        click.echo(readiness_line(len(citations), len(waiting)), err=True)


def print_summaries(harvests: Iterable[Harvest], *, quiet: bool = False) -> None:
    """Print on stderr what each run gave, what did not arrive and what to do about it; if quiet, only failures."""
    for harvest in harvests:
        for line in list_harvest_failures(harvest) if quiet else [summarise_harvest(harvest)]:
            click.echo(line, err=True)


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Callable[[Event], None]]:
    """Yield a listener that shows the events of a run: a live display, or lines if stderr is not a terminal."""
    if quiet:
        yield _print_archive_cut
    elif sys.stderr.isatty():
        with _live_display() as listen:
            yield listen
    else:
        yield _print_event_line


def _print_archive_cut(event: Event) -> None:
    if isinstance(event, ArchiveCut):
        click.echo(describe_archive_cut(event), err=True)


def _print_event_line(event: Event) -> None:
    _print_archive_cut(event)
    if isinstance(event, Arrived):
        click.echo(f"{event.outcome.kind:9} {event.outcome.wish.url}", err=True)
    elif isinstance(event, Failed):
        click.echo(f"failed    {event.outcome.wish.url} ({event.outcome.reason}: {event.outcome.detail})", err=True)


class RunTally:
    """What the live display shows: counts by kind and by reason, the rate and the time left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.began = clock()
        self.kinds: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.waiting = 1

    def hear(self, event: Event) -> None:
        """Count one event."""
        if isinstance(event, Arrived):
            self.kinds[str(event.outcome.kind)] += 1
        elif isinstance(event, Failed):
            self.reasons[str(event.outcome.reason)] += 1
        if isinstance(event, Arrived | Failed):
            self.waiting = event.waiting

    @property
    def done(self) -> int:
        """Pages that arrived or failed."""
        return self.kinds.total() + self.reasons.total()

    def text(self) -> str:
        """Write one line: rate, queue, kinds, failures, time left."""
        seconds = max(self.clock() - self.began, 0.001)
        rate = self.done / seconds
        left = f"{self.waiting / rate:.0f} s left" if rate and self.waiting else ""
        kinds = " ".join(f"{name} {count}" for name, count in self.kinds.most_common())
        failed = " ".join(f"{name} {count}" for name, count in self.reasons.most_common())
        parts = (f"{rate:.1f}/s", f"{self.waiting} waiting", kinds, f"failed: {failed}" if failed else "", left)
        return " · ".join(part for part in parts if part)


@contextmanager
def _live_display(console: Console | None = None) -> Iterator[Callable[[Event], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    from medharvest.cli.display import open_console

    # Bar and count keep their width; on a narrow terminal the rest is cut off.
    rest = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    columns = (TextColumn("[bold]pages"), BarColumn(bar_width=16), MofNCompleteColumn(), rest)
    tally = RunTally()
    progress = Progress(*columns, console=console or open_console(err=True), transient=True, expand=True)
    with progress as bar, gate_streams():  # the display takes the place of both streams
        task = bar.add_task("", total=1)

        def listen(event: Event) -> None:
            tally.hear(event)
            _print_archive_cut(event)
            bar.update(task, completed=tally.done, total=tally.done + tally.waiting, description=tally.text())

        yield listen

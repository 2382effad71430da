"""What `issue`, `runs` and `demo` share: carry out runs, print the records, write the files."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TypeVar

import click

from medharvest.citations import report
from medharvest.cli.files import select_found, write_run
from medharvest.cli.main import error_line
from medharvest.cli.progress import progress
from medharvest.cli.table import print_table
from medharvest.errors import FetchError
from medharvest.fetch import Fetcher, load_cookies, make_fetcher
from medharvest.records import Citation, Kind, Miss
from medharvest.run.follow import Watch
from medharvest.run.harvest import Harvest, harvest_issue, resume_run
from medharvest.run.inputs import fetch_error
from medharvest.run.summary import summary
from medharvest.settings import Settings
from medharvest.store import Store

T = TypeVar("T")
Work = Callable[[Fetcher, Watch], Awaitable[Harvest]]


def carry_out(
    works: Sequence[Callable[[Fetcher, Watch], Awaitable[T]]],
    settings: Settings,
    *,
    quiet: bool,
    cookies: Path | None = None,
) -> tuple[T, ...]:
    """Carry out runs one after the other with one fetcher; after Ctrl-C the rest is left."""
    known = load_cookies(cookies) if cookies else ()

    async def run() -> tuple[T, ...]:
        done: list[T] = []
        stop = asyncio.Event()
        async with make_fetcher(settings.fetch, cookies=known) as fetcher:
            with _interruptible(stop):
                for work in works:
                    if not stop.is_set():
                        with progress(quiet=quiet) as listen:
                            done.append(await work(fetcher, Watch(listen=listen, stop=stop)))
        return tuple(done)

    return asyncio.run(run())


@contextmanager
def _interruptible(stop: asyncio.Event) -> Iterator[None]:
    """The first Ctrl-C lets the pages in flight arrive; the second stops at once."""
    loop = asyncio.get_running_loop()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.set)
        click.echo("stopping when the pages in flight have come; Ctrl-C again stops at once", err=True)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def issue_works(urls: Sequence[str], *, store: Store, folder: Path, settings: Settings) -> tuple[Work, ...]:
    """The runs of several issues, each in a folder of its own where there are several."""

    def work(url: str, into: Path) -> Work:
        return lambda fetcher, watch: harvest_issue(
            url, fetcher=fetcher, store=store, folder=into, settings=settings, watch=watch
        )

    folders = [folder] if len(urls) == 1 else [folder / f"{number:02d}" for number in range(1, len(urls) + 1)]
    return tuple(work(url, into) for url, into in zip(urls, folders, strict=True))


def resume_work(
    run: int, *, store: Store, settings: Settings, retry: bool = False, max_pages: int | None = None
) -> Work:
    """The rest of a run."""
    return lambda fetcher, watch: resume_run(
        run, fetcher=fetcher, store=store, settings=settings, retry=retry, max_pages=max_pages, watch=watch
    )


def report_harvests(
    harvests: Sequence[Harvest],
    store: Store,
    *,
    formats: Sequence[str],
    folder: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the records of runs as they may leave the store, what the runs cost and miss, and where the files are.

    Raise if no issue was reached.
    """
    errors = [error for harvest in harvests if (error := unreached(harvest)) is not None]
    if len(harvests) == len(errors) == 1:
        raise errors[0]
    for error in errors:
        click.echo(error_line(error), err=True)
    if len(errors) == len(harvests):
        raise click.exceptions.Exit(1)
    runs = tuple(harvest.run for harvest in harvests)
    records = select_found(store, runs, quiet=quiet)
    show(tuple(records), as_json=as_json)
    if not quiet:
        summarise(harvests)
    if any(store.run(run).citations for run in runs):
        # With JSON, stdout has nothing but the records.
        said = partial(click.echo, err=as_json)
        write_run(records, formats, folder or Path(harvests[0].folder), said=said)
    elif any(harvest.pages for harvest in harvests) and not quiet:
        click.echo("no article was read; `medharvest runs` shows what each run fetched and missed", err=True)
    if errors:
        raise click.exceptions.Exit(3)


def unreached(harvest: Harvest) -> FetchError | None:
    """The error of a harvest whose contents page itself did not arrive."""
    first = next((lost for lost in harvest.failures if lost.wish.kind is Kind.ISSUE and not lost.wish.parent), None)
    if first is None or first.reason is None:
        return None
    return fetch_error(Miss(first.wish.url, first.reason, first.detail))


def show(citations: Sequence[Citation], *, as_json: bool) -> None:
    """Print the records, for people or for programs."""
    if as_json:
        for citation in citations:
            click.echo(json.dumps(report(citation), ensure_ascii=False))
    else:
        print_table(citations)


def summarise(harvests: Iterable[Harvest]) -> None:
    """Say on stderr what each run gave, what did not arrive and what to do about it."""
    for harvest in harvests:
        click.echo(summary(harvest), err=True)

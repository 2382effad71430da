"""What `topic` and `runs` share: go on with a topical crawl, print its pages."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import click

from medharvest.cli.files import select_found, write_run
from medharvest.cli.main import error_line
from medharvest.errors import MedharvestError
from medharvest.fetch import Fetcher
from medharvest.records import Miss, to_json
from medharvest.run.follow import Watch
from medharvest.run.inputs import fetch_error
from medharvest.run.topic_request import TopicHarvest
from medharvest.run.topics import resume_topic
from medharvest.settings import Settings
from medharvest.store import Store

Work = Callable[[Fetcher, Watch], Awaitable[TopicHarvest | MedharvestError]]


def resume_crawl(run: int, *, store: Store, settings: Settings, max_pages: int | None = None) -> Work:
    """The rest of a crawl, which may be given more pages."""
    return lambda fetcher, watch: resume_topic(
        run, fetcher=fetcher, store=store, settings=settings, max_pages=max_pages, watch=watch
    )


def report_crawls(
    results: Sequence[TopicHarvest | MedharvestError],
    store: Store,
    *,
    formats: Sequence[str] = (),
    folder: Path | None = None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what crawls gave and write their records in the formats, if any.

    A crawl that could not begin or reached nothing is told, with exit 1, or 3 beside others.
    """
    harvests = [one for one in results if isinstance(one, TopicHarvest)]
    for harvest in harvests:
        show_crawl(harvest, formats, as_json=as_json, quiet=quiet)
    errors = [one for one in results if isinstance(one, MedharvestError)]
    errors += [error for harvest in harvests if (error := _unreached(harvest))]
    if errors and len(results) == 1:
        raise errors[0]
    for error in errors:
        click.echo(error_line(error), err=True)
    found = [harvest for harvest in harvests if store.run(harvest.run).citations]
    if formats and found:
        # The last line on stdout is a crawl's summary for programs, so they read of the files on stderr.
        records = select_found(store, [one.run for one in found], quiet=quiet)
        said = partial(click.echo, err=as_json)
        write_run(records, formats, folder or Path(found[0].folder), said=said)
    elif not quiet:
        _tell_how_to_write(found, asked=bool(formats))
    if errors:
        raise click.exceptions.Exit(1 if len(errors) == len(results) else 3)


def _tell_how_to_write(found: Sequence[TopicHarvest], *, asked: bool) -> None:
    """Say how the records of crawls become a file; where one was asked for, that there are none."""
    if asked:
        click.echo("no article was read, so there is no file", err=True)
    for harvest in found:
        click.echo(f"write its records: medharvest export FORMAT --run {harvest.run}", err=True)


def _unreached(harvest: TopicHarvest) -> MedharvestError | None:
    """The error of a crawl that got no page at all: that of its first."""
    first = next(iter(harvest.rows), None)
    if first is None or first.reason is None or not all(row.reason for row in harvest.rows):
        return None
    return fetch_error(Miss(first.url, first.reason))


def show_crawl(harvest: TopicHarvest, formats: Sequence[str] = (), *, as_json: bool, quiet: bool) -> None:
    """Print the pages of a crawl in order, and on stderr what it gave."""
    relevant = sum(row.relevant for row in harvest.rows)
    if as_json:
        for row in harvest.rows:
            click.echo(json.dumps(to_json(row), ensure_ascii=False))
        counts = {"pages": len(harvest.rows), "relevant": relevant, "citations": len(harvest.citations)}
        ending = {"run": harvest.run, "topic": harvest.topic, "folder": harvest.folder, "stopped": harvest.stopped}
        click.echo(json.dumps({**ending, **counts}, ensure_ascii=False))
        return
    for row in harvest.rows:
        mark = row.reason or ("relevant" if row.relevant else "")
        click.echo(f"{row.n:5}  {mark:10}  {row.url}")
    if not quiet:
        click.echo(
            f"run {harvest.run}, {harvest.topic}: {len(harvest.rows)} pages, {relevant} relevant, "
            f"{len(harvest.citations)} articles; in {harvest.folder}",
            err=True,
        )
        if harvest.stopped:
            again = "".join(f" --export {name}" for name in formats)
            click.echo(f"go on with: medharvest topic --resume {harvest.run}{again}", err=True)

"""`medharvest runs`: list runs, show one, go on with it, give it a page saved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from medharvest.cli.crawls import Work as CrawlWork
from medharvest.cli.crawls import report_crawls, resume_crawl
from medharvest.cli.harvesting import Work, carry_out, report_harvests, resume_work
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, settings_from
from medharvest.errors import InputError
from medharvest.run.flow import flow_lines, issue_flow, topic_flow
from medharvest.run.harvest import Supplied, missing, supply_page
from medharvest.run.inputs import load
from medharvest.run.summary import supply_command, why
from medharvest.run.topic_request import is_topic
from medharvest.settings import Settings
from medharvest.store import Run, Store, open_store

_ACTIONS = ("resume", "retry", "supply")


@click.command("runs", short_help="List, show and continue runs.")
@click.argument("run", metavar="[ID]", type=int, required=False)
@click.argument("action", metavar="[resume | retry | supply URL FILE]", type=click.Choice(_ACTIONS), required=False)
@click.argument("page", metavar="", nargs=-1)
@click.option("--max-pages", type=int, help="Pages the run may cost in all; default what it began with.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    run: int | None,
    action: str | None,
    page: tuple[str, ...],
    max_pages: int | None,
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """List the runs of the store; with ID show one and what it misses.

    `resume` goes on with a run that was stopped or killed. `retry` asks once more for what did not arrive. `supply`
    takes a page that you saved with your browser: give its URL and the file.
    """
    if len(page) != (2 if action == "supply" else 0):
        raise click.UsageError("supply takes a URL and a FILE, the others nothing")
    if max_pages is not None and action not in {"resume", "retry"}:
        raise click.UsageError("--max-pages goes with resume and retry")
    settings = settings_from(store=store)
    with open_store(settings.store) as opened:
        if run is None:
            _list(opened.runs())
        elif action is None:
            _show(opened, run)
        elif is_topic(opened.run(run).options):
            work = _crawl(opened, run, action, max_pages, settings)
            report_crawls(carry_out([work], settings, quiet=quiet), opened, as_json=as_json, quiet=quiet)
        else:
            rest = _supplied(opened, run, page, settings) if page else _rest(opened, run, action, max_pages, settings)
            done = carry_out([rest], settings, quiet=quiet)
            report_harvests(done, opened, formats=("pubmed", "ris"), folder=None, as_json=as_json, quiet=quiet)


def _list(runs: Sequence[Run]) -> None:
    for run in runs:
        click.echo(
            f"{run.id}  {run.state:8}  {run.started}  {run.pages} pages, {run.failures} missing, "
            f"{run.citations} articles  {run.url}"
        )


def _show(store: Store, number: int) -> None:
    run = store.run(number)
    _list([next(item for item in store.runs() if item.id == run.id)])
    click.echo(f"folder: {run.folder}")
    for line in flow_lines(topic_flow(store, number) if is_topic(run.options) else issue_flow(store, number)):
        click.echo(line)
    for outcome in missing(store, number):
        click.echo(f"missing: {why(outcome)}")
        if not is_topic(run.options):  # of a crawl, any page is one of many
            click.echo(f"  {supply_command(number, outcome)}")


def _rest(store: Store, run: int, action: str, max_pages: int | None, settings: Settings) -> Work:
    return resume_work(run, store=store, settings=settings, retry=action == "retry", max_pages=max_pages)


def _crawl(store: Store, run: int, action: str, max_pages: int | None, settings: Settings) -> CrawlWork:
    if action != "resume":
        hint = f"`medharvest runs {run} resume` goes on with it, `medharvest topic NAME --refresh` asks again"
        raise InputError(f"run {run} is of a topic, and {action} is for issues", name=str(run), hint=hint)
    return resume_crawl(run, store=store, settings=settings, max_pages=max_pages)


def _supplied(store: Store, run: int, page: tuple[str, ...], settings: Settings) -> Work:
    url, file = page
    body = load(Path(file), name=file, max_bytes=settings.read.max_bytes)
    if not body.strip():
        raise InputError(f"empty file: {file}", name=file, hint="save the page again, it has no content")
    return lambda fetcher, watch: supply_page(
        run, Supplied(url, body), fetcher=fetcher, store=store, settings=settings, watch=watch
    )

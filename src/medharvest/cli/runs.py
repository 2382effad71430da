"""`medharvest runs`: list runs, show one, resume it, supply a page saved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from medharvest.cli.execution import HarvestJob, carry_out_jobs, make_resumed_run, report_harvests
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, load_cli_settings
from medharvest.cli.output_gate import complete_commands
from medharvest.cli.topic import CrawlJob, make_resumed_crawl, report_crawls
from medharvest.errors import InputError
from medharvest.harvest.issue_run import SuppliedPage, supply_page
from medharvest.harvest.run_folder import is_topic_run
from medharvest.harvest.run_results import describe_failure, missing_pages, more_pages_command, supply_command
from medharvest.journals.inputs import load_file
from medharvest.library.collection_search import chart_issue_run, chart_topic_run, flow_chart_lines
from medharvest.records import Outcome, Reason
from medharvest.settings import Settings, split_login
from medharvest.store import Run, Store, open_existing

_MISSING_PAGES_LISTED = 5  # of each reason
# A page that was not requested because of a limit of our own needs no browser.
_NOT_SUPPLIED = frozenset({Reason.BUDGET, Reason.TRAP, Reason.PRIVATE_ADDRESS})
_RUN_ACTIONS = ("resume", "retry", "supply")


@click.command("runs", short_help="List, show and resume runs.")
@click.argument("run", metavar="[ID]", type=int, required=False)
@click.argument("action", metavar="[resume | retry | supply URL FILE]", type=click.Choice(_RUN_ACTIONS), required=False)
@click.argument("page", metavar="", nargs=-1)
@click.option("--max-pages", type=int, help="Most pages of the whole run; default: its limit so far.")
@click.option(
    "--all", "every", is_flag=True, help="With ID: list every missing page, not only the first of each reason."
)
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    run: int | None,
    action: str | None,
    page: tuple[str, ...],
    max_pages: int | None,
    every: bool,
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """List the runs of the store; with ID, show one run and the pages it is missing, by reason.

    `resume` continues a run that was stopped or killed. `retry` also fetches the missing pages again. `supply` takes a
    page that you saved with your browser: give its URL and the file. Exit codes are those of `issue` and `topic`.
    """
    if len(page) != (2 if action == "supply" else 0):
        raise click.UsageError("supply needs a URL and a FILE; resume and retry take nothing")
    if max_pages is not None and action not in {"resume", "retry"}:
        raise click.UsageError("--max-pages needs resume or retry")
    settings = load_cli_settings(store=store)
    with open_existing(settings.store) as opened:
        if run is None:
            _print_runs(opened.runs.all())
        elif action is None:
            _print_run(opened, run, every=every)
        elif is_topic_run(opened.runs.get(run).options):
            work = _make_crawl_job(opened, run, action, max_pages, settings)
            crawled = carry_out_jobs([work], settings, quiet=quiet)
            raise click.exceptions.Exit(report_crawls(crawled, opened, as_json=as_json, quiet=quiet))
        else:
            rest = (
                _make_supply_job(opened, run, page, settings)
                if page
                else _make_rest_job(opened, run, action, max_pages, settings)
            )
            done = carry_out_jobs([rest], settings, quiet=quiet)
            formats = ("pubmed", "ris")
            code = report_harvests(done, opened, formats=formats, folder=None, as_json=as_json, quiet=quiet)
            raise click.exceptions.Exit(code)


def _print_runs(runs: Sequence[Run]) -> None:
    for run in runs:
        click.echo(
            f"{run.id}  {run.state:8}  {run.started}  {run.pages} pages, {run.failures} missing, "
            f"{run.citations} articles  {run.url}"
        )


def _print_run(store: Store, number: int, *, every: bool) -> None:
    run = store.runs.get(number)
    _print_runs([next(item for item in store.runs.all() if item.id == run.id)])
    click.echo(f"folder: {run.folder}")
    for line in flow_chart_lines(
        chart_topic_run(store, number) if is_topic_run(run.options) else chart_issue_run(store, number)
    ):
        click.echo(line)
    _print_missing_pages(run, tuple(missing_pages(store, number)), every=every)


def _print_missing_pages(run: Run, missing: Sequence[Outcome], *, every: bool) -> None:
    """Print the missing pages of a run by reason, the most frequent first, each group with the way on."""
    groups: dict[Reason | None, list[Outcome]] = {}
    for outcome in missing:
        groups.setdefault(outcome.reason, []).append(outcome)
    for reason, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        click.echo(f"missing, {reason}: {len(group)}")
        if reason is Reason.BUDGET:
            click.echo(complete_commands(f"  fetch more: {_more_pages_command(run, len(missing))}"))
        shown = group if every or len(group) <= _MISSING_PAGES_LISTED else group[:_MISSING_PAGES_LISTED]
        for outcome in shown:
            click.echo(f"  {describe_failure(outcome)}")
            if not is_topic_run(run.options) and reason not in _NOT_SUPPLIED:
                click.echo(complete_commands(f"    {supply_command(run.id, outcome)}"))
        if len(shown) < len(group):
            click.echo(
                complete_commands(f"  {len(group) - len(shown)} more, list them: medharvest runs {run.id} --all")
            )


def _more_pages_command(run: Run, missing: int) -> str:
    """Return the command that gives a run more pages; a crawl goes on by itself, an issue asks for its pages again."""
    pages = run.pages + missing
    if is_topic_run(run.options):
        return f"medharvest runs {run.id} resume --max-pages {2 * pages}"
    return more_pages_command(run.id, pages)


def _make_rest_job(store: Store, run: int, action: str, max_pages: int | None, settings: Settings) -> HarvestJob:
    return make_resumed_run(run, store=store, settings=settings, retry=action == "retry", max_pages=max_pages)


def _make_crawl_job(store: Store, run: int, action: str, max_pages: int | None, settings: Settings) -> CrawlJob:
    if action != "resume":
        hint = f"`medharvest runs {run} resume` resumes it, `medharvest topic NAME --refresh` visits its pages again"
        raise InputError(f"run {run} is a topical crawl, and {action} is for issues", name=str(run), hint=hint)
    return make_resumed_crawl(run, store=store, settings=settings, max_pages=max_pages)


def _make_supply_job(store: Store, run: int, page: tuple[str, ...], settings: Settings) -> HarvestJob:
    (url, _), file = split_login(page[0]), page[1]
    body = load_file(Path(file), name=file, max_bytes=settings.read.max_bytes)
    if not body.strip():
        raise InputError(f"empty file: {file}", name=file, hint="save the page again")
    return lambda fetcher, watch: supply_page(
        run, SuppliedPage(url, body), fetcher=fetcher, store=store, settings=settings, watch=watch
    )

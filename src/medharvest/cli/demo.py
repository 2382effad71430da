"""`medharvest demo`: serve the bundled journals on loopback, harvest them, and open them for review."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import click

from medharvest.atomic_file import make_folder
from medharvest.cli.execution import PARTIAL_EXIT, carry_out_jobs, make_issue_jobs, report_harvests
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, data_folder, load_cli_settings, make_announcer
from medharvest.cli.output_gate import name_printed_store
from medharvest.cli.review import ReviewPlace, serve_review
from medharvest.demo import DemoIssue, list_demo_issues, serve
from medharvest.errors import InputError
from medharvest.harvest.issue_search import SavedContents
from medharvest.store import open_store


@click.command("demo", short_help="Harvest the bundled journals.")
@click.argument("names", metavar="[ISSUE]...", nargs=-1)
@click.option("--into", type=click.Path(path_type=Path), help="Folder for pages and records.")
@click.option(
    "--review/--no-review",
    default=None,
    help="Whether to open the records in the review app afterwards, until Ctrl-C; default: in a terminal only.",
)
@JSON_OPTION
@QUIET_OPTION
def command(*, names: tuple[str, ...], into: Path | None, review: bool | None, as_json: bool, quiet: bool) -> None:
    """Serve the bundled journals on this machine and harvest their issues.

    Journals and people are invented. ISSUE is one of a1 a2 a3 b1 b2 b3; default: those with modern page layouts. In a
    terminal the review app then shows the records. Nothing leaves the machine, and your own store is not touched.
    """
    chosen = _choose_demo_issues(names)
    folder = make_folder(into) if into else _empty_demo_folder(data_folder() / "demo")
    settings = load_cli_settings(fetch__delay=0.0)
    settings = replace(
        settings, fetch=replace(settings.fetch, allow_private=True, backoff=0.0, per_host=settings.crawl.workers)
    )
    name_printed_store(str(folder / "demo.sqlite"))
    with serve() as server, open_store(str(folder / "demo.sqlite")) as store:
        if not quiet:
            _print_demo_steps(server.url, chosen, folder)
        pages = [SavedContents(server.url + issue.path) for issue in chosen]
        tell = make_announcer(quiet=quiet)
        works = make_issue_jobs(pages, store=store, folder=folder, settings=settings, tell=tell)
        done = carry_out_jobs(works, settings, quiet=quiet)
        code = report_harvests(done, store, formats=("pubmed", "ris"), folder=folder, as_json=as_json, quiet=quiet)
        if code not in {0, PARTIAL_EXIT}:  # the pages that the bundled journals refuse are part of the show
            raise click.exceptions.Exit(code)
        if _is_watched(quiet=quiet or as_json) if review is None else review:
            serve_review(store, settings, ReviewPlace(folder=folder / "harvests"), opens=True)
        elif not quiet:
            click.echo("review them in the browser: medharvest review", err=True)


def _print_demo_steps(url: str, chosen: list[DemoIssue], folder: Path) -> None:
    """Print what is done, and where the files are."""
    journals = " and ".join(dict.fromkeys(issue.journal for issue in chosen))
    issues_of = f"{len(chosen)} issue{'s' if len(chosen) > 1 else ''} of {journals}"
    for step in (
        f"serving invented journals on this machine: {url}",
        f"harvesting as from any site: {issues_of}",
        f"pages, records and the demo's own store: {folder}",
    ):
        click.echo(step, err=True)


def _is_watched(*, quiet: bool) -> bool:
    """Whether a person is at the terminal, not a script."""
    return not quiet and sys.stdin.isatty() and sys.stderr.isatty()


def _empty_demo_folder(folder: Path) -> Path:
    """Empty the demo's own folder, which an earlier demo may have filled."""
    shutil.rmtree(folder, ignore_errors=True)
    return make_folder(folder)


def _choose_demo_issues(names: tuple[str, ...]) -> list[DemoIssue]:
    known = {issue.id: issue for issue in list_demo_issues()}
    for name in names:
        if name not in known:
            raise InputError(f"no such bundled issue: {name}", name=name, hint=f"one of {', '.join(known)}")
    wanted = names or tuple(name for name, issue in known.items() if not issue.template.startswith("table"))
    return [known[name] for name in wanted]

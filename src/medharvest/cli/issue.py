"""`medharvest issue`: harvest journal issues, from the contents page to citation records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from medharvest.cli.execution import (
    carry_out_jobs,
    make_issue_jobs,
    make_resumed_run,
    report_harvests,
    unreached_harvest_error,
)
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, data_folder, load_cli_settings
from medharvest.formats import find_format
from medharvest.harvest.run_results import Harvest
from medharvest.journals.policy import check_download, permission_reminder
from medharvest.settings import Links, move_logins
from medharvest.store import Store, open_existing, open_store


@click.command("issue", short_help="Harvest a journal issue.")
@click.argument("urls", metavar="URL...", nargs=-1)
@click.option("--journal", metavar="J", help="Journal of the issue; default: found by host and ISSN.")
@click.option("--into", type=click.Path(path_type=Path), help="Folder for pages and records.")
@click.option("--delay", type=float, help="Seconds between two requests to one host.")
@click.option("--max-pages", type=int, help="Most pages to fetch for an issue.")
@click.option(
    "--links",
    type=click.Choice([mode.value for mode in Links]),
    help="Follow article links only, or all that pass the constraints.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Pages to fetch at the same time.")
@click.option("--cookies", type=click.Path(path_type=Path), help="Cookies to send, from a cookies.txt file.")
@click.option(
    "--scripts/--no-scripts", default=None, help="Whether to load pages in a browser, so that their scripts run."
)
@click.option("--read/--no-read", "reading", default=None, help="Whether to read the pages into citations.")
@click.option("--resume", type=int, metavar="RUN", help="Resume a run, as `runs RUN resume` does.")
@click.option(
    "--export", "formats", multiple=True, metavar="FORMAT", help="Format to write; repeatable; default: pubmed and ris."
)
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    urls: tuple[str, ...],
    *,
    journal: str | None,
    into: Path | None,
    delay: float | None,
    max_pages: int | None,
    links: str | None,
    workers: int | None,
    cookies: Path | None,
    scripts: bool | None,
    reading: bool | None,
    resume: int | None,
    formats: tuple[str, ...],
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Harvest the issue whose contents page is at URL: fetch its articles, read them, write the records.

    Pages are saved in folders by kind, records in the store and in files; the last lines show where. The exit code is 3
    if an article of the issue has no record, 1 if none has, and 130 after Ctrl-C.
    """
    formats = formats or ("pubmed", "ris")
    for name in formats:
        find_format(name)
    settings = load_cli_settings(
        store=store,
        fetch__delay=delay,
        fetch__scripts=scripts,
        crawl__journal=journal,
        crawl__max_pages=max_pages,
        crawl__links=links,
        crawl__workers=workers,
        crawl__read=reading,
    )
    urls, settings = move_logins(urls, settings)
    folder = into or data_folder() / "runs" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    if bool(urls) == (resume is not None):
        raise click.UsageError("give the URL of an issue, or --resume RUN")
    with (open_store if resume is None else open_existing)(settings.store) as opened:
        if journal:
            opened.journals.get(journal)  # an unknown name is reported before anything is fetched
        for url in urls:
            check_download(opened, url, settings.crawl.journal)
        works = (
            make_issue_jobs(urls, store=opened, folder=folder, settings=settings)
            if resume is None
            else (make_resumed_run(resume, store=opened, settings=settings),)
        )
        done = carry_out_jobs(works, settings, quiet=quiet, cookies=cookies)
        if not quiet:
            remind_of_permissions(opened, urls, done.results, settings.crawl.journal)
        into = folder if resume is None else None
        code = report_harvests(done, opened, formats=formats, folder=into, as_json=as_json, quiet=quiet)
    raise click.exceptions.Exit(code)


def remind_of_permissions(store: Store, urls: Sequence[str], harvests: Sequence[Harvest], journal: str) -> None:
    """Print, once per journal, that no permission is noted for it."""
    for url, harvest in zip(urls, harvests, strict=False):
        if unreached_harvest_error(harvest):
            continue
        issn = next((citation.issn for citation in harvest.citations if citation.issn), ())
        if said := permission_reminder(store, url, name=journal, issn=issn):
            click.echo(said, err=True)

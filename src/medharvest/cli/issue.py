"""`medharvest issue`: a contents page to citation records."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from medharvest.citations import find_format
from medharvest.cli.harvesting import harvest_all, show, summarise, unreached, write_formats
from medharvest.cli.main import error_line
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, STORE_OPTION, data_folder, settings_from
from medharvest.store import open_store


@click.command("issue", short_help="Harvest a journal issue.")
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--into", type=click.Path(path_type=Path), help="Folder for pages and records.")
@click.option("--delay", type=float, help="Seconds between two requests to one host.")
@click.option("--max-pages", type=int, help="Pages an issue may cost.")
@click.option("--export", "formats", multiple=True, metavar="FORMAT", help="Formats to write; default pubmed and ris.")
@STORE_OPTION
@JSON_OPTION
@QUIET_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    urls: tuple[str, ...],
    *,
    into: Path | None,
    delay: float | None,
    max_pages: int | None,
    formats: tuple[str, ...],
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Harvest the issue whose contents page is at URL: fetch its articles, read them, write the records.

    The pages land in folders by kind, the records in the store and in files; the last lines say where.
    """
    formats = formats or ("pubmed", "ris")
    for name in formats:
        find_format(name)
    settings = settings_from(store=store, fetch__delay=delay, crawl__max_pages=max_pages)
    folder = into or data_folder() / "runs" / datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    with open_store(settings.store) as opened:
        harvests = harvest_all(urls, store=opened, folder=folder, settings=settings, quiet=quiet)
    errors = [error for harvest in harvests if (error := unreached(harvest)) is not None]
    if len(errors) == len(urls):
        raise errors[0]
    for error in errors:
        click.echo(error_line(error), err=True)
    citations = [citation for harvest in harvests for citation in harvest.citations]
    show(citations, as_json=as_json)
    if not quiet:
        summarise(harvests)
    write_formats(citations, formats, folder)
    if errors:
        raise click.exceptions.Exit(3)

"""`medharvest enrich`: look up stored records by DOI in services such as Crossref, and show the differences."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import click

from medharvest.cli.display import format_difference
from medharvest.cli.options import JOURNAL_OPTION, JSON_OPTION, STORE_OPTION, data_folder, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.journals.catalogue import make_journal_test
from medharvest.library.enrichment import ENRICH_SERVICES, ServiceAnswer, enrich_records, parse_services
from medharvest.records import Citation
from medharvest.settings import Settings
from medharvest.store import Store, open_existing


@click.command("enrich", short_help="Look up stored records in services, by DOI.")
@click.option(
    "--from",
    "names",
    required=True,
    metavar="SERVICES",
    help=f"Services to query, such as {','.join(ENRICH_SERVICES[:2])}.",
)
@JOURNAL_OPTION
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only records of this run.")
@click.option("--dry-run", is_flag=True, help="Only show the differences; store nothing.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *, names: str, journal: str, issue: str, run: int | None, dry_run: bool, store: str | None, as_json: bool
) -> None:
    """Look up the DOI of each stored record in the named services, and show the differences.

    Empty fields of a record are filled. Where both have a value, the stored one stays and the other becomes an
    alternative. No service is queried unless you name it. Answers are cached for some days.
    """
    services = parse_services(names)
    settings = load_cli_settings(store=store)
    with open_existing(settings.store) as opened:
        records = opened.records.numbered(run=run, issue=issue)
        if journal:
            is_of_journal = make_journal_test(opened, journal)
            records = (pair for pair in records if is_of_journal(pair[1]))
        asyncio.run(_print_enrichment(records, services, settings, store=None if dry_run else opened, as_json=as_json))


async def _print_enrichment(
    records: Iterator[tuple[int, Citation]],
    services: tuple[str, ...],
    settings: Settings,
    *,
    store: Store | None,
    as_json: bool,
) -> None:
    """Print the answer of each service for each record as it arrives."""
    from medharvest.fetch import CachingFetcher, HttpFetcher

    # These addresses are meant for programs; the services' robots.txt is about crawlers.
    async with HttpFetcher(replace(settings.fetch, robots=False)) as fetcher:
        kept = CachingFetcher(fetcher, data_folder() / "answers", days=settings.enrich.days)
        async for item in enrich_records(records, services, fetcher=kept, settings=settings.enrich, store=store):
            _print_service_answer(item, as_json=as_json)


def _print_service_answer(item: ServiceAnswer, *, as_json: bool) -> None:
    if as_json:
        own = {"doi": item.citation.doi, "service": item.service, "missing": item.missing}
        click.echo(format_json(own | {"differences": [to_json(one) for one in item.differences]}))
        return
    said = item.missing or (f"{len(item.differences)} fields differ" if item.differences else "agrees")
    click.echo(f"{item.citation.doi} {item.service}: {said}")
    for found in item.differences:
        click.echo(f"  {found.field}: {format_difference(found, item.service)}")

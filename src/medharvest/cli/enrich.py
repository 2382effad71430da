"""`medharvest enrich`: ask services about the DOIs of stored records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import click

from medharvest.cli.display import format_difference
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, data_folder, load_cli_settings
from medharvest.codec import to_json
from medharvest.library.enrichment import ENRICH_SERVICES, ServiceAnswer, enrich_records, parse_services
from medharvest.records import Citation
from medharvest.settings import Settings
from medharvest.store import Store, open_store


@click.command("enrich", short_help="Ask services about the DOIs of stored records.")
@click.option(
    "--from",
    "names",
    required=True,
    metavar="SERVICES",
    help=f"Services to ask, such as {','.join(ENRICH_SERVICES[:2])}.",
)
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only what this run found.")
@click.option("--dry-run", is_flag=True, help="Only show what the services say otherwise.")
@STORE_OPTION
@JSON_OPTION
def command(*, names: str, issue: str, run: int | None, dry_run: bool, store: str | None, as_json: bool) -> None:
    """Ask services about the DOI of each stored record, and show what they say otherwise.

    What a record lacks is filled; where both say something the stored value stays and the other becomes an
    alternative. Nothing is asked unless a service is named. Answers are kept for some days.
    """
    services = parse_services(names)
    settings = load_cli_settings(store=store)
    with open_store(settings.store) as opened:
        records = opened.numbered(run=run, issue=issue)
        asyncio.run(_print_enrichment(records, services, settings, store=None if dry_run else opened, as_json=as_json))


async def _print_enrichment(
    records: Iterator[tuple[int, Citation]],
    services: tuple[str, ...],
    settings: Settings,
    *,
    store: Store | None,
    as_json: bool,
) -> None:
    """Print what each service says of each record as it comes."""
    from medharvest.fetch import CachingFetcher, HttpFetcher

    # The services give these addresses to programs; their robots.txt is about crawlers.
    async with HttpFetcher(replace(settings.fetch, robots=False)) as fetcher:
        kept = CachingFetcher(fetcher, data_folder() / "answers", days=settings.enrich.days)
        async for item in enrich_records(records, services, fetcher=kept, settings=settings.enrich, store=store):
            _print_service_answer(item, as_json=as_json)


def _print_service_answer(item: ServiceAnswer, *, as_json: bool) -> None:
    if as_json:
        own = {"doi": item.citation.doi, "service": item.service, "missing": item.missing}
        click.echo(json.dumps(own | {"differences": [to_json(one) for one in item.differences]}, ensure_ascii=False))
        return
    said = item.missing or (f"{len(item.differences)} fields otherwise" if item.differences else "agrees")
    click.echo(f"{item.citation.doi} {item.service}: {said}")
    for found in item.differences:
        click.echo(f"  {found.field}: {format_difference(found, item.service)}")

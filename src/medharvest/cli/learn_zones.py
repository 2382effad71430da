"""`medharvest learn zones`: teach a journal its layout."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from medharvest.cli.options import QUIET_OPTION, STORE_OPTION, settings_from
from medharvest.run.archived import learn_archived
from medharvest.run.lessons import learn_zones, load_truth
from medharvest.run.teaching import checked_name
from medharvest.store import open_store


@click.command("zones")
@click.argument("journal", metavar="JOURNAL")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="JSON lines with id or file, title, authors, affiliations, abstract.",
)
@click.option("--pages", type=click.Path(path_type=Path), help="Folder the truth names files in.")
@click.option("--run", type=int, help="A run whose archived pages teach, by accepted or imported records or metadata.")
@STORE_OPTION
@QUIET_OPTION
def command(
    *, journal: str, truth: Path | None, pages: Path | None, run: int | None, store: str | None, quiet: bool
) -> None:
    """Teach JOURNAL where its pages print title, authors, affiliations and abstract, by pages whose values are known.

    They are known from --truth, whose files are below --pages; or the pages are those of a --run, and their values are
    those of accepted or imported records, or what the pages' own metadata state. A page taught again replaces what it
    taught before. A journal that is not there is made.
    """
    if (truth is None or pages is None) == (run is None):
        raise click.UsageError("give --truth with --pages, or --run")
    settings = settings_from(store=store)
    name = checked_name(journal)
    rows = load_truth(truth, limits=settings.read) if truth else ()
    with open_store(settings.store) as opened:
        if run is not None:
            learnt = asyncio.run(learn_archived(opened, name, run))
        else:
            assert pages is not None
            learnt = learn_zones(opened, name, rows, pages, settings.read)
    for one in () if quiet else learnt:
        missed = f"; not found: {', '.join(one.missed)}" if one.missed else ""
        click.echo(f"{one.page}: {', '.join(one.labels) or 'nothing'}{missed}")

"""`medharvest learn zones`: teach a journal its layout."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.cli.options import QUIET_OPTION, STORE_OPTION, settings_from
from medharvest.run.lessons import learn_zones, load_truth
from medharvest.run.teaching import checked_name
from medharvest.store import open_store


@click.command("zones")
@click.argument("journal", metavar="JOURNAL")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    required=True,
    help="JSON lines with id or file, title, authors, affiliations, abstract.",
)
@click.option("--pages", type=click.Path(path_type=Path), required=True, help="Folder the truth names files in.")
@STORE_OPTION
@QUIET_OPTION
def command(*, journal: str, truth: Path, pages: Path, store: str | None, quiet: bool) -> None:
    """Teach JOURNAL where its pages print title, authors, affiliations and abstract, by pages whose values are known.

    A page taught again replaces what it taught before. A journal that is not there is made.
    """
    settings = settings_from(store=store)
    rows = load_truth(truth, limits=settings.read)
    with open_store(settings.store) as opened:
        for one in learn_zones(opened, checked_name(journal), rows, pages, settings.read):
            if not quiet:
                missed = f"; not found: {', '.join(one.missed)}" if one.missed else ""
                click.echo(f"{one.page}: {', '.join(one.labels) or 'nothing'}{missed}")

"""`medharvest export`: stored citations to a file."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.citations import FORMATS, find_format
from medharvest.cli.options import STORE_OPTION, settings_from
from medharvest.cli.table import tell_unfit
from medharvest.run.output import split_by_fit, write_file
from medharvest.store import open_store


@click.command("export", short_help="Write the stored citations in a format.")
@click.argument("form", metavar="FORMAT")
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only what this run found.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default stdout.")
@STORE_OPTION
def command(*, form: str, issue: str, run: int | None, out: Path | None, store: str | None) -> None:
    """Write the stored citations in FORMAT."""
    chosen = find_format(form)
    settings = settings_from(store=store)
    with open_store(settings.store) as opened:
        empty = "nothing stored matches --issue and --run" if issue or run is not None else "harvest an issue first"
        fit, unfit = split_by_fit(opened.citations(run=run, issue=issue), chosen, empty=empty)
    tell_unfit(unfit, chosen)
    if out is None:
        for piece in chosen.write(fit):
            click.echo(piece, nl=False)
        return
    write_file(out, chosen.write(fit))
    click.echo(f"{form}: {out}")


command.help = (
    (command.help or "")
    + "\n\nFORMAT is one of: "
    + ", ".join(f"{item.name} ({item.title})" for item in FORMATS.values())
)

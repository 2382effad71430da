"""`medharvest export`: stored citations to a file."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.citations import FORMATS, find_format
from medharvest.cli.files import prepare_told, tell_policy
from medharvest.cli.options import STORE_OPTION, settings_from
from medharvest.run.export import Choice, Draft, open_outlet
from medharvest.run.output import write_file
from medharvest.store import Status, open_store


@click.command("export", short_help="Write the stored citations in a format.")
@click.argument("form", metavar="FORMAT")
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only what this run found.")
@click.option("--status", type=click.Choice(["accepted", "all"]), default="all", help="Only what somebody accepted.")
@click.option("--draft", is_flag=True, help="Write what PubMed would refuse too, marked as not to be delivered.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default stdout.")
@STORE_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    *, form: str, issue: str, run: int | None, status: str, draft: bool, out: Path | None, store: str | None
) -> None:
    """Write the stored citations in FORMAT."""
    chosen = find_format(form)
    statuses = (Status.ACCEPTED,) if status == "accepted" else ()
    choice = Choice(runs=() if run is None else (run,), issue=issue, statuses=statuses)
    with open_store(settings_from(store=store).store) as opened:
        records = open_outlet(opened).select(choice, tell_policy)
        pieces = prepare_told(records, chosen, draft=Draft.WANTED if draft else Draft.REFUSED).pieces
        if out is None:
            for piece in pieces:
                click.echo(piece, nl=False)
            return
        write_file(out, pieces)
    click.echo(f"{form}: {out}")


command.help = (
    (command.help or "")
    + "\n\nFORMAT is one of: "
    + ", ".join(f"{item.name} ({item.title})" for item in FORMATS.values())
)

"""`medharvest export`: write stored citations to a file."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.display import readiness_line
from medharvest.cli.files import prepare_and_report, report_policy, select_waiting
from medharvest.cli.options import JOURNAL_OPTION, STORE_OPTION, load_cli_settings
from medharvest.formats import FORMATS, find_format
from medharvest.library.export import DraftHandling, RecordSelection, open_exporter
from medharvest.store import Status, open_existing


@click.command("export", short_help="Write the stored citations in a format.")
@click.argument("form", metavar="FORMAT")
@JOURNAL_OPTION
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only records of this run.")
@click.option("--status", type=click.Choice(["accepted", "all"]), default="all", help="Only accepted records, or all.")
@click.option(
    "--draft",
    is_flag=True,
    help="Also write records that PubMed would refuse; the file is marked as not to be delivered.",
)
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default: stdout.")
@STORE_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    form: str,
    journal: str,
    issue: str,
    run: int | None,
    status: str,
    draft: bool,
    out: Path | None,
    store: str | None,
) -> None:
    """Write the stored citations in FORMAT."""
    chosen = find_format(form)
    statuses = (Status.ACCEPTED,) if status == "accepted" else ()
    choice = RecordSelection(runs=() if run is None else (run,), journal=journal, issue=issue, statuses=statuses)
    with open_existing(load_cli_settings(store=store).store) as opened:
        records = open_exporter(opened).select(choice, report_policy)
        pieces = prepare_and_report(
            records, chosen, draft=DraftHandling.WANTED if draft else DraftHandling.REFUSED
        ).pieces
        if out is None:
            for piece in pieces:
                click.echo(piece, nl=False)
        else:
            write_text_file(out, pieces)
            click.echo(f"{form}: {out}")
        total, waiting = sum(1 for _ in records), sum(1 for _ in select_waiting(opened, choice))
        click.echo(readiness_line(total, waiting), err=True)


command.help = (
    (command.help or "")
    + "\n\nFORMAT is one of: "
    + ", ".join(f"{item.name} ({item.title})" for item in FORMATS.values())
)

"""`medharvest export`: stored citations to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click

from medharvest.citations import FORMATS, Format, find_format
from medharvest.cli.options import STORE_OPTION, settings_from
from medharvest.records import Citation
from medharvest.run.export import Left, completed, require_journals, write_draft, write_fit
from medharvest.run.output import write_file
from medharvest.run.policy import Permitted, permitted, policies_of
from medharvest.store import Status, Store, open_store


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
    with open_store(settings_from(store=store).store) as opened:
        pieces = _pieces(opened, chosen, _Choice(run, issue, statuses), draft=draft)
        if out is None:
            for piece in pieces:
                click.echo(piece, nl=False)
            return
        write_file(out, pieces)
    click.echo(f"{form}: {out}")


class _Choice(NamedTuple):
    """Which records are written."""

    run: int | None
    issue: str
    statuses: tuple[Status, ...]


def _pieces(store: Store, form: Format, choice: _Choice, *, draft: bool) -> Iterator[str]:
    """The file piece by piece; what it cannot hold is told, and a journal that is not known stops it at once."""
    policies = policies_of(store, datetime.now(UTC).date())

    def citations(tell: Callable[[Permitted], None]) -> Iterable[Citation]:
        whole = completed(store.citations(**choice._asdict()), store.journal_titles)
        return permitted(whole, policies, tell)

    if draft:
        return write_draft(citations(tell_policy), form)
    held: set[str] = set()
    require_journals(citations(lambda found: held.add(found.withheld)), form)
    narrow = choice != _Choice(None, "", ())
    empty = "nothing stored matches --issue, --run and --status" if narrow else "harvest an issue first"
    if any(held):
        empty = "see what is said of each record; `journals show` tells a journal's policy"
    return write_fit(citations(tell_policy), form, tell=lambda left: _tell(left, form), empty=empty)


def tell_policy(found: Permitted) -> None:
    """Say on stderr what the policy of a journal keeps back."""
    if found.withheld:
        click.echo(f"held back: {found.citation.title} ({found.withheld})", err=True)
    else:
        click.echo(f"{found.note}: {found.citation.title}", err=True)


def _tell(left: Left, form: Format) -> None:
    click.echo(f"not in {form.name}: {left.citation.title} ({left.why})", err=True)


command.help = (
    (command.help or "")
    + "\n\nFORMAT is one of: "
    + ", ".join(f"{item.name} ({item.title})" for item in FORMATS.values())
)

"""`medharvest journals`: the journals the store knows, and what was taught of them."""

from __future__ import annotations

import json
from pathlib import Path

import click

from medharvest.cli.options import JSON_OPTION, STORE_OPTION, settings_from
from medharvest.run.journals import export_journal, import_journal
from medharvest.run.output import write_file
from medharvest.run.teaching import checked_name
from medharvest.store import Journal, Store, open_store

_NAME = click.argument("name", metavar="JOURNAL")


@click.group("journals", short_help="List and keep journals.", invoke_without_command=True)
@STORE_OPTION
@JSON_OPTION
@click.pass_context
def command(context: click.Context, *, store: str | None, as_json: bool) -> None:
    """List the journals that were taught; or add, show, export, import or remove one."""
    opened = context.with_resource(open_store(settings_from(store=store).store))
    context.obj = opened
    if context.invoked_subcommand is None:
        for journal in opened.journals():
            click.echo(_line(journal, as_json=as_json))


@command.command("add")
@_NAME
@click.option("--title", default="", help="Its full title.")
@click.option("--issn", multiple=True, help="An ISSN of it; may be given more than once.")
@click.option("--host", "hosts", multiple=True, help="Where its issues are, such as journal.example.")
@click.pass_obj
def add(store: Store, *, name: str, title: str, issn: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Add JOURNAL, or replace title, ISSN and hosts of the one there is."""
    store.save_journal(Journal(name=checked_name(name), title=title, issn=issn, hosts=hosts))


@command.command("show")
@_NAME
@click.pass_obj
def show(store: Store, *, name: str) -> None:
    """Show JOURNAL and the pages that taught it."""
    click.echo(_line(store.journal(name), as_json=False))
    for page in store.taught_pages(name):
        click.echo(f"  {page}")


@command.command("export")
@_NAME
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.pass_obj
def export(store: Store, *, name: str, file: Path | None) -> None:
    """Write JOURNAL and all that was taught of it to FILE, or to stdout, to be mailed and imported."""
    lines = list(export_journal(store, name))
    if file is None:
        click.echo("".join(lines), nl=False)
    else:
        write_file(file, lines)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "name", default="", metavar="JOURNAL", help="Take it under another name.")
@click.pass_obj
def import_(store: Store, *, file: Path, name: str) -> None:
    """Take a journal from a FILE that was exported; one that is known learns from it."""
    journal = import_journal(store, file, name=name, limits=settings_from().read)
    click.echo(_line(journal, as_json=False))


@command.command("remove")
@_NAME
@click.option("--page", default="", help="Forget only what this page taught.")
@click.pass_obj
def remove(store: Store, *, name: str, page: str) -> None:
    """Remove JOURNAL and all that was taught of it."""
    store.forget(name, page=page)


def _line(journal: Journal, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(
            {
                "name": journal.name,
                "title": journal.title,
                "issn": journal.issn,
                "hosts": journal.hosts,
                "examples": journal.examples,
            },
            ensure_ascii=False,
        )
    known = [journal.title, " ".join(journal.issn), " ".join(journal.hosts), f"{journal.examples} links taught"]
    return f"{journal.name}: " + "; ".join(part for part in known if part)

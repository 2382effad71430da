"""`medharvest import`: import the records of files into the store, and show what is new and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from medharvest.citations.record_differences import Origin
from medharvest.cli.display import format_difference, shorten_value
from medharvest.cli.files import print_source_error
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.errors import MedharvestError
from medharvest.formats import FORMATS, Format, find_format
from medharvest.journals.inputs import Source
from medharvest.library.record_import import (
    ImportedRecord,
    ImportOptions,
    ImportState,
    import_records,
    read_record_file,
)
from medharvest.records import Citation
from medharvest.settings import Settings
from medharvest.store import has_store, open_store


@click.command("import", short_help="Import the records of files into the store.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", metavar="FORMAT", help="Format of the files; default: detected.")
@click.option(
    "--prefer",
    type=click.Choice(["store", "file"]),
    default="store",
    show_default=True,
    help="Whose value wins if both have one; the other becomes an alternative.",
)
@click.option("--dry-run", is_flag=True, help="Only show what is new, the same and changed; store nothing.")
@STORE_OPTION
@JSON_OPTION
def command(
    *, files: tuple[Path, ...], form: str | None, prefer: str, dry_run: bool, store: str | None, as_json: bool
) -> None:
    """Import the records of each FILE into the store, and show which are new, the same and changed.

    If the store already has a record, its empty fields are filled; where both have a value, --prefer decides.
    """
    chosen = find_format(form) if form else None
    settings = load_cli_settings(store=store)
    batches = list(_read_record_files(files, settings, chosen, as_json=as_json))
    choices = ImportOptions(prefer_file=prefer == "file", dry_run=dry_run)
    counts: Counter[ImportState] = Counter()
    missing = dry_run and not has_store(settings.store)
    if missing:
        click.echo("the store does not exist yet, so every record is new", err=True)
    with open_store(":memory:" if missing else settings.store) as opened:
        for file, records in batches:
            origin = Origin("import", file.name)
            for item in import_records(records, opened, origin=origin, rules=settings.match, choices=choices):
                counts[item.state] += 1
                _print_incoming(item, as_json=as_json)
    shown = ", ".join(f"{counts[state]} {state.value}" for state in ImportState)
    click.echo(f"{shown}{' (nothing was stored)' if dry_run else ''}", err=True)
    if len(batches) < len(files):
        raise click.exceptions.Exit(3)


def _read_record_files(
    files: tuple[Path, ...], settings: Settings, form: Format | None, *, as_json: bool
) -> Iterator[tuple[Path, tuple[Citation, ...]]]:
    """Yield each file with its records; one of several files that cannot be read is reported and left out."""
    for file in files:
        try:
            yield file, read_record_file(file, settings, form=form)
        except MedharvestError as error:
            if len(files) == 1:
                raise
            print_source_error(Source(name=str(file)), error, as_json=as_json)


def _print_incoming(item: ImportedRecord, *, as_json: bool) -> None:
    if as_json:
        click.echo(format_json(_incoming_to_json(item)))
        return
    how = "" if item.state is ImportState.NEW else f" (by {item.verdict.method}, {item.verdict.score:.2f})"
    click.echo(f"{item.state.value}: {item.citation.title or item.citation.doi}{how}")
    for found in item.differences:
        click.echo(f"  {found.field}: {format_difference(found, 'file')}")
    for title in item.related:
        click.echo(f"  related, another DOI: {shorten_value(title)}")


def _incoming_to_json(item: ImportedRecord) -> dict[str, object]:
    return {
        "state": item.state.value,
        "title": item.citation.title,
        "doi": item.citation.doi,
        "match": to_json(item.verdict),
        "differences": [to_json(found) for found in item.differences],
        "related": list(item.related),
    }


command.help = (
    (command.help or "") + "\n\nFORMAT is one of: " + ", ".join(form.name for form in FORMATS.values() if form.read)
)

"""`medharvest import`: import the records of files into the store, and show what is new and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from medharvest.citations.record_differences import Origin
from medharvest.cli.display import format_difference, shorten_value
from medharvest.cli.files import print_source_error
from medharvest.cli.options import ENCODING_OPTION, JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.errors import MedharvestError
from medharvest.formats import INPUT_FORMATS, Format, find_input_format
from medharvest.formats.record_files import ENCODING_HINT
from medharvest.journals.inputs import Source
from medharvest.library.record_import import (
    FileReport,
    ImportedRecord,
    ImportOptions,
    ImportState,
    RecordFile,
    import_records,
    read_record_file,
)
from medharvest.settings import Settings
from medharvest.store import has_store, open_store

_MAX_REFUSED_SHOWN = 20  # lines about records that could not be read


@click.command("import", short_help="Import the records of files into the store.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", metavar="FORMAT", help="Format of the files; default: detected.")
@ENCODING_OPTION
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
def command(  # noqa: PLR0913  (one per option)
    *,
    files: tuple[Path, ...],
    form: str | None,
    encoding: str,
    prefer: str,
    dry_run: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Import the records of each FILE into the store, and show which are new, the same and changed.

    If the store already has a record, its empty fields are filled; where both have a value, --prefer decides. At the
    end, each file is reported: its records, the fields that were kept, the values that were dropped, and the records
    that could not be read, which are left out; the exit code is then 3.
    """
    chosen = find_input_format(form) if form else None
    settings = load_cli_settings(store=store)
    batches = list(_read_record_files(files, settings, chosen, encoding, as_json=as_json))
    choices = ImportOptions(prefer_file=prefer == "file", dry_run=dry_run)
    counts: Counter[ImportState] = Counter()
    doubtful = 0
    missing = dry_run and not has_store(settings.store)
    if missing:
        click.echo("the store does not exist yet, so every record is new", err=True)
    with open_store(":memory:" if missing else settings.store) as opened:
        for file, batch in batches:
            origin = Origin("import", file.name)
            for item in import_records(batch.records, opened, origin=origin, rules=settings.match, choices=choices):
                counts[item.state] += 1
                doubtful += bool(item.uncertain)
                _print_incoming(item, as_json=as_json)
    for _, batch in batches:
        print_file_report(batch.report, as_json=as_json)
    shown = ", ".join(f"{counts[state]} {state.value}" for state in ImportState)
    click.echo(f"{shown}{' (nothing was stored)' if dry_run else ''}", err=True)
    if doubtful:
        hint = "" if dry_run else "; hint: decide with `medharvest store duplicates`"
        click.echo(f"{doubtful} may be of an article that is already there; both records are kept{hint}", err=True)
    if len(batches) < len(files) or any(batch.report.refused_count for _, batch in batches):
        raise click.exceptions.Exit(3)


def _read_record_files(
    files: tuple[Path, ...], settings: Settings, form: Format | None, encoding: str, *, as_json: bool
) -> Iterator[tuple[Path, RecordFile]]:
    """Yield each file with its records; one of several files that cannot be read is reported and left out."""
    for file in files:
        try:
            yield file, read_record_file(file, settings, form=form, encoding=encoding)
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
    for title in item.uncertain:
        click.echo(f"  may be the same, both are kept: {shorten_value(title)}")


def print_file_report(report: FileReport, *, as_json: bool) -> None:
    """Print what became of a file; to stderr, or with `as_json` as one object with the others."""
    if as_json:
        click.echo(format_json({"report": to_json(report)}))
        return
    for line in describe_file_report(report):
        click.echo(f"{report.name}: {line}", err=True)


def describe_file_report(report: FileReport) -> Iterator[str]:
    """Yield the lines of a report, without the name of the file."""
    if report.decoding:
        hint = "" if report.is_decoding_certain else f"; hint: {ENCODING_HINT}"
        yield f"{report.decoding}{hint}"
    yield from (f"{one}{f'; hint: {one.hint}' if one.hint else ''}" for one in report.refused[:_MAX_REFUSED_SHOWN])
    if report.refused_count > _MAX_REFUSED_SHOWN:
        yield f"not shown: {report.refused_count - _MAX_REFUSED_SHOWN} more of these"
    refused = f"; could not be read: {report.refused_count}" if report.refused_count else ""
    yield f"{report.format}; records: {report.records}{refused}"
    yield f"kept: {', '.join(f'{name} {count}' for name, count in report.kept.items())}"
    if report.dropped:
        dropped = sorted(report.dropped.items(), key=lambda item: -item[1].count)
        shown = ", ".join(f"{name} {value.count} ({value.example!r})" for name, value in dropped)
        yield f"dropped: {shown}"


def _incoming_to_json(item: ImportedRecord) -> dict[str, object]:
    return {
        "state": item.state.value,
        "title": item.citation.title,
        "doi": item.citation.doi,
        "match": to_json(item.verdict),
        "differences": [to_json(found) for found in item.differences],
        "related": list(item.related),
        "uncertain": list(item.uncertain),
    }


command.help = (command.help or "") + "\n\nFORMAT is one of: " + ", ".join(INPUT_FORMATS)

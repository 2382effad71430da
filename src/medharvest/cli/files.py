"""The inputs of a verb with the errors of some of them, and the files of records that it writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.display import doubtful_fields
from medharvest.cli.main import error_line
from medharvest.cli.output_gate import complete_commands
from medharvest.codec import format_json
from medharvest.errors import FormatError, MedharvestError
from medharvest.formats import Format, find_format
from medharvest.journals.inputs import Source, describe_sources, manifest_sources, named_sources

if TYPE_CHECKING:
    from medharvest.journals.policy import PermittedRecord
    from medharvest.library.export import (
        DraftHandling,
        OmittedRecord,
        PreparedFile,
        RecordSelection,
        ReleasedRecords,
    )
    from medharvest.records import Citation
    from medharvest.store import Store

T = TypeVar("T")
URL_OPTION = click.option("--url", default="", help="Address that the file was saved from.")
MANIFEST_OPTION = click.option(
    "--manifest", type=click.Path(path_type=Path), help="JSON lines with file, url, encoding, journal."
)


def collect_sources(
    names: tuple[str, ...], *, url: str, manifest: Path | None, journal: str = ""
) -> tuple[Source, ...]:
    """Return the inputs of a call; the name `-` stands for names read from stdin.

    Without names, the rows of the manifest are the inputs; with names, the manifest only describes them.
    """
    if "-" in names:
        listed = tuple(line.strip() for line in sys.stdin if line.strip())
        place = names.index("-")
        names = (*names[:place], *listed, *names[place + 1 :])
    if not names and manifest is None:
        raise click.UsageError("name a FILE or URL, or give --manifest")
    if url and (len(names) > 1 or manifest is not None):
        raise click.UsageError("--url needs a single input")
    named = named_sources(names, url=url, journal=journal)
    if manifest is None:
        return named
    rows = manifest_sources(manifest)
    return describe_sources(named, rows) if names else rows


def skip_failed_sources(
    results: Generator[tuple[Source, T | MedharvestError], None, None], *, alone: bool, as_json: bool
) -> Iterator[tuple[Source, T]]:
    """Yield the inputs without an error and print the errors of the others; the exit code is then 3.

    The error of a single input is raised if nothing else came of it; an archive may give pages and errors.
    """
    came = False
    failed: list[tuple[Source, MedharvestError]] = []
    with closing(results):
        for source, result in results:
            if not isinstance(result, MedharvestError):
                came = True
                yield source, result
                continue
            failed.append((source, result))
            if not alone:
                print_source_error(source, result, as_json=as_json)
    if alone and len(failed) == 1 and not came:
        raise failed[0][1]
    for source, error in failed if alone else ():
        print_source_error(source, error, as_json=as_json)
    if failed:
        raise click.exceptions.Exit(3)


def print_source_error(source: Source, error: MedharvestError, *, as_json: bool) -> None:
    """Print the error of one of several inputs."""
    if as_json:
        own = {"url" if source.is_url else "file": source.name}
        click.echo(format_json(own | {"error": error.message, "hint": complete_commands(error.hint)}))
    else:
        click.echo(error_line(error), err=True)


def select_run_records(store: Store, runs: Sequence[int], *, quiet: bool) -> ReleasedRecords:
    """Select the records of runs that may leave the store."""
    from medharvest.library.export import RecordSelection, open_exporter  # verbs without a store do not load it

    empty = "every record of this run was deleted; restore them in the review app"
    tell = report_withheld if quiet else report_policy
    return open_exporter(store).select(RecordSelection(runs=tuple(runs)), tell, empty=empty)


def select_waiting(store: Store, choice: RecordSelection) -> Iterator[Citation]:
    """Yield the selected records that nobody has accepted and that have a field that is not sure."""
    from medharvest.library.export import open_exporter  # verbs without a store do not load it
    from medharvest.store.rows import Status

    wanted = set(choice.statuses or Status) - {Status.ACCEPTED, Status.DELETED}
    if wanted:
        open_records = replace(choice, statuses=tuple(sorted(wanted)))
        released = open_exporter(store).select(open_records, lambda _found: None)
        yield from (citation for citation in released if doubtful_fields(citation))


def write_run_files(
    records: ReleasedRecords, formats: Sequence[str], folder: Path, *, said: Callable[[str], None]
) -> None:
    """Write the records of runs into their folder; an old file that would now be empty is removed."""
    try:
        write_formats(records, formats, folder, said=said)
    except NothingWritten as stop:
        for form in stop.formats:
            (folder / f"citations{form.suffix}").unlink(missing_ok=True)
        raise


class NothingWritten(click.exceptions.Exit):
    """Exit with code 3: no record could be written in some formats, and each was reported."""

    def __init__(self, formats: Sequence[Format]) -> None:
        super().__init__(3)
        self.formats = tuple(formats)


def write_formats(
    records: ReleasedRecords, formats: Iterable[str], folder: Path, *, said: Callable[[str], None]
) -> None:
    """Write the records in each format and report each file: `pubmed: PATH`.

    If a format can express none of them, that is reported and the exit code is 3.
    """
    failed: list[Format] = []
    for form in [find_format(name) for name in formats]:
        path = folder / f"citations{form.suffix}"
        try:
            write_text_file(path, prepare_and_report(records, form).pieces)
            said(f"{form.name}: {path}")
        except FormatError as error:
            failed.append(form)
            click.echo(error_line(error), err=True)
    if failed:
        raise NothingWritten(failed)


def prepare_and_report(records: ReleasedRecords, form: Format, *, draft: DraftHandling | None = None) -> PreparedFile:
    """Prepare a file, a draft if need be; report records left out on stderr, and the reason if it is a draft."""
    from medharvest.library.export import DraftHandling, prepare_file  # verbs without a store do not load it

    prepared = prepare_file(records, form, draft=draft or DraftHandling.ALLOWED, tell=partial(_report_left_out, form))
    if prepared.draft:
        click.echo(f"draft, not to be delivered: {prepared.draft}", err=True)
    return prepared


def _report_left_out(form: Format, left: OmittedRecord) -> None:
    click.echo(f"not in {form.name}: {left.citation.title} ({left.why})", err=True)


def report_policy(found: PermittedRecord) -> None:
    """Report on stderr what the policy of a journal withholds."""
    if found.withheld:
        click.echo(f"held back: {found.citation.title} ({found.withheld})", err=True)
    else:
        click.echo(f"{found.note}: {found.citation.title}", err=True)


def report_withheld(found: PermittedRecord) -> None:
    """Report withheld records even with --quiet: nothing is left out silently."""
    if found.withheld:
        report_policy(found)

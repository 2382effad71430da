"""Write records to files, and report on stderr which ones are left out.

Shared by `issue`, `topic`, `export`, `search` and `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.main import error_line
from medharvest.errors import FormatError
from medharvest.formats import Format, find_format
from medharvest.journals.policy import PermittedRecord
from medharvest.library.export import (
    DraftHandling,
    OmittedRecord,
    PreparedFile,
    RecordSelection,
    ReleasedRecords,
    open_exporter,
    prepare_file,
)
from medharvest.store import Store


def select_run_records(store: Store, runs: Sequence[int], *, quiet: bool) -> ReleasedRecords:
    """Select the records of runs that may leave the store."""
    empty = "every record of this run was deleted; restore them in the review app"
    tell = report_withheld if quiet else report_policy
    return open_exporter(store).select(RecordSelection(runs=tuple(runs)), tell, empty=empty)


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


def prepare_and_report(
    records: ReleasedRecords, form: Format, *, draft: DraftHandling = DraftHandling.ALLOWED
) -> PreparedFile:
    """Prepare a file; report records left out on stderr, and the reason if it is a draft."""
    prepared = prepare_file(records, form, draft=draft, tell=partial(_report_left_out, form))
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

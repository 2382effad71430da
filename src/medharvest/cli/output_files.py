"""Write records to files, and report on stderr what is left out.

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
    """What runs found, as it may leave the store."""
    empty = "every record of this run was deleted; the review app shows and restores them"
    tell = report_withheld if quiet else report_policy
    return open_exporter(store).select(RecordSelection(runs=tuple(runs)), tell, empty=empty)


def write_run_files(
    records: ReleasedRecords, formats: Sequence[str], folder: Path, *, said: Callable[[str], None]
) -> None:
    """Write what runs found into their folder, as `write_formats`; a file that would hold nothing now is taken away."""
    try:
        write_formats(records, formats, folder, said=said)
    except NothingWritten as stop:
        for form in stop.formats:
            (folder / f"citations{form.suffix}").unlink(missing_ok=True)
        raise


class NothingWritten(click.exceptions.Exit):
    """The end of a command that could write nothing in some formats; each was told."""

    def __init__(self, formats: Sequence[Format]) -> None:
        super().__init__(3)
        self.formats = tuple(formats)


def write_formats(
    records: ReleasedRecords, formats: Iterable[str], folder: Path, *, said: Callable[[str], None]
) -> None:
    """Write the records in each format and say where, a line each: `pubmed: PATH`.

    A format that can hold none of them is told, and the exit code is 3.
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
    """A file of the records, each that it cannot hold told on stderr, and why it is a draft where it is one."""
    prepared = prepare_file(records, form, draft=draft, tell=partial(_report_left_out, form))
    if prepared.draft:
        click.echo(f"draft, not to be delivered: {prepared.draft}", err=True)
    return prepared


def _report_left_out(form: Format, left: OmittedRecord) -> None:
    click.echo(f"not in {form.name}: {left.citation.title} ({left.why})", err=True)


def report_policy(found: PermittedRecord) -> None:
    """Say on stderr what the policy of a journal keeps back."""
    if found.withheld:
        click.echo(f"held back: {found.citation.title} ({found.withheld})", err=True)
    else:
        click.echo(f"{found.note}: {found.citation.title}", err=True)


def report_withheld(found: PermittedRecord) -> None:
    """Say no more than which records are held back: nothing is left out in silence."""
    if found.withheld:
        report_policy(found)

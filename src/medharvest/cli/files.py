"""What `issue`, `topic`, `export` and `search` share: records to files, and what is left out told on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import click

from medharvest.citations import Format, find_format
from medharvest.cli.main import error_line
from medharvest.errors import FormatError
from medharvest.run.export import Choice, Draft, Left, Prepared, Released, open_outlet, prepare_file
from medharvest.run.output import write_file
from medharvest.run.policy import Permitted
from medharvest.store import Store


def select_found(store: Store, runs: Sequence[int], *, quiet: bool) -> Released:
    """What runs found, as it may leave the store."""
    empty = "every record of this run was deleted; the review app shows and restores them"
    tell = tell_withheld if quiet else tell_policy
    return open_outlet(store).select(Choice(runs=tuple(runs)), tell, empty=empty)


def write_run(records: Released, formats: Sequence[str], folder: Path, *, said: Callable[[str], None]) -> None:
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


def write_formats(records: Released, formats: Iterable[str], folder: Path, *, said: Callable[[str], None]) -> None:
    """Write the records in each format and say where, a line each: `pubmed: PATH`.

    A format that can hold none of them is told, and the exit code is 3.
    """
    failed: list[Format] = []
    for form in [find_format(name) for name in formats]:
        path = folder / f"citations{form.suffix}"
        try:
            write_file(path, prepare_told(records, form).pieces)
            said(f"{form.name}: {path}")
        except FormatError as error:
            failed.append(form)
            click.echo(error_line(error), err=True)
    if failed:
        raise NothingWritten(failed)


def prepare_told(records: Released, form: Format, *, draft: Draft = Draft.ALLOWED) -> Prepared:
    """A file of the records, each that it cannot hold told on stderr, and why it is a draft where it is one."""
    prepared = prepare_file(records, form, draft=draft, tell=partial(_tell_left, form))
    if prepared.draft:
        click.echo(f"draft, not to be delivered: {prepared.draft}", err=True)
    return prepared


def _tell_left(form: Format, left: Left) -> None:
    click.echo(f"not in {form.name}: {left.citation.title} ({left.why})", err=True)


def tell_policy(found: Permitted) -> None:
    """Say on stderr what the policy of a journal keeps back."""
    if found.withheld:
        click.echo(f"held back: {found.citation.title} ({found.withheld})", err=True)
    else:
        click.echo(f"{found.note}: {found.citation.title}", err=True)


def tell_withheld(found: Permitted) -> None:
    """Say no more than which records are held back: nothing is left out in silence."""
    if found.withheld:
        tell_policy(found)

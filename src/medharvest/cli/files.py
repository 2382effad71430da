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


def select_found(store: Store, runs: Sequence[int]) -> Released:
    """What runs found, as it may leave the store."""
    empty = "every record of this run was deleted; the review app shows and restores them"
    return open_outlet(store).select(Choice(runs=tuple(runs)), tell_policy, empty=empty)


def write_formats(records: Released, formats: Iterable[str], folder: Path, *, said: Callable[[str], None]) -> None:
    """Write the records in each format and say where, a line each: `pubmed: PATH`.

    A format that can hold none of them is told, its older file is taken away, and the exit code is 3.
    """
    failed = False
    for form in [find_format(name) for name in formats]:
        path = folder / f"citations{form.suffix}"
        try:
            write_file(path, prepare_told(records, form).pieces)
            said(f"{form.name}: {path}")
        except FormatError as error:
            failed = True
            path.unlink(missing_ok=True)
            click.echo(error_line(error), err=True)
    if failed:
        raise click.exceptions.Exit(3)


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

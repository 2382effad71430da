"""The inputs of a verb, files and addresses: their options, and how the errors of some of them are reported."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import click

from medharvest.cli.main import error_line
from medharvest.codec import format_json
from medharvest.errors import MedharvestError
from medharvest.journals.inputs import Source, describe_sources, manifest_sources, named_sources

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
        click.echo(format_json(own | {"error": error.message, "hint": error.hint}))
    else:
        click.echo(error_line(error), err=True)

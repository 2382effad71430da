"""`medharvest convert`: PDF to HTML."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from medharvest.cli.inputs import print_error, sources_of
from medharvest.cli.options import settings_from
from medharvest.errors import InputError, MedharvestError
from medharvest.records import Page
from medharvest.run.inputs import Source, page_sources
from medharvest.run.output import write_file


@click.command("convert", short_help="Turn PDFs into HTML.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), help="File for the HTML; of several PDFs, their folder.")
def command(*, names: tuple[str, ...], out: Path | None) -> None:
    """Turn PDFs into HTML, one paragraph a block, with page, place, font size and weight.

    One PDF goes to stdout or to the file --out, several go to the folder --out. `-` takes the names from stdin. The
    store is neither opened nor written.
    """
    sources = sources_of(names, url="", manifest=None)
    several = len(sources) > 1
    if several and out is None:
        raise click.UsageError("several PDFs need --out FOLDER")
    seen: Counter[str] = Counter()
    failed = False
    for source, result in page_sources(sources, settings_from()):
        try:
            text = _html(source, result)
            _write(text, _in_folder(out, source, seen) if several and out else out)
        except MedharvestError as error:
            if not several:
                raise
            failed = True
            print_error(source, error, as_json=False)
    if failed:
        raise click.exceptions.Exit(3)


def _in_folder(folder: Path, source: Source, seen: Counter[str]) -> Path:
    """The file for an input, `NAME.html`; of the next with the same name, `NAME-2.html`."""
    stem = Path(source.name).stem or "page"
    seen[stem] += 1
    return folder / (f"{stem}-{seen[stem]}.html" if seen[stem] > 1 else f"{stem}.html")


def _html(source: Source, result: Page | MedharvestError) -> str:
    if isinstance(result, MedharvestError):
        raise result
    if result.media_type != "application/pdf":
        raise InputError(f"not a PDF: {source.name}", name=source.name, hint="HTML needs no conversion")
    return result.text


def _write(text: str, target: Path | None) -> None:
    if target is None:
        click.echo(text, nl=False)
    else:
        write_file(target, [text])

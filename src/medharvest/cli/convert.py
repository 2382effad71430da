"""`medharvest convert`: convert PDFs to HTML."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.files import collect_sources, print_source_error
from medharvest.cli.options import load_cli_settings
from medharvest.errors import InputError, MedharvestError
from medharvest.harvest.input_reader import inspect_sources
from medharvest.journals.inputs import Source
from medharvest.records import Page


@click.command("convert", short_help="Convert PDFs to HTML.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), help="File for the HTML; for several PDFs, a folder.")
def command(*, names: tuple[str, ...], out: Path | None) -> None:
    """Convert PDFs to HTML, one paragraph per block, with page, position, font size and weight.

    The HTML of one PDF goes to stdout or to the file --out, that of several to the folder --out. `-` reads names from
    stdin. The store is not opened.
    """
    sources = collect_sources(names, url="", manifest=None)
    several = len(sources) > 1
    if several and out is None:
        raise click.UsageError("several PDFs need --out FOLDER")
    seen: Counter[str] = Counter()
    failed = False
    with closing(inspect_sources(sources, load_cli_settings(), Page)) as pages:
        for source, result in pages:
            try:
                text = _require_pdf_html(source, result)
                _write_html(text, _html_path_in_folder(out, source, seen) if several and out else out)
            except MedharvestError as error:
                if not several:
                    raise
                failed = True
                print_source_error(source, error, as_json=False)
    if failed:
        raise click.exceptions.Exit(3)


def _html_path_in_folder(folder: Path, source: Source, seen: Counter[str]) -> Path:
    """Return the file for an input, `NAME.html`, or `NAME-2.html` for the second one with that name."""
    stem = Path(source.name).stem or "page"
    seen[stem] += 1
    return folder / (f"{stem}-{seen[stem]}.html" if seen[stem] > 1 else f"{stem}.html")


def _require_pdf_html(source: Source, result: Page | MedharvestError) -> str:
    if isinstance(result, MedharvestError):
        raise result
    if result.media_type != "application/pdf":
        raise InputError(f"not a PDF: {source.name}", name=source.name, hint="HTML needs no conversion")
    return result.text


def _write_html(text: str, target: Path | None) -> None:
    if target is None:
        click.echo(text, nl=False)
    else:
        write_text_file(target, [text])

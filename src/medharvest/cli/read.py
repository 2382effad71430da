"""`medharvest read`: pages to citations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from medharvest.citations import Format, find_format, report
from medharvest.cli.main import error_line
from medharvest.cli.options import JSON_OPTION, settings_from
from medharvest.cli.table import card, tell_unfit
from medharvest.errors import MedharvestError
from medharvest.records import Citation
from medharvest.run.inputs import Source, manifest_sources, named_sources, read_sources
from medharvest.run.output import split_by_fit


@click.command("read", short_help="Read article pages into citations.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@click.option("--url", default="", help="Address the one file was saved from.")
@click.option("--manifest", type=click.Path(path_type=Path), help="JSON lines with file, url, encoding.")
@click.option("--format", "form", metavar="FORMAT", help="Write the citations in a format instead.")
@JSON_OPTION
def command(*, names: tuple[str, ...], url: str, manifest: Path | None, form: str | None, as_json: bool) -> None:
    """Read article pages, HTML or PDF, into citations; `-` takes the names from stdin.

    The store is neither opened nor written.
    """
    chosen = find_format(form) if form else None
    sources = _sources(names, url, manifest)
    results = read_sources(sources, settings_from())
    if len(sources) == 1:
        for _, result in results:
            if isinstance(result, MedharvestError):
                raise result
            _print_all([result], chosen) if chosen else _print(sources[0], result, as_json=as_json)
        return
    failed = _print_several(results, chosen, as_json=as_json)
    if failed:
        raise click.exceptions.Exit(3)


def _sources(names: tuple[str, ...], url: str, manifest: Path | None) -> tuple[Source, ...]:
    if "-" in names:
        listed = tuple(line.strip() for line in sys.stdin if line.strip())
        place = names.index("-")
        names = (*names[:place], *listed, *names[place + 1 :])
    if not names and manifest is None:
        raise click.UsageError("name a FILE or URL, or give --manifest")
    if url and (len(names) > 1 or manifest is not None):
        raise click.UsageError("--url goes with one input only")
    return named_sources(names, url=url) + (manifest_sources(manifest) if manifest else ())


def _print_several(
    results: Iterable[tuple[Source, Citation | MedharvestError]], form: Format | None, *, as_json: bool
) -> bool:
    failed, citations = False, []
    for source, result in results:
        if isinstance(result, MedharvestError):
            failed = True
            _print_error(source, result, as_json=as_json)
        elif form:
            citations.append(result)
        else:
            _print(source, result, as_json=as_json)
    if form and citations:
        _print_all(citations, form)
    return failed


def _print(source: Source, citation: Citation, *, as_json: bool) -> None:
    if not as_json:
        click.echo(card(citation) + "\n")
        return
    own = {"url": citation.url or source.name} if source.is_url else {"file": source.name}
    click.echo(json.dumps(report(citation) | own if source.is_url else own | report(citation), ensure_ascii=False))


def _print_error(source: Source, error: MedharvestError, *, as_json: bool) -> None:
    if as_json:
        own = {"url" if source.is_url else "file": source.name}
        click.echo(json.dumps(own | {"error": error.message, "hint": error.hint}, ensure_ascii=False))
    else:
        click.echo(error_line(error), err=True)


def _print_all(citations: list[Citation], form: Format) -> None:
    fit, unfit = split_by_fit(citations, form)
    tell_unfit(unfit, form)
    for piece in form.write(fit):
        click.echo(piece, nl=False)

"""`medharvest classify`: the kind of pages."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.cli.files import MANIFEST_OPTION, URL_OPTION, collect_sources, skip_failed_sources
from medharvest.cli.options import JSON_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.harvest.input_reader import inspect_sources
from medharvest.journals.inputs import Source
from medharvest.pages.kind import ScoredKind


@click.command("classify", short_help="Show the kind of pages.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@JSON_OPTION
def command(*, names: tuple[str, ...], url: str, manifest: Path | None, as_json: bool) -> None:
    """Show the kind of pages: abstract, fulltext, issue, pdf, image, login, blocked, missing or other.

    `-` reads names from stdin. The store is not opened.
    """
    sources = collect_sources(names, url=url, manifest=manifest)
    results = inspect_sources(sources, load_cli_settings(), ScoredKind)
    for source, result in skip_failed_sources(results, alone=len(sources) == 1, as_json=as_json):
        _print_page_kind(source, result, as_json=as_json)


def _print_page_kind(source: Source, found: ScoredKind, *, as_json: bool) -> None:
    verdict = found.verdict
    if not as_json:
        click.echo(f"{verdict.label:9} {verdict.score:.2f} {source.name}{' ' + source.url if source.url else ''}")
        return
    row = {
        "url" if source.is_url else "file": source.name,
        **({"url": source.url} if source.url and not source.is_url else {}),
        "kind": verdict.label,
        "score": round(verdict.score, 4),
        "scores": dict(found.scores),
        "method": verdict.method,
    }
    click.echo(format_json(row))

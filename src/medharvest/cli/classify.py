"""`medharvest classify`: what pages are."""

from __future__ import annotations

import json
from pathlib import Path

import click

from medharvest.cli.inputs import MANIFEST_OPTION, URL_OPTION, good_ones, sources_of
from medharvest.cli.options import JSON_OPTION, settings_from
from medharvest.pages.kind import Classified
from medharvest.run.inputs import Source, kind_sources


@click.command("classify", short_help="Tell what pages are.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@JSON_OPTION
def command(*, names: tuple[str, ...], url: str, manifest: Path | None, as_json: bool) -> None:
    """Tell what pages are: abstract, fulltext, issue, pdf, image, login, blocked, missing or other.

    `-` takes the names from stdin. The store is neither opened nor written.
    """
    sources = sources_of(names, url=url, manifest=manifest)
    results = kind_sources(sources, settings_from())
    for source, result in good_ones(results, alone=len(sources) == 1, as_json=as_json):
        _print(source, result, as_json=as_json)


def _print(source: Source, found: Classified, *, as_json: bool) -> None:
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
    click.echo(json.dumps(row, ensure_ascii=False))

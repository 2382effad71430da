"""`medharvest links`: the links of pages, and which of them are article links."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.files import MANIFEST_OPTION, URL_OPTION, collect_sources, skip_failed_sources
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.harvest.input_reader import ExamplesByJournal, JudgedPage, MethodProfile, inspect_sources
from medharvest.journals.inputs import Source
from medharvest.records import JudgedLink
from medharvest.settings import Settings


@click.command("links", short_help="Find the article links of pages.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@click.option("--journal", default="", metavar="J", help="Judge the links by what this journal was taught.")
@click.option(
    "--profile",
    type=click.Choice([one.value for one in MethodProfile]),
    default="default",
    help="How links are judged.",
)
@click.option("--html", type=click.Path(path_type=Path), metavar="OUT", help="Write the page with its links outlined.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    names: tuple[str, ...],
    url: str,
    manifest: Path | None,
    journal: str,
    profile: str,
    html: Path | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Find the article links of contents pages; `-` reads names from stdin.

    With --json every link is printed, article or not, and whether a crawl may follow it. The store is opened only for
    --journal, and never written.
    """
    sources = collect_sources(names, url=url, manifest=manifest, journal=journal)
    if html and len(sources) > 1:
        raise click.UsageError("--html needs a single input")
    if profile == MethodProfile.PAPER and not all(source.journal for source in sources):
        raise click.UsageError("--profile paper needs --journal")
    settings = load_cli_settings(store=store)
    examples = _load_taught_examples({source.journal for source in sources} - {""}, settings)
    options = {"profile": profile, "outlined": html is not None}
    results = inspect_sources(sources, settings, JudgedPage, examples=examples, options=options)
    for source, result in skip_failed_sources(results, alone=len(sources) == 1, as_json=as_json):
        _show_links(source, result, as_json=as_json, html=html)


def _load_taught_examples(journals: set[str], settings: Settings) -> ExamplesByJournal:
    """Load what each journal was taught; without a journal the store is not opened."""
    if not journals:
        return {}
    from medharvest.store import open_existing

    with open_existing(settings.store) as store:
        return {name: tuple(store.journals.link_examples(name)) for name in journals}


def _show_links(source: Source, result: JudgedPage, *, as_json: bool, html: Path | None) -> None:
    if html:
        write_text_file(html, [result.outline])
    if as_json:
        for judged in result.links:
            click.echo(format_json({"file": source.name, **_link_row(judged)}))
    else:
        _print_link_table(source, [judged for judged in result.links if judged.article])
    for note in result.notes:
        click.echo(f"{source.name}: {note}", err=True)


def _link_row(judged: JudgedLink) -> dict[str, object]:
    link = judged.link
    return {
        "index": link.index,
        "offset": link.offset,
        "href": link.href,
        "url": link.url,
        "text": link.text,
        "article": judged.article,
        "type": judged.kind.value if judged.kind else None,
        "score": round(judged.verdict.score, 6),
        "method": judged.verdict.method,
        "article_key": judged.article_key,
        "follows": judged.follows,
    }


def _print_link_table(source: Source, articles: Sequence[JudgedLink]) -> None:
    """Print article links as a table as wide as the terminal; without one as lines with tabs between the columns."""
    title = f"{source.name}: {len(articles)} article links"
    rows = [_table_cells(judged) for judged in articles]
    if not sys.stdout.isatty():
        click.echo(title, err=True)
        for row in rows:
            click.echo("\t".join(" ".join(value.split()) for value in row))
        return
    from rich.table import Table

    from medharvest.cli.display import open_console

    table = Table(title=title, title_justify="left", expand=True)
    for name, ratio in (("text", 5), ("type", 0), ("address", 5), ("score", 0)):
        table.add_column(name, ratio=ratio or None, no_wrap=not ratio)
    for row in rows:
        table.add_row(*row)
    open_console().print(table)


def _table_cells(judged: JudgedLink) -> tuple[str, ...]:
    kind = judged.kind.value if judged.kind else ""
    return judged.link.text, kind, judged.link.url or judged.link.href, f"{judged.verdict.score:.2f}"

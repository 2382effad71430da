"""`medharvest read`: read article pages into citations."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from medharvest.cli.display import citation_card, doubtful_fields
from medharvest.cli.files import MANIFEST_OPTION, URL_OPTION, collect_sources, print_source_error
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.errors import MedharvestError
from medharvest.formats import Format, find_format, report
from medharvest.harvest.input_reader import read_sources
from medharvest.journals.inputs import Source
from medharvest.records import Citation
from medharvest.settings import Settings


@click.command("read", short_help="Read article pages into citations.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@click.option("--journal", default="", metavar="J", help="Read the pages by what this journal was taught.")
@click.option("--format", "form", metavar="FORMAT", help="Write the citations in a format instead.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    names: tuple[str, ...],
    url: str,
    manifest: Path | None,
    journal: str,
    form: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Read article pages, HTML or PDF, into citations; `-` reads names from stdin.

    The store is opened only for --journal, and never written.
    """
    chosen = find_format(form) if form else None
    sources = collect_sources(names, url=url, manifest=manifest, journal=journal)
    with closing(_read_results(sources, load_cli_settings(store=store))) as results:
        if len(sources) > 1 or sources[0].is_archive:
            if _print_citations(results, chosen, inputs=len(sources), as_json=as_json):
                raise click.exceptions.Exit(3)
            return
        for _, result in results:
            if isinstance(result, MedharvestError):
                raise result
            _print_in_format([result], chosen) if chosen else _print_citation(sources[0], result, as_json=as_json)


def _read_results(
    sources: tuple[Source, ...], settings: Settings
) -> Generator[tuple[Source, Citation | MedharvestError], None, None]:
    journals = [source.journal for source in sources if source.journal]
    if not journals:
        return read_sources(sources, settings)
    from medharvest.journals.article_reader import open_lessons  # only --journal needs the store

    return read_sources(sources, settings, open_lessons(journals, settings))


def _print_citations(
    results: Iterable[tuple[Source, Citation | MedharvestError]], form: Format | None, *, inputs: int, as_json: bool
) -> bool:
    failed, citations, tally = 0, [], Counter({"ready": 0, "need a look": 0})
    with _show_reading(inputs) as show:
        for source, result in results:
            show(source)
            if isinstance(result, MedharvestError):
                failed += 1
                print_source_error(source, result, as_json=as_json)
                continue
            tally["need a look" if doubtful_fields(result) else "ready"] += 1
            if form:
                citations.append(result)
            else:
                _print_citation(source, result, as_json=as_json, named=True)
    if form and citations:
        _print_in_format(citations, form)
    if not as_json:
        counts = "".join(f", {count} {name}" for name, count in tally.items() if count)
        click.echo(f"{tally.total()} read{counts}{f'; {failed} failed' if failed else ''}", err=True)
    return bool(failed)


@contextmanager
def _show_reading(inputs: int) -> Iterator[Callable[[Source], None]]:
    """Yield a function that is told each input; it shows a bar if the records go elsewhere than the terminal."""
    if sys.stdout.isatty() or not sys.stderr.isatty():
        yield lambda _source: None
        return
    from rich.progress import Progress

    from medharvest.cli.display import open_console

    seen: set[Source] = set()  # an archive gives many pages
    with Progress(console=open_console(err=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("reading", total=inputs)

        def show(source: Source) -> None:
            seen.add(source)
            bar.update(task, completed=len(seen))

        yield show


def _print_citation(source: Source, citation: Citation, *, as_json: bool, named: bool = False) -> None:
    if not as_json:
        head = f"{'url' if source.is_url else 'file'}: {source.name}\n" if named else ""
        click.echo(head + citation_card(citation) + "\n")
        return
    own = {"url": citation.url or source.name} if source.is_url else {"file": source.name}
    click.echo(format_json(report(citation) | own if source.is_url else own | report(citation)))


def _print_in_format(citations: list[Citation], form: Format) -> None:
    from medharvest.cli.files import prepare_and_report
    from medharvest.library.export import release_unstored

    for piece in prepare_and_report(release_unstored(citations), form).pieces:
        click.echo(piece, nl=False)

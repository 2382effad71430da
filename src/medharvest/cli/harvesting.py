"""What `issue` and `demo` share: harvest addresses, print the records, write the files."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from medharvest.citations import find_format, report
from medharvest.cli.main import error_line
from medharvest.cli.progress import progress
from medharvest.cli.table import print_table
from medharvest.errors import FetchError, FormatError
from medharvest.fetch import HttpFetcher
from medharvest.records import Citation, Kind, Miss, Outcome
from medharvest.run.harvest import Harvest, harvest_issue
from medharvest.run.inputs import fetch_error
from medharvest.run.output import write_citations
from medharvest.settings import Settings
from medharvest.store import Store


def harvest_all(
    urls: Sequence[str], *, store: Store, folder: Path, settings: Settings, quiet: bool
) -> tuple[Harvest, ...]:
    """Harvest issues one after the other, each into a folder of its own where there are several."""

    async def run() -> tuple[Harvest, ...]:
        done = []
        async with HttpFetcher(settings.fetch) as fetcher:
            for number, url in enumerate(urls, 1):
                into = folder if len(urls) == 1 else folder / f"{number:02d}"
                with progress(quiet=quiet) as listen:
                    done.append(
                        await harvest_issue(
                            url, fetcher=fetcher, store=store, folder=into, settings=settings, listen=listen
                        )
                    )
        return tuple(done)

    return asyncio.run(run())


def unreached(harvest: Harvest) -> FetchError | None:
    """The error of a harvest whose contents page itself did not arrive."""
    first = next((o for o in harvest.failures if o.wish.kind is Kind.ISSUE and not o.wish.parent), None)
    if first is None or first.reason is None:
        return None
    return fetch_error(Miss(first.wish.url, first.reason, first.detail))


def show(citations: Sequence[Citation], *, as_json: bool) -> None:
    """Print the records, for people or for programs."""
    if as_json:
        for citation in citations:
            click.echo(json.dumps(report(citation), ensure_ascii=False))
    else:
        print_table(citations)


def summarise(harvests: Iterable[Harvest]) -> None:
    """Say on stderr what came, what did not, and why."""
    harvests = tuple(harvests)
    failures = [outcome for harvest in harvests for outcome in harvest.failures]
    pages = sum(len(harvest.pages) for harvest in harvests)
    articles = sum(len(harvest.citations) for harvest in harvests)
    missed = f"{len(failures)} page{'' if len(failures) == 1 else 's'} did not arrive{_why(failures)}"
    click.echo(f"{articles} articles from {pages} pages; {missed}", err=True)


def _why(failures: Sequence[Outcome]) -> str:
    reasons = Counter(str(outcome.reason) for outcome in failures)
    return f" ({', '.join(f'{name} {count}' for name, count in reasons.most_common())})" if reasons else ""


def write_formats(citations: Sequence[Citation], formats: Iterable[str], folder: Path) -> None:
    """Write the records in each format and print where, a line each: `pubmed: PATH`."""
    for form in [find_format(name) for name in formats]:
        path = folder / f"citations{form.suffix}"
        try:
            unfit = write_citations(citations, form, path)
        except FormatError as error:
            click.echo(error_line(error), err=True)
            continue
        for citation in unfit:
            click.echo(f"not in {form.name}: {citation.title} (lacks {', '.join(form.lacks(citation))})", err=True)
        click.echo(f"{form.name}: {path}")

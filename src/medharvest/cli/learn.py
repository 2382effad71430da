"""`medharvest learn`: teach a journal its article links, and where its pages print each field."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import click

from medharvest.cli.options import QUIET_OPTION, STORE_OPTION, load_cli_settings
from medharvest.journals.catalogue import check_journal_name
from medharvest.journals.inputs import Source
from medharvest.journals.lessons import (
    LinkTeacher,
    TaughtLinks,
    find_labelled_pages,
    learn_from_archive,
    learn_from_truth,
    load_link_labels,
    load_truth,
)
from medharvest.settings import split_login
from medharvest.store import open_existing, open_store


@click.group("learn", short_help="Teach a journal.")
def command() -> None:
    """Teach a journal its article links or its layout, from labelled pages."""


@command.command("links")
@click.argument("journal", metavar="JOURNAL")
@click.argument("page", metavar="[PAGE]", required=False)
@click.option("--labels", type=click.Path(path_type=Path), help="JSON lines with file, i or offset, article, type.")
@click.option("--pages", type=click.Path(path_type=Path), help="Folder of the files that the labels name.")
@click.option("--manifest", type=click.Path(path_type=Path), help="JSON lines with file, url, encoding of the pages.")
@click.option("--url", default="", help="Address that PAGE was saved from.")
@click.option("--article", "articles", type=int, multiple=True, metavar="N", help="Article link of PAGE; repeatable.")
@click.option(
    "--other",
    "others",
    type=int,
    multiple=True,
    metavar="N",
    help="Link of PAGE that is not an article link; repeatable.",
)
@STORE_OPTION
@QUIET_OPTION
def learn_links_command(  # noqa: PLR0913  (one parameter per option)
    *,
    journal: str,
    page: str | None,
    labels: Path | None,
    pages: Path | None,
    manifest: Path | None,
    url: str,
    articles: tuple[int, ...],
    others: tuple[int, ...],
    store: str | None,
    quiet: bool,
) -> None:
    """Teach JOURNAL its article links: by a file of labels, or link by link on one PAGE.

    Links are numbered from 0, as `links --json` prints them. A page that is taught again replaces what it taught
    before; links given by --article and --other are added to it. A journal that does not exist is created.
    """
    settings = load_cli_settings(store=store)
    if (page is None) == (labels is None) or (page is None) == bool(articles or others):
        raise click.UsageError("give --labels FILE and --pages DIR, or a PAGE with --article N and --other N")
    if (labels is None) != (pages is None):
        raise click.UsageError("--labels and --pages go together")
    with open_store(settings.store) as opened:
        teacher = LinkTeacher(opened, check_journal_name(journal), settings.read)
        if labels is not None and pages is not None:
            lines = load_link_labels(labels, journal=journal, limits=settings.read)
            taught: Iterable[TaughtLinks] = teacher.by_file(lines, find_labelled_pages(lines, pages, manifest))
        else:
            wanted = dict.fromkeys(articles, True) | dict.fromkeys(others, False)
            taught = [teacher.by_hand(Source(str(page), url=split_login(url)[0]), wanted)]
        for one in taught:
            if not quiet:
                click.echo(f"{one.page}: {one.links} links, {one.articles} articles")


@command.command("zones")
@click.argument("journal", metavar="JOURNAL")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="JSON lines with id or file, title, authors, affiliations, abstract.",
)
@click.option("--pages", type=click.Path(path_type=Path), help="Folder of the files that the truth names.")
@click.option("--run", type=int, help="Run whose archived pages teach, by accepted or imported records or by metadata.")
@STORE_OPTION
@QUIET_OPTION
def learn_zones_command(
    *, journal: str, truth: Path | None, pages: Path | None, run: int | None, store: str | None, quiet: bool
) -> None:
    """Teach JOURNAL where its pages print title, authors, affiliations and abstract.

    Either --truth gives the values of files below --pages; or --run names a run, and the values are those of its
    accepted or imported records, or of the metadata of its pages. A page that is taught again replaces what it taught
    before. A journal that does not exist is created.
    """
    if (truth is None or pages is None) == (run is None):
        raise click.UsageError("give --truth with --pages, or --run")
    settings = load_cli_settings(store=store)
    name = check_journal_name(journal)
    rows = load_truth(truth, limits=settings.read) if truth else ()
    with (open_store if run is None else open_existing)(settings.store) as opened:
        if run is not None:
            learnt = asyncio.run(learn_from_archive(opened, name, run))
        else:
            assert pages is not None
            learnt = learn_from_truth(opened, name, rows, pages, settings.read)
    for one in () if quiet else learnt:
        missed = f"; not found: {', '.join(one.missed)}" if one.missed else ""
        click.echo(f"{one.page}: {', '.join(one.labels) or 'nothing'}{missed}")

"""`medharvest learn`: teach a journal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from medharvest.cli.learn_zones import command as zones
from medharvest.cli.options import QUIET_OPTION, STORE_OPTION, settings_from
from medharvest.run.inputs import Source
from medharvest.run.teaching import Taught, Teacher, checked_name, labelled_sources, load_labels
from medharvest.store import open_store


@click.group("learn", short_help="Teach a journal.")
def command() -> None:
    """Teach a journal by pages on which somebody said what is what."""


@command.command("links")
@click.argument("journal", metavar="JOURNAL")
@click.argument("page", metavar="[PAGE]", required=False)
@click.option("--labels", type=click.Path(path_type=Path), help="JSON lines with file, i or offset, article, type.")
@click.option("--pages", type=click.Path(path_type=Path), help="Folder the labels name files in.")
@click.option("--manifest", type=click.Path(path_type=Path), help="JSON lines with file, url, encoding of the pages.")
@click.option("--url", default="", help="Address PAGE was saved from.")
@click.option("--article", "articles", type=int, multiple=True, metavar="N", help="Link of PAGE that is an article.")
@click.option("--other", "others", type=int, multiple=True, metavar="N", help="Link of PAGE that is none.")
@STORE_OPTION
@QUIET_OPTION
def links(  # noqa: PLR0913  (one parameter an option)
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
    """Teach JOURNAL which links are articles: by a file of labels, or link by link of one PAGE.

    Links are counted from 0, as `links --json` prints them. A page taught again replaces what it taught before; links
    named by --article and --other are added to it. A journal that is not there is made.
    """
    settings = settings_from(store=store)
    if (page is None) == (labels is None) or (page is None) == bool(articles or others):
        raise click.UsageError("give --labels FILE and --pages DIR, or a PAGE with --article N and --other N")
    if (labels is None) != (pages is None):
        raise click.UsageError("--labels and --pages go together")
    with open_store(settings.store) as opened:
        teacher = Teacher(opened, checked_name(journal), settings.read)
        if labels is not None and pages is not None:
            lines = load_labels(labels, journal=journal, limits=settings.read)
            taught: Iterable[Taught] = teacher.by_file(lines, labelled_sources(lines, pages, manifest))
        else:
            wanted = dict.fromkeys(articles, True) | dict.fromkeys(others, False)
            taught = [teacher.by_hand(Source(str(page), url=url), wanted)]
        for one in taught:
            if not quiet:
                click.echo(f"{one.page}: {one.links} links, {one.articles} articles")


command.add_command(zones)

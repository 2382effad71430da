"""`medharvest zones`: the zones of pages and their labels, or the patterns they are told apart by."""

from __future__ import annotations

import json
from pathlib import Path

import click

from medharvest.cli.inputs import MANIFEST_OPTION, URL_OPTION, good_ones, sources_of
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, settings_from
from medharvest.records import LabelledZone, Page
from medharvest.run.inputs import Source, page_sources
from medharvest.run.lessons import Lessons, label_page, open_lessons
from medharvest.zones.patterns import pattern_lines

_WIDTH = 100  # characters of a zone's text that a line for people shows


@click.command("zones", short_help="Show the zones of pages and their labels.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@click.option("--journal", default="", metavar="J", help="Journal whose taught pages label these.")
@click.option("--patterns", is_flag=True, help="Print the level- and tag-patterns instead.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    names: tuple[str, ...],
    url: str,
    manifest: Path | None,
    journal: str,
    patterns: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Show the zones of article pages and what each holds; `-` takes the names from stdin.

    Without --json, unidentified zones are left out. The store is opened only for a journal, and never written.
    """
    sources = sources_of(names, url=url, manifest=manifest, journal=journal)
    settings = settings_from(store=store)
    lessons = open_lessons([source.journal for source in sources], settings)
    pages = page_sources(sources, settings)
    for source, page in good_ones(pages, alone=len(sources) == 1, as_json=as_json):
        _show_patterns(source, page, as_json=as_json) if patterns else _show(source, page, lessons, as_json=as_json)


def _show(source: Source, page: Page, lessons: Lessons, *, as_json: bool) -> None:
    for item in label_page(page, lessons.get(source.journal, ())):
        if as_json:
            click.echo(json.dumps({"file": source.name, **_row(item)}, ensure_ascii=False))
        elif item.verdict.label != "unidentified":
            click.echo(f"{item.verdict.label:12} {item.verdict.score:4.2f}  {item.zone.text[:_WIDTH]}")


def _row(item: LabelledZone) -> dict[str, object]:
    return {
        "level": item.zone.level,
        "tag": item.zone.tag,
        "path": item.zone.path,
        "text": item.zone.text,
        "label": item.verdict.label,
        "score": round(item.verdict.score, 6),
        "method": item.verdict.method,
    }


def _show_patterns(source: Source, page: Page, *, as_json: bool) -> None:
    for line in pattern_lines(page):
        if as_json:
            click.echo(json.dumps({"file": source.name, **line._asdict()}, ensure_ascii=False))
        else:
            click.echo(f"{line.levels:20} {line.tags:30} {line.text[:_WIDTH]}".rstrip())

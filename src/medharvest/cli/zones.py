"""`medharvest zones`: the zones of pages and their labels, or the level- and tag-patterns of the zones."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.cli.files import MANIFEST_OPTION, URL_OPTION, collect_sources, skip_failed_sources
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.harvest.input_reader import LabelledPage, MethodProfile, PatternPage, inspect_sources
from medharvest.journals.article_reader import open_lessons
from medharvest.journals.inputs import Source
from medharvest.records import LabelledZone

_MAX_ZONE_TEXT = 100  # characters of a zone's text in the output without --json


@click.command("zones", short_help="Show the zones of pages and their labels.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@click.option("--journal", default="", metavar="J", help="Label the pages by what this journal was taught.")
@click.option(
    "--profile",
    type=click.Choice([one.value for one in MethodProfile]),
    default="default",
    help="How zones are labelled; `paper` aligns the level- and tag-patterns with those of the taught pages.",
)
@click.option("--patterns", is_flag=True, help="Print the level- and tag-patterns instead.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    names: tuple[str, ...],
    url: str,
    manifest: Path | None,
    journal: str,
    profile: str,
    patterns: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Show the zones of article pages and their labels; `-` reads names from stdin.

    Without --json, unidentified zones are left out. --profile paper needs --journal: the score of a label is 1.0 if
    levels and tags agree, and 0.5 if only one of them gives it. The store is opened only for --journal, and never
    written.
    """
    sources = collect_sources(names, url=url, manifest=manifest, journal=journal)
    if profile == MethodProfile.PAPER and not all(source.journal for source in sources):
        raise click.UsageError("--profile paper needs --journal")
    settings = load_cli_settings(store=store)
    alone = len(sources) == 1
    if patterns:
        lines = inspect_sources(sources, settings, PatternPage)
        for source, written in skip_failed_sources(lines, alone=alone, as_json=as_json):
            _show_zone_patterns(source, written, as_json=as_json)
        return
    lessons = open_lessons([source.journal for source in sources], settings)
    zones = inspect_sources(sources, settings, LabelledPage, lessons=lessons, options={"profile": profile})
    for source, page in skip_failed_sources(zones, alone=alone, as_json=as_json):
        _show_zones(source, page, as_json=as_json)


def _show_zones(source: Source, page: LabelledPage, *, as_json: bool) -> None:
    for item in page.zones:
        if as_json:
            click.echo(format_json({"file": source.name, **_zone_row(item)}))
        elif item.verdict.label != "unidentified":
            click.echo(f"{item.verdict.label:12} {item.verdict.score:4.2f}  {item.zone.text[:_MAX_ZONE_TEXT]}")


def _zone_row(item: LabelledZone) -> dict[str, object]:
    return {
        "level": item.zone.level,
        "tag": item.zone.tag,
        "path": item.zone.path,
        "text": item.zone.text,
        "label": item.verdict.label,
        "score": round(item.verdict.score, 6),
        "method": item.verdict.method,
    }


def _show_zone_patterns(source: Source, page: PatternPage, *, as_json: bool) -> None:
    for line in page.lines:
        if as_json:
            click.echo(format_json({"file": source.name, **line._asdict()}))
        else:
            click.echo(f"{line.levels:20} {line.tags:30} {line.text[:_MAX_ZONE_TEXT]}".rstrip())

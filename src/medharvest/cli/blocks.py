"""`medharvest blocks`: the link blocks of pages, and the body text without them."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.files import MANIFEST_OPTION, URL_OPTION, collect_sources, skip_failed_sources
from medharvest.cli.options import JSON_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.harvest.input_reader import BlockedPage, inspect_sources
from medharvest.journals.inputs import Source
from medharvest.links.blocks import DISTANCE_MEASURES, MIN_BLOCK_LINKS, LinkBlocks

_POSITIVE_COUNT = click.IntRange(min=1)


@click.command("blocks", short_help="Find the link blocks of pages, and their body text.")
@click.argument("names", metavar="FILE|URL...", nargs=-1)
@URL_OPTION
@MANIFEST_OPTION
@click.option(
    "--distance",
    type=click.Choice(list(DISTANCE_MEASURES)),
    default="text",
    show_default=True,
    help="Measure of the distance between links.",
)
@click.option(
    "--dt",
    type=_POSITIVE_COUNT,
    metavar="N",
    help="Links closer than this belong together; default: derived from the page.",
)
@click.option(
    "--ct",
    type=_POSITIVE_COUNT,
    metavar="N",
    default=MIN_BLOCK_LINKS,
    show_default=True,
    help="Least number of links in a block.",
)
@click.option("--text", "with_text", is_flag=True, help="Print the body text, without link blocks.")
@click.option("--html", type=click.Path(path_type=Path), metavar="OUT", help="Write the page with its blocks outlined.")
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    names: tuple[str, ...],
    url: str,
    manifest: Path | None,
    distance: str,
    dt: int | None,
    ct: int,
    with_text: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Find the link blocks of pages; `-` reads names from stdin.

    The paper of this method uses --dt 40 for text, --dt 80 for code, and --ct 3.
    """
    sources = collect_sources(names, url=url, manifest=manifest)
    if html and len(sources) > 1:
        raise click.UsageError("--html needs a single input")
    wanted = {"distance": distance, "threshold": dt, "least": ct, "with_text": with_text, "outlined": html is not None}
    pages = inspect_sources(sources, load_cli_settings(), BlockedPage, options=wanted)
    for source, page in skip_failed_sources(pages, alone=len(sources) == 1, as_json=as_json):
        _show_blocks(source, page, with_text=with_text, as_json=as_json)
        if html:
            write_text_file(html, [page.outline])


def _show_blocks(source: Source, page: BlockedPage, *, with_text: bool, as_json: bool) -> None:
    found = page.found
    if as_json:
        row = {
            "file": source.name,
            "links": found.links,
            "blocks": [{"start": block.start, "end": block.end, "links": block.links} for block in found.blocks],
            "lcr": found.lcr,
            "ccr": found.ccr,
        }
        click.echo(format_json(row | {"text": page.text} if with_text else row))
    elif with_text:
        click.echo(page.text)
    else:
        _print_block_list(source, found)


def _print_block_list(source: Source, found: LinkBlocks) -> None:
    lcr = "-" if found.lcr is None else f"{found.lcr:.3f}"
    shares = f"LCR {lcr}, CCR {found.ccr:.3f}, threshold {found.threshold}"
    click.echo(f"{source.name}: {found.links} links, {len(found.blocks)} blocks, {shares}")
    for block in found.blocks:
        click.echo(f"{block.start:>10} to {block.end:<10} {block.links} links")

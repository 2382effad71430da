"""`medharvest demo`: the bundled journals, served on loopback and harvested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from medharvest.cli.harvesting import harvest_all, show, summarise, write_formats
from medharvest.cli.options import JSON_OPTION, QUIET_OPTION, data_folder, settings_from
from medharvest.demo import DemoIssue, issues, serve
from medharvest.errors import InputError
from medharvest.run.output import make_folder
from medharvest.store import open_store


@click.command("demo", short_help="Harvest the bundled journals.")
@click.argument("names", metavar="[ISSUE]...", nargs=-1)
@click.option("--into", type=click.Path(path_type=Path), help="Folder for pages and records.")
@JSON_OPTION
@QUIET_OPTION
def command(*, names: tuple[str, ...], into: Path | None, as_json: bool, quiet: bool) -> None:
    """Serve the bundled journals on this machine and harvest issues of theirs.

    They are invented, pages and people. ISSUE is one of a1 a2 a3 b1 b2 b3; without one, those with today's kinds of
    pages are taken. Nothing leaves the machine, and your own store is not touched.
    """
    chosen = _chosen(names)
    folder = make_folder(into or data_folder() / "demo")
    settings = settings_from(fetch__delay=0.0)
    settings = replace(settings, fetch=replace(settings.fetch, allow_private=True))
    with serve() as server, open_store(str(folder / "demo.sqlite")) as store:
        if not quiet:
            click.echo(f"serving {chosen[0].journal} and others on {server.url}", err=True)
        urls = [server.url + issue.path for issue in chosen]
        harvests = harvest_all(urls, store=store, folder=folder, settings=settings, quiet=quiet)
    citations = [citation for harvest in harvests for citation in harvest.citations]
    show(citations, as_json=as_json)
    if not quiet:
        summarise(harvests)
    write_formats(citations, ("pubmed", "ris"), folder)


def _chosen(names: tuple[str, ...]) -> list[DemoIssue]:
    known = {issue.id: issue for issue in issues()}
    for name in names:
        if name not in known:
            raise InputError(f"no such bundled issue: {name}", name=name, hint=f"one of {', '.join(known)}")
    wanted = names or tuple(name for name, issue in known.items() if not issue.template.startswith("table"))
    return [known[name] for name in wanted]

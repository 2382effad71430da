"""Harvests of the bundled issues, made once for all tests of this folder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from medharvest.demo import DemoIssue, DemoRequest, list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest
from medharvest.records import Citation, Event, Node
from medharvest.settings import Settings
from medharvest.store import Run, open_store

HASTY = replace(Settings(), fetch=replace(Settings().fetch, delay=0.0, backoff=0.0, allow_private=True))


@dataclass(frozen=True)
class Harvested:
    """A bundled issue, what its harvest gave, and what server and store say of it."""

    issue: DemoIssue
    harvest: Harvest
    folder: Path
    events: tuple[Event, ...]
    log: tuple[DemoRequest, ...]
    server: str
    runs: tuple[Run, ...]
    nodes: tuple[Node, ...]
    stored: tuple[Citation, ...]


@pytest.fixture(scope="module", params=list_demo_issues(), ids=lambda issue: issue.id)
def harvested(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Harvested:
    """Each bundled issue, harvested from the loopback server with all its faults."""
    issue: DemoIssue = request.param
    place = tmp_path_factory.mktemp(issue.id)
    events: list[Event] = []
    with serve(slow=0.05) as server, open_store(str(place / "store.sqlite")) as opened:

        async def run() -> Harvest:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                return await harvest_issue(
                    server.url + issue.path,
                    fetcher=fetcher,
                    store=opened,
                    folder=place / "pages",
                    settings=HASTY,
                    watch=Watch(listen=events.append),
                )

        harvest = asyncio.run(run())
        return Harvested(
            issue=issue,
            harvest=harvest,
            folder=place / "pages",
            events=tuple(events),
            log=server.log,
            server=server.url,
            runs=opened.runs.all(),
            nodes=tuple(opened.runs.nodes(harvest.run)),
            stored=tuple(opened.citations(run=harvest.run)),
        )

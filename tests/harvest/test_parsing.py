"""A page is parsed once in a run, in a worker; the crawling process parses nothing."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from selectolax.lexbor import LexborHTMLParser
from tests.harvest.conftest import HASTY
from tests.topics.sets import concept_set

from medharvest.demo import list_demo_issues, serve
from medharvest.fetch import HttpFetcher
from medharvest.harvest import worker_process
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest
from medharvest.harvest.topic_run import TopicRequest, crawl_topic
from medharvest.pages import pdf, tree
from medharvest.records import ARTICLE_KINDS, Kind
from medharvest.settings import Settings
from medharvest.store import Store


def make_pipe() -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return os.fdopen(read, "rb"), os.fdopen(write, "wb")


class NearWorker:
    """A worker that runs in a thread of this process, so that what it does can be counted."""

    returncode = 0

    def __init__(self, _command: list[str], **_options: Any) -> None:
        theirs, self.stdin = make_pipe()
        self.stdout, ours = make_pipe()

        def work() -> None:
            with theirs, ours:
                theirs.readline()  # its limits
                ours.write(worker_process.READY_LINE)
                ours.flush()
                worker_process.serve_jobs(theirs, ours)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def kill(self) -> None:
        """Nothing to kill: it ends with its input."""

    def wait(self) -> None:
        self._thread.join(timeout=60)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was parsed, and each PDF converted, with one worker in this process."""
    counts: Counter[str] = Counter()

    def counting(make: Callable[..., Any]) -> Callable[..., Any]:
        def counted(given: Any, *rest: Any, **options: Any) -> Any:
            raw = given.encode("utf-8", "replace") if isinstance(given, str) else given
            counts[hashlib.sha256(raw).hexdigest()] += 1
            return make(given, *rest, **options)

        return counted

    tree._parse_html_tree.cache_clear()
    monkeypatch.setattr(tree, "LexborHTMLParser", counting(LexborHTMLParser))
    monkeypatch.setattr(pdf, "to_html", counting(pdf.to_html))
    monkeypatch.setattr(subprocess, "Popen", NearWorker)
    return counts


def settings(seconds: float) -> Settings:
    # Limits of its own keep the worker from being shared with other tests.
    return replace(HASTY, read=replace(HASTY.read, workers=1, max_seconds=seconds))


def harvest(store: Store, folder: Path, chosen: Settings, issue: str = "b1") -> Harvest:
    path = next(one.path for one in list_demo_issues() if one.id == issue)
    with serve(slow=0.0) as server:

        async def run() -> Harvest:
            async with HttpFetcher(chosen.fetch) as fetcher:
                return await harvest_issue(
                    server.url + path, fetcher=fetcher, store=store, folder=folder, settings=chosen
                )

        return asyncio.run(run())


def test_an_issue_run_parses_each_page_once(store: Store, tmp_path: Path, parsed: Counter[str]) -> None:
    found = harvest(store, tmp_path / "run", settings(501))
    assert len(found.citations) > 5
    assert {page.kind for page in found.pages} >= ARTICLE_KINDS | {Kind.ISSUE}
    assert set(parsed.values()) == {1}
    pages = [page for page in found.pages if page.kind in ARTICLE_KINDS | {Kind.ISSUE}]
    walls = len(found.failures)
    # A PDF is converted, then what came of it is parsed.
    assert len(pages) <= len(parsed) - sum(page.kind is Kind.PDF for page in pages) <= len(pages) + 2 * walls


def test_the_process_that_crawls_parses_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("parsed in the process that crawls")

    tree._parse_html_tree.cache_clear()
    monkeypatch.setattr(tree, "LexborHTMLParser", refuse)
    monkeypatch.setattr(pdf, "to_html", refuse)
    found = harvest(store, tmp_path / "run", settings(502))
    assert len(found.citations) > 5
    assert found.unread == ()


def test_a_topical_crawl_parses_each_page_once(store: Store, tmp_path: Path, parsed: Counter[str]) -> None:
    chosen = settings(503)
    path = next(one.path for one in list_demo_issues() if one.id == "b1")
    with serve(slow=0.0) as server:
        request = TopicRequest(concepts=concept_set(synonym="patients trial"), seeds=(server.url + path,), max_pages=8)

        async def run() -> int:
            async with HttpFetcher(chosen.fetch) as fetcher:
                folder = tmp_path / "run"
                done = await crawl_topic(request, fetcher=fetcher, store=store, folder=folder, settings=chosen)
                return sum(row.reason is None for row in done.rows)

        arrived = asyncio.run(run())
    assert arrived > 3
    assert set(parsed.values()) == {1}

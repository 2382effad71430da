"""A page that kills the worker it is analysed in costs the run that page and no other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.site import HOST, TITLES, TOC, answer, article, contents, link, replay
from tests.topics.sets import concept_set

from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.topic_run import TopicRequest, crawl_topic
from medharvest.records import Reason
from medharvest.settings import Settings
from medharvest.store import Store

# The worker as it is, but for pages that end its process as a fault of a parser would.
MORTAL = """
import os
from medharvest.harvest import worker_process as worker
read = worker.answer_job
def die(job, body, *rest):
    if b"deadly" in body: os.kill(os.getpid(), 11)
    return read(job, body, *rest)
worker.answer_job = die
worker.run_worker()
"""


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Settings:
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", MORTAL], **options))
    # Limits of its own keep these workers from being shared with other tests.
    return replace(Settings(), read=replace(Settings().read, workers=1, max_seconds=900 + len(request.node.name)))


def deadly(url: str) -> Any:
    return answer(url, "<html><body><p>deadly</p></body></html>")


def test_an_article_page_that_kills_its_worker_is_a_failure_and_the_rest_is_read(
    store: Store, tmp_path: Path, settings: Settings
) -> None:
    fetcher = replay(contents([link(0), link(1), link(2)]), article(0), deadly(link(1)), article(2))
    found = asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings))
    assert [citation.title for citation in found.citations] == [TITLES[0], TITLES[2]]
    assert [(one.wish.url, one.reason) for one in found.failures] == [(link(1), Reason.UNREADABLE)]
    assert "crashed the worker that read it" in found.failures[0].detail


def test_a_contents_page_that_kills_its_worker_ends_as_unreadable(
    store: Store, tmp_path: Path, settings: Settings
) -> None:
    run = harvest_issue(TOC, fetcher=replay(deadly(TOC)), store=store, folder=tmp_path / "run", settings=settings)
    assert [one.reason for one in asyncio.run(run).failures] == [Reason.UNREADABLE]


def test_a_pdf_that_kills_its_worker_has_arrived_and_is_named_as_unread(
    store: Store, tmp_path: Path, settings: Settings
) -> None:
    file = f"{HOST}/article/0/paper.pdf"
    fetcher = replay(contents([link(0), file]), article(0), answer(file, b"%PDF-1.4 deadly", "application/pdf"))
    found = asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings))
    assert [citation.title for citation in found.citations] == [TITLES[0]]
    assert [one.wish.url for one in found.unread] == [file]
    assert found.failures == ()


def test_a_page_of_a_topic_that_kills_its_worker_is_a_failure_and_the_crawl_goes_on(
    store: Store, tmp_path: Path, settings: Settings
) -> None:
    seeds = (f"{HOST}/deadly", f"{HOST}/well")
    fetcher = replay(deadly(seeds[0]), answer(seeds[1], "<html><body><p>glowfever</p></body></html>"))
    request = TopicRequest(concepts=concept_set(), seeds=seeds, max_pages=5)
    found = asyncio.run(crawl_topic(request, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings))
    assert [(row.reason, row.relevant) for row in found.rows] == [(Reason.UNREADABLE, False), (None, True)]

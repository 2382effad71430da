"""Pages that hang, crash or outlast their worker: all other pages arrive, the run ends, and so does its resume."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.site import HOST, TITLES, TOC, answer, article, contents, link, replay
from tests.topics.sets import concept_set
from tests.waiting import until

from medharvest.cli import main
from medharvest.fetch import ReplayFetcher
from medharvest.harvest.analysis import AnalysisRequest, analyse_by_links, analyse_page
from medharvest.harvest.engine import Watch, finish_unless_stopped
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.run_folder import READING_LOG, Loss, ReadingLog
from medharvest.harvest.run_results import Harvest, summarise_harvest
from medharvest.harvest.topic_run import TopicRequest, crawl_topic, resume_topic
from medharvest.pages import parse_page
from medharvest.records import Asked, Kind, Reason, Response
from medharvest.settings import Crawl, Settings
from medharvest.store import RunState, Store

# The worker as it is, but for pages with a word that says what they do to it. It writes down what it gets.
POISONED = """
import os, sys, time
from medharvest.harvest import worker_process as worker
read = worker.answer_job
def obey(job, body, *rest):
    with open(os.environ["POISON_LOG"], "a") as log: log.write(job["name"] + "\\n")
    if b"CRASH" in body: os.kill(os.getpid(), 11)
    if b"ABORT" in body: os._exit(127)
    if b"HANG" in body: time.sleep(3600)
    if b"SPIN" in body:
        while True: pass
    return read(job, body, *rest)
worker.answer_job = obey
worker.run_worker()
"""
# Small ones of each kind; bench/ has those of full size.
POISON: dict[str, str] = {
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(20_000)) + ">x</p>",
    "values": '<p title="' + "x y " * 200_000 + '">x</p>',
    "links": "".join(f'<a href="/article/{n}/abstract">Article {n}</a> ' for n in range(2_000)),
    "depth": "<div>" * 20_000 + "deep",
    "inline": "<b><i>" * 10_000 + "slanted",
    "table": "<table>" + "<tr>" + "<td>1</td>" * 100 + "</tr>" * 50,
    "tables": "<table><tr><td>" * 2_000,
    "entities": "&amp;" * 200_000 + "&#x1F4A3;" * 20_000 + "&" * 20_000,
    "comments": "<!--" * 50_000 + "<!-->" * 50_000,
    "scripts": "<script>" + "</scrip" * 50_000,
    "meta": '<meta name="citation_author" content="Vesterholm, Ida">' * 5_000,
    "list": "<ul><li>" * 10_000,
    "words": "medicine " * 200_000,
    "one word": "m" * 1_000_000,
    "newlines": "\n\r" * 300_000,
    "crash": "CRASH",
    "abort": "ABORT",
    "spin": "SPIN",
}


@pytest.fixture
def handed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The names of the pages that workers were given, in order."""
    log = tmp_path / "handed.txt"
    start = subprocess.Popen
    monkeypatch.setenv("POISON_LOG", str(log))
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", POISONED], **options))
    return lambda: log.read_text().splitlines() if log.exists() else []


def limited(request: pytest.FixtureRequest, seconds: float, **crawl: Any) -> Settings:
    """Settings with a limit of processor time; its fraction keeps these workers from being shared between tests."""
    own = seconds + (sum(map(ord, request.node.name)) % 1000) / 100_000
    return replace(Settings(), read=replace(Settings().read, workers=2, max_seconds=own), crawl=Crawl(**crawl))


def poisonous(name: str) -> Response:
    return answer(f"{HOST}/poison/{name.replace(' ', '-')}/abstract", f"<html><body>{POISON[name]}</body></html>")


def journal() -> tuple[ReplayFetcher, list[str]]:
    """A contents page with good articles between poisonous ones, and the addresses of the latter."""
    bad = [poisonous(name) for name in POISON]
    third = len(bad) // 3
    urls = [page.url for page in bad]
    order = [*urls[:third], link(0), *urls[third : 2 * third], link(1), *urls[2 * third :], link(2)]
    return replay(contents(order), *bad, *map(article, range(3))), urls


def test_all_good_pages_arrive_among_poisonous_ones_and_the_resume_ends(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 2, workers=4)
    fetcher, bad = journal()
    found = asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings))
    assert set(TITLES) <= {citation.title for citation in found.citations}
    lost = {one.wish.url.split("/")[-2]: one for one in found.failures}
    assert {"crash", "abort", "spin"} <= lost.keys()
    assert {one.reason for one in found.failures} <= {Reason.UNREADABLE}
    assert {one.wish.url for one in found.failures} <= set(bad)
    assert "processor time; raise it with MEDHARVEST_READ_MAX_SECONDS" in lost["spin"].detail
    assert "gave up with status 127, often for lack of memory; raise" in lost["abort"].detail
    assert {one.wish.url for one in found.lost} >= {lost[name].wish.url for name in ("crash", "abort", "spin")}
    # Two workers each, and the second visit of the page does not try again.
    assert all(handed().count(lost[name].wish.url) == 2 for name in ("crash", "abort", "spin"))
    before = handed()
    resumed = resume_run(found.run, fetcher=fetcher, store=store, settings=settings)
    again = asyncio.run(resumed)
    assert [one.title for one in again.citations] == [one.title for one in found.citations]
    assert again.failures == found.failures
    assert not set(handed()[len(before) :]) & {one.wish.url for one in found.failures}


def test_an_archived_page_that_was_lost_is_read_again_only_if_asked(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 30)
    file = f"{HOST}/article/1/paper.pdf"
    fetcher = replay(contents([link(0), file]), article(0), answer(file, b"%PDF-1.4 CRASH", "application/pdf"))

    def carry_out(work: Any, *arguments: object, **options: Any) -> Harvest:
        found: Harvest = asyncio.run(work(*arguments, fetcher=fetcher, store=store, settings=settings, **options))
        return found

    first = carry_out(harvest_issue, TOC, folder=tmp_path / "run")
    assert [one.wish.url for one in first.unread] == [file]
    assert handed().count(file) == 2
    assert carry_out(resume_run, first.run).unread == first.unread
    assert handed().count(file) == 2
    assert carry_out(resume_run, first.run, retry=True).unread == first.unread
    assert handed().count(file) == 4


def test_ctrl_c_ends_a_run_whose_worker_is_busy_and_the_run_goes_on_later(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 1_000)  # nothing but the stop ends the page
    pages = (contents([link(0), link(1)]), article(0))
    hanging = replay(*pages, answer(link(1), "<p>HANG"))
    stop = asyncio.Event()

    async def run() -> Harvest:
        harvest = harvest_issue(
            TOC, fetcher=hanging, store=store, folder=tmp_path / "run", settings=settings, watch=Watch(stop=stop)
        )
        running = asyncio.create_task(harvest)
        await asyncio.to_thread(until, lambda: link(1) in handed())
        stop.set()
        return await running

    found = asyncio.run(run())
    assert found.stopped
    assert [one.title for one in found.citations] == [TITLES[0]]
    assert store.runs.get(found.run).state is RunState.STOPPED
    whole = replay(*pages, article(1))
    again = asyncio.run(resume_run(found.run, fetcher=whole, store=store, settings=settings))
    assert [one.title for one in again.citations] == [TITLES[0], TITLES[1]]
    assert whole.asked == [link(1)]


def test_the_time_of_a_run_ends_while_a_worker_is_busy(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 1_000, max_seconds=0.0)
    fetcher = replay(contents([link(0), link(1)], more="HANG"), article(0), article(1))
    found = asyncio.run(harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings))
    assert len(handed()) <= 1
    assert [(one.wish.url, one.reason) for one in found.failures] == [(TOC, Reason.BUDGET)]
    assert not found.stopped


def test_a_resumed_run_that_is_stopped_reads_no_more_of_its_archive(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 30)
    pages = [contents([link(0), link(1), link(2)]), *map(article, range(3))]
    run = harvest_issue(TOC, fetcher=replay(*pages), store=store, folder=tmp_path / "run", settings=settings)
    found = asyncio.run(run)
    watch = Watch()
    watch.stop.set()
    before = len(handed())
    again = asyncio.run(resume_run(found.run, fetcher=replay(), store=store, settings=settings, watch=watch))
    assert again.stopped
    assert set(handed()[before:]) <= {TOC}
    assert len(tuple(store.citations(run=found.run))) == 3


def test_a_topical_crawl_does_not_read_a_lost_page_again(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]]
) -> None:
    settings = limited(request, 30)
    seeds = tuple(f"{HOST}/{name}" for name in ("crash", "well", "last"))
    bodies = ("CRASH", "<p>glowfever</p>", "<p>glowfever again</p>")
    fetcher = replay(
        *(answer(url, f"<html><body>{body}</body></html>") for url, body in zip(seeds, bodies, strict=True))
    )
    wanted = TopicRequest(concepts=concept_set(), seeds=seeds, max_pages=5, workers=1)
    watch = Watch()

    def listen(event: object) -> None:
        if isinstance(event, Asked) and event.wish.url == seeds[1]:
            watch.stop.set()

    crawl = crawl_topic(
        wanted, fetcher=fetcher, store=store, folder=tmp_path, settings=settings, watch=replace(watch, listen=listen)
    )
    first = asyncio.run(crawl)
    assert first.stopped
    assert [url for url, _ in first.unread] == [seeds[0]]
    found = asyncio.run(resume_topic(first.run, fetcher=fetcher, store=store, settings=settings))
    assert [(row.reason, row.relevant) for row in found.rows] == [
        (Reason.UNREADABLE, False),
        (None, True),
        (None, True),
    ]
    assert found.unread == first.unread
    assert handed().count(seeds[0]) == 2


def test_a_page_of_many_links_is_not_judged_in_the_process_that_crawls() -> None:
    body = "".join(f'<a href="/{n}">{n}</a>' for n in range(20_000))
    request = AnalysisRequest(promised=Kind.ABSTRACT, by_constraints=True)
    assert analyse_by_links(answer(TOC, body), request) is None
    assert analyse_by_links(answer(TOC, body[:100_000]), request) is not None


def test_of_a_page_with_very_many_links_the_first_are_followed_and_that_is_said(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "".join(f'<a href="/article/1/abstract.pdf?n={n}">Full text PDF</a> ' for n in range(200))
    page = parse_page(f"<html><body>{body}</body></html>".encode(), url=link(1))
    asked = AnalysisRequest(promised=Kind.ABSTRACT, by_constraints=True)
    whole = analyse_page(page, asked, size=len(body))
    assert whole.links is not None
    monkeypatch.setattr("medharvest.harvest.analysis.MAX_JUDGED_LINKS", 50)
    cut = analyse_page(page, asked, size=len(body))
    assert cut.links == whole.links[:50]
    assert (whole.unfollowed, cut.unfollowed) == (0, len(whole.links) - 50)
    monkeypatch.setattr("medharvest.harvest.issue_run.MAX_JUDGED_LINKS", 50)
    monkeypatch.setattr("medharvest.harvest.issue_run.analyse_by_links", lambda *_: cut)
    fetcher = replay(contents([link(1)]), answer(link(1), f"<html><body>{body}</body></html>"))
    run = harvest_issue(TOC, fetcher=fetcher, store=store, folder=tmp_path, settings=limited(request, 30, max_pages=1))
    assert f"because the page has more than 50: {TOC}" in summarise_harvest(asyncio.run(run))


@pytest.mark.parametrize("when", ["before", "while", "late"])
def test_work_that_nobody_waits_for_any_longer_is_given_up(when: str) -> None:
    ended = []

    async def endless() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(when)
        return "done"

    async def run() -> str | None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        if when == "before":
            stop.set()
        elif when == "while":
            loop.call_soon(loop.call_soon, stop.set)
        return await finish_unless_stopped(endless(), stop, loop.time() if when == "late" else inf)

    assert asyncio.run(run()) is None
    assert ended == ([] if when == "before" else [when])


def test_work_that_ends_in_time_gives_what_it_returns() -> None:
    async def run() -> int | None:
        return await finish_unless_stopped(asyncio.sleep(0, 7), asyncio.Event())

    assert asyncio.run(run()) == 7


def test_a_page_that_is_read_when_the_program_is_killed_counts_as_lost_the_third_time(tmp_path: Path) -> None:
    for _ in range(2):
        log = ReadingLog(tmp_path)
        assert log.why_lost("page") is None
        log.begin("page", TOC)  # and then the program is killed
    log.begin("good", TOC)
    log.end("good")
    log.begin("page", TOC)
    found = ReadingLog(tmp_path)
    assert found.why_lost("good") is None
    assert [("killed 3 times" in loss.message, loss.url) for loss in found.losses] == [(True, TOC)]
    found.compact()
    assert ReadingLog(tmp_path).why_lost("page") == found.why_lost("page")
    found.forget_losses()
    assert ReadingLog(tmp_path).why_lost("page") is None
    assert not (tmp_path / READING_LOG).exists()


def test_a_log_that_is_damaged_or_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / READING_LOG).write_text('{"end": "lost", "why": ["too long", "raise it"]}\n[]\n7\n{"begin"')
    log = ReadingLog(tmp_path)
    assert log.why_lost("lost") == Loss("too long", "raise it")
    nowhere = ReadingLog(tmp_path / "missing")
    nowhere.begin("page", TOC)
    nowhere.end("page", Loss("a", "b"))
    nowhere.compact()
    assert nowhere.why_lost("page") == Loss("a", "b")


@pytest.mark.parametrize("verb", ["read", "zones", "links", "blocks", "classify", "convert"])
def test_a_single_file_has_the_limits_too(
    verb: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    handed: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MEDHARVEST_READ_MAX_SECONDS", str(limited(request, 0.3).read.max_seconds))
    page = tmp_path / "page.html"
    page.write_text("SPIN")
    with pytest.raises(SystemExit) as stop:
        main([verb, str(page)])
    assert stop.value.code == 1
    assert capsys.readouterr().err.startswith(f"error: page takes too long: {page}; hint: the limit is 0.3")
    assert handed() == [str(page)] * 2


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX signals")
def test_ctrl_c_ends_the_reading_of_a_file(
    tmp_path: Path, request: pytest.FixtureRequest, handed: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDHARVEST_READ_MAX_SECONDS", str(limited(request, 1_000).read.max_seconds))
    page = tmp_path / "page.html"
    page.write_text("HANG")

    def interrupt() -> None:
        until(handed)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(SystemExit) as stop:
        main(["read", str(page)])
    assert stop.value.code == 130

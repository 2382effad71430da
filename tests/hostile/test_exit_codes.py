"""A harvest that failed does not look like success: exit codes, and what is said on stderr, also with --quiet."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.site import HOST, TITLES, TOC, answer, article, contents, link
from tests.hostile.web import Call, Ran
from tests.waiting import LONG, until

from medharvest.cli import execution, main
from medharvest.demo import list_demo_issues, serve
from medharvest.fetch import ReplayFetcher
from medharvest.records import Miss, Reason, Response

# The worker as it is, but for pages that end it.
MORTAL = """
import os
from medharvest.harvest import worker_process as worker
read = worker.answer_job
def die(job, body, *rest):
    if b"CRASH" in body: os._exit(127)
    return read(job, body, *rest)
worker.answer_job = die
worker.run_worker()
"""
WALL = '<html><h1>Sign in</h1><p>Subscribers only: log in.</p><form><input type="password"></form></html>'
PDF = f"{HOST}/article/0/abstract.pdf"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> Call:
    """Call a verb that crawls, with answers in place of the web and workers that some pages end."""
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", MORTAL], **options))
    # Limits of its own keep these workers from being shared with other tests.
    seconds = 700 + sum(map(ord, request.node.name)) % 1000 / 1000
    monkeypatch.setenv("MEDHARVEST_READ_MAX_SECONDS", str(seconds))
    monkeypatch.setenv("MEDHARVEST_READ_WORKERS", "1")

    def ran(verb: Sequence[object], *pages: Response | Miss, into: str = "run") -> Ran:
        @asynccontextmanager
        async def fetcher(*_: object, **__: object) -> Any:
            yield ReplayFetcher({page.url: page for page in pages})

        monkeypatch.setattr(execution, "make_fetcher", fetcher)
        place = ["--store", tmp_path / "s.sqlite", *(["--into", tmp_path / into] if verb[0] != "runs" else [])]
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in (*verb, *place)])
        out, err = capsys.readouterr()
        return Ran(int(stop.value.code or 0), out, err)

    return ran


def crash(url: str, media_type: str = "text/html") -> Response:
    return answer(url, b"%PDF-1.4 CRASH" if media_type == "application/pdf" else "<p>CRASH", media_type)


def test_an_issue_whose_articles_all_have_records_ends_with_zero(call: Call) -> None:
    ran = call(["issue", TOC, "--quiet"], contents([link(0), link(1)]), article(0), article(1))
    assert ran.code == 0
    assert "no record" not in ran.err


def without_store(text: str) -> str:
    """Return messages with their commands as they are for the default store."""
    return re.sub(r" --store \S+", "", text)


def test_an_issue_without_articles_ends_with_one_and_the_way_on(call: Call) -> None:
    ran = call(["issue", TOC, "--quiet"], contents([]))
    assert (ran.code, ran.out) == (1, "")
    way_on = "error: no article was read: run 1; hint: `medharvest runs 1` shows what arrived"
    assert without_store(ran.err).startswith(way_on)


def test_an_issue_whose_every_page_was_lost_in_reading_ends_with_one(call: Call) -> None:
    ran = call(["issue", TOC, "--quiet"], contents([link(0), link(1)]), crash(link(0)), crash(link(1)))
    assert ran.code == 1
    assert "2 articles have no record; try the pages again with: medharvest runs 1 retry" in without_store(ran.err)
    assert ran.err.count("  no record: ") == 2
    assert "error: no article was read: run 1" in ran.err


@pytest.mark.parametrize(
    "bad",
    [crash(link(1)), Miss(link(1), Reason.SERVER_ERROR, "status 500"), answer(link(1), WALL)],
    ids=["lost", "missed", "wall"],
)
def test_an_article_without_a_record_ends_with_three_and_is_named_also_if_quiet(
    call: Call, bad: Response | Miss
) -> None:
    pages = (contents([link(0), link(1)]), article(0))
    ran = call(["issue", TOC, "--quiet"], *pages, bad)
    assert ran.code == 3
    assert "1 article has no record; try the pages again with: medharvest runs 1 retry\n" in without_store(ran.err)
    assert f"  no record: {link(1)} (" in ran.err
    again = call(["runs", 1, "resume", "--quiet"])
    assert again.code == 3
    whole = call(["runs", 1, "retry", "--quiet"], *pages, article(1))
    assert whole.code == 0
    assert "no record" not in whole.err
    assert TITLES[1] in whole.out


@pytest.mark.parametrize(
    "bad",
    [crash(PDF, "application/pdf"), Miss(PDF, Reason.NOT_FOUND)],
    ids=["lost", "missed"],
)
def test_another_form_of_an_article_with_a_record_does_not_count(call: Call, bad: Response | Miss) -> None:
    ran = call(["issue", TOC], contents([link(0), PDF]), article(0), bad)
    assert ran.code == 0, ran.err
    assert "no record" not in ran.err


def test_a_further_contents_page_that_is_missing_counts(call: Call) -> None:
    further = f"{HOST}/toc?page=2"
    first = contents([link(0)], more=f'<a rel="next" href="{further}">Next page</a>')
    ran = call(["issue", TOC, "--quiet"], first, article(0), Miss(further, Reason.SERVER_ERROR))
    assert ran.code == 3
    assert f"  no record: {further} (server_error)" in ran.err


def test_an_article_page_without_a_citation_counts(call: Call) -> None:
    bare = answer(link(1), "<html><body><h1>Under construction</h1></body></html>")
    ran = call(["issue", TOC, "--quiet"], contents([link(0), link(1)]), article(0), bare)
    assert ran.code == 3
    assert "1 article has no record\n" in ran.err  # to fetch it again would not help
    assert f"  no record: {link(1)} (unreadable: no citation was found on it; " in ran.err


def test_an_article_link_to_what_looks_like_a_contents_page_is_named(call: Call) -> None:
    listing = contents([link(0), link(1)] * 3, url=link(2))
    ran = call(["issue", TOC], contents([link(0), link(1), link(2)]), article(0), article(1), listing)
    assert ran.code == 0
    assert f"although an article link led to it: {link(2)}" in ran.err


def test_pages_that_are_not_to_be_read_need_no_record(call: Call) -> None:
    ran = call(["issue", TOC, "--no-read"], contents([link(0)]), article(0))
    assert ran.code == 0, ran.err


def test_an_issue_without_article_pages_ends_with_one_also_if_they_are_not_to_be_read(call: Call) -> None:
    ran = call(["issue", TOC, "--no-read", "--quiet"], contents([]))
    assert ran.code == 1
    assert ran.err.startswith("error: no article was fetched: run 1; hint: ")


def test_of_several_issues_one_without_articles_ends_with_three(call: Call) -> None:
    other = f"{HOST}/other"
    ran = call(["issue", TOC, other, "--quiet"], contents([link(0)]), article(0), contents([], url=other))
    assert ran.code == 3
    assert "error: no article was read: run 2" in ran.err


def test_articles_of_another_issue_are_kept_and_not_called_unreadable(call: Call) -> None:
    links = [f"{HOST}/mixed/{n}/abstract" for n in range(30)]
    pages = []
    for n, url in enumerate(links):
        own = article(n % 3, volume="7" if n < 2 else "6", number="2" if n < 2 else "11")
        body = own.body.replace(b"10.5555/jim.", b"10.5555/%d." % n).replace(
            TITLES[n % 3].encode(), b"Study %d of sleep" % n
        )
        pages.append(answer(url, body))
    ran = call(["issue", TOC], contents(links), *pages)
    assert ran.code == 0, ran.err
    assert "run 1: 30 articles" in ran.err
    assert "unread" not in ran.err
    assert "belong to" in ran.err


TOPIC = ("topic", "glowfever", "--vocabulary", "none", "--quiet")


def test_a_topical_crawl_ends_with_three_only_for_pages_lost_in_reading(call: Call) -> None:
    seeds = [f"{HOST}/{name}" for name in ("good", "gone", "bad")]
    good = answer(seeds[0], "<html><body><p>glowfever</p></body></html>")
    missed = Miss(seeds[1], Reason.NOT_FOUND)
    picture = answer(f"{HOST}/picture", b"\x89PNG\r\n", "image/png")
    ran = call([*TOPIC, "--seed", seeds[0], "--seed", seeds[1], "--seed", picture.url], good, missed, picture)
    assert (ran.code, ran.err) == (0, "")
    ran = call([*TOPIC, "--seed", seeds[0], "--seed", seeds[2]], good, crash(seeds[2]), into="other")
    assert ran.code == 3
    assert f"lost in reading: {seeds[2]} (page crashed the worker that read it" in ran.err
    assert call(["runs", 2, "resume", "--quiet"]).code == 3


def test_the_demo_ends_with_zero_although_a_page_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["demo", "a3", "--into", str(tmp_path), "--no-review"])
    assert not stop.value.code
    assert "did not arrive (login_wall 1)" in capsys.readouterr().err


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "1")  # so that many pages are left
    with serve(slow=0.05) as server:
        yield server


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX signals")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_with_130_and_names_the_way_on_also_if_quiet(slow: Any, tmp_path: Path, times: int) -> None:
    url = slow.url + next(issue.path for issue in list_demo_issues() if issue.id == "a3")
    verb = ["issue", url, "--quiet", "--store", str(tmp_path / "s.sqlite"), "--into", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "medharvest", *verb], stderr=subprocess.PIPE, encoding="utf-8", env=os.environ
    )
    assert process.stderr is not None
    said: list[str] = []
    hearing = threading.Thread(target=lambda: said.extend(process.stderr or ()))
    hearing.start()
    until(lambda: len(slow.log) >= 3 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    if times > 1:
        until(lambda: said or process.poll() is not None)
        process.send_signal(signal.SIGINT)
    process.wait(LONG)
    hearing.join(LONG)
    process.stderr.close()
    assert process.returncode == 130, said
    assert [line for line in said if "resume" in line]
    assert not [line for line in said if "Traceback" in line]

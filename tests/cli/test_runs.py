"""`runs`: what a person does with a run that is not whole."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys

import pytest
from tests.waiting import LONG, until

from medharvest.demo import list_demo_issues, list_demo_pages, read_demo_file, serve
from medharvest.records import Kind

ISSUE = next(issue for issue in list_demo_issues() if issue.id == "a3")
WALL = next(page for page in list_demo_pages() if page.issue == "a3" and page.kind is Kind.LOGIN)


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    with serve(slow=0.05) as server:
        yield server


@pytest.fixture
def store(medharvest, served, tmp_path):
    """A store with one run, which misses the page behind the log-in wall."""
    path = tmp_path / "s.sqlite"
    url = served.url + ISSUE.path
    assert medharvest("issue", url, "--store", path, "--into", tmp_path / "run", "--quiet").code == 0
    return path


def test_a_blocked_page_is_told_with_the_command_that_takes_it(medharvest, served, store):
    listed = medharvest("runs", "--store", store)
    assert "finished" in listed.out
    assert "1 missing" in listed.out
    shown = medharvest("runs", 1, "--store", store)
    counts = dict(line.split(": ", 1) for line in shown.out.splitlines() if ": " in line and not line.startswith(" "))
    parts = [int(counts[name].split()[0]) for name in ("not retrieved", "duplicates removed", "unreadable", "kept")]
    assert sum(parts) == int(counts["found"].split()[0])
    assert counts["not retrieved"] == "1 (login_wall 1)"
    assert f"missing, login_wall: 1\n  {served.url}{WALL.path} (login_wall" in shown.out
    assert f"medharvest runs --store {store} 1 supply {served.url}{WALL.path} SAVED.html" in shown.out


def test_the_supplied_page_closes_the_gap(medharvest, served, store, tmp_path):
    other = next(page for page in list_demo_pages() if page.issue == "a3" and page.kind is Kind.FULLTEXT and page.file)
    saved = tmp_path / "saved.html"
    saved.write_bytes(read_demo_file(other.file))
    ran = medharvest("runs", 1, "supply", served.url + WALL.path, saved, "--store", store, "--quiet")
    assert ran.code == 0, ran.err
    assert "\nmissing, " not in medharvest("runs", 1, "--store", store).out


def test_missing_pages_are_listed_by_reason_and_long_lists_are_folded(medharvest, served, tmp_path):
    path = tmp_path / "s.sqlite"
    url = served.url + ISSUE.path
    ran = medharvest("issue", url, "--store", path, "--into", tmp_path / "run", "--quiet", "--max-pages", 3)
    shown = medharvest("runs", 1, "--store", path).out
    count = int(shown.split("missing, budget: ")[1].splitlines()[0])
    assert shown.count("(budget: more than 3 pages)") == 5
    assert f"  {count - 5} more, list them: medharvest runs --store {path} 1 --all\n" in shown
    assert " supply " not in shown
    more = f"  fetch more: medharvest runs --store {path} 1 retry --max-pages {2 * (3 + count)}\n"
    assert more in shown
    assert more.removeprefix("  fetch more: ") in ran.err
    assert medharvest("runs", 1, "--all", "--store", path).out.count("(budget: more than 3 pages)") == count
    medharvest(*shlex.split(more.split("medharvest ")[1]), "--quiet")
    assert "budget" not in medharvest("runs", 1, "--store", path).out


def test_a_run_that_spent_its_pages_may_have_more(medharvest, served, tmp_path):
    path, url = tmp_path / "s.sqlite", served.url + ISSUE.path
    medharvest("issue", url, "--store", path, "--into", tmp_path / "run", "--quiet", "--max-pages", 3)
    assert "3 pages" in medharvest("runs", "--store", path).out
    medharvest("runs", 1, "retry", "--store", path, "--quiet")
    assert "3 pages" in medharvest("runs", "--store", path).out
    medharvest("runs", 1, "retry", "--max-pages", 6, "--store", path, "--quiet")
    assert "6 pages" in medharvest("runs", "--store", path).out


def test_an_address_that_is_wrong_is_no_run(medharvest, served, tmp_path):
    path = tmp_path / "s.sqlite"
    ran = medharvest("issue", f"{served.url}/nothing", "http://nosuch.invalid/toc", "--store", path)
    assert (ran.code, ran.out) == (1, "")
    assert f"(not_found): {served.url}/nothing; hint: HTTP 404: the server has no such page" in ran.err
    assert "(unknown_host): http://nosuch.invalid/toc; hint: there is no such host" in ran.err
    assert medharvest("runs", "--store", path).out == ""


def test_the_page_of_an_article_is_for_read(medharvest, served, tmp_path):
    article = next(page for page in list_demo_pages() if page.issue == "a3" and page.kind is Kind.FULLTEXT)
    options = ("--store", tmp_path / "s.sqlite", "--into", tmp_path / "run")
    ran = medharvest("issue", served.url + article.path, *options)
    told = f"looks like the page of an article; read it with: medharvest read --store {tmp_path}/s.sqlite {served.url}"
    assert told in ran.err
    assert "the page of an article" not in medharvest("issue", served.url + ISSUE.path, *options).err


REFUSED = [
    ((7,), 1, "no such run: 7"),
    ((7, "resume"), 1, "no such run: 7"),
    ((1, "supply", "http://x/"), 2, "supply needs a URL and a FILE"),
    ((1, "--max-pages", 9), 2, "--max-pages needs resume or retry"),
    ((1, "supply", "http://x/", "nowhere.html"), 1, "no such file"),
    ((1, "supply", "http://x/", __file__), 1, "not a missing page of run 1"),
    ((1, "forget"), 2, "forget"),
]


def test_what_cannot_be_done_is_told(medharvest, store):
    for arguments, code, message in REFUSED:
        ran = medharvest("runs", *arguments, "--store", store)
        assert ran.code == code
        assert message in ran.err


def test_an_empty_store_has_no_runs(medharvest, tmp_path):
    assert medharvest("runs", "--store", tmp_path / "new.sqlite").out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="not run: no POSIX signals")
def test_ctrl_c_stops_cleanly_and_the_run_goes_on_later(medharvest, served, tmp_path):
    store = tmp_path / "s.sqlite"
    command = [sys.executable, "-m", "medharvest", "issue", served.url + ISSUE.path, "--store", str(store)]
    environment = {**os.environ, "MEDHARVEST_FETCH_DELAY": "1"}  # so that many pages are left
    process = subprocess.Popen(
        [*command, "--into", str(tmp_path / "run"), "--workers", "1"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    until(lambda: len(served.log) >= 3 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONG)
    assert process.returncode == 130, errors
    assert f"stopped; resume with: {sys.executable} -m medharvest runs --store {store} 1 resume" in errors.replace(
        "python -m", f"{sys.executable} -m"
    )
    before = [request.path for request in served.log if request.status == 200]
    ran = medharvest("runs", 1, "resume", "--store", store)
    assert ran.code == 0, ran.err
    assert "11 articles" in ran.err
    after = [request.path for request in served.log if request.status == 200][len(before) :]
    # The page in flight has a moment to arrive; on a busy machine it is fetched again.
    assert len(set(before) & set(after) - {"/robots.txt"}) <= 1

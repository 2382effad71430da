"""`issue` on home pages, archives and saved files, as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.waiting import LONG, until

from medharvest.demo import Fine, Slow, list_demo_issues, serve
from medharvest.demo.server import read_demo_file

ESTUARY = [issue for issue in list_demo_issues() if issue.path.startswith("/estuary/")]
NEWEST = ESTUARY[-1]


@pytest.fixture
def served(monkeypatch):
    """The bundled journals, which stand on loopback: the guard must let us in."""
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    with serve(slow=0.05) as server:
        yield server


@pytest.fixture
def place(tmp_path):
    """The options that name a store and a folder."""
    return ("--store", tmp_path / "s.sqlite", "--into", tmp_path / "pages")


def asked_paths(server):
    return [request.path for request in server.log if request.path != "/robots.txt"]


def test_a_dry_run_lists_the_issues_and_writes_nothing(medharvest, served, place, tmp_path):
    ran = medharvest("issue", served.url + "/estuary/", "--archive", "--dry-run", *place)
    assert ran.code == 0
    assert [line.split()[-1] for line in ran.out.splitlines()] == [served.url + one.path for one in reversed(ESTUARY)]
    assert ran.out.startswith("new         volume 20, issue 2, 2024 (Volume 20, Number 2, May 2024)")
    assert "3 issues found on 2 pages" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_prints_json_of_the_years_that_are_wanted(medharvest, served, place):
    ran = medharvest(
        "issue", served.url + "/estuary/archive", "--archive", "--dry-run", "--json", "--year", "2024", *place
    )
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [(row["volume"], row["issue"], row["year"]) for row in rows] == [("20", "2", "2024"), ("20", "1", "2024")]
    assert rows[0] == {
        "url": served.url + NEWEST.path,
        "title": "Volume 20, Number 2, May 2024",
        "volume": "20",
        "issue": "2",
        "year": "2024",
        "state": "new",
        "run": None,
    }


def test_a_volume_is_harvested_and_a_second_call_has_nothing_to_do(medharvest, served, place):
    call = ("issue", served.url + "/estuary/archive", "--archive", "--volume", "20", "--max-issues", "1", *place)
    ran = medharvest(*call)
    assert ran.code == 0, ran.err
    assert "issue 1 of 1, harvesting: volume 20, issue 2, 2024 (Volume 20, Number 2, May 2024)" in ran.err
    assert "12 articles" in ran.err
    assert "pubmed: " in ran.out
    before = len(served.log)
    again = medharvest(*call)
    assert (again.code, again.out) == (0, "")
    assert "1 issue left out, because an earlier run harvested all of it" in again.err
    assert "nothing new" in again.err
    assert [request.path for request in served.log[before:]] == ["/robots.txt", "/estuary/archive", NEWEST.path]
    listed = medharvest("issue", served.url + "/estuary/archive", "--archive", "--dry-run", "--json", *place)
    assert [json.loads(line)["state"] for line in listed.out.splitlines()] == ["harvested", "new", "new"]


def test_a_home_page_gives_its_current_issue_and_says_so(medharvest, served, place):
    ran = medharvest("issue", served.url + "/estuary/", "--json", *place)
    assert ran.code == 0
    assert len(ran.out.splitlines()) == len(NEWEST.articles)
    assert f"{served.url}/estuary/ is a home page; its current issue is {served.url}{NEWEST.path}" in ran.err
    assert asked_paths(served)[:2] == ["/estuary/", NEWEST.path]


def test_a_list_of_issues_and_a_page_of_two_journals_are_errors_with_the_way_out(medharvest, served, place):
    ran = medharvest("issue", served.url + "/estuary/archive", *place)
    assert (ran.code, ran.out) == (1, "")
    assert "a list of 3 issues, not the contents of one" in ran.err
    assert "--archive" in ran.err
    ran = medharvest("issue", served.url + "/", served.url + NEWEST.path, *place)
    assert ran.code == 3
    assert "several issues that may be the current one" in ran.err
    assert "12 articles" in ran.err


def test_a_saved_page_is_harvested_from_its_address(medharvest, served, place, tmp_path):
    file = tmp_path / "toc.html"
    file.write_bytes(read_demo_file("estuary/issue/20/2.html"))
    ran = medharvest("issue", file, "--url", served.url + NEWEST.path, "--json", *place)
    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == len(NEWEST.articles)
    assert NEWEST.path not in asked_paths(served)


def test_a_file_that_is_missing_costs_only_itself(medharvest, served, place):
    ran = medharvest("issue", "nowhere.html", served.url + NEWEST.path, *place)
    assert ran.code == 3
    assert "neither a file nor a web address: nowhere.html" in ran.err
    assert "12 articles" in ran.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dry-run",), "need --archive"),
        (("--year", "2019"), "need --archive"),
        (("--max-issues", "3"), "need --archive"),
        (("--archive", "--year", "20x"), "is neither a number nor two such as 2019-2021"),
        (("--archive", "--volume", "9-3"), "the smaller first"),
        (("--archive", "--resume", "3"), "--resume"),
        (("--url", "http://a.test/"), "--url needs a single FILE"),
    ],
)
def test_options_that_do_not_fit_are_usage_errors(medharvest, place, options, said):
    ran = medharvest("issue", "http://127.0.0.1:9/", *options, *place)
    assert ran.code == 2
    assert said in ran.err


def test_an_archive_is_no_file(medharvest, place):
    ran = medharvest("issue", "saved.html", "--archive", *place)
    assert ran.code == 2
    assert "--archive needs the URL of a page" in ran.err


def test_an_archive_that_does_not_arrive_and_one_without_issues_are_errors(medharvest, served, place):
    ran = medharvest("issue", served.url + "/nowhere", "--archive", "--quiet", *place)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "not_found" in ran.err
    ran = medharvest("issue", served.url + "/estuary/archive", "--archive", "--year", "1999", *place)
    assert ran.code == 1
    assert "no issue of these years or volumes" in ran.err
    both = (served.url + "/nowhere", served.url + "/estuary/")
    ran = medharvest("issue", *both, "--archive", "--dry-run", *place)
    assert ran.code == 3
    assert "3 issues found" in ran.err


def test_an_archive_that_was_killed_goes_on(medharvest, served, place):
    first, third = (ESTUARY[1].articles[n].citation.url for n in (0, 2))  # of the second issue that is harvested
    served.set_fault(third, Slow(LONG))
    call = ["issue", served.url + "/estuary/archive", "--archive", "--year", "2024", *map(str, place), "--workers", "1"]
    program = subprocess.Popen([sys.executable, "-m", "medharvest", *call], stderr=subprocess.DEVNULL, env=os.environ)
    try:
        until(lambda: first in asked_paths(served))
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait(timeout=LONG)
    served.set_fault(third, Fine())
    before = len(served.log)
    ran = medharvest(*call)
    assert ran.code == 0, ran.err
    assert "resuming: volume 20, issue 1" in ran.err
    again = [request.path for request in served.log[before:]]
    assert again[1:3] == ["/estuary/archive", NEWEST.path]
    assert not {article.citation.url for article in NEWEST.articles} & set(again)
    assert f"run 2: {len(ESTUARY[1].articles)} articles" in ran.err

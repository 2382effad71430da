"""Our crawl fetches every page of a generated site, as wget does; the raw results say so of the large one."""

from __future__ import annotations

import json
import shutil
import statistics

import pytest
from bench.contenders import OURS, WGET, crawl
from bench.scale import carry_out, deep
from bench.sites import START, Site, make_site
from tests.needs import lacking

PAGES = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    make_site(folder, PAGES)
    return folder


@pytest.mark.parametrize("contender", [OURS, WGET], ids=lambda one: one.name)
def test_a_contender_fetches_every_page_of_the_site_once(contender, folder, tmp_path):
    if not shutil.which(contender.command("", tmp_path)[0]):
        lacking("wget", "no wget")
    done = crawl(contender, folder, START, tmp_path / "run")
    site = Site(PAGES)
    assert sorted(done.paths) == sorted(site.path(n) for n in range(PAGES))
    assert done.cost.cpu > 0


def test_a_web_that_is_made_as_it_is_asked_for_is_crawled_to_its_end():
    done = carry_out("deep", 150)
    assert done["arrived"] == 150
    assert [(pages, waiting) for pages, waiting, _ in done["marks"]][-1] == (150, 0)


def test_the_tree_of_that_web_reaches_every_page():
    links, reached, waiting = deep(500), {0}, [0]
    while waiting:
        found = set(links(waiting.pop())) - reached
        reached |= found
        waiting += found
    assert reached == set(range(500))


@pytest.fixture
def result(root):
    return json.loads((root / "bench" / "results" / "crawl.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("peer", "what", "most"),
    [
        ("Scrapy, idiomatic", "cpu", 0.2),
        ("Scrapy, tuned", "cpu", 1.2),
        ("Scrapy, idiomatic", "megabytes", 1.0),
    ],
)
def test_the_raw_result_is_within_the_aims(result, peer, what, most):
    ours, theirs = (statistics.median(row[what] for row in result["runs"][name]) for name in ("medharvest", peer))
    assert ours / theirs <= most


def test_the_raw_result_has_the_same_pages_for_every_contender_and_run(result):
    assert result["pages"] >= 3000
    rows = [row for runs in result["runs"].values() for row in runs]
    assert {row["pages"] for row in rows} == {result["pages"]}
    assert len({row["digest"] for row in rows}) == 1
    assert not any(row[peer] for row in result["journals"] for peer in ("Scrapy", "wget"))

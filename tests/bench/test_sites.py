"""The generated site: its shape, and servers that log what they were asked."""

from __future__ import annotations

import statistics
import urllib.error
import urllib.request
from urllib.parse import urljoin

import pytest
from bench.servers import asked, serving
from bench.sites import START, Site, make_site

from medharvest.links import judge_links, scan_links
from medharvest.pages import parse_page

PAGES = 120
HOST = "http://site.invalid"


@pytest.fixture(scope="module")
def site() -> Site:
    return Site(PAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    make_site(folder, PAGES)
    return folder


def _links(site: Site, n: int) -> list[str]:
    page = parse_page(site.page(n).encode(), url=HOST + site.path(n))
    return [urljoin(HOST + site.path(n), link.href).partition("#")[0] for link in scan_links(page)]


def test_the_pages_have_the_size_and_the_links_they_should(site):
    links = [_links(site, n) for n in range(PAGES)]
    assert 135 < statistics.mean(map(len, links)) < 151
    assert statistics.mean(len(set(page)) for page in links) < 110  # many are repeated
    assert 58_000 < statistics.mean(len(site.page(n)) for n in range(PAGES)) < 70_000


def test_no_link_holds_a_word_that_the_constraints_exclude(site):
    for n in range(PAGES):
        judged = judge_links(parse_page(site.page(n).encode(), url=HOST + site.path(n)))
        own = HOST + site.path(n)
        assert all(link.follows for link in judged if link.link.url.partition("#")[0] != own)


def test_every_page_can_be_reached_and_no_link_leads_astray(site):
    numbers = {HOST + site.path(n): n for n in range(PAGES)}
    seen, waiting = {0}, [0]
    while waiting:
        found = {numbers[url] for url in _links(site, waiting.pop())} - seen
        seen |= found
        waiting += found
    assert len(seen) == len(numbers) == PAGES


def test_a_site_is_made_once_and_the_same_each_time(site, folder):
    page = folder / site.path(77)[1:]
    assert page.read_text(encoding="utf-8") == site.page(77)
    page.write_text("touched", encoding="utf-8")
    make_site(folder, PAGES)
    assert page.read_text(encoding="utf-8") == "touched"
    page.write_text(site.page(77), encoding="utf-8")


def test_our_own_server_answers_and_logs_the_pages(folder, tmp_path):
    with serving(folder, tmp_path / "log", limit=30, nginx=False) as url:
        assert urllib.request.urlopen(url + START).read() == (folder / START[1:]).read_bytes()
        assert urllib.request.urlopen(f"{url}/robots.txt").headers["Content-Type"].startswith("text/plain")
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"{url}/none.html")
        error.value.close()
    assert asked(tmp_path / "log") == [START]


def test_the_bundled_journals_are_served_and_logged(tmp_path):
    from medharvest.demo import list_demo_issues

    path = list_demo_issues()[0].path
    with serving(None, tmp_path / "log", limit=30) as url:
        urllib.request.urlopen(url + path).read()
    assert asked(tmp_path / "log") == [path]

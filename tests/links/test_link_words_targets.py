"""The features of addresses."""

import pytest

from medharvest.links.link_words import (
    FOLDER_ENDING,
    IMAGE_ENDING,
    NO_ENDING,
    OTHER_FILE_ENDING,
    PAGE_ENDING,
    PDF_ENDING,
    LinkTarget,
    TargetReader,
    is_resolver,
)
from medharvest.links.scan import scan_links
from medharvest.records import Page

URL = "https://www.journal.example/content/7/2/"


def target(href: str, url: str = URL) -> LinkTarget:
    page = Page(url=url, text=f'<a href="{href}">t</a>', digest="", encoding="utf-8")
    return TargetReader(url)(scan_links(page)[0])


@pytest.mark.parametrize(
    ("href", "field", "value"),
    [
        ("12.htm", "leaves", 1),
        ("#top", "leaves", 0),
        ("", "leaves", 0),
        (URL, "leaves", 0),
        ("mailto:a@b.example", "leaves", 0),
        ("javascript:void(0)", "leaves", 0),
        ("ftp://journal.example/7.pdf", "leaves", 1),
        ("/12", "own", 2),
        ("http://journal.example/12", "own", 2),
        ("https://files.journal.example/12", "own", 1),
        ("https://other.example/12", "own", 0),
        ("https://elsewhere.test/12", "own", 0),
        ("/doi/10.5555/a1", "doi", 1),
        ("/doi/10/a1", "doi", 0),
        ("/a/b/c", "depth", 3),
        ("/a/2011-12", "numbers", 3),
        ("/a12/b.html", "numbered", 0),
        ("/a/b12.html", "numbered", 1),
        ("/a.html", "ending", PAGE_ENDING),
        ("/a.PDF", "ending", PDF_ENDING),
        ("/a.jpg", "ending", IMAGE_ENDING),
        ("/a.docx", "ending", OTHER_FILE_ENDING),
        ("/a/", "ending", FOLDER_ENDING),
        ("/a.b12345678", "ending", NO_ENDING),
        ("/12/full", "form", 1),
        ("/12.html", "form", 0),
        ("/about/contact", "service", 2),
        ("/12/sleep", "service", 0),
        ("/12?a=1&b=2;c=3", "query", 3),
        ("/12?", "query", 0),
        ("/content/7/3/1", "common", 2),
        ("/content/7/", "above", 1),
        ("/content/8/", "above", 0),
        ("/help#pdf", "inside", 1),
        ("/c/7/12/abstract", "key", "journal.example/c/7/12"),
        ("/content/abc1234/7", "identifiers", frozenset({"abc1234"})),
    ],
)
def test_what_an_address_says(href: str, field: str, value: object):
    assert getattr(target(href), field) == value


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("/c/7/12.html", "/c/7/13.html", True),
        ("/c/7/12.html", "/c/8/13.html", True),
        ("adam.html", "eve.html", True),
        ("adam.html", "../eve.html", False),
        ("/c/7/12.html", "/c/7/12.pdf", False),
        ("/c/7/12", "/c/7/about", False),
        ("/c?id=12", "/c?page=12", False),
        ("/12", "https://other.example/12", False),
    ],
)
def test_addresses_of_one_shape(one: str, other: str, *, alike: bool):
    url = "" if ".." in other else URL
    assert (target(one, url).shape == target(other, url).shape) is alike


def test_a_service_in_the_own_address_is_none_for_its_neighbours():
    assert target("/archive/12", "https://journal.example/archive/").service == 0
    assert target("/archive/12").service == 1


def test_a_page_without_address_calls_what_has_no_server_its_own():
    assert target("12.htm", "").own == 2
    assert target("12.htm", "").leaves == 1
    assert target("https://other.example/12", "").own == 0


@pytest.mark.parametrize(
    ("url", "yes"),
    [
        ("https://doi.org/10.5555/a1", True),
        ("http://dx.doi.example/10.5555/a1", True),
        ("https://journal.example/doi/abs/10.5555/a1", False),
        ("https://journal.example/12", False),
    ],
)
def test_a_resolver_is_known_by_the_address(url: str, *, yes: bool):
    assert is_resolver(url) is yes

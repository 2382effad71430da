"""Boxes of popular articles."""

import pytest

from medharvest.links.scan import scan_links
from medharvest.links.surroundings import find_list_positions, find_surroundings
from medharvest.links.zero_shot import find_popular_links, is_popular_label
from medharvest.records import Page

LIST = "<ul><li><a href=1>Sleep</a><li><a href=2>Snow</a><li><a href=3>Ice</a></ul>"


def boxed(html: str) -> str:
    """A mark for each link: x if it is in a box."""
    page = Page(url="", text=html, digest="", encoding="utf-8")
    places = find_surroundings(page, scan_links(page))
    return "".join("x" if yes else "." for yes in find_popular_links(places, find_list_positions(places)))


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Most read", True),
        ("Most Cited Articles", True),
        ("Top 10 most viewed papers", True),
        ("Related articles:", True),
        ("Volume 7. Most read this month", True),
        ("Latest and most viewed", False),
        ("Recently cited", True),
        ("Original articles", False),
        ("What most patients read about sleep", False),
        ("", False),
    ],
)
def test_labels_of_boxes(text: str, *, yes: bool):
    assert is_popular_label(text) is yes


@pytest.mark.parametrize(
    ("html", "marks"),
    [
        (f"<body><div><h3>Most read</h3>{LIST}</div>{LIST}", "xxx..."),
        (f"<body><h3>Most read</h3>{LIST}{LIST}", "xxx..."),
        (f"<body><div><h3>Most read</h3><p>Since the first of May</p>{LIST}</div>{LIST}", "xxx..."),
        (f"<body>{LIST}<p><b>Most read articles</b><br>{LIST}</p>{LIST}", "...xxx..."),
        ("<body><p><b>Most read</b> <a href=1>A</a> <a href=2>B</a></p><p><a href=3>C</a></p>", "xx."),
        ("<body><h3>Most read</h3><a href=1>A</a><a href=2>B</a>", ".."),
        ("Most read <a href=1>A</a>", "."),
        # A link in the heading stands in no list of its own, only in one with all of the page.
        (
            (
                f"<body><div><div>{LIST}</div><div><div><h3>Most read <a href=0>Feed</a></h3></div>{LIST}</div>"
                f"<div>{LIST}</div></div>"
            ),
            "...xxxx...",
        ),
        (f"<body><h3>Original articles</h3>{LIST}", "..."),
        ("", ""),
    ],
)
def test_links_in_a_box(html: str, marks: str):
    assert boxed(html) == marks

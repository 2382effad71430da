"""A page read from top to bottom: text, links, the text around them, headings and bold text."""

from __future__ import annotations

import pytest

from medharvest.links.blocks import PageText, read_page_text
from medharvest.records import Page


def flow(html: str, url: str = "https://a.example/x/") -> PageText:
    return read_page_text(Page(url=url, text=html, digest="", encoding="utf-8"))


def test_text_and_links_come_in_the_order_of_the_page() -> None:
    read = flow(
        "<html><head><title>Ear &amp; nose</title><style>p {}</style></head><body><h1>The <i>ear</i></h1>"
        "<p>Before <a href=one>first</a> between <!-- <a href=no>no</a> --><a href='/two'><b>second</b></a> after"
        "<script>var no = '<p>no</p>';</script> the end</body></html>"
    )
    assert read.title == "Ear & nose"
    assert read.text.split() == "The ear Before first between second after the end".split()
    assert read.strong == "The ear\nsecond"
    assert [link.url for link in read.links] == ["https://a.example/x/one", "https://a.example/two"]


def test_around_a_link_stands_what_is_near_it() -> None:
    far = "far " * 40
    read = flow(f"<p>{far}just before <a href=1>one</a> just after {far}</p>")
    (link,) = read.links
    assert (link.text, link.url) == ("one", "https://a.example/x/1")
    assert "just before one just after" in link.around
    assert len(link.around) < 180


def test_in_a_list_the_neighbours_are_around() -> None:
    rows = "".join(f"<li><a href={name}>{name}</a></li>" for name in ("ears", "eyes", "feet", "hands", "knees", "toes"))
    assert flow(f"<ul>{rows}</ul>").links[2].around == "ears eyes feet hands knees toes"


def test_a_page_without_title_or_links_is_its_text() -> None:
    assert flow("<p>only words") == PageText("", "only words", "", (), "only words")


def test_addresses_follow_the_base_and_entities_are_decoded() -> None:
    read = flow("<base href='https://b.example/y/'><a href='z?a=1&amp;b=2'>z</a> <a href=>none</a>")
    assert [link.url for link in read.links] == ["https://b.example/y/z?a=1&b=2", "https://b.example/y/"]


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "hostile",
    ["<h1>" * 100_000, "<!--" * 100_000, "<b><i>" * 60_000, "<script>" * 60_000, "<a href=x " * 50_000, "<" * 400_000],
)
def test_hostile_pages_take_linear_time(hostile: str) -> None:
    flow(hostile)


@pytest.mark.parametrize(
    "html",
    [
        "one <a href='/b'>two\1three</a> four",  # the mark that tells links apart
        "<title>one <a href='/b'>two</a> three</title> four",
    ],
)
def test_what_stands_where_no_link_may_be_does_not_shift_the_others(html: str) -> None:
    found = flow(f"{html}<p><a href='/c'>five</a>")
    assert [(link.url[-2:], link.text) for link in found.links][1:] == [("/c", "five")]
    assert found.text.endswith("four\nfive")


def test_a_tag_left_open_before_a_link_does_not_swallow_it() -> None:
    assert [link.text for link in flow("<p <a href='/b'>two</a> three").links] == ["two"]


MENU = "".join(f"<li><a href={name}>{name}</a></li>" for name in ("ears", "eyes", "feet"))


def test_links_of_a_list_are_in_a_block_and_those_of_running_text_are_not() -> None:
    story = "word " * 45
    read = flow(f"<ul>{MENU}</ul><p>{story}<a href=a>one</a> {story}<a href=b>two</a></p>")
    assert [link.listed for link in read.links] == [True, True, True, False, False]


def test_the_text_outside_of_blocks_is_known() -> None:
    story = "word " * 45
    read = flow(f"<h1>Head</h1><ul>{MENU}</ul><p>{story}<a href=a>one</a> end</p>")
    assert read.unlisted.split() == ["Head", *story.split(), "one", "end"]
    assert flow("<p>two <a href=a>links</a> are <a href=b>no block</a>").unlisted == "two\nlinks\nare\nno block"
    assert flow(f"<ul>{MENU}</ul>").unlisted == ""

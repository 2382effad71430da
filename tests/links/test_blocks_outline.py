"""The outlined page shows verdicts and blocks, and nothing of the page can run or call out."""

from __future__ import annotations

import html
import re

import pytest

from medharvest.links import judge_links
from medharvest.links.blocks import find_blocks, outline_page
from medharvest.records import Page

LIST = (
    '<ul><li><A href="/1">A long title of the first article</A><li><a href="/help">Help</a><li><a href="/x">x</a></ul>'
)


def page(text: str) -> Page:
    return Page(url="https://journal.example/?a=1&b=<2>", text=text, digest="", encoding="utf-8")


def framed(document: str) -> str:
    """The document in the frame, as a browser reads it from the attribute."""
    found = re.search(r'<iframe sandbox title="the page" srcdoc="([^"]*)"></iframe>\n$', document)
    assert found
    return html.unescape(found[1])


def test_each_link_says_its_verdict_and_its_block():
    whole = page(LIST)
    inner = framed(outline_page(whole, judge_links(whole), find_blocks(whole).blocks))
    assert (
        '<A data-mh="article" data-mh-block="1" data-mh-edge="first" title="article, abstract: 0.70 by title; ' in inner
    )
    assert (
        'data-mh="other" data-mh-block="1" title="other: 0.70 by excluded; block 1 of 1, 3 links" href="/help"' in inner
    )
    assert 'data-mh-edge="last"' in inner


def test_without_verdicts_and_blocks_links_are_outlined_all_the_same():
    inner = framed(outline_page(page(LIST)))
    assert inner.count('<a data-mh="link" href') == 2
    assert "title=" not in inner.partition("<ul>")[2]


def test_nothing_but_attributes_is_added_to_the_page():
    whole = page(LIST)
    inner = framed(outline_page(whole, judge_links(whole), find_blocks(whole).blocks))
    assert re.sub(r' (?:data-mh[a-z-]*|title)="[^"]*"', "", inner).endswith(LIST)


@pytest.mark.parametrize(
    "code",
    [
        "<script>alert(1)</script>",
        '"></iframe><script>alert(1)</script>',
        "<img src=x onerror=alert(1)>",
        '<a href="javascript:alert(1)">x</a>',
        "&quot;&gt;</iframe><script>alert(1)</script>",
    ],
)
def test_code_of_the_page_stays_in_a_frame_without_scripts(code):
    document = outline_page(page(code))
    outside = re.sub(r'srcdoc="[^"]*"', "", document)
    assert "alert" not in outside
    assert "<script" not in outside
    assert '<iframe sandbox title="the page" ></iframe>' in outside
    assert code in re.sub(r' data-mh="link"', "", framed(document))


def test_a_strict_policy_stands_before_everything_of_the_page():
    document = outline_page(page("<p>x</p>"))
    for text in (document, framed(document)):
        policy = text.partition('content="')[2].partition('"')[0]
        assert text.startswith('<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"')
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")


def test_tags_that_reach_other_servers_without_a_script_are_defused():
    inner = framed(
        outline_page(page("<LINK rel=preconnect href=//x><meta http-equiv=refresh content=0><base href=//x><linkx>"))
    )
    body = inner.partition("</style>")[2]
    assert body == "<wbr rel=preconnect href=//x><wbr http-equiv=refresh content=0><wbr href=//x><linkx>"


def test_the_address_is_the_title():
    assert "<title>https://journal.example/?a=1&amp;b=&lt;2&gt;</title>" in outline_page(page("x"))

"""Safe HTML of a page: nothing in it runs, and every zone is found by its path."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.harvest.review_tasks import render_safe_html
from medharvest.pages import parse_page
from medharvest.records import Page
from medharvest.zones.segmentation import segment_with_hidden

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1) alt='fish'>",
    "<a href='javascript:alert(1)'>go</a>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<svg><script>alert(1)</script></svg>",
    "<form action='https://evil.example'><input name=a><button formaction='x'>b</button></form>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<style>body{background:url(https://evil.example)}</style>",
    "<p style='background:url(https://evil.example)' onclick=alert(1)>x</p>",
    "<object data=x></object><embed src=x><link rel=stylesheet href=x>",
    "<div data-zone='\"><script>alert(1)</script>'>x</div>",
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "<td colspan='3\" onclick=\"alert(1)'>x</td>",
]


def page(text: str) -> Page:
    return Page(url="", text=text, digest="", encoding="utf-8")


def tags(text: str) -> set[str]:
    return set(re.findall(r"<(\w+)", text))


def attributes(text: str) -> set[str]:
    return {
        name
        for tag in re.findall(r"<\w+([^>]*)>", text)
        for name in re.findall(r"([\w-]+)=", re.sub('"[^"]*"', '""', tag))
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_acts_comes_through(text: str) -> None:
    out = render_safe_html(page(f"<html><body>{text}</body></html>"))
    assert not tags(out) & {
        "script",
        "style",
        "iframe",
        "svg",
        "form",
        "input",
        "button",
        "base",
        "meta",
        "object",
        "a",
    }
    assert attributes(out) <= {"data-zone", "class", "colspan", "rowspan"}
    assert "evil.example" not in out


@given(st.text(alphabet="<>/=\"'& abdiptr0[]", max_size=300))
def test_no_page_gets_a_tag_through_that_is_not_ours(text: str) -> None:
    out = render_safe_html(page(text))
    assert tags(out) <= {"div", "span", "p", "i", "b", "br", "td", "tr", "dt", "dd", "tt", "table", "tbody"}
    assert attributes(out) <= {"data-zone", "class", "colspan", "rowspan"}


def test_every_zone_is_there_under_its_path() -> None:
    text = """<html><body><header>Top</header><div><h1>A <i>title</i></h1>loose<p>One<p>Two <b>2</b></div>
      <table><tr><td colspan=2>cell<td>other</table><div hidden>folded</div><ul><li>a<li>b</ul>after</body></html>"""
    out = render_safe_html(page(text))
    paths = set(map(html.unescape, re.findall(r'data-zone="([^"]*)"', out)))
    assert {zone.path for zone in segment_with_hidden(page(text))} <= paths
    assert "A <i>title</i>" in out
    assert "colspan=2" in out
    assert "class=folded" in out


def test_pictures_say_what_they_show() -> None:
    assert "<span class=picture>a &lt;fish&gt;</span>" in render_safe_html(page("<body><img alt='a <fish>'>"))


def test_the_content_of_head_is_not_shown() -> None:
    assert "Secret" not in render_safe_html(page("<html><head><title>Secret</title></head><body>x"))


@pytest.mark.parametrize("text", ["<div>" * 900, "<i>" * 900])
def test_a_deep_page_has_its_bounds(text: str) -> None:
    assert len(render_safe_html(parse_page(text.encode(), name="x"))) < 3_000_000


@pytest.mark.parametrize("piece", ["<td>", "<p>x"])
def test_work_and_size_grow_with_the_page(piece: str) -> None:
    def show(size: int) -> int:
        return len(render_safe_html(parse_page((piece * size).encode(), name="x")))

    assert growth(show, 200) < 6
    assert show(800) < 6 * show(200)

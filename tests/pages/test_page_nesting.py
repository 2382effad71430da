"""The scan that keeps deeply nested pages from the parser: what it refuses, what it accepts, and its running time."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medharvest.errors import InputError
from medharvest.pages import classify, embedded, page, parse_page
from medharvest.pages.page import is_too_deep

PIECES = ["<div>", "</div>", "<b", "'", '"', "=", ">", "<!--", "-->", "<svg>", "</svg>", "/"]


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 40_000, id="blocks"),
        pytest.param("<DIV>" * 40_000, id="capitals"),
        pytest.param("<div>" * 200_000, id="a megabyte of blocks"),
        pytest.param("<ul><li>" * 20_000, id="lists"),
        pytest.param("<div/>" * 40_000, id="a slash closes no block"),
        pytest.param("<span>" * 1_000 + "<hr>" * 200_000, id="many tags in some depth"),
        pytest.param("<span><div></span>" * 50_000, id="ends that do not reach"),
        pytest.param("<span>" * 5_000 + "</x>" * 200_000, id="ends of nothing"),
        pytest.param("<div>" * 5_000 + "</section>" * 50_000, id="ends of no block"),
        pytest.param("<div><!--</div>-->" * 50_000, id="ends in comments"),
        pytest.param("<div><?</div>" * 50_000, id="ends in instructions"),
        pytest.param("<div title='</div>'>" * 50_000, id="ends in attributes"),
        pytest.param("<div><script></div></script>" * 30_000, id="ends in scripts"),
        pytest.param('<div "><div>' * 40_000, id="a quote that opens no value"),
        pytest.param('<div ="><div>' * 40_000, id="an equals sign without a name"),
        pytest.param("<svg><style>" + "<g>" * 100_000, id="style in a drawing"),
    ],
)
def test_a_page_that_is_too_deep_is_refused_at_once(html):
    assert is_too_deep(html)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 5_000, id="five thousand levels"),
        pytest.param("<div>x</div>" * 80_000, id="flat"),
        pytest.param("<div><b>x</div>" * 60_000, id="unclosed in blocks that close"),
        pytest.param("<p>x<br><img src=x>" * 50_000, id="tags that need no end"),
        pytest.param("<table><tr><td>x<td>y<tr></table>" * 30_000, id="tables"),
        pytest.param("<script>" + "'<div>'" * 100_000 + "</SCRIPT><p>", id="scripts"),
        pytest.param("<svg><path/><path/></svg>" * 30_000, id="drawings"),
        pytest.param("<!-- <div> -->" * 60_000, id="comments"),
        pytest.param("<title>" + "<b>" * 100_000, id="a title without end"),
        pytest.param("</div>" * 100_000, id="ends alone"),
        pytest.param("<a " * 300_000, id="no tag ends"),
        pytest.param("<a =" * 250_000, id="equals signs"),
        pytest.param("<a b='" * 150_000, id="quotes"),
        pytest.param("<!--" * 250_000, id="comments without end"),
        pytest.param("<" * 10**6, id="brackets"),
        pytest.param("<a" + " " * 10**6 + "<" * 20_000, id="blanks"),
    ],
)
def test_a_page_that_is_flat_passes_in_linear_time(html):
    assert not is_too_deep(html)


@pytest.mark.parametrize("html", ["<div>" * 200_000, "<span>" * 900 + "<hr>" * 55_000, "<div>" * 9_000])
def test_a_deep_page_is_read_in_bounded_time_or_refused(html):
    try:
        found = parse_page(html.encode())
    except InputError as error:
        assert error.message == "page is nested too deeply: page"  # noqa: PT017  (both ends are fine)
    else:
        classify(found)
        embedded(found)


@settings(max_examples=25)
@given(st.lists(st.sampled_from(PIECES)))
def test_no_page_of_odd_pieces_raises(pieces):
    assert is_too_deep("".join(pieces) + "<div>" * 40_000) in {True, False}


@given(st.lists(st.sampled_from([*PIECES, "<p>", "<p ", "<li>", "<br/>", "<img ", "</p>", "<span>"]), max_size=40))
def test_the_bound_on_the_work_never_passes_a_page_that_the_scan_refuses(pieces):
    html = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "_MOST_WORK", 3)
        bounded = is_too_deep(html)
        patch.setattr(page, "_bound_work", lambda *_: math.inf)
        assert bounded == is_too_deep(html)


def test_a_page_with_more_ends_than_open_tags_is_not_scanned(monkeypatch):
    monkeypatch.setattr(page, "_OpenTagStack", None)  # it cannot be made
    assert not is_too_deep("<div>x</div><p>y<br>" * 3_200)
    with pytest.raises(TypeError):
        is_too_deep("<div>x" * 11_000)

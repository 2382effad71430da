import functools
import itertools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest import demo
from medharvest.links import scan_links
from medharvest.pages import parse_page
from medharvest.records import Link, Page


def _scan(html: str, url: str = "http://journal.example/issue/1/") -> tuple[Link, ...]:
    return scan_links(Page(url=url, text=html, digest="", encoding="utf-8"))


def test_a_link_knows_its_place_its_address_and_what_it_shows():
    html = 'Ωx<p><A Class="t" HREF="../a?b=1&amp;c=2#top">One <IMG src=i.png> two</A> after'
    assert _scan(html) == (
        Link(
            index=0,
            offset=5,
            end=html.index("</A>"),
            href="../a?b=1&c=2#top",
            url="http://journal.example/issue/a?b=1&c=2",
            text="One two",
            attributes=(("class", "t"), ("href", "../a?b=1&c=2#top")),
            content_tags=("IMG",),
        ),
    )


@pytest.mark.parametrize(
    ("html", "hrefs"),
    [
        pytest.param("<a href=x>", ["x"], id="bare"),
        pytest.param("<a\nhref='x'>", ["x"], id="newline"),
        pytest.param("<a/href=x>", ["x"], id="slash"),
        pytest.param("<a>one</a><a name=n>two</a>", [], id="no-href"),
        pytest.param("<a href>", [""], id="no-value"),
        pytest.param("<a href=x href=y>", ["x"], id="first-of-two"),
        pytest.param("<abbr href=x><area href=y><article href=z>", [], id="other-tags"),
        pytest.param("<!-- <a href=x> --><a href=y>", ["y"], id="comment"),
        pytest.param("<!--><a href=x>", ["x"], id="empty-comment"),
        pytest.param("<!---><a href=x>", ["x"], id="empty-comment-of-three"),
        pytest.param("<a href=x><!-- <a href=y>", ["x"], id="open-comment"),
        pytest.param("<script>'<a href=x>'</script><a href=y>", ["y"], id="script"),
        pytest.param("<SCRIPT>'</scripts><a href=x>'</SCRIPT ><a href=y>", ["y"], id="script-end"),
        pytest.param("<style>/* <a href=x> */</style><a href=y>", ["y"], id="style"),
        pytest.param("<script src=s /><a href=x>", ["x"], id="empty-script"),
        pytest.param("<style/><a href=x>", ["x"], id="empty-style"),
        pytest.param("<script><a href=x>", [], id="open-script"),
        pytest.param("<noscript><a href=x></noscript>", ["x"], id="noscript"),
        pytest.param("<scripted><a href=x>", ["x"], id="no-script"),
        pytest.param("<a href=x>one<a href=y>two", ["x", "y"], id="open-links"),
        pytest.param('<a href="x">one<a href="y">two</a>', ["x", "y"], id="open-link-before-a-usual-one"),
        pytest.param('<a href="x"><a href="y">two</a> <a title="t" href="z">three</a >', ["x", "y", "z"], id="usual"),
        pytest.param('<a title=" href=" rel="y">one</a>', [], id="href-in-a-value"),
        pytest.param('<a href="x" href="y">one</a><a rel="n" HREF="&lt;">', ["x", "<"], id="twice"),
        pytest.param('<a href="x">one</a title="<a href=y>"><a href=z>', ["x", "z"], id="attributes-at-the-end"),
        pytest.param('<a title="a > b" href=x>', ["x"], id="quoted-angle"),
        pytest.param("<a title=don't href=x>it's<a href=y>", ["x", "y"], id="quote-in-a-word"),
        pytest.param('<a title="never closed href=x>one</a>', ["x"], id="open-quote"),
        pytest.param('<a href="?a=1&copy=2&amp;lt=3&#38;&eacute;&nbsp">', ["?a=1&copy=2&lt=3&é\xa0"], id="references"),
        pytest.param("<a href=x", ["x"], id="cut-off"),
        pytest.param('<a href=x title="a > b"', ["x"], id="cut-off-behind-a-quote"),
    ],
)
def test_a_link_is_an_a_with_href_outside_comments_scripts_and_styles(html, hrefs):
    assert [link.href for link in _scan(html)] == hrefs


@pytest.mark.parametrize(
    ("html", "text", "end"),
    [
        pytest.param("<a href=x>one</a> two", "one", "</a>", id="closed"),
        pytest.param("<a href=x>one <a name=n>two", "one", "<a name", id="next-anchor"),
        pytest.param("<a href=x>one two", "one two", "", id="page-ends"),
        pytest.param("<a href=x>one<base href=y> two</a>", "one two", "</a>", id="base-inside"),
        pytest.param("<a href=x>one<!-- no --> two</a>", "one two", "</a>", id="comment-inside"),
        pytest.param("<a href=x>one<script>no</script> two</a>", "one two", "</a>", id="script-inside"),
        pytest.param("<a href=x>one<script/> two</a>", "one two", "</a>", id="empty-script-inside"),
        pytest.param("<a href=x>CO<sub>2</sub> and <b>H</b>ydrogen</a>", "CO2 and Hydrogen", "</a>", id="glued"),
        pytest.param("<a href=x>one<br>two<p>three</a>", "one two three", "</a>", id="lines"),
        pytest.param("<a href=x>1 &lt; 2&nbsp;&amp; 3</a>", "1 < 2 & 3", "</a>", id="entities"),
        pytest.param("<a href=x><img alt='a > b'>one</a>", "one", "</a>", id="quoted-angle"),
    ],
)
def test_a_link_shows_its_text_and_ends_where_it_is_closed_or_another_begins(html, text, end):
    link = _scan(html)[0]
    assert link.text == text
    assert link.end == (html.index(end) if end else len(html))


@pytest.mark.parametrize(
    ("html", "url", "absolute"),
    [
        ("<a href=' a b#c '>", "http://j.example/x/y", "http://j.example/x/a%20b"),
        ("<a href=//k.example/a>", "https://j.example/", "https://k.example/a"),
        ("<base href=/z/><base href=/q/><a href=a>", "http://j.example/x/y", "http://j.example/z/a"),
        ("<base target=top><a href=a>", "http://j.example/x/y", "http://j.example/x/a"),
        ("<a href=http://k.example/a>", "", "http://k.example/a"),
        ("<a href=a>", "", ""),
        ("<a href='http://[bad'>", "http://j.example/", ""),
    ],
)
def test_a_link_has_its_absolute_address_where_there_is_one(html, url, absolute):
    assert [link.url for link in _scan(html, url)] == [absolute]


def test_offsets_count_code_points_and_keep_every_newline():
    html = "\r\n\U0001f600é\r<a href=x>"
    assert _scan(html)[0].offset == html.index("<a")


def test_every_bundled_link_is_found_where_it_stands():
    pages = {page.file: page for page in demo.list_demo_pages()}
    for file, truth in itertools.groupby(demo.link_truth(), key=lambda link: link.file):
        page = parse_page(demo.read_demo_file(file), charset=pages[file].charset)
        found = [(link.index, link.offset, link.href, link.text) for link in scan_links(page)]
        assert found == [(link.i, link.offset, link.href, link.text) for link in truth], file


_PIECES = [
    "<a ",
    "href=",
    "'",
    '"',
    ">",
    "</a>",
    "<!--",
    "-->",
    "<script",
    "</script>",
    "/>",
    "x",
    " ",
    "<b ",
    '<a href="x">',
    '<a title="t" href="y">two</a>',
    "&lt",
    "<base ",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_any_html_gives_links_in_order_that_do_not_overlap(html):
    links = _scan(html)
    assert [link.index for link in links] == list(range(len(links)))
    places = [place for link in links for place in (link.offset, link.end)]
    assert places == sorted(places)
    assert all(html[link.offset : link.offset + 2] == "<a" for link in links)


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_leaving_links_out_changes_no_other(html):
    links = _scan(html)
    page = Page(url="http://journal.example/issue/1/", text=html, digest="", encoding="utf-8")
    for kept in {link.url for link in links}:
        others = scan_links(page, skip=functools.partial(operator.ne, kept))
        assert others == tuple(link for link in links if link.url == kept)


@given(st.text(max_size=200))
def test_no_text_raises(text):
    _scan(text)
    _scan(f"<a href='{text}'>{text}</a>")


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a " * 300_000, id="open tags"),
        pytest.param('"' * 10**6, id="quotes"),
        pytest.param('<a href="' * 100_000, id="open quotes"),
        pytest.param("<a '\" " * 150_000, id="mixed quotes"),
        pytest.param("<a href=x>" + "<" * 10**6, id="angles"),
        pytest.param("<a href=x><b '\"' \"></a>" * 20_000 + ">", id="quotes across links"),
        pytest.param("<a href=x>" + "<b '\"' \">" * 30_000 + '"', id="quotes in a link"),
        pytest.param("<a href=x '\"' \">" * 60_000, id="quotes to the end"),
        pytest.param("<!--" * 250_000, id="comments"),
        pytest.param("<script>" * 125_000, id="scripts"),
        pytest.param("<a" + " " * 10**6, id="blanks"),
        pytest.param("<a href=x>" + "<!---->" * 140_000, id="hidden parts"),
        pytest.param("<a href='" + "&" * 10**6 + "'>", id="references"),
        pytest.param("<div>" * 10_000 + "<a href=x>", id="deep"),
    ],
)
def test_hostile_pages_take_linear_time(html):
    _scan(html)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.records import Mark, Page, Zone
from medharvest.zones import segment


def _zones(html: str) -> tuple[Zone, ...]:
    return segment(Page(url="", text=html, digest="", encoding="utf-8"))


def test_a_page_is_cut_at_its_blocks_in_document_order():
    html = "<title>T</title><body>a<div>b <i>c</i>\n d<p>e</div>f<br>g<table><tr><td>h<td>i</table>"
    assert [(zone.level, zone.tag, zone.path, zone.text) for zone in _zones(html)] == [
        (3, "title", "html[1]/head[1]/title[1]", "T"),
        (2, "body", "html[1]/body[1]", "a"),
        (3, "div", "html[1]/body[1]/div[1]", "b c d"),
        (4, "p", "html[1]/body[1]/div[1]/p[1]", "e"),
        (2, "body", "html[1]/body[1]", "f"),
        (2, "body", "html[1]/body[1]", "g"),
        (6, "td", "html[1]/body[1]/table[1]/tbody[1]/tr[1]/td[1]", "h"),
        (6, "td", "html[1]/body[1]/table[1]/tbody[1]/tr[1]/td[2]", "i"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<noscript>x</noscript>",
        "<template>x</template>",
        "<!-- x -->",
        "<div hidden>x<p>y</div>",
        "<div style='Display:none'><b>x</b></div>",
        "<span style='visibility: hidden'>x</span>",
        "<select><option>x</select>",
        "<svg><text>x</text></svg>",
        "<p> &nbsp;\n </p>",
        "<br>",
    ],
)
def test_invisible_content_is_not_a_zone(html):
    assert [zone.text for zone in _zones(f"<p>before</p>{html}<p>after</p>")] == ["before", "after"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a  b\n\tc", "a b c"),
        ("a&nbsp;b", "a b"),
        ("a<i>b</i>c", "abc"),
        ("a <i>b</i> c", "a b c"),
        ("a<i> b </i>c", "a b c"),
        ("a <i> </i> b", "a b"),
        ("<i> a</i>", "a"),
        ("a<span></span>b", "ab"),
    ],
)
def test_white_space_is_collapsed_as_a_browser_does(html, text):
    assert [zone.text for zone in _zones(f"<p>{html}</p>")] == [text]


@pytest.mark.parametrize(
    ("html", "marks"),
    [
        pytest.param("Ann<sup>1</sup>", [("1", "sup")], id="raised"),
        pytest.param("CO<sub>2</sub> in <em>E. coli</em>", [("2", "sub"), ("E. coli", "i")], id="em-is-i"),
        pytest.param("<strong>a <i>b</i></strong>", [("b", "i"), ("a b", "b")], id="nested"),
        pytest.param("a <b>b </b>", [("b", "b")], id="trailing-blank"),
        pytest.param("<b></b>a", [], id="empty"),
    ],
)
def test_inline_tags_are_marks(html, marks):
    zone = _zones(f"<p>{html}</p>")[0]
    assert [(zone.text[mark.start : mark.end], mark.tag) for mark in zone.marks] == marks


def test_a_mark_continues_across_a_break():
    one, two = _zones("<p><i>one<br>two</i> three</p>")
    assert (one.text, one.marks) == ("one", (Mark(0, 3, "i"),))
    assert (two.text, two.marks) == ("two three", (Mark(0, 3, "i"),))


@pytest.mark.parametrize(
    ("html", "size"),
    [
        ("<p style='font-size:12.5pt'>a</p>", 12.5),
        ("<font size=5>a</font>", 5.0),
        ("<font size='+2'>a</font>", 5.0),
        ("<font size='-1'>a</font>", 2.0),
        ("<font size=big>a</font>", 0.0),
        ("<p size=4>a</p>", 0.0),
        ("<p style='font-size:99999999px'>a</p>", 0.0),
        ("<div style='font-size:9pt'><p>a <span style='font-size:11pt'>b</span></div>", 11.0),
        ("<div style='font-size:9pt'></div><p>a", 0.0),
    ],
)
def test_a_zone_has_the_largest_font_size_stated_for_it(html, size):
    assert _zones(html)[0].size == size


def test_a_zone_has_the_language_stated_for_it():
    html = "<html lang=en><p>a<div lang=FR><p>b</div><p>c"
    assert [(zone.text, zone.language) for zone in _zones(html)] == [("a", "en"), ("b", "fr"), ("c", "en")]


@given(
    st.lists(st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "a", " ", "<br>", "<td>"]), max_size=40)
)
def test_zones_of_any_page_are_tidy(pieces):
    for zone in _zones("".join(pieces)):
        assert zone.text == " ".join(zone.text.split()) != ""
        assert zone.path.endswith("]")
        assert all(0 <= mark.start < mark.end <= len(zone.text) for mark in zone.marks)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>x" * 10_000, id="deep"),
        pytest.param("<p>" + "<b>x</b>" * 60_000, id="many marks"),
        pytest.param("<p>x" * 50_000, id="many zones"),
        pytest.param("<a " * 300_000, id="open tags"),
        pytest.param('"' * 10**6, id="quotes"),
    ],
)
def test_hostile_pages_take_bounded_time(html):
    _zones(html)


@pytest.mark.parametrize("piece", ["<div>x", "<b>x</b>", "<p>x", "<a ", '"'])
def test_work_grows_with_the_page(piece):
    assert growth(lambda size: _zones("<p>" + piece * size), 100) < 6


def test_a_path_ends_where_a_page_is_nested_beyond_reason():
    assert max(len(zone.path) for zone in _zones("<div>x" * 10_000)) < 10_000


@pytest.mark.parametrize(
    ("html", "words", "signature"),
    [
        ("<p>x", (), "html/body/p"),
        (
            "<p class='articleTitle__main h-2' id=t1>x",
            ("article", "title", "main", "h", "t"),
            "html/body/p.articleTitle__main h-2#t1",
        ),
        ("<div class=a1><div id=b><p itemprop=name role=note>x", ("a", "b", "name", "note"), "div.a1/div#b/p"),
        ("<div class=far><div><div><p>x", (), "div/div/p"),
        ("<p class=''><b class=inner>x", (), "html/body/p"),
    ],
)
def test_a_zone_is_named_by_its_block_and_the_two_around_it(html, words, signature):
    [zone] = _zones(html)
    assert (zone.words, zone.signature) == (words, signature)


def test_a_name_without_end_is_cut():
    [zone] = _zones(f"<p class='{'long ' * 10_000}'>x")
    assert len(zone.signature) < 200

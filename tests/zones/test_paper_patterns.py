"""The seven steps and the lines they leave, figure 2 of the paper among them."""

import pytest

from medharvest.records import Page
from medharvest.zones.paper import list_pattern_lines, list_text_zones, normalise_html

FIGURE_1 = """<HTML>
<HEAD>
<TITLE>This is a document</TITLE>
</HEAD>
<BODY>
<H2>Title</H2>
<P><STRONG><NOBR>Author</NOBR></STRONG></P>
<P><FONT SIZE=-1>Affiliation</FONT></P>
<P>Abstract.</P>
<P><STRONG>Key Words</STRONG></P>
</BODY>
</HTML>"""
FIGURE_2 = [
    ("1", "HTML", ""),
    ("2", "HEAD", ""),
    ("3", "TITLE", "This is a document"),
    ("2", "BODY", ""),
    ("3", "H2", ""),
    ("4", "", "Title"),
    ("3.4.5", "P.STRONG.NOBR", ""),
    ("6", "", "Author"),
    ("3.4", "P.FONT[,,-1]", ""),
    ("5", "", "Affiliation"),
    ("3", "P", ""),
    ("4", "", "Abstract."),
    ("3.4", "P.STRONG", ""),
    ("5", "", "Key Words"),
]


def _page(html: str) -> Page:
    return Page(url="", text=html, digest="", encoding="utf-8")


def _body(html: str) -> list[tuple[str, str, str]]:
    """The lines below BODY."""
    return [(line.levels, line.tags, line.text) for line in list_pattern_lines(_page(f"<body>{html}"))][3:]


def test_figure_2_of_the_paper_line_by_line():
    assert [tuple(line) for line in list_pattern_lines(_page(FIGURE_1))] == FIGURE_2


def test_the_zones_of_figure_1_have_the_patterns_that_lead_to_them():
    assert [(zone.levels, zone.tags, zone.fonts, zone.text) for zone in list_text_zones(_page(FIGURE_1))] == [
        ("3.4", "H2", "", "Title"),
        ("3.4.5.6", "P.STRONG.NOBR", "", "Author"),
        ("3.4.5", "P.FONT", "[,,-1]", "Affiliation"),
        ("3.4", "P", "", "Abstract."),
        ("3.4.5", "P.STRONG", "", "Key Words"),
    ]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<p>a<b>b</b>c", [("3", "P", ""), ("4", "", "a"), ("4", "B", ""), ("5", "", "b"), ("4", "", "c")]),
        ("<p>a<a href=x>b</a>c", [("3", "P", ""), ("4", "", "a"), ("5", "", "b"), ("4", "", "c")]),
        ("<div><p>a</div>", [("4", "P", ""), ("5", "", "a")]),
        ("<table><tr><td><b>a</b>", [("3", "TABLE", ""), ("8", "", "a")]),
        ("<table><tr><td><h3>a</h3>", [("3.7", "TABLE.H3", ""), ("8", "", "a")]),
        ("<p> &nbsp; </p><b></b><h1> </h1>", []),
        ("<script>a</script><style>b</style><!-- c -->", []),
        ("<p><font face=f color=c size=2>a", [("3.4", "P.FONT[f,c,2]", ""), ("5", "", "a")]),
        ("a", [("3", "", "a")]),
    ],
)
def test_lines_of_a_body(html, lines):
    assert _body(html) == lines


def test_the_frame_stays_when_it_is_empty():
    assert [line.tags for line in list_pattern_lines(_page("<title></title>"))] == ["HTML", "HEAD", "TITLE", "BODY"]


def test_a_zone_is_unbroken_by_blocks_and_takes_its_first_text():
    zones = list_text_zones(_page("<title>T</title><td>no</td><p>a <i>b</i> c<br>d"))
    assert [(zone.tags, zone.text) for zone in zones] == [("", "no"), ("P", "a b c"), ("", "d")]


@pytest.mark.no_cover
def test_a_page_nested_ten_thousand_deep_takes_no_time():
    normalise_html("<div><b>x" * 10_000)

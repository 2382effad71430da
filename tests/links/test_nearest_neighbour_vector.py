"""The nine components of a link vector, for the example of the paper and others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.links.nearest_neighbour import (
    VECTOR_COMPONENTS,
    LinkVector,
    link_vector,
    split_href,
)
from medharvest.links.scan import scan_links
from medharvest.records import Page

HELP = """<A href="http://nih.nlm.gov/help/" target=_top>
<FONT face=arial color=#ffffff size=-2>HELP</FONT></A>"""


def page_of(text: str) -> Page:
    return Page(url="https://example.org/", text=text, digest="d", encoding="utf-8")


def vector(code: str) -> LinkVector:
    page = page_of(code)
    (link,) = scan_links(page)
    return link_vector(page, link)


def format_link_vector(found: LinkVector) -> tuple[str, ...]:
    """The nine lines that the paper prints for a vector: `(1) <href><target>`."""
    return tuple(
        f"({number}) " + ("".join(f"<{item}>" for item in component) or "<>")
        for number, component in enumerate(found, 1)
    )


def test_the_example_of_the_paper_line_by_line() -> None:
    assert format_link_vector(vector(HELP)) == (
        "(1) <href><target>",
        "(2) <http://nih.nlm.gov/help/><_top>",
        "(3) <http>",
        "(4) <>",
        "(5) <>",
        "(6) <FONT>",
        "(7) <[face][color][size]>",
        "(8) <[arial][#ffffff][-2]>",
        "(9) <HELP>",
    )


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("http://a.example/b", ("http", "", ())),
        ("mailto:a@b.example", ("", "", ())),
        ("/toc#a#b", ("", "b", ())),
        ("/toc#", ("", "", ())),
        ("#top", ("", "top", ())),
        ("/find?Q=1&b=2;c", ("", "", ("q", "b", "c"))),
        ("/find?a=1?b=2", ("", "", ("b",))),
        ("/find?&&=1", ("", "", ())),
        ("http://a.example/go?to=http://b.example/", ("http", "", ("to",))),
        ("http://a.example/go/http://b.example/", ("http://a.example/go/http", "", ())),
        ("/find?a=1#?b=2", ("", "?b=2", ("a",))),
        ("", ("", "", ())),
    ],
)
def test_an_address_is_taken_apart_from_its_end(href: str, expected: tuple[str, str, tuple[str, ...]]) -> None:
    assert split_href(href) == expected


def test_several_content_tags_are_listed_in_order() -> None:
    found = vector('<a href=x><FONT face=a><IMG src="i.png" alt="y z"></FONT><b>t</b></a>')
    assert found[5:] == (("FONT", "IMG", "B"), ("[face]", "[src][alt]", ""), ("[a]", "[i.png][y z]", ""), ("t",))
    assert format_link_vector(found)[6] == "(7) <[face]><[src][alt]><>"


def test_comments_and_scripts_inside_a_link_are_no_content() -> None:
    found = vector("<a href=x>t<!-- <b> --><script>'<i>'</script></a>")
    assert found[5:] == ((), (), (), ("t",))


def test_attribute_values_are_decoded_and_names_lowered() -> None:
    assert vector('<A HREF="?a=1&amp;B=2" Title="R&amp;D">t</A>')[:5] == (
        ("href", "title"),
        ("?a=1&B=2", "R&D"),
        (),
        (),
        ("a", "b"),
    )


@given(st.text(alphabet="<>a/= \"'#?&;:hrefb!-", max_size=200))
def test_no_text_raises_and_every_link_has_nine_components(code: str) -> None:
    page = page_of(f"<a href=x>{code}")
    for link in scan_links(page):
        assert len(link_vector(page, link)) == len(VECTOR_COMPONENTS)


@pytest.mark.no_cover
def test_hostile_content_takes_linear_time() -> None:
    page = page_of("<a href=x>" + "<b '" * 250_000)
    for link in scan_links(page):
        link_vector(page, link)

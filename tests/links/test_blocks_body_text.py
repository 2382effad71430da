"""Body text: running text is kept; menus, footers and advertisements are not."""

from __future__ import annotations

import pytest

from medharvest.links.blocks import body_text, find_blocks, find_densest_stretch, text_lines
from medharvest.records import Page

HOME = "https://www.tides.example/story/1"
MENU = "<ul>" + "".join(f'<li><a href="/{word}">{word}</a></li>' for word in "home news sport help".split()) + "</ul>"
FIRST = "The harbour was closed for a day because the tide rose higher than anyone in the town could remember."
SECOND = "Boats that had been tied up since the autumn were lifted over the wall and set down in the market square."
THIRD = "By the evening the water had gone, and people came out to look at what the sea had left behind for them."


def page(body: str, url: str = HOME) -> Page:
    return Page(url=url, text=f"<html><body>{body}</body></html>", digest="", encoding="utf-8")


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def test_menus_around_a_text_are_left_out():
    assert body_text(page(MENU + paragraphs(FIRST, SECOND) + MENU)) == f"{FIRST}\n{SECOND}"


def test_short_lines_before_and_after_a_text_are_left_out():
    around = paragraphs("Monday, 3 May", "By the sea desk")
    text = body_text(page(around + paragraphs(FIRST, "A short one.", SECOND) + around))
    assert text == f"{FIRST}\nA short one.\n{SECOND}"


def test_in_site_links_in_running_text_are_kept():
    linked = SECOND
    for word in ("Boats", "autumn", "wall", "market"):
        linked = linked.replace(word, f'<a href="/topic/{word}">{word}</a>')
    whole = page(MENU + paragraphs(FIRST, linked, THIRD) + MENU)
    assert any(block.links == 4 for block in find_blocks(whole, threshold=10).blocks)
    assert SECOND in body_text(whole, find_blocks(whole, threshold=10))


@pytest.mark.parametrize(
    ("href", "kept"),
    [
        ("https://shop.example/{}", False),
        ("//shop.example/{}", False),
        ("/go?to=https%3A%2F%2Fshop.example%2F{}", False),
        ("/topic/{}", True),
        ("https://tides.example/{}", True),
        ("https://more.tides.example/{}", True),
    ],
)
def test_a_block_inside_running_text_is_removed_where_its_links_leave_the_site(href, kept):
    offers = " ".join(f'<a href="{href.format(word)}">Cheap {word}</a>' for word in ("rope", "sails", "paint"))
    text = body_text(page(MENU + paragraphs(FIRST, f"{SECOND} {offers} {THIRD}") + MENU))
    assert SECOND in text
    assert THIRD in text
    assert ("Cheap sails" in text) is kept


def test_a_page_without_address_has_no_links_that_leave():
    offers = " ".join(f'<a href="https://shop.example/{word}">Cheap {word}</a>' for word in ("rope", "sails", "oars"))
    assert "Cheap sails" in body_text(page(paragraphs(FIRST, f"{SECOND} {offers} {THIRD}"), url=""))


@pytest.mark.parametrize("name", ["aside", "FOOTER", "nav", "noscript", "svg", "select"])
def test_elements_that_tell_nothing_are_silent(name):
    assert body_text(page(paragraphs(FIRST) + f"<{name}>{SECOND}</{name}>" + paragraphs(THIRD))) == f"{FIRST}\n{THIRD}"


def test_an_element_that_is_never_closed_silences_nothing():
    assert body_text(page(f"<nav>{paragraphs(FIRST)}<aside>x</aside>")).endswith(FIRST)


def test_a_silent_element_inside_its_like_ends_with_the_outer_one():
    inner = f"<nav>{SECOND}<nav>{SECOND}</nav>{SECOND}</nav></nav>"
    assert body_text(page(paragraphs(FIRST) + inner + paragraphs(THIRD))) == f"{FIRST}\n{THIRD}"


def test_comments_and_scripts_leave_a_line_whole():
    text = FIRST.replace(" was ", "<!-- <p>no</p> --> <b>was</b><script>if (a < b) {}</script> ")
    assert body_text(page(f"<p>{text}</p><!-- left open {SECOND}")) == FIRST


def test_inline_tags_join_and_others_part():
    assert body_text(page(f"<div>CO<sub>2</sub> {FIRST}<br>{SECOND}</div>")) == f"CO2 {FIRST}\n{SECOND}"


def test_odd_tags_and_entities_are_read():
    odd = f'<p title="a > b">{FIRST} &amp; so &lt;on&gt;</p>'
    assert body_text(page(odd)) == f"{FIRST} & so <on>"


def test_a_link_over_several_lines_is_linked_in_each():
    lines = list(text_lines(page("<a href=/x><p>one two</p><p>three</p></a><p>four</p>"), ()))
    assert [(line.text, line.units, line.linked) for line in lines] == [
        ("one two", 2, 2),
        ("three", 1, 1),
        ("four", 1, 0),
    ]


def test_marks_of_our_own_in_a_page_mean_nothing():
    assert body_text(page(f"<p>\x01\x02{FIRST}\x03\x04</p>")) == FIRST


def test_characters_count_in_scripts_without_blanks():
    story = "海水涨得很高港口关闭了一天" * 3
    assert body_text(page(MENU + f"<p>{story}</p>" + MENU)) == story


def test_the_densest_stretch_is_the_one_with_the_greatest_sum():
    assert find_densest_stretch([-5, 3, -1, 4, -9, 5]) == (1, 4)
    assert find_densest_stretch([-1, -2]) == (0, 0)
    assert find_densest_stretch([]) == (0, 0)

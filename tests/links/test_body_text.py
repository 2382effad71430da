"""Body text: running text is kept; menus, footers and advertisements are not."""

from __future__ import annotations

from importlib import resources

import pytest

from medharvest.errors import InputError
from medharvest.links.body_text import LINE_FEATURES, _keep_lines, body_text, read_body_model, write_body_model
from medharvest.links.text_lines import split_lines
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
    around = '<div class="byline"><p>By the sea desk</p><p>Monday, 3 May</p></div>'
    text = body_text(page(around + f"<div>{paragraphs(FIRST, 'A short one.', SECOND)}</div>" + around))
    assert text == f"{FIRST}\nA short one.\n{SECOND}"


def test_in_site_links_in_running_text_are_kept():
    linked = SECOND
    for word in ("Boats", "autumn", "wall", "market"):
        linked = linked.replace(word, f'<a href="/topic/{word}">{word}</a>')
    assert body_text(page(MENU + paragraphs(FIRST, linked, THIRD) + MENU)) == f"{FIRST}\n{SECOND}\n{THIRD}"


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
    lines = split_lines("<a href=/x><p>one two</p><p>three</p></a><p>four</p>").lines
    assert [(line.text, line.words, line.linked, line.links) for line in lines] == [
        ("one two", 2, 2, 1),
        ("three", 1, 1, 1),
        ("four", 1, 0, 0),
    ]


def test_characters_count_in_scripts_without_blanks():
    story = "海水涨得很高港口关闭了一天" * 3
    assert body_text(page(MENU + f"<p>{story}</p>" + MENU)) == story


def test_comments_of_readers_are_left_out_however_long_they_are():
    said = paragraphs(*[f"{SECOND} {n} {THIRD}" for n in range(12)])
    for name in ('class="commentList"', "id=comments", 'class="post-replies wide"'):
        text = body_text(page(MENU + f"<div>{paragraphs(FIRST, THIRD)}</div><div {name}>{said}</div>"))
        assert text == f"{FIRST}\n{THIRD}"


def test_a_name_says_nothing_of_an_element_that_contains_the_title_or_the_body():
    story = paragraphs(FIRST, SECOND, THIRD)
    for whole in (f"<h1>The tide</h1><div>{story}</div>", f'<div class="article-body">{story}</div>'):
        assert body_text(page(f'<div class="comments-open sidebar">{whole}</div>')).endswith(THIRD)


def test_related_pages_are_left_out():
    teaser = '<div class="teaser"><a href="/story/{0}">{1}</a> by the sea desk and others</div>'
    related = "".join(teaser.format(n, SECOND) for n in range(6))
    whole = f'<h1>The tide</h1><div>{paragraphs(FIRST, THIRD)}</div><div class="related">Related{related}</div>'
    assert body_text(page(MENU + whole)).endswith(f"{FIRST}\n{THIRD}")


def test_a_doubtful_line_is_kept_beside_a_kept_one_of_its_family():
    families = [(1, 0), (1, 0), (9, 8), (9, 8)]
    kept = _keep_lines([1.0, -0.5, -0.5, -3.0], families, (0.0, -1.0))
    assert kept == [True, True, False, False]
    assert _keep_lines([-3.0, 1.0, 1.0, -0.5], [(5, 1), (6, 1), (7, 1), (1, 0)], (0.0, -1.0)) == [
        False,
        True,
        True,
        True,
    ]


def test_a_page_without_text_has_none():
    assert [body_text(page(html)) for html in ("", "<h1></h1>", MENU, "<p>one")] == ["", "", "", ""]


def test_a_model_that_was_changed_or_is_none_is_refused():
    text = (resources.files("medharvest.links") / "data" / "body.json").read_text(encoding="utf-8")
    assert read_body_model(text, name="body.json").trees.features == LINE_FEATURES
    for bad, complaint in (
        (text.replace('"limits":[0.0', '"limits":[0.1'), "was changed"),
        ("[]", "not a model"),
        ("{}", "not a model"),
    ):
        with pytest.raises(InputError, match=complaint):
            read_body_model(bad, name="body.json")


def test_a_model_of_other_numbers_is_refused():
    text = write_body_model({"features": ["words"], "rounds": [[[[0.5]]]]}, limits=(0.0, -1.0), card={})
    with pytest.raises(InputError, match="other numbers"):
        read_body_model(text, name="mine")

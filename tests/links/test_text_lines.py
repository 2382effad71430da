"""Lines and elements of a page: what ends a line, what an element is in, and what its names say."""

from __future__ import annotations

import pytest

from medharvest.links.body_text import (
    LINE_FEATURES,
    begins_service,
    describe_lines,
    digit_share,
    ends_sentence,
    find_core,
    find_holders,
    find_wording,
    inherit_traits,
    mark_count,
    measure_ways_to_core,
)
from medharvest.links.text_lines import Trait, split_lines

SENTENCE = "The harbour was closed for a whole day because the tide rose higher than anyone could remember."


def traits_of(attributes: str) -> int:
    return split_lines(f"<div {attributes}>x</div>").traits[1]


@pytest.mark.parametrize(
    ("attributes", "trait"),
    [
        ('class="commentList"', Trait.COMMENT),
        ("id=comments-2", Trait.COMMENT),
        ("class='page sidebar'", Trait.MARGIN),
        ('class="articleBody"', Trait.BODY),
        ('class="entry-content"', Trait.BODY),
        ('itemprop="articleBody"', Trait.BODY),
        ("hidden", Trait.HIDDEN),
        ('style="display: none"', Trait.HIDDEN),
    ],
)
def test_the_names_of_an_element_tell_its_traits(attributes, trait):
    assert traits_of(attributes) & trait
    assert not traits_of('class="x1 commented unrelated" title="comments"')


def test_an_element_is_in_the_last_open_one_and_a_paragraph_ends_by_itself():
    page = split_lines("<ul><li>one<li>two</ul><p>three<div>four</b></i></div></section>five")
    assert [(line.text, page.names[line.element]) for line in page.lines] == [
        ("one", "li"),
        ("two", "li"),
        ("three", "p"),
        ("four", "div"),
        ("five", ""),
    ]
    assert [page.names[page.parents[line.element]] for line in page.lines[:4]] == ["ul", "ul", "", ""]


def test_a_value_with_angle_brackets_ends_with_its_quote():
    page = split_lines('<div data-x="<b>>" class="comments"><span title="a > b">one</span> two</div>')
    assert [(line.text, page.traits[line.element]) for line in page.lines] == [("one two", Trait.COMMENT)]


def test_words_in_links_that_stand_side_by_side_are_counted_one_by_one():
    line = split_lines("<p><a href=/1>one</a> <a href=/2>two three</a>, and <a name=x>four</a></p>").lines[0]
    assert (line.text, line.words, line.linked, line.links) == ("one two three, and four", 5, 3, 2)


def test_traits_are_inherited_but_refuted_by_the_title_and_the_body():
    page = split_lines('<div class="sidebar"><h1>t</h1><div class="related"><p>x</p></div></div>')
    traits = dict(zip(page.names, inherit_traits(page), strict=True))
    assert traits["h1"] == 0
    assert traits["p"] == Trait.RELATED


def test_the_core_is_the_innermost_element_with_most_of_the_prose():
    page = split_lines("<div><div><p>a</p><p>b</p></div><div><p>c</p></div></div>")
    # names: "", div, div, p, p, div, p
    core = find_core([100, 100, 80, 40, 40, 20, 20], page.parents)
    assert core == 2
    below, beside = measure_ways_to_core(page.parents, core)
    assert (below[4], beside[4]) == (1, 0)
    assert (below[6], beside[6]) == (2, 1)
    assert find_holders(page) == [0, 1, 2, 2, 2, 5, 5]


def test_a_vector_has_a_number_for_each_name():
    page = split_lines(f"<h1>The tide</h1><p>{SENTENCE} <a href=x>More</a></p><p><a href=y>All of it</a></p>")
    lines, (title, text) = describe_lines(page)
    told = dict(zip(LINE_FEATURES, text, strict=True))
    assert [line.text for line in lines] == ["The tide", f"{SENTENCE} More"]
    assert (told["words"], told["own"], told["links"], told["paragraph"], told["prose"]) == (18, 17, 1, True, 17)
    assert (told["previous"], told["next"], told["next_share"], told["since_title"]) == (2, 0, 1, 1)
    assert len(title) == len(LINE_FEATURES)


def test_links_with_little_between_them_are_a_block():
    menu = "".join(f"<p>one two <a href={n}>three</a></p>" for n in range(4))
    lines, vectors = describe_lines(split_lines(f"{menu}<p>{SENTENCE * 4}</p><p>one two <a href=x>three</a></p>"))
    place = LINE_FEATURES.index("list_links")
    assert [vector[place] for vector in vectors] == [4, 4, 4, 4, 0, 0]
    assert len(lines) == 6


def test_the_core_is_not_in_a_child_that_holds_little_of_the_prose():
    page = split_lines("<div><div><p>a</p></div><div><p>b</p></div></div>")
    assert find_core([100, 100, 50, 50, 50, 50], page.parents) == 1


def test_prose_in_margins_counts_less():
    page = split_lines(f'<div class="x"><p>{SENTENCE}</p></div><div class="sidebar"><p>{SENTENCE}</p></div>')
    shares = [vector[LINE_FEATURES.index("in_element")] for vector in describe_lines(page).vectors]
    assert shares == pytest.approx([1 / 1.2, 0.2 / 1.2])


@pytest.mark.parametrize(
    ("text", "service", "credit"),
    [
        ("Subscribe to the letter of the harbour", True, False),
        ("Lire aussi : la mer monte", True, False),
        ("© 2020 The Tides", True, False),
        ("Photo by the sea desk", False, True),
        ("The wall in May, Getty Images", False, True),
        ("The wall was high", False, False),
    ],
)
def test_wording_around_the_text_is_known_in_several_languages(text, service, credit):
    assert find_wording(text) == (service, credit)


def test_only_a_short_line_announces_what_is_not_text():
    assert begins_service("Related stories", 2)
    assert not begins_service("Related to the tide is the wind that came up in the night", 13)


@pytest.mark.parametrize("text", ["It rose.", "It rose!”", "上がった。", "said:"])
def test_sentences_end_with_a_mark_in_any_script(text):
    assert ends_sentence(text)
    assert not ends_sentence(text + " and")


def test_marks_and_digits_are_counted():
    assert mark_count("one, two; three.") == 3
    assert digit_share("12ab") == 0.5

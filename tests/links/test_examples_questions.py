"""One link of each doubtful group is asked about, the largest doubt first."""

from medharvest.links import scan_links
from medharvest.links.examples import Opinion, TraitExamples, examples_of, form_opinions, next_questions
from medharvest.links.traits import LinkTraits, link_traits
from medharvest.records import Link, Page

ROWS = "".join(f'<li><a href="/a/{n}.htm">A title of snow and ice {n}</a>' for n in range(4))
PAGE = Page(
    url="http://journal.example/toc/7",
    text=f'<p><a href="/">Home</a></p><ul>{ROWS}</ul><div><a href="/b/1.pdf">Cover</a> <a href="/c"></a></div>',
    digest="",
    encoding="utf-8",
)
LINKS: tuple[Link, ...] = scan_links(PAGE)
TRAITS: tuple[LinkTraits, ...] = link_traits(PAGE, LINKS)


def _found(*probabilities: float, taught: tuple[int, ...] = ()) -> list[Opinion]:
    examples = examples_of(PAGE, dict.fromkeys(taught, (True, None)))
    return form_opinions(TraitExamples(examples), LINKS, TRAITS, [(one, None) for one in probabilities])


def test_one_link_of_each_group_is_asked_about_the_most_doubtful_group_first():
    found = _found(0.1, 0.4, 0.4, 0.4, 0.4, 0.5, 0.5)
    places = next_questions(found, TRAITS, count=5)
    assert places[0] in {1, 2, 3, 4}
    assert places[1:] == (5, 0)  # the invisible link is not asked about
    assert next_questions(found, TRAITS, count=1) == places[:1]


def test_many_small_doubts_outweigh_a_great_one():
    assert next_questions(_found(0.02, 0.8, 0.8, 0.8, 0.8, 0.5, 0.5), TRAITS, count=1)[0] in {1, 2, 3, 4}
    assert next_questions(_found(0.02, 0.96, 0.96, 0.96, 0.96, 0.5, 0.5), TRAITS, count=1) == (5,)


def test_an_answer_settles_its_group():
    found = _found(0.02, 0.5, 0.5, 0.5, 0.5, 0.4, 0.5, taught=(2,))
    assert next_questions(found, TRAITS, count=1, asked={2}) == (5,)


def test_what_was_asked_is_not_asked_again_and_nothing_is_left_in_the_end():
    found = _found(*[0.5] * 7)
    asked: set[int] = set()
    while places := next_questions(found, TRAITS, count=1, asked=asked):
        asked |= set(places)
    assert asked == {0, 1, 2, 3, 4, 5}


def test_the_link_most_like_the_rest_of_its_group_is_asked_about():
    html = "".join(f'<li><a href="/a/{n}.htm">{text}</a>' for n, text in enumerate(("Errata", *["PDF"] * 3)))
    page = Page(url="http://journal.example/toc/7", text=f"<ul>{html}</ul>", digest="", encoding="utf-8")
    links = scan_links(page)
    traits = link_traits(page, links)
    assert next_questions(form_opinions(TraitExamples(()), links, traits), traits, count=1)[0] != 0

"""Links judged by examples: the nearest taught links decide, and zero-shot if none is near."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.links import scan_links
from medharvest.links.examples import (
    KIND_WEIGHTS,
    TAUGHT_METHOD,
    TRAIT_WEIGHTS,
    ZERO_SHOT_METHOD,
    TraitExamples,
    examples_of,
    form_opinions,
    judge_taught,
)
from medharvest.links.traits import LinkTraits, link_traits
from medharvest.records import JudgedLink, Kind, LinkExample, Page

TITLES = ("Sleep and snow in the winter of the north", "Ice on the roads of a small town", "The depth of hail")
MENU = '<ul class=menu><li><a href="/">Home</a><li><a href="/about">About us</a></ul>'


def _page(html: str, url: str = "http://journal.example/toc/7") -> Page:
    return Page(url=url, text=html, digest="", encoding="utf-8")


def _issue(volume: int, *titles: str, extra: str = "") -> Page:
    rows = "".join(
        f'<li class=art>{title} <a href="/c/{volume}/{n}.htm">{title}</a> <a href="/c/{volume}/{n}.pdf">PDF</a>'
        for n, title in enumerate(titles)
    )
    return _page(f"{MENU}<ol class=toc>{rows}</ol>{extra}")


def _teach(page: Page, **kinds: Kind) -> tuple[LinkExample, ...]:
    """Teach a whole issue: menu links are no article links, titles are full texts, the rest is as its caption says."""
    labels = {
        link.index: (link.url.startswith("http://journal.example/c/"), kinds.get(link.text, Kind.FULLTEXT))
        for link in scan_links(page)
    }
    return examples_of(page, {index: (yes, kind if yes else None) for index, (yes, kind) in labels.items()})


def _judge(page: Page, examples: tuple[LinkExample, ...], guesses: tuple[float, ...] = ()) -> tuple[JudgedLink, ...]:
    return judge_taught(page, scan_links(page), examples, [(guess, None) for guess in guesses])


def test_a_taught_issue_judges_the_next_one():
    examples = _teach(_issue(1, *TITLES[:2]), PDF=Kind.PDF)
    judged = _judge(_issue(2, *TITLES), examples)
    assert [one.article for one in judged] == [False, False, *[True] * 6]
    assert [one.kind for one in judged] == [None, None, *[Kind.FULLTEXT, Kind.PDF] * 3]
    assert {one.verdict.method for one in judged} == {TAUGHT_METHOD}
    assert all(one.verdict.score > 0.9 for one in judged)
    assert [bool(one.article_key) for one in judged] == [one.article for one in judged]


def test_without_examples_zero_shot_decides():
    judged = _judge(_issue(1, TITLES[0]), (), (0.1, 0.9, 0.8, 0.3))
    assert [one.article for one in judged] == [False, True, True, False]
    assert [one.verdict.score for one in judged] == pytest.approx([0.9, 0.9, 0.8, 0.7])
    assert {one.verdict.method for one in judged} == {ZERO_SHOT_METHOD}


def test_zero_shot_decides_on_a_link_unlike_all_that_was_taught():
    examples = _teach(_issue(1, *TITLES[:2]))
    page = _issue(
        2, TITLES[2], extra='<table><tr><td>New: <a href="http://doi.example/10.1/x?y=1">DOI link</a></table>'
    )
    for guess in (0.9, 0.1):
        judged = _judge(page, examples, (*[0.5] * 4, guess))[-1]
        assert (judged.article, judged.verdict.method) == (guess > 0.5, ZERO_SHOT_METHOD)


def test_one_click_teaches_the_whole_group_at_once():
    page = _issue(1, *TITLES)
    links, guesses = scan_links(page), (0.02, 0.02, *[0.1] * 6)
    assert not any(one.article for one in _judge(page, (), guesses))
    click = examples_of(page, {links[2].index: (True, Kind.FULLTEXT)})
    assert [one.article for one in _judge(page, click, guesses)][:3:2] == [False, True]
    assert [one.article for one in _judge(page, click, guesses)][2::2] == [True] * 3
    other = examples_of(page, {links[2].index: (False, None)})
    assert not any(one.article for one in _judge(page, other, (0.02, 0.02, *[0.9, 0.1] * 3)))


def test_links_to_one_address_are_of_one_mind_and_of_one_kind():
    examples = _teach(_issue(1, *TITLES[:2]))
    extra = '<blockquote><i><a href="/c/2/0.htm" rel=x>Read on</a></i> <a href="/c/2/0.htm"></a></blockquote>'
    judged = _judge(_issue(2, TITLES[2], extra=extra), examples, (*[0.5] * 4, 0.02, 0.02))
    assert [(one.article, one.kind) for one in judged[-2:]] == [(True, Kind.FULLTEXT), (False, None)]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/c/2/9.htm"></a>',
        '<a href="/c/2/9.htm" style="display:none">The depth of hail</a>',
        '<span hidden><a href="/c/2/9.htm">The depth of hail</a></span>',
        '<a href="#">The depth of hail</a>',
        '<a href="javascript:go(9)">The depth of hail</a>',
        '<a href="/c/2/9.htm">The depth of hail</a>' * 6,
    ],
)
def test_what_nobody_sees_or_what_leads_to_no_article_is_never_one(link: str):
    page = _page(f"{MENU}<ol class=toc><li class=art>The depth of hail {link}</ol>")
    judged = _judge(page, _teach(_issue(1, *TITLES)), tuple(0.98 for _ in scan_links(page)))
    assert not any(one.article for one in judged[2:])


def test_a_trap_is_none_even_where_one_was_taught_but_an_unusual_address_can_be():
    page = _page('<p><a href="javascript:go(1)">The depth of hail</a> <a href="/c/1.htm"></a></p>')
    examples = examples_of(page, {0: (True, None), 1: (True, None)})
    assert [one.article for one in _judge(page, examples)] == [True, False]


def test_a_kind_nobody_taught_is_the_one_zero_shot_says():
    examples = _teach(_issue(1, *TITLES))
    page = _page('<table><tr><td><a href="/s/video.mp4">Film</a></table>')
    guesses = [(0.9, Kind.SUPPLEMENT)]
    assert judge_taught(page, scan_links(page), examples, guesses)[0].kind is Kind.SUPPLEMENT
    assert judge_taught(page, scan_links(page), examples_of(page, {0: (True, None)}))[0].kind is None


def _plain_distance(one: LinkTraits, other: LinkTraits, weights: dict[str, int]) -> float:
    mine, theirs = dict(one), dict(other)
    return sum(weight for name, weight in weights.items() if mine[name] != theirs[name]) / sum(weights.values())


_SOME_TRAITS = st.fixed_dictionaries({name: st.sampled_from("abc") for name in TRAIT_WEIGHTS}).map(
    lambda one: (*one.items(),)
)


@settings(max_examples=40)
@given(st.lists(st.tuples(_SOME_TRAITS, st.booleans()), max_size=8), _SOME_TRAITS)
def test_comparing_all_at_once_agrees_with_comparing_one_by_one(
    taught: list[tuple[LinkTraits, bool]], link: LinkTraits
) -> None:
    examples = [LinkExample(page="p", index=0, article=article, traits=traits) for traits, article in taught]
    ready = TraitExamples(examples)
    for article, rows in ((True, ready._articles), (False, ready._others)):
        plain = [_plain_distance(link, traits, dict(TRAIT_WEIGHTS)) for traits, yes in taught if yes is article]
        assert rows.nearest(link) == pytest.approx(min(plain, default=math.inf))


def test_the_weights_of_a_comparison_fit_a_byte():
    page = _issue(1, TITLES[0])
    names = {name for name, _ in link_traits(page, scan_links(page))[0]}
    for weights in (TRAIT_WEIGHTS, KIND_WEIGHTS):
        assert sum(weights.values()) < 256
        assert set(weights) == names


def test_examples_of_other_traits_are_far_from_everything():
    page = _issue(1, TITLES[0])
    old = LinkExample(page="p", index=0, article=True, traits=(("colour", "red"), ("colour", "red")))
    links = scan_links(page)
    assert not any(
        one.article for one in form_opinions(TraitExamples([old]), links, link_traits(page, links), [(0.3, None)] * 4)
    )


def test_work_grows_with_the_links_of_a_page():
    words = "snow ice hail sleet rain fog mist dew frost thaw".split()
    rows = [
        f'<li class="{words[n % 7]}"><a href="/{words[n % 9]}/{n}/{words[n // 1000 % 10]}{n % 97}.htm">'
        f"{words[n % 10]} {words[n // 10 % 10]} {words[n // 100 % 10]}</a>"
        for n in range(1_200)
    ]
    labels = {n: (n % 2 == 0, Kind.FULLTEXT if n % 2 == 0 else None) for n in range(100)}
    examples = examples_of(_page(f"<ul>{''.join(rows)}</ul>"), labels)

    def judge(size: int) -> None:
        page = _page(f"<ul>{''.join(rows[:size])}</ul>")
        assert len(judge_taught(page, scan_links(page), examples)) == size

    assert growth(judge, 300) < 6

"""A redesigned page is drift; a page with more or fewer articles in the same layout is not."""

from collections.abc import Sequence

from medharvest.links import scan_links
from medharvest.links.examples import Drift, TraitExamples, examples_of, find_drift
from medharvest.links.traits import link_traits
from medharvest.records import LinkExample, Page

MENU = "".join(f'<li><a href="/{name}">{name}</a>' for name in ("home", "about", "search", "help"))


def _page(body: str) -> Page:
    text = f"<ul class=menu>{MENU}</ul>{body}"
    return Page(url="http://journal.example/toc/7", text=text, digest="", encoding="utf-8")


def _old(count: int) -> str:
    rows = "".join(f'<tr><td>{n} <a href="/v1/{n}.htm">A title of snow and ice {n}</a>' for n in range(count))
    return f"<table class=toc>{rows}</table>"


def _new(count: int) -> str:
    rows = "".join(
        f'<article><h3><a href="/doi/10.1/{n}" class=title>A title of snow and ice {n}</a></h3></article>'
        for n in range(count)
    )
    return f"<main>{rows}</main>"


def _examples(page: Page, indexes: Sequence[int] | None = None) -> tuple[LinkExample, ...]:
    links = scan_links(page)
    chosen = links if indexes is None else [links[index] for index in indexes]
    return examples_of(page, {link.index: ("snow" in link.text, None) for link in chosen})


def _drift(examples: tuple[LinkExample, ...], body: str) -> Drift | None:
    page = _page(body)
    return find_drift(TraitExamples(examples), link_traits(page, scan_links(page)))


def test_a_redesign_is_noticed_and_told_in_words():
    drift = _drift(_examples(_page(_old(5))), _new(4))
    assert drift == Drift(strange=4, expected=0)
    assert drift.reason == (
        "the page no longer matches the layout it was taught: no link is where article links were taught, "
        "4 links are where nothing was taught"
    )


def test_a_page_that_is_mostly_new_is_noticed():
    drift = _drift(_examples(_page(_old(5))), _old(1) + _new(2))
    assert drift == Drift(strange=2, expected=1)
    assert "only 1 link is where article links were taught, 2 links are" in drift.reason


def test_more_or_fewer_articles_or_none_are_no_drift():
    examples = _examples(_page(_old(5)))
    for body in (_old(1), _old(40), "", _old(3) + _new(2)):
        assert _drift(examples, body) is None


def test_new_links_like_those_that_never_were_articles_are_no_drift():
    more = '<div class=foot><a href="/home">home</a> <a href="#top">Up</a> <a href="/x"></a></div>'
    assert _drift(_examples(_page(_old(5))), more) is None


def test_pages_of_several_templates_can_be_taught():
    examples = _examples(_page(_old(5))) + _examples(_page(_new(5)))
    assert _drift(examples, _new(9)) is None
    assert _drift(examples, _old(9)) is None


def test_a_few_clicks_say_nothing_of_the_rest():
    page = _page(_old(20))
    assert _drift(_examples(page, (0, 1, 20, 21)), _new(4)) is None  # few of the page
    assert _drift(_examples(page, range(4, 24)), _new(4)) is None  # articles only
    assert _drift(_examples(page, range(4)), _new(4)) is None  # no article among them
    assert _drift((), _new(4)) is None

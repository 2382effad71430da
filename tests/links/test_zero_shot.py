"""Article links of a journal that was never taught."""

import random
from collections.abc import Sequence

import pytest
from tests.growth import growth

from medharvest.boosted_trees import build_tree
from medharvest.links.examples import Guess
from medharvest.links.features import LINK_FEATURES, describe_links
from medharvest.links.scan import scan_links
from medharvest.links.zero_shot import LinkModel, guess_links, shipped_link_model
from medharvest.records import Kind, Link, Page

TITLES = (
    "Sleep and snow in the winter of the north",
    "Prevalence of cold feet among adults of one town",
    "Letters on ice: a review of sixty years",
    "Outcomes of slow walks after long illness",
    "Hail and its costs for small schools",
)
MENU = "".join(
    f'<li><a href="/{name.lower().replace(" ", "-")}">{name}</a></li>'
    for name in ("Home", "About us", "Editorial board", "Archive", "Submit a manuscript", "Contact", "Privacy policy")
)
LAYOUTS = {
    "list": ("<ul>", '<li><a href="/content/7/2/{n}">{title}</a> A. Lund, B. Haas. 7(2), {n}-{m}</li>', "</ul>"),
    "rows": ("<table>", '<tr><td>{n}</td><td>{title}</td><td><a href="/pdf/7/{n}.pdf">PDF</a></td></tr>', "</table>"),
    "boxes": (
        "<div>",
        '<div class="art"><a href="/article/view/{n}">{title}</a>A. Lund <a href="/article/view/{n}/{m}">PDF</a></div>',
        "</div>",
    ),
    "flat": ("<p>", '<b>{title}</b> <a href="a{n}.html">Abstract</a> | <a href="f{n}.html">Full text</a><br>', "</p>"),
}


def contents(layout: str, extra: str = "") -> Page:
    start, row, end = LAYOUTS[layout]
    rows = "".join(row.format(n=100 + 12 * i, m=105 + 12 * i, title=title) for i, title in enumerate(TITLES))
    html = f"<html><body><ul class=menu>{MENU}</ul><h1>Volume 7, Issue 2</h1>{start}{rows}{end}{extra}</body></html>"
    return Page(url="https://journal.example/7/2", text=html, digest="", encoding="utf-8")


def judge_zero_shot(page: Page, links: Sequence[Link], model: LinkModel | None = None) -> tuple[Guess, ...]:
    return guess_links(links, describe_links(page, links), model or shipped_link_model())


def judged(page: Page) -> dict[str, Guess]:
    """What is said of each link, by its text and href."""
    links = scan_links(page)
    guesses = judge_zero_shot(page, links)
    return {f"{link.text} {link.href}": said for link, said in zip(links, guesses, strict=True)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_articles_are_found_and_menus_are_not(layout: str):
    found = judged(contents(layout))
    menu = [said for name, said in found.items() if name.startswith(("Home", "About", "Privacy", "Contact"))]
    articles = [said for name, said in found.items() if "10" in name or name.startswith(TITLES)]
    assert articles
    assert all(chance > 0.5 and kind for chance, kind in articles)
    assert all(chance < 0.5 and kind is None for chance, kind in menu)


@pytest.mark.parametrize(
    "trap",
    [
        '<a href="/content/7/2/999"></a>',
        '<a href="/content/7/2/999" style="display:none">Snow and sleep for all of us here</a>',
        '<a href="/content/7/2/999" hidden>Snow and sleep for all of us here</a>',
        '<div style="display: none"><a href="/content/7/2/999">Snow and sleep for all of us here</a></div>',
        '<a href="#999">Snow and sleep for all of us here</a>',
        '<a href="mailto:999@journal.example">Snow and sleep for all of us here</a>',
        '<a href="/content/7/2/999">Download this issue (PDF)</a>',
    ],
)
def test_what_nobody_sees_or_what_is_no_article_by_its_nature_never_is_one(trap: str):
    page = contents("list", extra=trap)
    chance, kind = judge_zero_shot(page, scan_links(page))[-1]
    assert chance < 0.05
    assert kind is None


def test_a_picture_over_the_address_of_an_issue_is_that_issue():
    issue = '<a href="/content/7/1"><img src="cover.jpg"></a> <a href="/content/7/1">Previous issue</a>'
    page = contents("list", extra=issue)
    assert [chance < 0.05 for chance, _ in judge_zero_shot(page, scan_links(page))[-2:]] == [True, True]


def said_by(model: LinkModel, html: str) -> list[bool]:
    page = Page(url="https://journal.example/7/2", text=html, digest="", encoding="utf-8")
    return [chance > 0.5 for chance, _ in judge_zero_shot(page, scan_links(page), model)]


def test_what_is_ruled_out_is_no_article_whatever_a_model_says():
    always = LinkModel(base=9.0, trees=(), card={})
    assert said_by(always, '<a href="/7">Snow</a><a href="/8">Entire issue</a><a href="#9">Ice</a>') == [
        True,
        False,
        False,
    ]


def test_the_likeliest_titles_are_articles_if_no_link_of_the_page_is_likely_one():
    titles = build_tree([[LINK_FEATURES.index("caption_title"), 0, 1, 2], [-4.0], [-0.5]], len(LINK_FEATURES))
    hesitant = LinkModel(base=0.0, trees=(titles,), card={})
    entries = [f'<a href="/{n}">{title}</a>' for n, title in enumerate(TITLES)]
    about = '<a href="/about">About us</a>'
    assert said_by(hesitant, "".join(entries) + about) == [True] * 5 + [False]
    assert said_by(hesitant, entries[0] + about) == [True, False]
    doubtful = build_tree([[LINK_FEATURES.index("caption_title"), 0, 1, 2], [-4.0], [-3.2]], len(LINK_FEATURES))
    assert said_by(LinkModel(base=0.0, trees=(doubtful,), card={}), "".join(entries)) == [False] * 5
    surer = build_tree([[LINK_FEATURES.index("caption_form"), 0, 1, 2], [0.0], [8.0]], len(LINK_FEATURES))
    model = LinkModel(base=0.0, trees=(titles, surer), card={})
    assert said_by(model, "".join(entries) + '<a href="/9">PDF</a>') == [False] * 5 + [True]


def test_links_to_one_address_agree_whatever_a_model_says_of_each():
    titles = build_tree([[LINK_FEATURES.index("caption_title"), 0, 1, 2], [-1.0], [2.0]], len(LINK_FEATURES))
    model = LinkModel(base=0.0, trees=(titles,), card={})
    title = f'<a href="/7">{TITLES[0]}</a>'
    assert said_by(model, f'{title}<a href="/7">Click here</a><a href="/8">Click here</a>') == [True, True, False]
    assert said_by(model, f'{title}<a href="/7">Permissions</a>') == [True, False]
    assert said_by(model, title + '<a href="/7">Click here</a>' * 4) == [True, False, False, False, False]


def test_a_link_without_telling_words_is_what_the_title_to_the_same_page_is():
    row = '<li><a href="/content/7/2/{n}">{title}</a> A. Lund <a href="/content/7/2/{n}">Click here</a></li>'
    html = "<ul>" + "".join(row.format(n=100 + i, title=title) for i, title in enumerate(TITLES)) + "</ul>"
    page = Page(url="https://journal.example/7/2", text=html, digest="", encoding="utf-8")
    assert all(chance > 0.5 for chance, _ in judge_zero_shot(page, scan_links(page)))


def test_a_page_without_links_has_no_guesses():
    page = Page(url="", text="<p>Nothing", digest="", encoding="utf-8")
    assert judge_zero_shot(page, ()) == ()


def test_kinds_are_promised():
    found = judged(contents("flat"))
    kinds = {name.split(" ")[0]: kind for name, (_, kind) in found.items() if kind}
    assert kinds["Abstract"] is Kind.ABSTRACT
    assert kinds["Full"] is Kind.FULLTEXT


def _listing(links):
    draw = random.Random(1)
    words = "sleep snow winter ward nurse trial model of in the and with after".split()
    rows = (
        f'<li><a href="/c/{n // 40}/{n % 40}/{n}">{" ".join(draw.choices(words, k=draw.randint(3, 8)))}</a></li>'
        for n in range(links)
    )
    return Page(url="https://journal.example/", text="<ul>" + "".join(rows), digest="", encoding="utf-8")


def test_four_times_the_links_take_four_times_the_work():
    pages = {size: _listing(size) for size in (250, 1_000)}
    assert growth(lambda size: judge_zero_shot(pages[size], scan_links(pages[size])), 250) < 6


def _list_with_titles(titles: int, size: int, after: str = "") -> str:
    rows = [TITLES[n % 5] if n < titles else f"Note {chr(65 + n)}" for n in range(size)]
    return "<ul>" + "".join(f'<li><a href="/{n}.html">{row}</a>{after}</li>' for n, row in enumerate(rows)) + "</ul>"


@pytest.mark.parametrize(("titles", "after", "all_are"), [
    (4, "", True),  # more than a quarter are sure
    (3, "", False),
    (2, ", by A. Lund and B. Haas", True),  # a list of works, with their authors
    (1, ", by A. Lund and B. Haas", False),
])  # fmt: skip
def test_a_share_of_a_uniform_list_decides_for_all_of_it(titles: int, after: str, *, all_are: bool):
    sure = build_tree([[LINK_FEATURES.index("caption_title"), 0, 1, 2], [-2.0], [2.0]], len(LINK_FEATURES))
    model = LinkModel(base=0.0, trees=(sure,), card={})
    said = said_by(model, _list_with_titles(titles, 10, after))
    assert said == ([True] * 10 if all_are else [True] * titles + [False] * (10 - titles))


def test_on_the_front_page_of_a_server_popular_articles_are_articles():
    always = LinkModel(base=9.0, trees=(), card={})
    entries = "<ul><li><a href=1>Sleep</a><li><a href=2>Snow</a><li><a href=3>Ice</a></ul>"
    html = f"<body><div><h3>Most read</h3>{entries}</div>{entries}"
    for address, articles in (("https://journal.example/", True), ("https://journal.example/7/2", False), ("", False)):
        page = Page(url=address, text=html, digest="", encoding="utf-8")
        assert [chance > 0.5 for chance, _ in judge_zero_shot(page, scan_links(page), always)][:3] == [articles] * 3


def test_what_every_entry_leads_to_beside_its_title_is_no_article():
    always = LinkModel(base=9.0, trees=(), card={})
    more = '<a href="/formats.html">Link to additional formats of all reports</a>'
    row = '<li><a href="/8/{0}">Sleep and snow in the winter of {0}</a> {1}</li>'
    rows = [row.format(n, more) for n in range(6)]
    assert said_by(always, f"<ul>{''.join(rows)}</ul>") == [True, False] * 6
    assert said_by(always, f"<ul>{''.join(rows[:5])}</ul>") == [True, True] * 5
    slides = '<li><a href="/7/1">Sleep and snow in the winter of the north</a></li>' * 6
    assert said_by(always, f"<ul>{slides}</ul>") == [True] * 6

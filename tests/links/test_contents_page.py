"""Contents pages judged by examples, zero-shot, or zero-shot because the layout changed."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Any

import pytest

from medharvest.links import DEFAULT_SETS, judge_contents
from medharvest.links.examples import examples_of
from medharvest.links.judge import article_key
from medharvest.records import JudgedLink, Kind, LinkExample, Page

TITLES = [
    "Waiting times in a rural emergency department",
    "A randomised trial of early mobilisation after hip fracture",
    "Serum ferritin and outcome in chronic heart failure",
    "Nurse-led follow-up of adolescents with asthma",
    "Two cases of delayed splenic rupture after colonoscopy",
    "What patients remember of the consent interview",
]
MENU = "".join(f'<li><a href="/{word.lower()}">{word}</a></li>' for word in ("Home", "Archive", "About", "Contact"))


def page(items: str, url: str = "https://tides.example/issues/4/2") -> Page:
    text = f"<html><body><ul class=menu>{MENU}</ul><h1>Volume 4, Issue 2</h1>{items}<p>© Tides</p></body></html>"
    return Page(url=url, text=text, digest="d", encoding="utf-8")


def contents(shape: str, first: int = 40) -> Page:
    return page("".join(shape.format(n=n, title=title) for n, title in enumerate(TITLES, first)))


OLD = '<div class=item><b><a href="/article/{n}">{title}</a></b> <a href="/article/{n}.pdf">PDF</a></div>'
NEW = '<section class=card><h3><a href="/a/view/{n}-x">{title}</a></h3><p>A. Author</p></section>'


def articles(links: tuple[JudgedLink, ...]) -> list[str]:
    return [one.link.href for one in links if one.article]


@pytest.fixture
def taught() -> tuple[LinkExample, ...]:
    """An issue taught by hand: the titles are articles, their PDFs are not."""
    taught = contents(OLD)
    links = judge_contents(taught).links
    labels = {one.link.index: (one.link.text in TITLES, Kind.FULLTEXT) for one in links}
    return examples_of(taught, labels)


def test_a_journal_nobody_taught_is_judged_zero_shot() -> None:
    judged = judge_contents(contents(OLD))
    assert articles(judged.links) == [href for n in range(40, 46) for href in (f"/article/{n}", f"/article/{n}.pdf")]
    assert {one.verdict.method for one in judged.links} == {"zero-shot"}
    assert judged.drift is None


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_left_as_it_was(collects: bool) -> None:  # noqa: FBT001
    page = Page(url="", text="<a href=x>y</a>", digest="", encoding="utf-8")
    try:
        if not collects:
            gc.disable()
        judge_contents(page)
        assert gc.isenabled() is collects
    finally:
        gc.enable()


def test_the_forms_of_an_article_share_its_key_and_promise_their_kinds() -> None:
    links = [one for one in judge_contents(contents(OLD)).links if one.article]
    assert len({one.article_key for one in links}) == len(TITLES)
    assert {one.kind for one in links if one.link.href.endswith("pdf")} == {Kind.PDF}


def test_what_was_taught_wins_over_what_is_usual(taught: tuple[LinkExample, ...]) -> None:
    judged = judge_contents(contents(OLD, 60), examples=taught)
    assert articles(judged.links) == [f"/article/{n}" for n in range(60, 66)]
    assert {one.kind for one in judged.links if one.article} == {Kind.FULLTEXT}


def test_a_new_template_is_reported_and_judged_zero_shot(taught: tuple[LinkExample, ...]) -> None:
    judged = judge_contents(contents(NEW), examples=taught)
    assert judged.drift is not None
    assert articles(judged.links) == [f"/a/view/{n}-x" for n in range(40, 46)]


def test_the_paper_profile_asks_the_nearest_example(taught: tuple[LinkExample, ...]) -> None:
    judged = judge_contents(contents(OLD, 60), examples=taught, profile="paper")
    assert articles(judged.links) == [f"/article/{n}" for n in range(60, 66)]
    assert {one.verdict.method for one in judged.links} == {"paper"}


def test_an_article_on_another_server_is_one_but_is_not_followed() -> None:
    shape = OLD.replace("/article/", "https://elsewhere.example/article/")
    judged = [one for one in judge_contents(contents(shape)).links if one.article]
    assert judged
    assert not any(one.follows for one in judged)
    other = replace(DEFAULT_SETS, servers=frozenset({"elsewhere.example"}))
    assert all(one.follows for one in judge_contents(contents(shape), sets=other).links if one.article)


def test_a_word_that_somebody_excluded_keeps_an_article_from_being_followed() -> None:
    sets = replace(DEFAULT_SETS, excluded=DEFAULT_SETS.excluded | {"pdf"})
    judged = [one for one in judge_contents(contents(OLD), sets=sets).links if one.article]
    assert [one.follows for one in judged] == [True, False] * len(TITLES)


NOTES = (
    "Long walks and their costs",
    "Hail on small schools of the north",
    "Cold feet among adults",
    "Ice skating after knee surgery",
    "Snow blindness in children",
)
NOTE = '<p><a href="/notes/{n}">{title}</a></p>'


def with_notes(note: str = NOTE, titles: tuple[str, ...] = NOTES) -> Page:
    """A contents page with certain articles and, below them, links that may be articles."""
    row = '<li><a href="/article/{n}/abstract">{title}</a> <i>Lund A.</i> {n}0-{n}9 <a href="/article/{n}.pdf">PDF</a>'
    articles = "".join(row.format(n=n, title=title) for n, title in enumerate(TITLES[:3]))
    notes = "".join(note.format(n=n, title=title) for n, title in enumerate(titles))
    return page(f"<h2>Contents</h2><ul>{articles}</ul><h2>Notes</h2>{notes}")


def doubtful(page: Page, **options: Any) -> list[list[str]]:
    return [[one.link.href for one in group] for group in judge_contents(page, **options).doubtful]


def test_alike_links_that_may_be_articles_are_a_group_with_its_samples_first() -> None:
    judged = judge_contents(with_notes())
    assert [one.link.href for one in judged.doubtful[0]] == [f"/notes/{n}" for n in (0, 4, 1, 2, 3)]
    assert len(judged.doubtful) == 1
    assert not any(one.article for one in judged.doubtful[0])
    keys = [one.article_key for one in judged.doubtful[0]]
    assert keys == [article_key(one.link.url) for one in judged.doubtful[0]]
    assert not any(one.link.href.startswith("/notes") and one.article_key for one in judged.links)


def test_an_address_of_a_doubtful_group_is_in_it_once() -> None:
    twice = '<p><a href="/notes/{n}">{title}</a></p>' * 2
    assert all(len(set(group)) == len(group) for group in doubtful(with_notes(twice)))


@pytest.mark.parametrize(
    ("note", "titles"),
    [
        (NOTE, NOTES[:3]),
        (NOTE.replace("{n}", "{n}.pdf"), NOTES),
        (NOTE.replace("/notes", "https://elsewhere.example/notes"), NOTES),
        ('<div class=teaser><a href="/story/{n}">{title}</a> <span>3 March 2020</span></div>', NOTES),
    ],
    ids=["too few", "files", "another server", "unlikely"],
)
def test_other_links_are_not_doubtful(note: str, titles: tuple[str, ...]) -> None:
    assert doubtful(with_notes(note, titles)) == []


def test_what_was_taught_is_not_doubtful() -> None:
    shown = with_notes()
    labels = {one.link.index: (one.article, one.kind) for one in judge_contents(shown).links}
    assert doubtful(shown, examples=examples_of(shown, labels)) == []
    assert doubtful(shown, examples=examples_of(shown, labels), profile="paper") == []

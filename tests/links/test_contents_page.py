"""Contents pages judged by examples, zero-shot, or zero-shot because the layout changed."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from medharvest.links import DEFAULT_SETS, contents_page, judge_contents
from medharvest.links.examples import Guess, examples_of
from medharvest.links.judge import article_key
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page

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


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that holds every note for an article with a probability of .3, and is sure of the other links."""

    def guess(links: Sequence[Link], *_: object) -> tuple[Guess, ...]:
        return tuple((0.3 if "/notes/" in link.href else 0.99, Kind.ABSTRACT) for link in links)

    monkeypatch.setattr(contents_page, "guess_links", guess)


@pytest.mark.usefixtures("unsure")
@pytest.mark.parametrize(
    ("note", "titles", "groups"),
    [
        (NOTE, NOTES, 1),  # four titles and a short text that looks like them
        (NOTE, NOTES[:4], 0),
        (NOTE, ("More", "Next", "Print", "Page 2", "Page 3"), 0),
        (NOTE.replace("{n}", "{n}.pdf"), NOTES, 0),
        (NOTE.replace("/notes", "https://elsewhere.example/notes"), NOTES, 0),
    ],
    ids=["enough", "too few", "no titles", "files", "another server"],
)
def test_a_doubtful_group_has_pages_with_titles_on_the_same_server(
    note: str, titles: tuple[str, ...], groups: int
) -> None:
    assert len(doubtful(with_notes(note, titles))) == groups


def test_unlikely_links_are_not_doubtful() -> None:
    teaser = '<div class=teaser><a href="/story/{n}">{title}</a> <span>3 March 2020</span></div>'
    assert doubtful(with_notes(teaser)) == []


@pytest.mark.usefixtures("unsure")
def test_what_was_taught_is_not_doubtful() -> None:
    shown = with_notes()
    notes = [one.link.index for one in judge_contents(shown).doubtful[0]]
    labels = {one.link.index: (one.article, one.kind) for one in judge_contents(shown).links}
    labels |= dict.fromkeys(notes[1:2], (True, Kind.ABSTRACT))  # examples that contradict each other
    taught = examples_of(shown, labels)
    chances = [one.verdict for one in judge_contents(shown, examples=taught).links if one.link.index in notes]
    assert {verdict.method for verdict in chances} == {"taught"}
    assert doubtful(shown, examples=taught) == []
    assert doubtful(shown, examples=taught, profile="paper") == []

"""Drift is scored over pairs of issues; their labels say whether the template changed."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.link_drift import count_right_links, describe_issue_links, guess_by_rules, score_link_drift
from medharvest.evaluate.labelled_pages import LabelledPage, LinkLabel, LinksPage
from medharvest.evaluate.page_sets import load_bundled_contents_pages, load_corpus_issues
from medharvest.links import scan_links
from medharvest.links.examples import Opinion
from medharvest.pages import parse_page

MENU = "".join(f'<li><a href="/{name}">{name}</a>' for name in ("home", "about", "search", "help"))


def quiet(_done: int, _all: int) -> None:
    pass


def issue(name: str, *, modern: bool, articles: int, journal: str = "snow") -> LinksPage:
    row = '<h3 class=t><a href="/doi/10.1/{}">' if modern else '<tr><td>{0} <a href="/v1/{0}.htm">'
    rows = "".join(f"{row.format(n)}A title of snow and ice {n}</a>" for n in range(articles))
    body = f"<html><ul class=menu>{MENU}</ul>{'<main>' if modern else '<table>'}{rows}".encode()
    url = f"http://journal.example/{name}"
    links = scan_links(parse_page(body, url=url, charset="utf-8"))
    labels = tuple(LinkLabel(offset=link.offset, article="snow" in link.text, kind="fulltext") for link in links)
    return LabelledPage(id=name, body=body, truth=labels, url=url, encoding="utf-8", layout=journal)


PAGES = (
    issue("1", modern=False, articles=4),
    issue("2", modern=False, articles=6),
    issue("3", modern=True, articles=5),
    issue("4", modern=False, articles=0),
    issue("5", modern=True, articles=3, journal="alone"),
)


def test_changes_are_noticed_and_links_judged_across_them_with_zero_shot_to_fall_back_on():
    result = score_link_drift(PAGES, data="t", progress=quiet)
    figures = dict(result.figures)
    assert (figures["noticed"], figures["quiet"], figures["accuracy"]) == (1, 1, 1)
    # Two changes each way and one issue of the same template each way; without articles there is nothing to compare.
    assert result.tables[0].rows[0][:6] == ("snow", "4", "4", "2", "0", "17")
    assert result.notes == ("issues without articles: 3 pairs, drift reported in 0",)


def test_a_journal_without_a_change_has_no_accuracy_across_one():
    result = score_link_drift(PAGES[:2], data="t", progress=quiet)
    assert result.tables[0].rows[0] == ("snow", "0", "0", "2", "0", "0", "-", "-")


def test_the_fall_back_is_the_zero_shot_judge_that_is_given():
    wrong = score_link_drift(PAGES, data="t", progress=quiet, zero_shot=lambda page: [(0.02, None)] * len(page.truth))
    assert dict(wrong.figures)["accuracy"] < 0.5


def test_an_issue_teaches_every_link_people_could_tell():
    page = PAGES[0]
    unsure = LinkLabel(offset=page.truth[5].offset, article=None)
    read = describe_issue_links(replace(page, truth=(page.truth[0], unsure)))
    assert [(example.index, example.article) for example in read.examples] == [(0, False)]
    assert count_right_links(read, [Opinion(0.1, None, 0.0)] * len(read.links)) == (1, 1)
    assert count_right_links(read, [Opinion(0.9, None, 0.0)] * len(read.links)) == (1, 0)


def test_rules_guess_every_link():
    assert [guess > 0.5 for guess, _ in guess_by_rules(PAGES[0])] == [False] * 4 + [True] * 4


def test_the_redesigns_of_the_bundled_journals_are_noticed_and_nothing_else():
    figures = dict(score_link_drift(load_bundled_contents_pages(), data="demo", progress=quiet).figures)
    assert (figures["noticed"], figures["quiet"]) == (1, 1)
    assert figures["accuracy"] > figures["without fall-back"]


@pytest.mark.needs("corpus")
def test_the_years_of_one_journal_of_a_corpus_are_told_apart(corpus: Path):
    pages = [page for page in load_corpus_issues(corpus) if page.layout == "acta_c"]
    assert dict(score_link_drift(pages, data="issues", progress=quiet).figures)["noticed"] == 1

"""Training and scoring of the model of article links, on pages of the tests' own."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medharvest.evaluate.labelled_pages import LabelledPage, LinkLabel, LinksPage, digest_pages
from medharvest.evaluate.page_sets import load_corpus_issues
from medharvest.evaluate.results import render_results
from medharvest.links.features import describe_links
from medharvest.links.scan import scan_links
from medharvest.links.zero_shot import read_link_model, shipped_link_model
from medharvest.records import Page
from training import link_folds, link_models
from training.link_folds import (
    calibration_steps,
    group_links_by_article,
    score_unseen_links,
    train_shipped_link_model,
)
from training.link_models import (
    LinkRow,
    choose_link_rows,
    describe_links_page,
    fit_boosted_trees,
    make_generated_rows,
    train_link_model,
)

TITLE = "Sleep and snow in the winter of the north"
NO_BYTES: dict[str, str] = {"digest": "", "encoding": "utf-8"}
ROW = '<li><a href="/c/{0}.htm">{1} {0}</a> <a href="/c/{0}.pdf">PDF</a></li>'


def quiet(done: int, total: int) -> None:
    """Say nothing."""


def labelled(platform: str, journal: str, rows: int = 6) -> LinksPage:
    html = "<ul><li><a href=/about>About us</a><li><a href=/help>Help</a><li><a href='#x'>Top</a></ul>" + "".join(
        ROW.format(n, TITLE) for n in range(rows)
    )
    page = Page(url="https://journal.example/toc", text=html, digest="", encoding="utf-8")
    truth = tuple(
        LinkLabel(
            offset=link.offset,
            article="/c/" in link.href if link.text != "Help" else None,
            kind="pdf" if link.text == "PDF" else "fulltext" if "/c/" in link.href else "",
        )
        for link in scan_links(page)
    )
    return LabelledPage(
        id=journal, body=html.encode(), truth=truth, url=page.url, encoding="utf-8", layout=journal, platform=platform
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few invented pages, few trees."""
    few = make_generated_rows(25)
    monkeypatch.setattr(link_folds, "make_generated_rows", lambda: few)
    monkeypatch.setitem(link_models._TREE_SETTINGS, "max_iter", 8)


def test_links_that_are_ruled_out_or_unknown_teach_nothing():
    read = describe_links_page(labelled("one", "a"))
    assert len(read.links) == 15
    assert len(read.rows) == 13
    assert sum(row.article for row in read.rows) == 12
    assert [article for article in read.articles if article is None] == [None]


@pytest.mark.parametrize(("platform", "own"), [("press", "press"), ("static", "a")])
def test_sites_with_nothing_in_common_are_platforms_of_their_own(platform: str, own: str):
    assert describe_links_page(labelled(platform, "a")).platform == own


def test_links_of_one_article_share_an_address_or_an_entry():
    html = (
        '<p><a href="/c/1/abstract">Sleep</a> <a href="/c/1/full">Full text</a></p>'
        '<ul><li><a href="/c/2/full">Snow</a><a href="/d/9">Slides</a><li><a href="/c/3">Ice</a><a href="/c/4">Hail</a>'
        '<li><a href="/c/5">Rain</a></ul><a href="/c/3">Ice again</a>'
    )
    page = Page(url="https://journal.example/toc", text=html, digest="", encoding="utf-8")
    described = describe_links(page, scan_links(page))
    assert group_links_by_article(described, range(8)) == [{0, 1}, {2, 3}, {4, 5, 7}, {6}]
    assert group_links_by_article(described, [1, 2, 7]) == [{1}, {2}, {7}]
    many = Page(url=page.url, text="<ul><li>" + "".join(f"<a href=/c/{n}>{n}</a>" for n in range(13)), **NO_BYTES)
    assert len(group_links_by_article(describe_links(many, scan_links(many)), range(13))) == 13


def test_an_article_is_found_if_one_of_its_links_is():
    rows = "".join(f'<li><a href="/c/{n}">{TITLE}</a> <a href="/f/{n}">PDF</a>' for n in range(4))
    html = f"<a href=/about>About us</a><ul>{rows}</ul>"
    links = scan_links(Page(url="https://journal.example/toc", text=html, digest="", encoding="utf-8"))
    truth = tuple(LinkLabel(offset=link.offset, article=link.href != "/about", kind="") for link in links)
    read = describe_links_page(LabelledPage(id="a", body=html.encode(), truth=truth, layout="a", platform="one"))

    def score(*found: int) -> dict[str, float]:
        chances = [(0.9 if place in found else 0.1, None) for place in range(len(links))]
        return dict(link_folds._score_articles([read], [chances]))

    assert score(1, 2, 4) == {"article-recall": 0.5, "article-precision": 1.0}
    assert score(0, 1) == {"article-recall": 0.25, "article-precision": 0.5}
    assert score() == {"article-recall": 0.0, "article-precision": 0.0}


def test_few_links_of_each_journal_and_class_are_chosen():
    rows = [LinkRow("p", "a", (n,), n % 2 == 0) for n in range(1000)] + [LinkRow("p", "b", (0,), article=True)]
    chosen = choose_link_rows(rows)
    assert len(chosen) == 301
    assert chosen == choose_link_rows(list(rows))


@pytest.mark.no_cover
def test_the_trees_as_data_say_what_the_trained_trees_say(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(link_models._TREE_SETTINGS, "max_iter", 20)
    rows = make_generated_rows(30)
    vectors = [row.vector for row in rows]
    trained = train_link_model(rows, rows)
    expected = fit_boosted_trees(rows, rows).decision_function(np.array(vectors, dtype=np.float32))
    assert trained.model.margins(vectors) == pytest.approx(list(expected), abs=0.01)
    assert max(expected) - min(expected) > 1


def test_calibration_counts_links_in_steps():
    low, high = calibration_steps([(0.91, True), (0.97, False), (1.0, True), (0.04, False)])
    assert tuple(low) == (1, 0.04, 0.0)
    assert list(high) == pytest.approx([3, 0.96, 2 / 3])


@pytest.mark.usefixtures("quick")
def test_every_platform_is_judged_by_a_model_that_did_not_see_it(monkeypatch: pytest.MonkeyPatch):
    trained: list[set[str]] = []
    original = link_models.train_link_model

    def note(rows: list[LinkRow], *rest: Any) -> link_models.TrainedLinkModel:
        trained.append({row.platform for row in rows})
        return original(rows, *rest)

    monkeypatch.setattr(link_folds, "train_link_model", note)
    pages = [labelled("one", "a"), labelled("one", "b", 4), labelled("two", "c"), labelled("three", "d")]
    steps: list[tuple[int, int]] = []
    result = score_unseen_links(pages, data="t", progress=lambda done, total: steps.append((done, total)))
    assert trained == [{"three", "two"}, {"one", "two"}, {"one", "three"}]
    assert steps[-1] == (3, 3)
    assert dict(result.figures)["accuracy"] > 0.9
    assert dict(result.figures)["kind"] > 0.9
    assert "mean probability" in render_results([result])
    assert "3 platforms" in render_results([result])


@pytest.mark.usefixtures("quick")
def test_the_shipped_model_is_trained_on_everything_and_says_so():
    pages = [labelled("one", "a"), labelled("two", "b"), labelled("three", "c")]
    text, result = train_shipped_link_model(pages, progress=quiet)
    model = read_link_model(text, name="m.json")
    assert model.card["journals"] == 3
    assert model.card["platforms"] == 3
    assert model.card["unseen"]["accuracy"] == round(dict(result.figures)["accuracy"], 4)
    assert model.card["corpus"] == result.digest
    assert model.slope > 0
    assert len(model.trees) == 8


def test_the_shipped_model_was_trained_on_this_corpus(corpus: Path):
    """The figures of the card are those of the corpus that is named, if it is the one the model was trained on."""
    card = shipped_link_model().card
    if card["corpus"] != digest_pages(load_corpus_issues(corpus)):
        pytest.skip("not run: another corpus")
    assert card["pages"] == len(load_corpus_issues(corpus))

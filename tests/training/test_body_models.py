"""Training and scoring of the model of body text, on pages of the tests' own."""

from __future__ import annotations

import pytest

from medharvest.evaluate.labelled_pages import BlocksPage, BlockTruth, LabelledPage, ReadPage
from medharvest.links.body_text import body_text, read_body_model
from medharvest.links.text_lines import split_lines
from medharvest.records import Page
from training import body_models
from training.body_models import (
    FOLDS,
    cut_text_short,
    fold_of,
    is_kept_aside,
    label_lines,
    make_abstract_examples,
    make_body_examples,
    remove_names,
    remove_telling_tags,
    score_out_of_fold,
    train_shipped_body_model,
)

STORY = [f"In year {n} the harbour was closed for a day, because the tide rose higher than before." for n in range(7)]
JUNK = [f"Offer {n} of the shop is open to everyone who signs up for the letter of this site." for n in range(4)]


def content_page(site: str, *, body: bool = True) -> BlocksPage:
    story, junk = ("".join(f"<p>{one}</p>" for one in lines) for lines in (STORY, JUNK))
    html = f'<h1>The tide</h1><div class="article-body">{story}</div><div class="promo sidebar">{junk}</div>'
    truth = (
        BlockTruth(kind="content", body="\n\n".join(STORY))
        if body
        else BlockTruth(kind="content", include=(STORY[2][:30],), exclude=(JUNK[1][:30],))
    )
    return LabelledPage(id=f"{site}.html", body=html.encode(), truth=truth, layout=site, encoding="utf-8")


def sites(number: int, *, aside: bool) -> list[str]:
    names = (f"site{n}.example" for n in range(200))
    return [name for name in names if is_kept_aside(name) is aside][:number]


def quiet(done: int, total: int) -> None:
    """Say nothing."""


def test_one_site_in_three_is_kept_aside_and_the_others_lie_in_folds() -> None:
    names = [f"site{n}.example" for n in range(600)]
    assert 150 < sum(map(is_kept_aside, names)) < 250
    assert {fold_of(name) for name in names} == set(range(FOLDS))


def test_sites_kept_aside_give_no_examples() -> None:
    (aside,), (other,) = sites(1, aside=True), sites(1, aside=False)
    assert [one.site for one in make_body_examples([content_page(aside), content_page(other)])] == [other]


def test_lines_are_labelled_by_the_text_or_by_snippets() -> None:
    page = content_page("one.example")
    lines = split_lines(page.body.decode()).lines
    assert [label.body for label in label_lines(lines, page.truth)] == [False, *[True] * 7, *[False] * 4]
    known = [label.body for label in label_lines(lines, content_page("two.example", body=False).truth)]
    assert known == [None, None, None, True, *[None] * 5, False, None, None]


def test_pages_are_made_shorter_and_less_telling() -> None:
    page = content_page("one.example")
    lined = split_lines(page.body.decode())
    short = cut_text_short(lined, page)
    assert short is not None
    assert 1 + 1 + 4 <= len(short.lines) <= 1 + 4 + 4
    assert any(lined.traits)
    assert not any(remove_names(lined).traits)
    assert set(remove_telling_tags(lined).names) == {"", "h1", "div"}


def test_an_abstract_belongs_to_the_body_text_and_an_affiliation_does_not() -> None:
    ward = "Ward of Tides, Hospital by the Sea, Northmoor, and the School of Harbours"
    html = f"<p>{ward}</p><p>{STORY[0]}</p><p>{JUNK[0]}</p>"
    truth = {"abstract": STORY[0], "affiliations": [ward]}
    page: ReadPage = LabelledPage(id="a", body=html.encode(), truth=truth, layout="northmoor", encoding="utf-8")
    (example,) = make_abstract_examples([page, LabelledPage(id="b", body=b"", truth={}, layout="none")])
    assert [row.label for row in example.rows] == [0, 1]


def test_a_model_learns_and_is_scored_on_sites_that_it_never_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(body_models._TREE_SETTINGS, "max_iter", 12)
    monkeypatch.setitem(body_models._TREE_SETTINGS, "min_samples_leaf", 2)
    pages = [content_page(site) for site in (*sites(9, aside=False), *sites(3, aside=True))]
    text, result = train_shipped_body_model(pages, (), progress=quiet)
    shown = Page(url="", text=content_page("new.example").body.decode(), digest="", encoding="utf-8")
    assert body_text(shown, read_body_model(text, name="new")) == "\n".join(STORY)
    assert dict(result.figures)["f1"] == 1
    assert [row[:2] for row in result.tables[0].rows] == [("all", "12"), ("kept aside", "3"), ("in folds", "9")]


def test_each_page_is_scored_by_the_model_of_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_models, "read_body_model", lambda text, name: text)  # noqa: ARG005
    monkeypatch.setattr(body_models, "_read_body_text", lambda page, model: STORY[0] if model == page.layout else "")
    (aside,), (other,) = sites(1, aside=True), sites(1, aside=False)
    files = [other if fold == fold_of(other) else "" for fold in range(FOLDS)] + [aside]
    truth = BlockTruth(kind="content", body=STORY[0])
    pages: list[BlocksPage] = [LabelledPage(id=name, body=b"", truth=truth, layout=name) for name in (aside, other)]
    assert dict(score_out_of_fold(pages, files).figures)["f1"] == 1

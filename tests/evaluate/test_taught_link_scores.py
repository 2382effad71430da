"""The paper's table: one issue teaches, the others are judged; a new template stands apart."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.needs import lacking

from medharvest.errors import QualityError
from medharvest.evaluate import taught_link_scores
from medharvest.evaluate.labelled_pages import LabelledPage, LinkLabel, LinksPage
from medharvest.evaluate.page_sets import load_bundled_contents_pages, load_corpus_issues
from medharvest.evaluate.results import render_results
from medharvest.evaluate.taught_link_scores import (
    group_by_template,
    has_changed_template,
    has_same_template,
    load_label_corrections,
    natural_sort_key,
    pair_issues,
    score_taught_links,
)
from medharvest.links.scan import scan_links
from medharvest.pages import parse_page
from medharvest.records import JudgedLink, Link, LinkExample, Page, Verdict

MENU = '<div class="menu"><a href="/help">Help</a> <a href="/login">Log in</a></div>'


def issue(name: str, body: str, *, journal: str = "tides", unsure: str = "") -> LinksPage:
    """A page on which links to `/a…` are articles, and links to `unsure` nobody could tell."""
    text = f"<html><body>{MENU}{body}</body></html>"
    links = scan_links(parse_page(text.encode(), url="https://tides.example/"))
    truth = [
        LinkLabel(
            offset=link.offset,
            article=None if link.href == unsure else link.href.startswith("/a"),
            kind="abstract" if link.href.startswith("/a") else "",
        )
        for link in links
    ]
    return LabelledPage(id=name, body=text.encode(), truth=tuple(truth), url="https://tides.example/", layout=journal)


def listed(*numbers: int, tag: str = "li") -> str:
    return "".join(f'<{tag} class="n{n}"><a href="/a{n}">Tide {n}</a></{tag}>' for n in numbers)


FIRST = issue("tides/1", listed(1, 2, 3))
SECOND = issue("tides/2", listed(4, 5))
TENTH = issue("tides/10", listed(6))
NEW = issue("tides/11", listed(7, 8, tag="p"))
GROWN = issue("tides/12", listed(9) + '<aside><a href="/news">News</a></aside>')
EMPTY = issue("tides/13", "")


def test_a_template_is_the_same_where_the_links_stand_in_the_same_tags_and_classes() -> None:
    assert has_same_template(FIRST, SECOND)
    assert not has_same_template(FIRST, NEW)
    assert has_changed_template(FIRST, NEW)


def test_a_template_with_a_new_kind_of_link_has_grown() -> None:
    assert not has_same_template(FIRST, GROWN)
    assert not has_changed_template(FIRST, GROWN)


def test_an_issue_without_articles_is_told_by_all_its_links() -> None:
    assert has_same_template(FIRST, EMPTY)
    assert has_same_template(EMPTY, FIRST) is False  # what it does not show it cannot teach


def test_issues_are_grouped_in_the_order_of_their_numbers() -> None:
    assert natural_sort_key("tides/2") < natural_sort_key("tides/10") < natural_sort_key("tides/10b")
    groups = group_by_template([NEW, TENTH, SECOND, FIRST])
    assert [[page.id for page in group] for group in groups] == [["tides/1", "tides/2", "tides/10"], ["tides/11"]]


def test_the_first_issue_of_a_template_teaches_the_others_and_the_first_of_all_the_changed_ones() -> None:
    alone = issue("moors/1", listed(1), journal="moors")
    assert [
        (template, one.id, other.id) for template, one, other in pair_issues([GROWN, NEW, SECOND, FIRST, alone])
    ] == [
        ("same", "tides/1", "tides/2"),
        ("changed", "tides/1", "tides/11"),
        ("grown", "tides/1", "tides/12"),
    ]


def all_articles(_page: Page, links: Sequence[Link], _examples: Sequence[LinkExample]) -> list[JudgedLink]:
    return [JudgedLink(link=one, article=True, kind=None, verdict=Verdict("article", 1, "t")) for one in links[:-1]]


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Score three issues by a judge that calls everything an article, and does not see the last link."""
    monkeypatch.setattr(taught_link_scores, "TAUGHT_JUDGES", {"all": all_articles})

    def score(*corrections: tuple[str, int, bool]):
        rows = [
            {"file": file, "offset": offset, "article": article, "reason": "r"} for file, offset, article in corrections
        ]
        (tmp_path / "labels.json").write_text(json.dumps(rows), encoding="utf-8")
        return score_taught_links(
            [FIRST, SECOND, NEW, GROWN],
            data="t",
            profile="all",
            labels=tmp_path / "labels.json",
            progress=lambda _done, _all: None,
        )

    return score


def test_each_cell_says_total_articles_and_others_as_in_the_paper(table) -> None:
    same, grown, changed = table().tables
    assert same.rows == (
        ("tides", "5 (3, 2)", "tides/2", "4 (2, 2)", "4 (3, 1)", "25.00"),
        ("all", "5 (3, 2)", "1 issues", "4 (2, 2)", "4 (3, 1)", "25.00"),
    )
    assert grown.rows[0][:3] == ("grown: tides", "5 (3, 2)", "tides/12")
    assert changed.rows[0][:3] == ("changed: tides", "5 (3, 2)", "tides/11")


def test_every_error_is_listed_and_those_of_the_label_are_counted_apart(table) -> None:
    offsets = [label.offset for label in SECOND.truth]
    result = table(("tides/2", offsets[0], True), ("tides/2", offsets[2], True))
    assert dict(result.figures) == {
        "micro": 0.25,
        "macro": 0.25,
        "recall": 0.5,
        "micro-checked": 0.5,
        "macro-checked": 0.5,
    }
    assert result.notes[-1] == (
        f"errors in tides/2: {offsets[0]} false (the label is wrong), {offsets[1]} false, {offsets[3]} missed"
    )
    assert "template changed: 1 issues" in render_results([result])


def test_a_verdict_like_a_label_that_is_wrong_is_an_error_once_the_label_is_put_right(table) -> None:
    offsets = [label.offset for label in SECOND.truth]
    figures = dict(table(("tides/2", offsets[2], False), ("tides/2", offsets[0], False)).figures)
    assert (figures["micro"], figures["micro-checked"]) == (0.25, 0)


def test_the_paper_s_profile_learns_one_issue_and_leaves_out_what_nobody_could_tell() -> None:
    unsure = issue("tides/3", listed(4, 5), unsure="/help")
    result = score_taught_links(
        [FIRST, unsure], data="t", progress=lambda _done, _all: None, labels=Path("nowhere.json")
    )
    assert result.tables[0].rows[0][3:] == ("3 (2, 1)", "3 (2, 1)", "100.00")
    assert dict(result.figures)["micro"] == 1
    assert result.notes == ()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"file": "a"}]'])
def test_a_file_of_labels_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels.json").write_text(text, encoding="utf-8")
    with pytest.raises(QualityError, match="labels cannot be read"):
        load_label_corrections(tmp_path / "labels.json")


def test_the_committed_labels_give_a_reason_each(root: Path) -> None:
    file = root / "quality" / "link-labels.json"
    assert len(load_label_corrections(file)) == len(json.loads(file.read_text(encoding="utf-8")))


def test_a_redesign_of_the_bundled_journals_counts_as_one() -> None:
    found = [(template, one.layout) for template, one, _ in pair_issues(load_bundled_contents_pages())]
    assert sorted(found) == [
        ("changed", "estuary"),
        ("changed", "northmoor"),
        ("same", "estuary"),
        ("same", "northmoor"),
    ]


@pytest.mark.no_cover
@pytest.mark.needs("corpus")
def test_on_a_corpus_the_paper_s_method_gets_98_links_in_a_hundred_right() -> None:
    corpus = os.environ.get("MEDHARVEST_CORPUS")
    if not corpus:
        lacking("corpus", "no corpus")
    pages = [
        page for page in load_corpus_issues(Path(corpus)) if page.layout.startswith(("acs", "acta", "charusat", "tiny"))
    ]
    result = score_taught_links(pages, data="t", progress=lambda _done, _all: None)
    assert dict(result.figures)["micro"] >= 0.98

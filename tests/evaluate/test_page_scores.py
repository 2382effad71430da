"""Body text is compared by its tokens, over the bundled pages and over folders of index and content pages."""

import json
from pathlib import Path

import pytest

from medharvest.errors import QualityError
from medharvest.evaluate import evaluate_stage, render_results
from medharvest.evaluate.labelled_pages import BlockTruth, LabelledPage
from medharvest.evaluate.page_scores import score_blocks, token_overlap
from medharvest.evaluate.page_sets import load_block_folder, load_bundled_block_pages
from medharvest.evaluate.results import Table

TEXT = "The harbour was closed for a day because the tide rose higher than anyone in the town could remember."
MENU = "<a href=/1>one</a> <a href=/2>two</a> <a href=/3>three</a> "
PAGE = f"<html><body>{MENU}<p>{TEXT}</p></body></html>"


def silent(_done: int, _total: int) -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("index/manual/a.html", "index/random/b.html", "content/c.html", "content/d.htm"):
        file = tmp_path / "blocks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE if "content" in name else MENU * 3, encoding="utf-8")
    rows = [
        {"file": "content/c.html", "body_text": TEXT, "url": "https://a.example/", "encoding": "utf-8", "site": "a"},
        {"file": "content/d.htm", "must_include": ["closed for a day", "not there"], "must_exclude": ["one two"]},
    ]
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / "blocks" / "truth.jsonl").write_text(lines + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("One two", "two ONE", (1, 1, 1)),
        ("one two three four", "one two", (2 / 3, 0.5, 1)),
        ("one one", "one", (2 / 3, 0.5, 1)),
        ("涨潮了", "涨潮", (0.8, 2 / 3, 1)),
        ("", "one", (0, 0, 0)),
    ],
)
def test_texts_are_compared_as_bags_of_tokens(text: str, truth: str, expected: tuple[float, ...]) -> None:
    assert token_overlap(text, truth) == pytest.approx(expected)


def test_a_corpus_is_scored_by_whole_texts_and_by_snippets(folder: Path) -> None:
    results = {one.name: one for one in evaluate_stage("blocks", corpus=folder, progress=silent, folds="layout")}
    figures = dict(results["blocks/pages"].figures)
    assert figures == {"f1": 1, "precision": 1, "recall": 1, "kept": 0.5, "left_out": 1}
    assert "figure-4: d_t by text distance, index pages" in render_results(results.values())
    assert results["blocks/pages"].tables[-1].rows[0] == ("a", "1.000")


def test_the_bundled_journals_have_both_kinds_of_page() -> None:
    pages = load_bundled_block_pages()
    assert {page.truth.kind for page in pages} == {"index", "content"}
    assert any(page.truth.include for page in pages)


def test_a_folder_needs_neither_truth_nor_groups(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "a.html").write_text(PAGE, encoding="utf-8")
    result = score_blocks(load_block_folder(tmp_path), data="t", progress=silent, folds="layout")
    assert (result.pages, result.figures) == (1, ())


def test_the_extra_tables_stand_before_the_worst_pages(folder: Path) -> None:
    extra = Table(("extra",), ())
    result = score_blocks(
        load_block_folder(folder), data="t", progress=silent, extra_tables=lambda _pages, _progress: (extra,)
    )
    assert [table.header[0] for table in result.tables] == ["extra", "worst pages"]


def test_without_a_checkout_the_tables_of_the_sweeps_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.evaluate.stages.is_checkout", lambda: False)
    (result,) = evaluate_stage("blocks", corpus=None, progress=silent)
    assert result.tables == ()
    assert result.figures


def test_a_page_that_cannot_be_read_is_listed() -> None:
    page = LabelledPage(id="bad", body=b"", truth=BlockTruth(kind="content", body="one"))
    result = score_blocks([page], data="t", progress=silent)
    assert [failure.page for failure in result.failures] == ["bad"]
    assert dict(result.figures)["f1"] == 0


@pytest.mark.parametrize("line", ["{", '{"url": ""}', "[]"])
def test_a_wrong_line_and_an_empty_folder_are_errors(tmp_path: Path, line: str) -> None:
    with pytest.raises(QualityError, match="no pages of blocks"):
        load_block_folder(tmp_path)
    (tmp_path / "truth.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(QualityError, match="cannot be read"):
        load_block_folder(tmp_path)

"""Body text is compared by its tokens; thresholds are swept over folders of index and content pages."""

import json
import sys
from pathlib import Path

import pytest

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate import evaluate_stage, render
from medharvest.evaluate.block_pages import BlockTruth, bundled_pages, folder_pages
from medharvest.evaluate.blocks import overlap, score_blocks
from medharvest.evaluate.labelled import Labelled
from medharvest.evaluate.sweeps import SWEEPS, draw_sweeps, run_sweeps

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
    assert overlap(text, truth) == pytest.approx(expected)


def test_a_corpus_is_scored_by_whole_texts_and_by_snippets(folder: Path) -> None:
    results = {one.name: one for one in evaluate_stage("blocks", corpus=folder, progress=silent, folds="layout")}
    figures = dict(results["blocks/pages"].figures)
    assert figures == {"f1": 1, "precision": 1, "recall": 1, "kept": 0.5, "left_out": 1}
    assert "figure-4: d_t by text distance, index pages" in render(results.values())
    assert results["blocks/pages"].tables[-1].rows[0] == ("a", "1.000")


def test_the_bundled_journals_have_both_kinds_of_page() -> None:
    pages = bundled_pages()
    assert {page.truth.kind for page in pages} == {"index", "content"}
    assert any(page.truth.include for page in pages)


def test_a_folder_needs_neither_truth_nor_groups(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "a.html").write_text(PAGE, encoding="utf-8")
    result = score_blocks(folder_pages(tmp_path), data="t", progress=silent, folds="layout")
    assert (result.pages, result.figures) == (1, ())


def test_a_sweep_has_a_series_for_each_group_and_one_for_all(folder: Path) -> None:
    found = run_sweeps(folder_pages(folder), silent)
    assert list(found["figure-4"]) == ["manual", "all", "random"]
    assert list(found["figure-5"]) == ["all"]
    whole = found["figure-7"]["all"]
    assert [point.blocks for point in whole] == [1] * 8 + [0] * 3  # nine links: no block where ten are asked for
    assert [point.lcr for point in whole] == [1] * 8 + [0] * 3
    assert whole[0].ccr == pytest.approx(1, abs=0.02)


def test_the_sweeps_are_those_of_the_paper() -> None:
    settings = {sweep.name: sweep.settings for sweep in SWEEPS}
    assert settings["figure-4"] == tuple((threshold, 3) for threshold in range(5, 61, 5))
    assert settings["figure-6"] == tuple((threshold, 3) for threshold in range(10, 121, 10))
    assert settings["figure-8"] == tuple((40, least) for least in range(2, 13))
    assert settings["code-links-content"] == tuple((80, least) for least in range(2, 13))


def test_figures_are_drawn_as_svg_and_png(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    series = run_sweeps(folder_pages(folder), silent)["figure-4"]
    svg, png = draw_sweeps({"figure-4": series}, tmp_path / "figures")
    assert (svg.name, png.name) == ("figure-4.svg", "figure-4.png")
    assert svg.read_text(encoding="utf-8").startswith("<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        draw_sweeps({}, tmp_path / "file")


def test_without_matplotlib_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(QualityError) as raised:
        draw_sweeps({}, tmp_path)
    assert raised.value.hint == "pip install 'medharvest[figures]'"


def test_a_page_that_cannot_be_read_is_listed() -> None:
    page = Labelled(id="bad", body=b"", truth=BlockTruth(kind="content", body="one"))
    result = score_blocks([page], data="t", progress=silent)
    assert [failure.page for failure in result.failures] == ["bad"]
    assert dict(result.figures)["f1"] == 0


@pytest.mark.parametrize("line", ["{", '{"url": ""}', "[]"])
def test_a_wrong_line_and_an_empty_folder_are_errors(tmp_path: Path, line: str) -> None:
    with pytest.raises(QualityError, match="no pages of blocks"):
        folder_pages(tmp_path)
    (tmp_path / "truth.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(QualityError, match="cannot be read"):
        folder_pages(tmp_path)

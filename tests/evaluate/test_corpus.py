"""A corpus folder is read as its tables say; one that is named and missing is an error."""

import json
from pathlib import Path
from typing import Any

import pytest

from medharvest.errors import QualityError
from medharvest.evaluate.corpus import article_pages, find_corpus, issue_pages, pdf_pages
from medharvest.evaluate.labelled import LinkLabel


def write_rows(file: Path, *rows: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n", encoding="utf-8")


def write_page(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("folder", "suffix", "load"), [("articles/pages", "html", article_pages), ("pdfs/pdfs", "pdf", pdf_pages)]
)
def test_articles_carry_their_truth_and_their_folds(tmp_path: Path, folder: str, suffix: str, load: Any) -> None:
    truth = {"id": "one", "layout": "old", "publisher": "House", "title": "One", "notes": None}
    write_rows(tmp_path / folder / ".." / "truth.jsonl", truth)
    write_page(tmp_path / folder / f"one.{suffix}", "<p>One")
    (page,) = load(tmp_path)
    assert (page.id, page.body, page.layout, page.platform) == ("one", b"<p>One", "old", "House")
    assert page.truth["title"] == "One"
    assert page.url == ""


def test_contents_pages_carry_every_label(tmp_path: Path) -> None:
    issues = tmp_path / "issues"
    row = {
        "journal": "j",
        "file": "j/1.html",
        "url": "http://j.example/1",
        "platform": "static",
        "encoding": "cp1252",
    }
    write_rows(issues / "manifest.jsonl", row)
    write_rows(
        issues / "labels.jsonl",
        {"file": "j/1.html", "i": 0, "offset": 3, "article": True, "type": "pdf"},
        {"file": "j/1.html", "i": 1, "offset": 9, "article": None, "type": None},
    )
    write_page(issues / "j/1.html", "<a href=x>")
    (page,) = issue_pages(tmp_path)
    assert page.truth == (LinkLabel(offset=3, article=True, kind="pdf"), LinkLabel(offset=9, article=None))
    assert (page.url, page.encoding, page.layout, page.platform) == (
        "http://j.example/1",
        "cp1252",
        "j",
        "static",
    )


def test_a_named_corpus_must_be_there(tmp_path: Path) -> None:
    assert find_corpus("") is None
    assert find_corpus(str(tmp_path)) == tmp_path
    with pytest.raises(QualityError, match="corpus folder is missing") as caught:
        find_corpus(str(tmp_path / "nowhere"))
    assert "MEDHARVEST_CORPUS" in caught.value.hint


def test_a_corpus_without_its_truth_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(QualityError, match=r"truth\.jsonl"):
        article_pages(tmp_path)

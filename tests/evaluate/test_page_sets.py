"""A corpus folder is read as its tables say; one that is named and missing is an error."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from medharvest.errors import QualityError
from medharvest.evaluate import page_sets
from medharvest.evaluate.labelled_pages import LinkLabel
from medharvest.evaluate.page_sets import find_corpus, load_corpus_articles, load_corpus_issues, load_corpus_pdfs


def write_rows(file: Path, *rows: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n", encoding="utf-8")


def write_page(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("folder", "suffix", "load"),
    [("articles/pages", "html", load_corpus_articles), ("pdfs/pdfs", "pdf", load_corpus_pdfs)],
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
    (page,) = load_corpus_issues(tmp_path)
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
        load_corpus_articles(tmp_path)


GOOD = b'{"id": "one", "layout": "l", "publisher": "p", "title": "One"}'
LABEL = b'{"file": "1.html", "offset": 3, "article": true, "type": "pdf"}'
ENTRY = b'{"file": "1.html", "url": "", "encoding": "", "journal": "j", "platform": "p"}'


@pytest.mark.parametrize(
    "bad",
    [b"{", b"[]", b"7", b"{}", b"null", b"\xff", b'{"id": "one"}', b"[" * 100_000],
    ids=["broken", "list", "number", "no keys", "null", "no UTF-8", "a key", "deep"],
)
@pytest.mark.parametrize(
    ("name", "load", "good"),
    [
        ("articles/truth.jsonl", load_corpus_articles, GOOD),
        ("pdfs/truth.jsonl", load_corpus_pdfs, GOOD),
        ("issues/labels.jsonl", load_corpus_issues, LABEL),
        ("issues/manifest.jsonl", load_corpus_issues, ENTRY),
    ],
)
def test_a_bad_line_is_an_error_that_names_file_and_line(
    tmp_path: Path, name: str, load: Any, good: bytes, bad: bytes
) -> None:
    for page in ("articles/pages/one.html", "pdfs/pdfs/one.pdf", "issues/1.html"):
        write_page(tmp_path / page, "<p>One")
    (tmp_path / "issues/labels.jsonl").write_bytes(LABEL)
    (tmp_path / name).write_bytes(good + b"\n\n" + bad + b"\n")
    with pytest.raises(QualityError, match=r"corpus line cannot be read: .*\.jsonl:3$") as caught:
        load(tmp_path)
    assert str(tmp_path / name) in caught.value.message
    assert caught.value.hint


def test_the_hint_names_the_key_that_a_line_lacks(tmp_path: Path) -> None:
    write_page(tmp_path / "articles/pages/one.html", "<p>One")
    write_rows(tmp_path / "articles/truth.jsonl", {"id": "one", "publisher": "p"})
    with pytest.raises(QualityError) as caught:
        load_corpus_articles(tmp_path)
    assert "layout" in caught.value.hint


def test_pages_of_untouched_families_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    families = tmp_path / "untouched.json"
    aside = [hashlib.sha256(b"aside").hexdigest()]
    families.write_text(json.dumps({"families": aside, "pdf_families": []}), encoding="utf-8")
    monkeypatch.setattr(page_sets, "UNTOUCHED_FILE", families)
    page_sets._untouched_families.cache_clear()
    rows = [
        ("a", "aside_2010", "tail"),
        ("b", "open_2010", "tail"),
        *((f"x{n}", "open_many", "extra") for n in range(9)),
    ]
    put = [{"id": name, "layout": layout, "publisher": "p", "part": part} for name, layout, part in rows]
    folder = tmp_path / "more" / "articles"
    (folder / "pages").mkdir(parents=True)
    (folder / "truth.jsonl").write_text("\n".join(map(json.dumps, put)), encoding="utf-8")
    for name, *_ in rows:
        (folder / "pages" / f"{name}.html").write_bytes(b"<p>One")
    try:
        assert [page.id for page in page_sets.load_untouched_articles(tmp_path)] == ["a"]
        assert [page.id for page in page_sets.load_more_articles(tmp_path)] == ["b", "x0", "x1", "x2", "x3", "x4"]
    finally:
        page_sets._untouched_families.cache_clear()


def test_a_corpus_without_more_pages_has_none(tmp_path: Path) -> None:
    assert page_sets.load_more_articles(tmp_path) == page_sets.load_untouched_articles(tmp_path) == ()


def test_pdfs_of_untouched_families_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    families = tmp_path / "untouched.json"
    aside = [hashlib.sha256(b"aside").hexdigest()]
    families.write_text(json.dumps({"families": [], "pdf_families": aside}), encoding="utf-8")
    monkeypatch.setattr(page_sets, "UNTOUCHED_FILE", families)
    page_sets._untouched_families.cache_clear()
    assert page_sets.load_more_pdfs(tmp_path) == page_sets.load_untouched_pdfs(tmp_path) == ()
    for folder, names in (("pdfs", {"a": "open"}), ("more/pdfs", {"b": "aside_2010", "c": "open_2010"})):
        (tmp_path / folder / "pdfs").mkdir(parents=True)
        rows = [json.dumps({"id": name, "layout": layout, "publisher": "p"}) for name, layout in names.items()]
        (tmp_path / folder / "truth.jsonl").write_text("\n".join(rows), encoding="utf-8")
        for name in names:
            (tmp_path / folder / "pdfs" / f"{name}.pdf").write_bytes(b"%PDF-1.4")
    try:
        assert [page.id for page in page_sets.load_untouched_pdfs(tmp_path)] == ["b"]
        assert [page.id for page in page_sets.load_all_pdfs(tmp_path)] == ["a", "c"]
    finally:
        page_sets._untouched_families.cache_clear()

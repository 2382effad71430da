from __future__ import annotations

import json

from medharvest.evaluate.labelled_pages import LabelledPage
from medharvest.evaluate.page_scores import score_kinds
from medharvest.evaluate.page_sets import load_bundled_kind_pages, load_corpus_kind_pages
from medharvest.records import Kind


def quiet(_done: int, _total: int) -> None:
    pass


def page(body: str, kind: str, layout: str) -> LabelledPage[str]:
    return LabelledPage(id=body[:20], body=body.encode(), truth=kind, layout=layout)


PAGES = (
    page("<h2>Abstract</h2><p>It slept.", "abstract", "a"),
    page("<p>About us", "abstract", "b"),
    page("<h2>References</h2><p>It slept.", "fulltext", "a"),
    page("no page", "fulltext", "b"),
)


def test_kinds_are_scored_over_all_pages_and_over_the_kinds():
    result = score_kinds(PAGES[:3], data="corpus", progress=quiet)
    assert dict(result.figures) == {"accuracy": 2 / 3, "kinds": 0.75}
    assert result.tables[0].rows == (("abstract", "2", "1", "0.500", "other 1"), ("fulltext", "1", "1", "1.000", ""))
    assert "optimistic" in result.notes[0]


def test_an_unreadable_page_is_wrong_and_listed():
    result = score_kinds(PAGES, data="demo", progress=quiet, folds="layout")
    assert result.tables[0].rows[1] == ("fulltext", "2", "1", "0.500", "unreadable 1")
    assert len(result.failures) == 1
    assert result.tables[1].rows == (("b", "0.000"), ("a", "1.000"), ("mean of 2", "0.500"))
    assert result.notes == ()


def test_the_bundled_journals_have_pages_of_every_kind():
    kinds = {one.truth for one in load_bundled_kind_pages()}
    assert kinds >= {Kind.ABSTRACT, Kind.FULLTEXT, Kind.PDF, Kind.IMAGE, Kind.ISSUE, Kind.LOGIN, Kind.MISSING}


def test_a_corpus_gives_its_articles_of_known_kind_its_contents_pages_and_its_pdfs(tmp_path):
    def put(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    rows = [
        {"id": name, "layout": "l", "publisher": "p", "kind": kind}
        for name, kind in (("a", "abstract"), ("b", "other"))
    ]
    put("articles/truth.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    put("articles/pages/a.html", "<p>a")
    put("articles/pages/b.html", "<p>b")
    put("pdfs/truth.jsonl", json.dumps({"id": "c", "layout": "l", "publisher": "p"}))
    put("pdfs/pdfs/c.pdf", "%PDF-1.4")
    put("issues/labels.jsonl", "")
    put("issues/j/1.html", "<p>1")
    row = {"file": "j/1.html", "url": "", "encoding": "", "journal": "j", "platform": "p"}
    put("issues/manifest.jsonl", json.dumps(row))
    assert [(one.id, one.truth) for one in load_corpus_kind_pages(tmp_path)] == [
        ("a", "abstract"),
        ("j/1.html", "issue"),
        ("c", "pdf"),
    ]

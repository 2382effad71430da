"""Stages are a closed table; the bundled journals are always scored, a corpus only where one is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from medharvest.errors import QualityError
from medharvest.evaluate import (
    STAGES,
    check,
    evaluate_all,
    evaluate_stage,
    load_floors,
    render,
    stages,
    update,
)

FLOORS = Path(__file__).parents[2] / "quality" / "floors.json"


def silent(_done: int, _total: int) -> None:
    pass


@pytest.fixture
def small_corpus(tmp_path: Path) -> Path:
    """A corpus of one article page of our own."""
    folder = tmp_path / "articles"
    (folder / "pages").mkdir(parents=True)
    meta = '<meta name="citation_title" content="Iron uptake in mice">'
    page = f"<html><head>{meta}</head><body><p>Text</p></body></html>"
    (folder / "pages" / "one.html").write_text(page, encoding="utf-8")
    truth = {"id": "one", "layout": "l", "publisher": "p", "title": "Iron uptake in mice"}
    (folder / "truth.jsonl").write_text(json.dumps(truth), encoding="utf-8")
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs" / "truth.jsonl").write_text("", encoding="utf-8")
    return tmp_path


def test_without_a_corpus_only_the_bundled_journals_are_scored() -> None:
    results = evaluate_stage("links", corpus=None, progress=silent)
    assert [result.name for result in results] == ["links/demo", "links/demo-paper"]
    assert check(results, update(results, {})) == []
    assert "links/demo" in render(results)


def test_a_corpus_is_scored_beside_them(small_corpus: Path) -> None:
    results = {r.name: r for r in evaluate_stage("read", corpus=small_corpus, progress=silent)}
    assert results.keys() == {"read/demo", "read/articles", "read/pdfs"}
    assert dict(results["read/articles"].figures)["all4"] == 1


def test_stripped_pages_are_scored_without_their_metadata(small_corpus: Path) -> None:
    results = {r.name: r for r in evaluate_stage("read", corpus=small_corpus, progress=silent, strip_meta=True)}
    assert results.keys() == {"read/demo-stripped", "read/articles-stripped"}
    assert dict(results["read/articles-stripped"].figures)["all4"] == 0


@pytest.mark.parametrize(
    ("stage", "wanted", "message"),
    [
        ("cook", {}, "no such stage: cook"),
        ("links", {"folds": "moon"}, "no such folds: moon"),
        ("links", {"strip_meta": True}, "no stripped pages: links"),
    ],
)
def test_a_wrong_wantedis_an_error_with_a_hint(stage: str, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(QualityError, match=message) as caught:
        evaluate_stage(stage, corpus=None, progress=silent, **wanted)
    assert caught.value.hint


def test_every_stage_has_a_floor_and_no_floor_lacks_its_stage() -> None:
    known = {f"{stage}/{data.name}" for stage, data_sets in STAGES.items() for data in data_sets if not data.slow}
    assert load_floors(FLOORS).keys() == known


def test_the_gate_scores_every_data_set_of_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = {"links": STAGES["links"], "zones": STAGES["zones"]}
    monkeypatch.setattr(stages, "STAGES", quick)
    names = [result.name for result in evaluate_all(corpus=None, progress=silent)]
    assert names == ["links/demo", "links/demo-paper", "zones/demo", "zones/demo-paper", "zones/demo-taught"]

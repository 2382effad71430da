"""Stages are a closed table; the bundled journals are always scored, a corpus only where one is named.

What is learnt is never scored on pages it was trained on.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medharvest.citations.calibration import Calibration
from medharvest.errors import QualityError
from medharvest.evaluate import (
    STAGES,
    check_floors,
    evaluate_all,
    evaluate_stage,
    load_floors,
    raise_floors,
    render_results,
    stages,
)
from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.links.body_text import shipped_body_model
from medharvest.zones.labeller import shipped_zone_card

FLOORS = Path(__file__).parents[2] / "quality" / "floors.json"


def silent(_done: int, _total: int) -> None:
    pass


@pytest.fixture(autouse=True)
def _few_bundled_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate itself scores all of them."""

    def shorten(item: stages.DataSet) -> stages.DataSet:
        return item if item.in_corpus else replace(item, load=lambda: tuple(item.load())[:6])

    monkeypatch.setattr(stages, "STAGES", {stage: tuple(map(shorten, items)) for stage, items in STAGES.items()})


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
    assert check_floors(results, raise_floors(results, {})) == []
    assert "links/demo" in render_results(results)


def test_a_corpus_is_scored_beside_them(small_corpus: Path) -> None:
    results = {r.name: r for r in evaluate_stage("read", corpus=small_corpus, progress=silent)}
    assert results.keys() == {"read/demo", "read/layouts", "read/pdfs"}
    assert dict(results["read/layouts"].figures)["layouts-all4"] == 1


def test_stripped_pages_are_scored_without_their_metadata(small_corpus: Path) -> None:
    results = {r.name: r for r in evaluate_stage("read", corpus=small_corpus, progress=silent, strip_meta=True)}
    assert results.keys() == {"read/demo-stripped", "read/layouts-stripped"}
    assert dict(results["read/layouts-stripped"].figures)["layouts-all4"] == 0


@pytest.mark.parametrize(
    ("stage", "wanted", "message"),
    [
        ("cook", {}, "no such stage: cook"),
        ("links", {"folds": "moon"}, "no such folds: moon"),
        ("links", {"strip_meta": True}, "no stripped pages: links"),
    ],
)
def test_a_wrong_option_is_an_error_with_a_hint(stage: str, wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(QualityError, match=message) as caught:
        evaluate_stage(stage, corpus=None, progress=silent, **wanted)
    assert caught.value.hint


def test_every_stage_has_a_floor_and_no_floor_lacks_its_stage() -> None:
    known = {f"{stage}/{data.name}" for stage, data_sets in STAGES.items() for data in data_sets if not data.slow}
    assert load_floors(FLOORS).keys() == known


def test_the_gate_scores_every_data_set_of_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = {stage: stages.STAGES[stage] for stage in ("links", "zones")}
    monkeypatch.setattr(stages, "STAGES", quick)
    names = [result.name for result in evaluate_all(corpus=None, progress=silent)]
    assert names == ["links/demo", "links/demo-paper", "zones/demo", "zones/demo-paper", "zones/demo-taught"]


LEARNT = {"default", "zero-shot", "taught", "drift", "curve"}  # methods of `read` and `links` that use trained models


def test_pages_of_a_corpus_are_never_scored_by_models_that_may_have_seen_them() -> None:
    for stage in ("read", "links"):
        for item in STAGES[stage]:
            if item.in_corpus and item.method in LEARNT:
                scorer = getattr(item.score, "func", item.score)
                assert item.needs_checkout or scorer is stages._score_corpus_read, item.name


def remember(monkeypatch: pytest.MonkeyPatch, where: str, digest: str) -> None:
    """Make the card of the zone models, or the calibration, name a page."""
    if where == "zones":
        card = replace(shipped_zone_card(), pages=frozenset({digest}))
        monkeypatch.setattr("medharvest.evaluate.labelled_pages.shipped_zone_card", lambda: card)
    else:
        known = Calibration({}, {}, frozenset({digest}))
        monkeypatch.setattr("medharvest.evaluate.labelled_pages.shipped_calibration", lambda: known)


def test_a_body_text_that_was_learnt_from_is_judged_by_a_model_that_did_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blocks" / "content").mkdir(parents=True)
    (tmp_path / "blocks" / "content" / "one.html").write_text("<p>one</p>", encoding="utf-8")
    row = {"file": "content/one.html", "body_text": "two"}
    (tmp_path / "blocks" / "truth.jsonl").write_text(json.dumps(row), encoding="utf-8")
    monkeypatch.setattr("medharvest.evaluate.stages.is_checkout", lambda: False)

    def measure() -> float:
        results = {one.data: one for one in evaluate_stage("blocks", corpus=tmp_path, progress=silent)}
        return dict(results["pages"].figures)["f1"]

    assert measure() == 0
    model = shipped_body_model()._replace(card={"pages": [hashlib.sha256(b"<p>one</p>").hexdigest()]})
    monkeypatch.setattr("medharvest.evaluate.stages.shipped_body_model", lambda: model)
    with pytest.raises(QualityError, match=r"training.body_models"):
        measure()
    monkeypatch.setattr("medharvest.evaluate.stages.load_from_checkout", lambda *_, **__: lambda _: lambda _: "two")
    assert measure() == 1


@pytest.mark.parametrize("where", ["zones", "calibration"])
@pytest.mark.parametrize("strip_meta", [False, True])
def test_a_page_that_was_trained_on_is_not_scored_without_a_checkout(
    where: str,
    strip_meta: bool,  # noqa: FBT001
    small_corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("medharvest.evaluate.stages.is_checkout", lambda: False)
    assert evaluate_stage("read", corpus=small_corpus, progress=silent, strip_meta=strip_meta)
    page = (small_corpus / "articles" / "pages" / "one.html").read_bytes()
    remember(monkeypatch, where, hashlib.sha256(page).hexdigest())
    with pytest.raises(QualityError, match="not in the installed package") as raised:
        evaluate_stage("read", corpus=small_corpus, progress=silent, strip_meta=strip_meta)
    assert "checkout" in raised.value.hint


def test_without_a_checkout_what_needs_training_fails_before_anything_is_scored(
    small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medharvest.evaluate.stages.is_checkout", lambda: False)
    scored: list[int] = []
    with pytest.raises(QualityError, match="issues-unseen") as raised:
        evaluate_stage("links", corpus=small_corpus, progress=lambda done, _total: scored.append(done))
    assert raised.value.hint.endswith("; or choose --method paper; or choose --method rules")
    with pytest.raises(QualityError, match="issues-unseen"):
        evaluate_all(corpus=small_corpus, progress=lambda done, _total: scored.append(done))
    with pytest.raises(QualityError, match="articles-taught"):
        evaluate_stage("read", corpus=small_corpus, method="taught", progress=silent)
    assert scored == []
    assert evaluate_stage("links", corpus=None, progress=silent)


def test_a_data_set_that_needs_a_checkout_is_scored_by_its_function(
    small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str], dict[str, Any]]] = []

    def score(pages: Sequence[ReadPage], **options: Any) -> None:
        asked.append(([page.id for page in pages], options))

    monkeypatch.setattr("experiments.read_curve.score_read_curve", score)
    evaluate_stage("read", corpus=small_corpus, method="taught", progress=silent)
    assert asked == [(["one"], {"data": "articles-taught", "folds": "", "progress": silent})]

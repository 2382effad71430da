"""Pages that the shipped models saw are read by models that saw none of their layouts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from tests.zones import journal

from medharvest.citations.calibration import Calibration
from medharvest.evaluate.labelled import Labelled, ReadPage, ZoneLabel, ZonesPage
from medharvest.evaluate.taught import score_taught
from medharvest.evaluate.unseen_layouts import SEEN, fold_models, unseen_models
from medharvest.evaluate.unseen_read import package_calibration, score_unseen, score_unseen_stripped
from medharvest.evaluate.zone_table import TAUGHT, score_journal, score_zone_table, taught_method
from medharvest.zones.labeller import Models
from medharvest.zones.model import shipped_card, shipped_models


def silent(_done: int, _total: int) -> None:
    return


def read_page(n: int, layout: str) -> ReadPage:
    head = f"<head><meta name=citation_title content='{journal.title(n)}'>"
    body = journal.html(n).replace("<head>", head).encode()
    return Labelled(id=str(n), body=body, truth=journal.row(n), layout=layout)


PAGES = tuple(read_page(n, layout) for n, layout in enumerate(["a_1", "a_2", "b", "b"]))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that says that the shipped models saw these pages."""
    pages = frozenset(hashlib.sha256(page.body).hexdigest() for page in PAGES)
    card = replace(shipped_card(), pages=pages)
    monkeypatch.setattr("medharvest.evaluate.unseen_layouts.shipped_card", lambda: card)


def given_models(monkeypatch: pytest.MonkeyPatch, module: str) -> list[Models | None]:
    """The models that a module labels by, as they are given."""
    from medharvest.zones import label_zones

    given: list[Models | None] = []

    def label(page, *, models=None):
        given.append(models)
        return label_zones(page, models=shipped_models())

    monkeypatch.setattr(f"{module}.label_zones", label)
    return given


def test_pages_that_the_shipped_models_did_not_see_are_theirs() -> None:
    models_of = unseen_models(PAGES)
    assert [models_of(page) for page in PAGES] == [None] * 4


def test_models_of_a_layout_saw_neither_it_nor_its_kin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.evaluate.unseen_layouts._trained", {})
    monkeypatch.setattr("medharvest.evaluate.unseen_layouts.train", lambda learnt: {one.layout for one in learnt})
    assert dict[str, object](fold_models(PAGES)) == {"a_1": {"b"}, "a_2": {"b"}, "b": {"a_1", "a_2"}}
    assert fold_models(PAGES)["b"] is fold_models(PAGES)["b"]


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("score", [score_unseen, score_unseen_stripped])
def test_a_page_that_was_seen_is_read_by_the_models_of_its_fold(score, monkeypatch: pytest.MonkeyPatch) -> None:
    models = dict.fromkeys(["a_1", "a_2", "b"], shipped_models())
    monkeypatch.setattr("medharvest.evaluate.unseen_layouts.fold_models", lambda _pages: models)
    given = given_models(monkeypatch, "medharvest.run.read")
    score(PAGES, data="t", progress=silent)
    assert given == [shipped_models()] * 4


@pytest.mark.parametrize("score", [score_unseen, score_unseen_stripped])
def test_scores_of_pages_that_calibrated_are_fitted_on_other_layouts(score, monkeypatch: pytest.MonkeyPatch) -> None:
    bad: ReadPage = Labelled(id="bad", body=b"\0", truth={}, layout="c")
    pages = [*PAGES, bad]
    known = Calibration({}, {}, frozenset({hashlib.sha256(PAGES[0].body).hexdigest()}))
    monkeypatch.setattr("medharvest.evaluate.unseen_read.shipped_calibration", lambda: known)
    fitted: list[set[str]] = []

    def cross_fit(cases):
        fitted.append({case.layout for case in cases})
        return {"a_1": Calibration({key: {"any": -9.0} for key in ("title", "printed:title")})}

    monkeypatch.setattr("medharvest.evaluate.unseen_read.cross_fit", cross_fit)
    result = score(pages, data="t", progress=silent)
    assert fitted == [{"a_1", "a_2", "b"}]
    assert [failure.page for failure in result.failures] == ["bad"]
    low = ("0 to 0.5", "1") in {row[:2] for row in result.tables[1].rows}
    assert low


def test_pdfs_are_read_once_and_the_file_of_the_calibration_names_its_pages() -> None:
    pdf: ReadPage = Labelled(id="pdf", body=b"%PDF-1.4 broken", truth={}, layout="c")
    content = json.loads(package_calibration(PAGES, [pdf]))
    assert len(content["pages"]) == 5
    assert "title" in content["weights"]


@pytest.mark.usefixtures("seen")
def test_a_taught_page_is_read_by_the_models_of_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    old = shipped_models()
    fold = Models(old.title, old.abstract, old.people)
    monkeypatch.setattr("medharvest.evaluate.unseen_layouts.fold_models", lambda _pages: {"b": fold})
    given = given_models(monkeypatch, "medharvest.run.taught")
    assert score_taught(PAGES, data="t", progress=silent).pages == 2
    assert given
    assert set(given) == {fold}


def test_templates_stand_beside_the_models_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given = given_models(monkeypatch, "medharvest.evaluate.zone_table")
    truth = tuple(ZoneLabel(text, label) for label, texts in journal.known(1).items() for text in texts)
    pages = [Labelled(id=str(n), body=journal.html(1).encode(), truth=truth) for n in range(2)]
    fold = Models(*(getattr(shipped_models(), name) for name in ("title", "abstract", "people")))
    score_journal(pages, TAUGHT)
    score_journal(pages, taught_method(fold))
    assert given == [None, fold]


@pytest.mark.usefixtures("seen")
def test_a_table_of_pages_that_the_shipped_models_saw_says_so() -> None:
    pages: list[ZonesPage] = [Labelled(id="1", body=PAGES[0].body, truth=(), platform="p")]
    assert score_zone_table(pages, data="t", progress=silent).notes == (SEEN,)

"""Pages that the shipped models saw are read by models that saw none of their layouts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import partial

import pytest
from tests.zones import journal

from medharvest.citations.calibration import Calibration
from medharvest.citations.people_readings import shipped_people_trees
from medharvest.evaluate.labelled_pages import SEEN_PAGES_NOTE, LabelledPage, ReadPage, ZoneLabel, ZonesPage
from medharvest.evaluate.stages import _score_corpus_read, _score_stripped_corpus_read
from medharvest.evaluate.zone_scores import (
    LAYOUT_TEACHING,
    make_layout_teaching,
    score_journal_zones,
    score_taught_zones,
)
from medharvest.zones.labeller import ZoneModels, shipped_zone_card, shipped_zone_models
from training.read_folds import choose_unseen_models, package_calibration, train_fold_models
from training.reading_models import ReadingModels, ReadingTrainer
from training.zone_models import train_zone_models


def silent(_done: int, _total: int) -> None:
    return


def read_page(n: int, layout: str) -> ReadPage:
    head = f"<head><meta name=citation_title content='{journal.title(n)}'>"
    body = journal.html(n).replace("<head>", head).encode()
    return LabelledPage(id=str(n), body=body, truth=journal.row(n), layout=layout)


PAGES = tuple(read_page(n, layout) for n, layout in enumerate(["a_1", "a_2", "b", "b"]))


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests read the same pages by different models."""
    monkeypatch.setattr("training.read_folds._page_readings", {})


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that says that the shipped models saw these pages."""
    pages = frozenset(hashlib.sha256(page.body).hexdigest() for page in PAGES)
    card = replace(shipped_zone_card(), pages=pages)
    for module in ("medharvest.evaluate.labelled_pages", "training.read_folds"):
        monkeypatch.setattr(f"{module}.shipped_zone_card", lambda: card)


def given_models(monkeypatch: pytest.MonkeyPatch, module: str) -> list[ZoneModels | None]:
    """The models that a module labels by, as they are given."""
    from medharvest.zones import label_zones

    given: list[ZoneModels | None] = []

    def label(page, *, models=None):
        given.append(models)
        return label_zones(page, models=shipped_zone_models())

    monkeypatch.setattr(f"{module}.label_zones", label)
    return given


def test_pages_that_the_shipped_models_did_not_see_are_theirs() -> None:
    models_of = choose_unseen_models(PAGES)
    assert [models_of(page) for page in PAGES] == [(None, (None, None))] * 4


def test_models_of_a_layout_saw_neither_it_nor_its_kin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.read_folds._trained_folds", {})
    learnt: list[set[str]] = []

    def train(examples, *reading):
        learnt.append({one.layout for one in examples if not one.layout.startswith("made_")})
        return train_zone_models(examples, *reading)

    monkeypatch.setattr("training.reading_models.train_zone_models", train)
    monkeypatch.setattr("training.read_folds.ReadingTrainer", partial(ReadingTrainer, sites=4))  # of 480: for speed
    assert train_fold_models(PAGES).keys() == {"a_1", "a_2", "b"}
    assert sorted(map(sorted, learnt)) == [["a_1", "a_2"], ["b"]]
    assert train_fold_models(PAGES)["b"] is train_fold_models(PAGES)["b"]


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("score", [_score_corpus_read, _score_stripped_corpus_read])
def test_a_page_that_was_seen_is_read_by_the_models_of_its_fold(score, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = ReadingModels(shipped_zone_models(), shipped_people_trees())
    models = dict.fromkeys(["a_1", "a_2", "b"], reading)
    monkeypatch.setattr("training.read_folds.train_fold_models", lambda _pages: models)
    given = given_models(monkeypatch, "medharvest.journals.article_reader")
    score(PAGES, data="t", progress=silent)
    assert given == [shipped_zone_models()] * 4


def test_pages_are_read_once_for_both_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Calibration({}, {}, frozenset({hashlib.sha256(PAGES[0].body).hexdigest()}))
    for module in ("medharvest.evaluate.labelled_pages", "training.read_folds"):
        monkeypatch.setattr(f"{module}.shipped_calibration", lambda: known)
    given = given_models(monkeypatch, "medharvest.journals.article_reader")
    for score in (_score_corpus_read, _score_stripped_corpus_read):
        score(PAGES, data="t", progress=silent)
    assert len(given) == 2 * len(PAGES)


@pytest.mark.parametrize("score", [_score_corpus_read, _score_stripped_corpus_read])
def test_scores_of_pages_that_calibrated_are_fitted_on_other_layouts(score, monkeypatch: pytest.MonkeyPatch) -> None:
    bad: ReadPage = LabelledPage(id="bad", body=b"\0", truth={}, layout="c")
    pages = [*PAGES, bad]
    known = Calibration({}, {}, frozenset({hashlib.sha256(PAGES[0].body).hexdigest()}))
    for module in ("medharvest.evaluate.labelled_pages", "training.read_folds"):
        monkeypatch.setattr(f"{module}.shipped_calibration", lambda: known)
    fitted: list[set[str]] = []

    def cross_fit(cases):
        fitted.append({case.layout for case in cases})
        weights = {"title": {"any": -9.0}, "abstract": {"any": 9.0}}
        return {
            "a_1": Calibration({f"{kind}{name}": one for kind in ("", "printed:") for name, one in weights.items()})
        }

    monkeypatch.setattr("training.read_folds.cross_fit_calibration", cross_fit)
    result = score(pages, data="t", progress=silent)
    assert fitted == [{"a_1", "a_2", "b"}]
    assert [failure.page for failure in result.failures] == ["bad"]
    low = [float(mean) for span, _, mean, _ in result.tables[1].rows if span == "0 to 0.5"]
    assert low
    assert low[0] < 0.4  # the titles of other pages may have low scores, but none as low as this weight gives


def test_the_file_of_the_calibration_names_its_pages() -> None:
    content = json.loads(package_calibration(PAGES))
    assert len(content["pages"]) == 4
    assert "title" in content["weights"]


def test_templates_stand_beside_the_models_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given = given_models(monkeypatch, "medharvest.evaluate.zone_scores")
    truth = tuple(ZoneLabel(text, label) for label, texts in journal.known(1).items() for text in texts)
    pages = [LabelledPage(id=str(n), body=journal.html(1).encode(), truth=truth) for n in range(2)]
    fold = replace(shipped_zone_models())
    score_journal_zones(pages, LAYOUT_TEACHING)
    score_journal_zones(pages, make_layout_teaching(fold))
    assert given == [None, fold]


@pytest.mark.usefixtures("seen")
def test_a_table_of_pages_that_the_shipped_models_saw_says_so() -> None:
    pages: list[ZonesPage] = [LabelledPage(id="1", body=PAGES[0].body, truth=(), platform="p")]
    assert score_taught_zones(pages, data="t", progress=silent).notes == (SEEN_PAGES_NOTE,)

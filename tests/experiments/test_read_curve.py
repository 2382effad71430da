"""The learning curve of `read`: pages are read by templates that other pages of their layout taught."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from tests.zones import journal

from experiments.read_curve import score_read_curve
from medharvest.citations.people_readings import shipped_people_trees
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from medharvest.journals.article_reader import teach_pages
from medharvest.zones import label_zones
from medharvest.zones.labeller import ZoneModels, shipped_zone_card, shipped_zone_models
from training.reading_models import ReadingModels


def silent(_done: int, _total: int) -> None:
    return


def test_the_learning_curve_never_teaches_a_page_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[ReadPage] = [
        LabelledPage(id=str(n), body=journal.html(n).encode(), truth=journal.row(n), layout="z" if n else "alone")
        for n in range(4)
    ]
    pages.append(LabelledPage(id="bad", body=b"\0", truth={}, layout="z"))
    taught: list[list[str]] = []

    def teach(pairs, **given):
        taught.append([known["title"][0] for _, known in pairs])
        return teach_pages(pairs, **given)

    monkeypatch.setattr("experiments.read_curve.teach_pages", teach)
    result = score_read_curve(pages, data="articles-taught", progress=silent)
    assert taught[:3] == [[journal.title(2)], [journal.title(3)], [journal.title(1)]]
    assert {len(group) for group in taught} == {1, 2}
    assert result.pages == 3
    assert [failure.page for failure in result.failures] == ["bad"]
    assert [row[0] for row in result.tables[0].rows] == ["1", "2", "4", "all others"]
    figures = dict(result.figures)
    assert figures["core4-one"] > 0.8
    assert figures["core4"] >= figures["core4-one"]


def test_a_taught_page_is_read_by_the_models_of_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[ReadPage] = [
        LabelledPage(id=str(n), body=journal.html(n).encode(), truth=journal.row(n), layout=layout)
        for n, layout in enumerate(["a_1", "a_2", "b", "b"])
    ]
    card = replace(shipped_zone_card(), pages=frozenset(hashlib.sha256(page.body).hexdigest() for page in pages))
    monkeypatch.setattr("training.read_folds.shipped_zone_card", lambda: card)
    old = shipped_zone_models()
    fold = replace(old)
    reading = ReadingModels(fold, shipped_people_trees())
    monkeypatch.setattr("training.read_folds.train_fold_models", lambda _pages: {"b": reading})
    given: list[ZoneModels | None] = []

    def label(page, *, models=None):
        given.append(models)
        return label_zones(page, models=old)

    monkeypatch.setattr("medharvest.journals.article_reader.label_zones", label)
    assert score_read_curve(pages, data="t", progress=silent).pages == 2
    assert given
    assert set(given) == {fold}

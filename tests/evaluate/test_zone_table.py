"""Labellers that are taught, scored journal by journal, and the learning curve of `read`."""

from __future__ import annotations

import dataclasses

import pytest
from tests.zones import journal

from medharvest.evaluate.labelled import Labelled, ReadPage, ZoneLabel
from medharvest.evaluate.taught import score_taught
from medharvest.evaluate.zone_table import PAPER, TAUGHT, score_journal, score_zone_table, true_labels
from medharvest.run.taught import teach_pages


def silent(_done: int, _total: int) -> None:
    return


def zones_page(n: int) -> Labelled[tuple[ZoneLabel, ...]]:
    truth = tuple(ZoneLabel(text, label) for label, texts in journal.known(n).items() for text in texts)
    return Labelled(id=str(n), body=journal.html(n).encode(), truth=truth, platform="tides", layout="z")


@pytest.mark.parametrize("method", [PAPER, TAUGHT])
def test_one_page_in_four_teaches_the_others(method) -> None:
    score = score_journal([zones_page(n) for n in range(5)], method)
    assert (score.taught, score.tested) == (2, 3)
    assert score.total.zones == 3 * 7
    assert score.total.accuracy == 1.0


def test_the_table_has_a_row_a_journal_and_their_sum() -> None:
    pages = [dataclasses.replace(zones_page(n), platform="ab"[n % 2]) for n in range(8)]
    result = score_zone_table(pages, data="demo-paper", progress=silent)
    assert result.name == "zones/demo-paper"
    assert [row[:3] for row in result.tables[0].rows] == [("a", "1", "3"), ("b", "1", "3"), ("all", "2", "6")]
    assert dict(result.figures)["accuracy"] == 1.0


def test_a_zone_is_what_its_middle_stands_in() -> None:
    truth = (
        ZoneLabel("Big Tides", "title"),
        ZoneLabel("x", "keywords"),
        ZoneLabel("Tides", "abstract"),
        ZoneLabel("", "author"),
    )
    labels = true_labels(["Big", "Tides", "…", "x", "Tides", "Tides"], truth)
    assert labels == ["title", "title", "unidentified", "unidentified", "abstract", "unidentified"]


def test_the_learning_curve_never_teaches_a_page_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[ReadPage] = [
        Labelled(id=str(n), body=journal.html(n).encode(), truth=journal.row(n), layout="z" if n else "alone")
        for n in range(4)
    ]
    pages.append(Labelled(id="bad", body=b"\0", truth={}, layout="z"))
    taught: list[list[str]] = []

    def teach(pairs, **given):
        taught.append([known["title"][0] for _, known in pairs])
        return teach_pages(pairs, **given)

    monkeypatch.setattr("medharvest.evaluate.taught.teach_pages", teach)
    result = score_taught(pages, data="articles-taught", progress=silent)
    assert taught[:3] == [[journal.title(2)], [journal.title(3)], [journal.title(1)]]
    assert {len(group) for group in taught} == {1, 2}
    assert result.pages == 3
    assert [failure.page for failure in result.failures] == ["bad"]
    assert [row[0] for row in result.tables[0].rows] == ["1", "2", "4", "all others"]
    figures = dict(result.figures)
    assert figures["core4-one"] > 0.8
    assert figures["core4"] >= figures["core4-one"]

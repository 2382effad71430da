"""Labellers that are taught, scored journal by journal."""

from __future__ import annotations

import dataclasses

import pytest
from tests.zones import journal

from medharvest.evaluate.labelled_pages import LabelledPage, ZoneLabel
from medharvest.evaluate.zone_scores import (
    LAYOUT_TEACHING,
    PAPER_TEACHING,
    score_journal_zones,
    score_taught_zones,
    true_labels_of_texts,
)


def silent(_done: int, _total: int) -> None:
    return


def zones_page(n: int) -> LabelledPage[tuple[ZoneLabel, ...]]:
    truth = tuple(ZoneLabel(text, label) for label, texts in journal.known(n).items() for text in texts)
    return LabelledPage(id=str(n), body=journal.html(n).encode(), truth=truth, platform="tides", layout="z")


@pytest.mark.parametrize("method", [PAPER_TEACHING, LAYOUT_TEACHING])
def test_one_page_in_four_teaches_the_others(method) -> None:
    score = score_journal_zones([zones_page(n) for n in range(5)], method)
    assert (score.taught, score.tested) == (2, 3)
    assert score.total.zones == 3 * 7
    assert score.total.accuracy == 1.0


def test_the_table_has_a_row_a_journal_and_their_sum() -> None:
    pages = [dataclasses.replace(zones_page(n), platform="ab"[n % 2]) for n in range(8)]
    result = score_taught_zones(pages, data="demo-paper", progress=silent)
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
    labels = true_labels_of_texts(["Big", "Tides", "…", "x", "Tides", "Tides"], truth)
    assert labels == ["title", "title", "unidentified", "unidentified", "abstract", "unidentified"]

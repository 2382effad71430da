"""One taught page of a bundled journal: no field of its other pages gets worse, and zones and fields agree."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from medharvest.evaluate.field_scores import SCORED_FIELDS, FieldTally, score_prediction
from medharvest.evaluate.labelled_pages import ReadPage, group_by_fold, strip_metadata
from medharvest.evaluate.page_sets import load_bundled_html_articles
from medharvest.fields import CORE_FIELDS
from medharvest.formats import report
from medharvest.journals.article_reader import Lesson, label_page, read_page, read_taught_page, teach_pages
from medharvest.pages import parse_page
from medharvest.records import Citation, Page
from medharvest.zones.known_values import known_values_from_row

pytestmark = pytest.mark.no_cover  # many pages are read, and none for the first time

# A zone with the label `both` names a person and the place where they work.
LABELS_OF = {
    "title": {"title"},
    "author": {"author", "both"},
    "affiliation": {"affiliation", "both"},
    "abstract": {"abstract"},
}
LAYOUTS = ["cards-2024", "highwire-2010", "highwire-2010-b", "table-2001"]


@functools.cache
def _pages_by_layout() -> dict[str, list[tuple[ReadPage, Page]]]:
    """The article pages of each layout without their metadata, so that every field is read from the print."""
    pages = [replace(page, body=strip_metadata(page.body)) for page in load_bundled_html_articles()]
    parsed = [(page, parse_page(page.body, url=page.url, charset=page.encoding)) for page in pages]
    return group_by_fold(pages, parsed, "layout")


@functools.cache
def _taught_readings(layout: str) -> list[tuple[ReadPage, Page, tuple[Lesson, ...], Citation]]:
    """Each page of a layout, read by the lesson of the page after it alone."""
    pages = _pages_by_layout()[layout]
    readings = []
    for (labelled, page), (other, taught) in zip(pages, [*pages[1:], pages[0]], strict=True):
        lessons = teach_pages([(taught, known_values_from_row(other.truth))])
        readings.append((labelled, page, lessons, read_taught_page(page, lessons)))
    return readings


def _merit(tally: FieldTally) -> tuple[float, int, int]:
    return tally.f1, tally.exact, -tally.on_null


def test_the_layouts_are_those_of_the_bundled_journals():
    assert sorted(_pages_by_layout()) == LAYOUTS


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_taught_page_makes_no_field_of_another_page_worse(layout: str):
    for labelled, page, _, citation in _taught_readings(layout):
        before = score_prediction(labelled.truth, report(read_page(page))).fields
        after = score_prediction(labelled.truth, report(citation)).fields
        worse = [field for field in SCORED_FIELDS if _merit(after[field]) < _merit(before[field])]
        assert (labelled.id, worse) == (labelled.id, [])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_zones_have_the_labels_that_the_fields_are_read_from(layout: str):
    for labelled, page, lessons, citation in _taught_readings(layout):
        zones = label_page(page, lessons)
        for field, label in CORE_FIELDS.items():
            read = {proof.path for proof in citation.evidence if proof.field == field and proof.source == "zone"}
            shown = {item.zone.path for item in zones if item.verdict.label in LABELS_OF[label]}
            assert (labelled.id, field, read or shown) == (labelled.id, field, shown)

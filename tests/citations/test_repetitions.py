"""Values that a page or PDF gives twice."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace
from tests.citations.strategies import zone

from medharvest.citations.calibration import calibration_key, find_refused_fields
from medharvest.citations.masthead import list_line_readings
from medharvest.citations.print_comparison import PrintedLine, repeated_in_pdf, repeated_on_page
from medharvest.records import Citation, Evidence, Kind, LabelledZone, MetaItem

TITLE = "Sleep and snow in the valleys"
VALUES = {"title": TITLE, "journal": "Annals of Snow", "volume": "14", "first_page": "201", "date": "2010"}
LINE = "Annals of Snow 2010;14(2):201-208"


def _proof(field: str, method: str = "m") -> Evidence:
    return Evidence(field=field, page="d", source="zone", path="p1", start=0, end=1, text="x", method=method, score=0.9)


def replace_path(proof: Evidence, path: str) -> Evidence:
    return dataclasses.replace(proof, path=path)


def _at(path: str, text: str, label: str = "unidentified", method: str = "") -> LabelledZone:
    made = zone(label, text)
    verdict = made.verdict if not method else type(made.verdict)(label, 0.8, method)
    return LabelledZone(replace(made.zone, path=path), verdict)


EVIDENCE = {field: [_proof(field)] for field in VALUES}


def read_lines(zones: list[LabelledZone]) -> list[PrintedLine]:
    return [(reading.zone.zone.path, reading.values) for reading in list_line_readings(zones)]


def repeated_fields(
    values: dict[str, str], evidence: dict[str, list[Evidence]], items: list[MetaItem], zones: list[LabelledZone]
) -> list[str]:
    return repeated_in_pdf(values, evidence, read_lines(zones), items=items, zones=zones)


@pytest.mark.parametrize(
    ("zones", "repeated"),
    [
        ([_at("p1", LINE)], []),
        ([_at("p1", LINE), _at("p9", LINE)], ["volume", "first_page", "date", "journal"]),
        ([_at("p1", LINE), _at("p9", LINE, "reference")], []),
        ([_at("p1", LINE), _at("p9", "Volume 14")], ["volume", "first_page"]),
        ([_at("p1", LINE), _at("p9", "201", "first_page", "page-number")], ["volume", "first_page"]),
        ([_at("p1", LINE), _at("p9", "203", "first_page", "page-number")], []),
        ([_at("p0", TITLE, "title"), _at("p9", f"Bee A. {TITLE}. 2010")], ["title"]),
        ([_at("p0", TITLE, "title"), _at("p9", TITLE, "reference")], []),
    ],
)
def test_a_value_is_repeated_if_another_line_of_the_article_gives_it(
    zones: list[LabelledZone], repeated: list[str]
) -> None:
    assert repeated_fields(VALUES, EVIDENCE, [], zones) == repeated


def test_a_repeated_number_confirms_the_other_numbers_of_its_line_and_no_other_line() -> None:
    values = {"volume": "14", "issue": "2", "date": "2010"}
    same = {field: [_proof(field)] for field in values}
    zones = [_at("p1", "Annals of Snow 14: 201-208 (2010)"), _at("p9", "Volume 14")]
    assert repeated_fields(values, same, [], zones) == ["volume", "issue"]
    elsewhere = same | {"issue": [replace_path(_proof("issue"), "p2")]}
    assert repeated_fields(values, elsewhere, [], zones) == ["volume"]


def test_the_file_may_name_its_title_and_its_journal() -> None:
    told = [MetaItem("meta", "pdf.title", TITLE.upper()), MetaItem("meta", "pdf.subject", "Annals of Snow, 14 (2010)")]
    assert repeated_fields(VALUES, EVIDENCE, told, []) == ["title", "journal"]
    assert repeated_fields(VALUES, EVIDENCE, [MetaItem("meta", "citation_title", TITLE)], []) == []


def test_repeated_values_of_pdfs_and_codes_have_scores_of_their_own() -> None:
    once, twice = (
        Citation(kind=Kind.PDF, first_page="201", evidence=(_proof("first_page", method), _proof("doi")))
        for method in ("citation-line", "citation-line, repeated")
    )
    assert [calibration_key(one, "first_page") for one in (once, twice)] == [
        "pdf:first_page",
        "pdf:repeated:first_page",
    ]
    assert calibration_key(once, "doi") == "pdf:repeated:doi"
    assert [find_refused_fields(one) for one in (once, twice)] == [{"first_page"}, set()]


@pytest.mark.parametrize(
    ("zones", "repeated"),
    [
        ([_at("p1", LINE)], []),
        ([_at("p1", LINE), _at("p9", "Volume 14")], ["volume", "first_page"]),
        ([_at("p0", "Sleep | Annals of Snow"), _at("p1", LINE)], ["journal"]),
        ([_at("p1", LINE), _at("p9", "Berg A. Snow. Annals of Snow", "reference")], []),
        ([_at("p1", LINE), _at("p9", f"Annals of Snow {'and so on ' * 50}")], []),
    ],
)
def test_an_html_page_repeats_values_in_its_lines_and_the_journal_in_any_short_text(
    zones: list[LabelledZone], repeated: list[str]
) -> None:
    assert repeated_on_page(VALUES, EVIDENCE, read_lines(zones), zones=zones) == repeated


@pytest.mark.parametrize(
    ("doi", "repeated"),
    [("10.1000/snow.14.201", ["volume", "first_page"]), ("10.1000/snow.2010.2", []), ("10.14/snow", []), ("", [])],
)
def test_the_doi_of_an_html_page_confirms_the_numbers_in_it(doi: str, repeated: list[str]) -> None:
    values = {**VALUES, "volume": "14", "doi": doi}
    assert repeated_on_page(values, EVIDENCE, [], zones=[]) == repeated


def test_a_single_digit_of_a_doi_confirms_nothing() -> None:
    values = {"volume": "4", "doi": "10.1000/snow.4"}
    assert repeated_on_page(values, {"volume": [_proof("volume")]}, [], zones=[]) == []

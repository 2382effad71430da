"""Scores of fields: what is seen of their evidence, weighed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from medharvest.citations.calibration import (
    UNCALIBRATED,
    Calibration,
    accepted_fields,
    calibrate_citation,
    calibration_key,
    evidence_signs,
    logistic_probability,
    shipped_calibration,
)
from medharvest.records import Alternative, Author, Citation, Evidence, Kind, NamedDate, Section


def proof(field: str, source: str = "zone", score: float = 0.97, method: str = "people") -> Evidence:
    return Evidence(
        field=field, page="d", source=source, path="p", start=0, end=1, text="x", method=method, score=score
    )


def reading(*evidence: Evidence, **values: Any) -> Citation:
    return Citation(evidence=evidence, **values)


def test_the_score_of_a_field_is_the_logistic_sum_of_its_signs() -> None:
    weights = {"printed:title": {"any": 1.0, "first=zone": 1.0, "disputed=True": -9.0, "unknown": 5.0}}
    citation = calibrate_citation(reading(proof("title"), proof("doi", score=0.6), title="Sleep"), Calibration(weights))
    assert [one.score for one in citation.evidence] == [0.8808, 0.6]
    assert calibrate_citation(citation, UNCALIBRATED) == citation


def test_a_sum_of_any_size_gives_a_probability() -> None:
    assert logistic_probability({"any": 1e9}, ["any"]) == 1.0
    assert logistic_probability({"any": -1e9}, ["any"]) == 0.0
    assert logistic_probability({}, ["any"]) == 0.5


def test_what_is_read_from_a_pdf_has_scores_of_its_own() -> None:
    weights = {"printed:title": {"any": 2.0}, "pdf:title": {"any": -2.0}}
    scores = [
        calibrate_citation(reading(proof("title"), kind=kind), Calibration(weights)).evidence[0].score
        for kind in (Kind.ABSTRACT, Kind.PDF)
    ]
    assert scores == [0.8808, 0.1192]


def test_a_field_is_accepted_unseen_from_its_threshold_on() -> None:
    weights = {"title": {"any": 3.0}, "doi": {"any": 2.0}, "issn": {"any": 9.0}}
    known = Calibration(weights, {"title": 0.9526, "doi": 0.9})
    stated = [proof(field, "citation") for field in ("title", "doi", "issn")]
    citation = calibrate_citation(reading(*stated), known)
    assert accepted_fields(citation) == ("title",)
    assert [item.accepted for item in citation.evidence] == [True, False, False]
    other = Alternative(field="title", value="Another", score=0.6)
    assert accepted_fields(replace(citation, alternatives=(other,))) == ()
    assert accepted_fields(calibrate_citation(citation, Calibration(weights))) == ()


@pytest.mark.parametrize(
    ("field", "sources", "accepted"),
    [
        ("first_page", ["zone"], False),
        ("first_page", ["citation"], False),
        ("last_page", ["zone", "citation"], True),
        ("affiliations", ["citation"], False),
        ("affiliations", ["zone"], True),
        ("volume", ["citation"], True),
    ],
)
def test_some_fields_are_accepted_only_if_independent_sources_agree(field, sources, accepted) -> None:
    kinds = {f"{kind}{field}": 0.5 for kind in ("", "printed:")}
    known = Calibration({name: {"any": 9.0} for name in kinds}, kinds)
    citation = calibrate_citation(reading(*(proof(field, source) for source in sources)), known)
    assert (field in accepted_fields(citation)) == accepted


@pytest.mark.parametrize(
    ("given", "method", "accepted"), [("Anna", "people", True), ("", "people", False), ("Anna", "people-cut", False)]
)
def test_half_a_name_and_a_list_that_is_cut_are_never_accepted(given, method, accepted) -> None:
    known = Calibration({"printed:authors": {"any": 9.0}}, {"printed:authors": 0.5})
    citation = reading(proof("authors", method=method), authors=(Author(family="Berg", given=given),))
    assert (accepted_fields(calibrate_citation(citation, known)) == ("authors",)) is accepted


@pytest.mark.parametrize(
    ("journal", "sources", "accepted"),
    [
        ("Quarterly of Tides", ["citation"], False),
        ("Quarterly of Tides", ["zone"], False),
        ("Quarterly of Tides", ["citation", "zone"], True),
        ("The Lancet", ["citation"], True),
    ],
)
def test_a_journal_is_accepted_if_print_and_metadata_agree_or_a_table_has_it(journal, sources, accepted) -> None:
    kinds = {f"{kind}journal": 0.5 for kind in ("", "printed:")}
    known = Calibration({name: {"any": 9.0} for name in kinds}, kinds)
    citation = reading(*(proof("journal", source) for source in sources), journal=journal)
    assert (accepted_fields(calibrate_citation(citation, known)) == ("journal",)) is accepted


def test_what_is_only_printed_has_scores_of_its_own() -> None:
    printed, marked, stated = proof("title"), proof("title", "microdata"), proof("title", "citation")
    assert calibration_key(reading(printed, marked), "title") == "printed:title"
    assert calibration_key(reading(printed, stated), "title") == "title"
    assert calibration_key(reading(printed, kind=Kind.PDF), "title") == "pdf:title"


def test_signs_tell_who_says_a_value_and_who_another() -> None:
    both = reading(
        proof("title"),
        proof("title", "citation", 0.9),
        alternatives=(Alternative(field="title", value="x", score=0.1),),
    )
    seen = set(evidence_signs(both)["title"])
    assert {"any", "disputed=True", "first=zone", "both=True", "sources=2", "method=people", "all>=0.95"} <= seen
    assert "all>=0.98" not in seen
    alone = set(evidence_signs(reading(proof("doi", "citation")))["doi"])
    assert {"any", "disputed=False", "first=citation", "both=False", "sources=1"} <= alone
    assert not any(sign.startswith("method=") for sign in alone)


@pytest.mark.parametrize(
    ("values", "sign"),
    [
        ({"authors": (Author(family="Berg", given="A", affiliations=(0,)),)}, "linked=all"),
        ({"authors": (Author(family="Berg"), Author(family="Cole", affiliations=(0,)))}, "linked=some"),
        ({"authors": (Author(collective="Tide Group"),)}, "group=True"),
        ({"authors": (Author(family="de la Mer"),)}, "long=True"),
        ({"affiliations": ("Quay", "Moor")}, "used=none"),
        ({"affiliations": ("Quay, Wales",), "authors": (Author(family="B", affiliations=(0,)),)}, "used=all"),
        ({"affiliations": ("a, b", "c, d"), "authors": (Author(family="B", affiliations=(0,)),)}, "used=some"),
        ({"affiliations": ("Quay",), "authors": (Author(family="B"),)}, "unlinked=all"),
        ({"abstract": "x" * 900}, "ends=False"),
        ({"abstract": "We slept.", "sections": (Section("Aim", "We slept."),)}, "sections=True"),
        ({"title": "Sleep | Tide"}, "sign=True"),
        ({"keywords": ("sleep; sea",)}, "pieces=True"),
        ({"journal": "The Lancet", "issn": ("0140-6736",)}, "issn-agrees=True"),
        ({"journal": "The Lancet", "issn": ("0028-4793",)}, "issn-agrees=False"),
        ({"journal": "The Lancet", "issn": ("1234-5679",)}, "issn-agrees=unknown"),
        ({"journal": "The Lancet"}, "issn-agrees=unknown"),
        ({"journal": "Quarterly of Tides"}, "known=False"),
        ({"date": "2010-09", "dates": (NamedDate("received", "2010"),)}, "parts=1"),
    ],
)
def test_signs_tell_how_a_value_looks(values: dict[str, Any], sign: str) -> None:
    field = next(iter(values))
    assert sign in evidence_signs(reading(proof(field), **values))[field]


def test_the_shipped_calibration_is_sound() -> None:
    known = shipped_calibration()
    assert {"title", "authors", "affiliations", "abstract", "pdf:title"} <= known.weights.keys()
    assert set(known.thresholds) <= known.weights.keys()
    assert all(0.5 < threshold <= 1 for threshold in known.thresholds.values())
    assert all(len(digest) == 64 for digest in known.pages)
    signs = {sign for weights in known.weights.values() for sign in weights}
    assert all(len(sign) < 40 for sign in signs)

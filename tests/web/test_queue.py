"""What is looked at first, and what may be accepted without review."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from medharvest.records import Alternative, Author, Citation, Evidence
from medharvest.web.field_texts import SHOWN_FIELDS
from medharvest.web.views.issues import collect_bulk_fields, doubt_of_record, score_fields


def proof(field: str, score: float) -> Evidence:
    return Evidence(field=field, page="p", source="zone", path="x", start=0, end=1, text="t", method="m", score=score)


def record(**scores: float) -> Citation:
    return Citation(
        title="T",
        authors=(Author(family="A"),),
        volume="3",
        evidence=tuple(proof(name, score) for name, score in scores.items()),
    )


def test_scores_are_those_of_the_evidence() -> None:
    scores = score_fields(record(title=0.9, authors=0.8, volume=0.7))
    assert (scores["title"], scores["authors"], scores["volume"]) == (0.9, 0.8, 0.7)
    assert scores["abstract"] == pytest.approx(0.65)  # it is not there, which often is so
    assert "pmid" not in scores


def test_the_best_of_several_pieces_counts() -> None:
    citation = Citation(title="T", evidence=(proof("title", 0.6), proof("title", 0.95), proof("title", 0.7)))
    assert score_fields(citation)["title"] == 0.95


def whole(**changed: Any) -> Citation:
    """A record in which nothing is in doubt."""
    known = Citation(
        title="Tides and gout in harbour pilots",
        authors=(Author(family="Okafor", given="Ada", affiliations=(0,)),),
        affiliations=("Harbour Clinic, Saltmere",),
        abstract="We looked at the joints of forty pilots over two winters. " * 4,
        journal="Journal of Tides",
        volume="3",
        issue="2",
        first_page="17",
        last_page="21",
        date="2026-03",
        doi="10.5555/tides.17",
        language="en",
    )
    citation = replace(known, **changed)
    filled = [field.name for field in SHOWN_FIELDS if getattr(citation, field.name)]
    return replace(citation, evidence=tuple(proof(name, 0.999) for name in filled))


def test_a_sure_and_whole_record_needs_no_look() -> None:
    assert doubt_of_record(whole(), {}).asked == ()


def test_a_doubt_in_the_authors_costs_more_than_one_in_the_volume_and_the_language_nearly_nothing() -> None:
    citation = whole()
    scores = {"authors": 0.8, "volume": 0.7, "language": 0.1}
    doubtful = replace(
        citation, evidence=tuple(proof(one.field, scores.get(one.field, 0.999)) for one in citation.evidence)
    )
    doubt = doubt_of_record(doubtful, {})
    assert doubt.asked == ("authors", "volume")
    assert (doubt.field, doubt.lowest) == ("authors", 0.8)
    assert doubt.harms["authors"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        ({"abstract": ""}, "abstract", "nothing was found"),
        ({"affiliations": (), "authors": (Author(family="Moe"),)}, "affiliations", "nothing was found"),
        ({"title": ""}, "title", "nothing was found"),
        ({"authors": (*whole().authors, Author(family="Moe"))}, "affiliations", "1 of 2 authors have none"),
        (
            {"affiliations": ("Harbour Clinic, Saltmere", "Free access to all")},
            "affiliations",
            "1 of them belong to no author",
        ),
        ({"authors": (Author(family="Download 2 files", affiliations=(0,)),)}, "authors", "does not look like a name"),
        ({"authors": whole().authors * 2}, "authors", "is there twice"),
        ({"journal": "March 2026"}, "journal", "contains a date"),
        ({"affiliations": ("Saltmere",)}, "affiliations", "unusually short"),
        ({"affiliations": ("Saltmere " * 60,)}, "affiliations", "unusually long"),
        ({"abstract": "Free access to all articles."}, "abstract", "unusually short"),
        ({"title": "Journal of Tides"}, "title", "the same as another field"),
        ({"doi": "see below"}, "doi", "not a bare DOI"),
        (
            {"alternatives": (Alternative(field="date", value="2025-12", score=0.9),)},
            "date",
            "another source has: 2025-12",
        ),
    ],
)
def test_what_is_suspicious_needs_a_look_and_says_why(changed: dict[str, Any], field: str, why: str) -> None:
    doubt = doubt_of_record(whole(**changed), {})
    assert field in doubt.asked
    assert why in doubt.reasons[field]


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        ({"volume": "30"}, "volume", "5 other records of the issue have 3"),
        ({"first_page": "1917", "last_page": ""}, "first_page", "begin on 17 to 21"),
        ({"title": "Other 1"}, "title", "another record of the issue has the same"),
        ({"abstract": "Common words. " * 20}, "abstract", "another record of the issue has the same"),
        (
            {"affiliations": ("Journal of Tides, reading you need",)},
            "affiliations",
            "5 other records of the issue have",
        ),
    ],
)
def test_a_stranger_among_the_records_of_an_issue_needs_a_look(changed: dict[str, Any], field: str, why: str) -> None:
    slogan = ("Journal of Tides, reading you need",)
    others = [
        whole(title=f"Other {n}", first_page=str(17 + n), abstract="Common words. " * 20, affiliations=slogan)
        for n in range(5)
    ]
    doubt = doubt_of_record(whole(**changed), {}, others)
    assert field in doubt.asked
    assert why in doubt.reasons[field]
    assert doubt_of_record(whole(), {}, others).asked == ()


def test_what_a_whole_journal_lacks_needs_no_look() -> None:
    assert "doi" in doubt_of_record(whole(doi=""), {}).asked
    assert "doi" in doubt_of_record(whole(doi=""), {}, [whole(title=f"Other {n}") for n in range(4)]).asked
    assert "doi" not in doubt_of_record(whole(doi=""), {}, [whole(title=f"Other {n}", doi="") for n in range(4)]).asked


def test_a_name_that_makes_patterns_work_hard_is_read_in_time() -> None:
    many = Author(family="a " * 100_000)
    assert "authors" in doubt_of_record(whole(authors=(many,)), {}).asked


@pytest.mark.parametrize("state", ["accepted", "corrected", "auto-accepted"])
def test_what_is_settled_is_in_no_doubt(state: str) -> None:
    doubt = doubt_of_record(record(title=0.99, authors=0.1, volume=0.6), {"authors": state})
    assert "authors" not in doubt.harms


def test_a_record_that_is_settled_is_in_no_doubt_at_all() -> None:
    citation = record(title=0.5)
    doubt = doubt_of_record(citation, {field.name: "accepted" for field in SHOWN_FIELDS})
    assert (doubt.field, doubt.harm, doubt.lowest) == ("", 0, 1.0)


def test_bulk_takes_what_passes_and_is_only_proposed() -> None:
    citation = record(title=0.999, authors=0.99, volume=0.4)
    bulk, chosen = collect_bulk_fields([(7, citation, {}), (8, citation, {"title": "corrected"})], 0.98, seed=1)
    assert chosen == ((7, "title"), (7, "authors"), (8, "authors"))
    assert (bulk.fields, bulk.records, len(bulk.sample)) == (3, 2, 3)


def test_a_sample_has_ten_at_most() -> None:
    bulk, chosen = collect_bulk_fields([(n, record(title=1.0), {}) for n in range(50)], 0.9, seed=1)
    assert len(chosen) == 50
    assert len(set(bulk.sample)) == 10


def test_what_is_empty_is_never_accepted_in_bulk() -> None:
    assert collect_bulk_fields([(1, Citation(), {})], 0.5, seed=1)[1] == ()


def test_a_group_of_authors_needs_no_affiliation() -> None:
    group = Author(collective="Tide Study Group")
    assert "affiliations" not in doubt_of_record(whole(authors=(*whole().authors, group)), {}).asked

"""What is looked at first, and what may be accepted without review."""

from __future__ import annotations

import pytest

from medharvest.records import Author, Citation, Evidence
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
    assert scores["abstract"] == 0.9  # it is not there, which most of the time is so
    assert "pmid" not in scores


def test_the_best_of_several_pieces_counts() -> None:
    citation = Citation(title="T", evidence=(proof("title", 0.6), proof("title", 0.95), proof("title", 0.7)))
    assert score_fields(citation)["title"] == 0.95


def test_a_doubt_in_the_authors_weighs_more_than_one_in_the_volume() -> None:
    doubt = doubt_of_record(record(title=0.99, authors=0.8, volume=0.6), {})
    assert doubt.field == "authors"
    assert doubt.least == pytest.approx(0.8)


@pytest.mark.parametrize("state", ["accepted", "corrected", "auto-accepted"])
def test_what_is_settled_is_in_no_doubt(state: str) -> None:
    doubt = doubt_of_record(record(title=0.99, authors=0.1, volume=0.6), {"authors": state})
    assert doubt.field != "authors"


def test_a_record_that_is_settled_is_in_no_doubt_at_all() -> None:
    citation = record(title=0.5)
    doubt = doubt_of_record(citation, dict.fromkeys(score_fields(citation), "accepted"))
    assert (doubt.field, doubt.least) == ("", 1.0)


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

"""The page of duplicates: pairs side by side, merged, kept and taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.waiting import until
from tests.web.visiting import Visitor

from medharvest.library.record_import import find_stored_duplicates
from medharvest.store import Store
from medharvest.store.people import Role
from medharvest.web.context import ReviewDesk


@pytest.fixture
def pair(store: Store) -> tuple[int, int]:
    """A record, and another one that may be of the same article."""
    citation = store.citation(2)
    other = replace(citation, doi="", pmid="31234567", volume="99", issue="", url="", evidence=())
    store.records.write([(None, other)], who="import")
    assert find_stored_duplicates(store) == 1
    (found,) = store.duplicates.open_pairs()
    return found.one, found.two


@pytest.fixture
def reviewer(desk: ReviewDesk) -> Visitor:
    return Visitor(desk, "rita", Role.REVIEWER)


def versions(store: Store, pair: tuple[int, int]) -> dict[str, int]:
    one, two = (store.records.get(number).version for number in pair)
    return {"version_one": one, "version_two": two}


def test_a_pair_is_shown_side_by_side_with_what_differs(reviewer: Visitor, pair: tuple[int, int]) -> None:
    text = reviewer.get("/duplicates")
    assert "may be one article: 1." in text
    assert "<mark>99</mark>" in text
    assert "<mark>31234567</mark>" in text
    assert text.count("Merge into record") == 2
    assert f'href="/records/{pair[1]}"' in text


def test_a_pair_is_merged_and_the_merge_taken_back(reviewer: Visitor, store: Store, pair: tuple[int, int]) -> None:
    where, seen = f"/duplicates/{pair[0]}/{pair[1]}", versions(store, pair)
    assert reviewer.send(f"{where}/merge", keep=pair[0], **seen) == "/duplicates"
    assert reviewer.said == f"Merged into record {pair[0]}."
    assert store.citation(pair[0]).pmid == "31234567"
    text = reviewer.get("/duplicates")
    assert "No pair waits for a decision." in text
    assert "merged into record" in text
    reviewer.send(f"{where}/undo")
    assert store.citation(pair[0]).pmid == ""
    assert store.duplicates.count_open() == 1


def test_a_pair_of_two_articles_is_kept_and_not_offered_again(
    reviewer: Visitor, store: Store, pair: tuple[int, int]
) -> None:
    where = f"/duplicates/{pair[0]}/{pair[1]}"
    reviewer.send(f"{where}/keep")
    assert "two articles" in reviewer.get("/duplicates")
    assert reviewer.send("/duplicates/find") == "/duplicates"
    until(lambda: "0 new pairs" in reviewer.get("/duplicates"))
    assert store.duplicates.count_open() == 0
    reviewer.send(f"{where}/undo")
    assert store.duplicates.count_open() == 1


def test_a_record_that_was_changed_meanwhile_is_not_merged(
    reviewer: Visitor, store: Store, pair: tuple[int, int]
) -> None:
    seen = versions(store, pair)
    store.set_value(pair[1], "issue", "7", who="ben")
    text = reviewer.send(f"/duplicates/{pair[0]}/{pair[1]}/merge", 409, keep=pair[0], **seen)
    assert f"article {pair[1]} was changed meanwhile" in text
    assert store.duplicates.count_open() == 1


def test_only_reviewers_decide(desk: ReviewDesk, pair: tuple[int, int]) -> None:
    operator = Visitor(desk, "otto", Role.OPERATOR)
    assert "<button disabled>Compare all records" in operator.get("/duplicates")
    for action in ("merge", "keep", "undo"):
        operator.send(f"/duplicates/{pair[0]}/{pair[1]}/{action}", 403)
    operator.send("/duplicates/find", 403)


def test_a_pair_that_is_none_is_a_problem_and_no_crash(reviewer: Visitor) -> None:
    assert "no such pair: 1 and 2" in reviewer.send("/duplicates/1/2/keep", 422)
    assert "cannot merge: 1 and 1" in reviewer.send("/duplicates/1/1/merge", 422)

"""Pairs of records that may be one article: noted, decided, merged and split, in both databases."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from medharvest.errors import ConflictError, InputError, StoreError
from medharvest.library.record_import import find_stored_duplicates, merge_stored_records
from medharvest.records import Author, Citation, Evidence
from medharvest.store import open_store
from medharvest.store.duplicates import DuplicatePair, PairState

if TYPE_CHECKING:
    from pathlib import Path

    from medharvest.store import Store

TIDES = Citation(
    title="Tidal volume and gout in adults: a cohort study",
    authors=(Author(family="Marsh", given="Ada"),),
    journal="Annals of Estuary Medicine",
    date="2031-03",
    volume="12",
    first_page="201",
)
KELP = Citation(title="Kelp iodine for the thyroid of harbour pilots", volume="12", first_page="209", date="2031")


def proof(field: str, page: str) -> Evidence:
    return Evidence(field=field, page=page, source="zone", path="p", start=0, end=1, text="x", method="m", score=0.9)


ONE = replace(TIDES, doi="10.5555/aem.7", evidence=(proof("title", "d1"),))
TWO = replace(TIDES, journal="", volume="13", pmid="31234567", evidence=(proof("pmid", "d2"), proof("title", "d2")))


@pytest.fixture
def store(store: Store) -> Store:
    """A store with two records of one article and one of another, and a run that saw the second of them."""
    store.save(None, [ONE])
    run = store.runs.begin("https://tides.example/12", "runs/1", ())
    store.save(run, [KELP, TWO])
    store.duplicates.note([DuplicatePair(one=3, two=1, score=0.6, method="fields")])
    return store


def open_numbers(store: Store) -> list[tuple[int, int]]:
    return [(pair.one, pair.two) for pair in store.duplicates.open_pairs()]


def titles(store: Store, **chosen: Any) -> list[str]:
    return [record.pmid or record.title[:5] for record in store.citations(**chosen)]


def test_a_pair_is_noted_once_and_whichever_way_round(store: Store) -> None:
    assert store.duplicates.note([DuplicatePair(one=1, two=3, score=0.9, method="doi")]) == 0
    assert store.duplicates.note([DuplicatePair(one=2, two=2, score=0.9, method="doi")]) == 0
    assert open_numbers(store) == [(1, 3)]
    assert store.duplicates.get(3, 1).score == pytest.approx(0.6)
    assert store.duplicates.count_open() == 1
    with pytest.raises(StoreError, match="no such pair: 1 and 2"):
        store.duplicates.get(2, 1)


def test_all_records_are_compared_and_known_pairs_are_not_offered_again(store: Store) -> None:
    store.save(None, [replace(KELP, title=KELP.title + " [Swedish]", journal="Tides", volume="")])
    assert find_stored_duplicates(store) == 1
    assert open_numbers(store) == [(1, 3), (2, 4)]
    store.duplicates.keep_both(2, 4, who="ada")
    assert find_stored_duplicates(store) == 0
    assert open_numbers(store) == [(1, 3)]
    store.duplicates.reopen(4, 2, who="ada")
    assert open_numbers(store) == [(1, 3), (2, 4)]


def test_merged_records_are_one_with_the_values_and_evidence_of_both(store: Store) -> None:
    batch = merge_stored_records(store, 1, 3, who="ada", keep=1)
    kept = store.records.get(1)
    assert (kept.citation.pmid, kept.citation.volume, kept.citation.doi) == ("31234567", "12", "10.5555/aem.7")
    assert {(p.field, p.page) for p in kept.citation.evidence if p.page} >= {("title", "d1"), ("pmid", "d2")}
    assert ("volume", "13") in {(other.field, other.value) for other in kept.citation.alternatives}
    assert titles(store) == ["31234567", "Kelp "]
    pair = store.duplicates.get(1, 3)
    assert (pair.state, pair.kept, pair.gone, pair.act, pair.who) == (PairState.MERGED, 1, 3, batch, "ada")
    assert open_numbers(store) == []
    assert store.check() == ()


def test_a_run_that_saw_the_hidden_record_has_the_kept_one(store: Store) -> None:
    assert titles(store, run=1) == ["Kelp ", "31234567"]
    merge_stored_records(store, 1, 3, who="ada", keep=1)
    assert titles(store, run=1) == ["Kelp ", "31234567"]
    assert [number for number, _ in store.records.numbered(run=1)] == [2, 1]
    store.review.split(1, 3, who="ada")
    assert [number for number, _ in store.records.numbered(run=1)] == [2, 3]


def test_a_split_gives_both_back_and_the_pair_is_not_offered_again(store: Store) -> None:
    before = {n: store.records.get(n).citation for n in (1, 2, 3)}
    merge_stored_records(store, 1, 3, who="ada")
    store.review.split(3, 1, who="ada")
    assert {n: store.records.get(n).citation for n in (1, 2, 3)} == before
    assert titles(store) == ["Tidal", "Kelp ", "31234567"]
    assert find_stored_duplicates(store) == 0
    assert open_numbers(store) == []
    assert store.duplicates.get(1, 3).state is PairState.DIFFERENT
    with pytest.raises(StoreError, match="records 1 and 3 are not merged"):
        store.review.split(1, 3, who="ada")
    assert store.check() == ()


def test_what_was_changed_after_a_merge_survives_the_split(store: Store) -> None:
    merge_stored_records(store, 1, 3, who="ada", keep=1)
    store.set_value(1, "title", "Tides and gout", who="bob")
    store.review.split(1, 3, who="ada")
    one, three = store.citation(1), store.citation(3)
    assert (one.title, one.pmid, three.title, three.pmid) == ("Tides and gout", "", TIDES.title, "31234567")


def test_an_undone_merge_is_offered_again_and_undoing_that_merges_again(store: Store) -> None:
    batch = merge_stored_records(store, 1, 3, who="ada")
    undone = store.undo(batch, who="ada")
    assert open_numbers(store) == [(1, 3)]
    store.undo(undone, who="ada")
    assert store.duplicates.get(1, 3).state is PairState.MERGED
    assert len(titles(store)) == 2
    store.review.split(1, 3, who="ada", state=PairState.OPEN)
    assert open_numbers(store) == [(1, 3)]
    assert len(titles(store)) == 3


def test_a_value_that_a_person_judged_wins_and_stays_judged(store: Store) -> None:
    store.set_value(3, "volume", "14", who="bob")
    merge_stored_records(store, 1, 3, who="ada", keep=1)
    kept = store.records.get(1)
    assert (kept.citation.volume, kept.states["volume"].value) == ("14", "corrected")
    store.review.split(1, 3, who="ada")
    store.set_value(1, "volume", "15", who="bob")
    merge_stored_records(store, 1, 3, who="ada", keep=1)
    assert store.citation(1).volume == "15"


def test_the_record_that_a_person_accepted_is_kept(store: Store) -> None:
    store.accept(3, who="bob")
    merge_stored_records(store, 1, 3, who="ada")
    assert store.duplicates.get(1, 3).kept == 3


def test_a_reading_of_the_hidden_record_goes_to_the_kept_one(store: Store) -> None:
    merge_stored_records(store, 1, 3, who="ada", keep=3)
    store.save(None, [replace(ONE, abstract="Ebb and flow.")])
    assert store.citation(3).abstract == "Ebb and flow."
    assert store.records.find(ONE) == (3, store.citation(3))
    assert store.duplicates.survivor(1) == 3


def test_merges_follow_one_another(store: Store) -> None:
    merge_stored_records(store, 1, 3, who="ada", keep=1)
    merge_stored_records(store, 1, 2, who="ada", keep=2)
    assert store.duplicates.survivor(3) == 2
    assert titles(store) == ["31234567"]
    store.review.split(1, 2, who="ada")
    store.review.split(1, 3, who="ada")
    assert titles(store) == ["Tidal", "Kelp ", "31234567"]


def test_a_merge_is_refused_if_somebody_changed_a_record_meanwhile(store: Store) -> None:
    versions = {n: store.records.get(n).version for n in (1, 3)}
    store.set_value(3, "issue", "2", who="bob")
    with pytest.raises(ConflictError, match="article 3 was changed meanwhile"):
        merge_stored_records(store, 1, 3, who="ada", versions=versions)
    assert open_numbers(store) == [(1, 3)]
    assert len(titles(store)) == 3


@pytest.mark.parametrize(("one", "two", "keep"), [(1, 1, 0), (1, 3, 2)])
def test_only_two_records_can_be_merged_and_one_of_them_kept(store: Store, one: int, two: int, keep: int) -> None:
    with pytest.raises(InputError, match="cannot merge"):
        merge_stored_records(store, one, two, who="ada", keep=keep)


def test_merged_records_are_split_before_they_are_two(store: Store) -> None:
    merge_stored_records(store, 1, 3, who="ada")
    with pytest.raises(StoreError, match="records 1 and 3 were merged"):
        store.duplicates.keep_both(1, 3, who="ada")


KILLED = """
import os, sys
from medharvest.library.record_import import merge_stored_records
from medharvest.store import open_store, duplicates
store = open_store(sys.argv[1])
if sys.argv[2] == "during":
    duplicates.decide_pair = lambda *given, **more: os.kill(os.getpid(), 9)
merge_stored_records(store, 1, 2, who="ada")
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("when", "records", "state"), [("during", 2, "open"), ("after", 1, "merged")])
def test_a_killed_merge_is_done_wholly_or_not_at_all(tmp_path: Path, when: str, records: int, state: str) -> None:
    url = str(tmp_path / "store.sqlite")
    with open_store(url) as made:
        made.save(None, [ONE, TWO])
        find_stored_duplicates(made)
    done = subprocess.run([sys.executable, "-c", KILLED, url, when], check=False)
    assert done.returncode == -signal.SIGKILL
    with open_store(url) as left:
        assert len(list(left.citations())) == records
        assert left.duplicates.get(1, 2).state == state
        assert left.check() == ()


def test_a_supplement_is_saved_whole_and_the_first_of_its_abstracts_is_offered_with_each(store: Store) -> None:
    names = ("Salt and blood pressure on three islands", "Night work on ferries", "Fog, falls and lighthouse keepers")
    counts = store.save(
        None, [Citation(title=name, doi="10.5555/s1", first_page=f"S{n}") for n, name in enumerate(names)]
    )
    assert (counts.new, counts.uncertain) == (3, 2)
    assert open_numbers(store) == [(1, 3), (4, 5), (4, 6)]

"""A store of every older revision opens with all it holds, and goes on as a new one does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.store import old

from medharvest.store import FieldState, SaveCounts, Status, database, open_existing, open_store

pytestmark = pytest.mark.no_cover  # every revision takes the same ways


def test_every_older_revision_is_tried() -> None:
    assert list(old.ROWS) == database.list_revisions()[:-1]


@pytest.mark.parametrize("revision", old.ROWS)
def test_a_store_of_an_older_revision_keeps_what_it_holds_and_goes_on(new_url: str, revision: str) -> None:
    old.make(new_url, revision)
    with open_store(new_url) as store:
        assert (store.migrated.before, store.migrated.after) == (revision, database.list_revisions()[-1])
        assert [run.archive_length for run in store.runs.all()] == [7]
        assert [page.digest for page in store.runs.pages(1)] == ["d"]
        assert list(store.citations(run=1)) == list(store.citations()) == [old.LATER, old.FLOOD]
        assert [len(list(store.journals.link_examples(journal.name))) for journal in store.journals.all()] == [1] * (
            revision >= "0002"
        )
        assert [store.journals.layouts(journal.name) for journal in store.journals.all()][:1] == (
            [("lesson",)] if revision >= "0003" else [()] if revision == "0002" else []
        )
        assert (store.journals.titles_of("Shore") is not None) == (revision >= "0004")
        article = store.records.get(1)
        assert (article.status, article.version, article.states) == (Status.PROPOSED, 2, {})
        assert len(list(store.changes(1))) == 2
        assert len(list(store.topic_pages.all())) == (revision >= "0006")
        assert [len(one.date) for one in store.overview.issues() if one.title == "Inlet"] == [40] * (revision >= "0010")
        assert store.check() == ()


@pytest.mark.parametrize("revision", old.ROWS)
def test_what_an_older_medharvest_changed_can_be_undone_and_changed_further(new_url: str, revision: str) -> None:
    old.make(new_url, revision)
    with open_store(new_url) as store:
        assert store.save(None, [old.LATER]) == SaveCounts(same=1)
        store.undo(max(line.batch for line in store.changes(1)), who="ada")
        assert store.citation(1) == old.EBB
        store.set_value(1, "title", "Neap", who="ada")
        assert store.save(1, [replace(old.EBB, title="Ebb, again")]).changed == 1
        assert store.records.get(1).states == {"title": FieldState.CORRECTED}
        assert store.save(None, [replace(old.FLOOD, title="New", journal="Moor")]).new == 1
        assert [number for number, _ in store.records.numbered()] == [1, 2, 3]
        assert store.check() == ()
    with open_existing(new_url) as store:
        assert store.migrated.before == store.migrated.after
        assert store.check() == ()


@pytest.mark.parametrize("revision", [revision for revision in old.ROWS if revision >= "0008"])
def test_what_an_older_medharvest_sent_counts_for_the_first_address_that_is_delivered_to(
    new_url: str, revision: str
) -> None:
    old.make(new_url, revision)
    here, there = "a" * 64, "b" * 64
    with open_store(new_url) as store:
        known = {1: "sent", 2: "refused"} if revision >= "0013" else {1: "sent"}
        kept = store.deliveries
        for address in (here, there):  # looking adopts nothing
            found = kept.find("shelf", [1, 2], address=address)
            assert {number: row.state for number, row in found.items()} == known
        kept.adopt("shelf", address=here)
        assert len(kept.find("shelf", [1, 2], address=here)) == len(known)
        assert kept.find("shelf", [1, 2], address=there) == {}
        assert (kept.has_moved("shelf", address=here), kept.has_moved("shelf", address=there)) == (False, True)


def test_what_tied_acts_together_in_the_reasons_of_an_older_store_is_in_columns(new_url: str) -> None:
    old.make(new_url, "0011")
    with open_store(new_url) as store:
        lines = [line for line in store.changes(2) if line.field == "language"]
        assert [(line.batch, line.caused_by, line.undoes, line.page) for line in lines] == [
            (4, 0, 0, "9f86d0"),
            (5, 4, 0, ""),
            (6, 0, 5, ""),
            (7, 0, 4, ""),
            (8, 0, 0, ""),
            (9, 0, 0, ""),
        ]
        assert [line.reason for line in lines] == [reason for _, _, reason in old.ACTS]
        assert store.overview.saved_touches([1, 2]) == 0

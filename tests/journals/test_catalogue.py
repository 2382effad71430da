"""The journal of an issue is found by name, ISSN or host, with what it was taught."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harvest.conftest import HASTY

from medharvest.demo import list_demo_issues, serve
from medharvest.errors import StoreError
from medharvest.fetch import HttpFetcher
from medharvest.harvest.issue_run import harvest_issue
from medharvest.harvest.run_results import Harvest
from medharvest.journals.catalogue import (
    KnownJournal,
    choose_built_in_journal,
    find_journal_title,
    find_known_journal,
    look_up_title,
    set_journal_title,
)
from medharvest.records import JournalTitle, LinkExample
from medharvest.store import Journal, Store, open_store

EXAMPLE = LinkExample(page="https://tides.example/1", index=0, article=True, vector=((),) * 9)


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        opened.journals.save(Journal(name="tides", issn=("9152-6035",), hosts=("tides.example",)))
        opened.journals.teach_links("tides", [EXAMPLE])
        yield opened


def test_the_journal_is_the_one_named_or_the_one_the_address_and_issn_belong_to(store: Store) -> None:
    assert find_known_journal(store, name="tides").examples == (EXAMPLE,)
    assert find_known_journal(store, url="https://www.tides.example/4/2").examples == (EXAMPLE,)
    assert find_known_journal(store, url="https://moved.example/4/2", issn=("9152-6035",)).examples == (EXAMPLE,)
    assert find_known_journal(store, url="https://moors.example/4/2") == KnownJournal()
    assert find_known_journal(store) == KnownJournal()


def test_a_named_journal_must_be_there(store: Store) -> None:
    with pytest.raises(StoreError, match="no such journal: moors"):
        find_known_journal(store, name="moors", url="https://tides.example/")


def test_what_a_run_learnt_of_one_journal_is_not_used_for_another_on_the_same_host(tmp_path: Path) -> None:
    first, other = (next(one for one in list_demo_issues() if one.id == name) for name in ("a3", "b1"))
    assert first.journal != other.journal
    with serve(slow=0.0) as server, open_store(str(tmp_path / "store.sqlite")) as opened:

        async def run(path: str) -> Harvest:
            async with HttpFetcher(HASTY.fetch) as fetcher:
                return await harvest_issue(
                    server.url + path, fetcher=fetcher, store=opened, folder=tmp_path / "run", settings=HASTY
                )

        taught = [asyncio.run(run(issue.path)) for issue in (first, other)]
        assert all(one.taught for one in taught)
        assert taught[0].taught != taught[1].taught
        assert [one.drift for one in taught] == ["", ""]
        assert all(journal.issn for journal in opened.journals.all())


def test_a_known_journal_needs_no_guess(store: Store) -> None:
    known = look_up_title(store, "The Lancet")
    assert (known.entry.abbreviation, known.entry.nlm_id, known.guessed) == ("Lancet", "2985213R", False)
    assert look_up_title(store, "0140-6736").entry.abbreviation == "Lancet"
    assert look_up_title(store, "Annals of Estuary Medicine").guessed


def test_what_was_set_goes_before_what_is_built_in(store: Store) -> None:
    set_journal_title(store, "The Lancet", JournalTitle(abbreviation="Lanc"))
    known = find_journal_title(store, "The Lancet")
    assert known is not None
    assert (known.abbreviation, known.nlm_id) == ("Lanc", "2985213R")


def test_a_journal_with_other_issns_is_another_one_of_the_same_name() -> None:
    assert choose_built_in_journal("Lancet", ["2049-3630"]) is None
    assert choose_built_in_journal("Another name", ["0140-6736"]) == choose_built_in_journal("Lancet")

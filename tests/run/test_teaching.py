"""What was taught reaches the issue it belongs to: by name, by ISSN, by host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from medharvest.errors import StoreError
from medharvest.records import LinkExample
from medharvest.run.teaching import KnownJournal, known_journal
from medharvest.store import Journal, Store, open_store

EXAMPLE = LinkExample(page="https://tides.example/1", index=0, article=True, vector=((),) * 9)


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        opened.save_journal(Journal(name="tides", issn=("9152-6035",), hosts=("tides.example",)))
        opened.teach_links("tides", [EXAMPLE])
        yield opened


def test_the_journal_is_the_one_named_or_the_one_the_address_and_issn_belong_to(store: Store) -> None:
    assert known_journal(store, name="tides").examples == (EXAMPLE,)
    assert known_journal(store, url="https://www.tides.example/4/2").examples == (EXAMPLE,)
    assert known_journal(store, url="https://moved.example/4/2", issn=("9152-6035",)).examples == (EXAMPLE,)
    assert known_journal(store, url="https://moors.example/4/2") == KnownJournal()
    assert known_journal(store) == KnownJournal()


def test_a_named_journal_must_be_there(store: Store) -> None:
    with pytest.raises(StoreError, match="no such journal: moors"):
        known_journal(store, name="moors", url="https://tides.example/")

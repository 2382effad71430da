"""What pages taught of a journal's layout, whichever database is behind the store."""

from __future__ import annotations

import pytest

from medharvest.errors import StoreError
from medharvest.store import Journal, Store


def test_a_page_taught_again_replaces_what_it_taught(store: Store) -> None:
    store.save_journal(Journal(name="tides"))
    store.save_journal(Journal(name="ebb"))
    store.teach_layouts("tides", {"d1": '{"a": 1}', "d2": '{"b": "é"}'})
    store.teach_layouts("tides", {"d1": '{"a": 2}'})
    assert sorted(store.layouts("tides")) == ['{"a": 2}', '{"b": "é"}']
    assert store.layouts("ebb") == ()


def test_a_journal_goes_with_its_layouts(store: Store) -> None:
    store.save_journal(Journal(name="tides"))
    store.teach_layouts("tides", {"d1": "{}"})
    store.forget("tides")
    store.save_journal(Journal(name="tides"))
    assert store.layouts("tides") == ()


def test_an_unknown_journal_is_an_error(store: Store) -> None:
    with pytest.raises(StoreError, match="no such journal"):
        store.layouts("none")
    with pytest.raises(StoreError, match="no such journal"):
        store.teach_layouts("none", {})

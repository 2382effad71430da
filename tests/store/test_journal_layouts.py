"""What pages taught of a journal's layout, whichever database is behind the store."""

from __future__ import annotations

import pytest

from medharvest.errors import StoreError
from medharvest.store import Journal, Store


def test_a_page_taught_again_replaces_what_it_taught(store: Store) -> None:
    store.journals.save(Journal(name="tides"))
    store.journals.save(Journal(name="ebb"))
    store.journals.teach_layouts("tides", {"d1": '{"a": 1}', "d2": '{"b": "é"}'})
    store.journals.teach_layouts("tides", {"d1": '{"a": 2}'})
    assert sorted(store.journals.layouts("tides")) == ['{"a": 2}', '{"b": "é"}']
    assert store.journals.layouts("ebb") == ()


def test_a_journal_goes_with_its_layouts(store: Store) -> None:
    store.journals.save(Journal(name="tides"))
    store.journals.teach_layouts("tides", {"d1": "{}"})
    store.journals.remove("tides")
    store.journals.save(Journal(name="tides"))
    assert store.journals.layouts("tides") == ()


def test_an_unknown_journal_is_an_error(store: Store) -> None:
    with pytest.raises(StoreError, match="no such journal"):
        store.journals.layouts("none")
    with pytest.raises(StoreError, match="no such journal"):
        store.journals.teach_layouts("none", {})

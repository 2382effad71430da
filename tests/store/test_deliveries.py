"""What was sent to targets, whichever database is behind the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from medharvest.errors import StoreError
from medharvest.records import Citation, Policy
from medharvest.store import DeliveryRow, DeliverySpan, Journal, Status, Store, open_store

DIGEST = "d" * 64


@pytest.fixture
def filled(store: Store) -> Store:
    store.save(None, [Citation(title=f"T{number}", doi=f"10.1/{number}") for number in range(1, 6)])
    return store


def sent(number: int, **more: Any) -> DeliveryRow:
    return replace(DeliveryRow(article=number, digest=DIGEST, state="sent"), **more)


def test_what_was_kept_is_found_by_target_and_article(filled: Store) -> None:
    kept = filled.deliveries
    kept.keep("a", [sent(1, remote_id="x\0y"), sent(2, state="failed", detail="no")])
    kept.keep("b", [sent(1)])
    found = kept.find("a", iter([1, 2, 3]))
    assert [(one.article, one.state, one.remote_id, one.detail, one.n) for one in found.values()] == [
        (1, "sent", "x\N{REPLACEMENT CHARACTER}y", "", 1),
        (2, "failed", "", "no", 2),
    ]
    assert kept.find("b", [1])[1].n == 3
    assert kept.states("a") == {"sent": 1, "failed": 1}
    assert kept.states("c") == {}


def test_the_list_is_in_the_order_of_changes_and_a_change_moves_to_its_end(filled: Store) -> None:
    kept = filled.deliveries
    kept.keep("a", [sent(1), sent(2), sent(3, state="failed")])
    kept.keep("a", [sent(1, state="deleted")])
    listed = kept.listed("a", DeliverySpan(), limit=10)
    assert [(one.article, one.state) for one in listed] == [(2, "sent"), (1, "deleted")]
    assert [one.article for one in kept.listed("a", DeliverySpan(after=listed[0].n), limit=10)] == [1]
    assert [one.article for one in kept.listed("a", DeliverySpan(), limit=1)] == [2]
    first, last = listed[0].at, listed[1].at
    assert first < last
    assert [one.article for one in kept.listed("a", DeliverySpan(since=last), limit=9)] == [1]
    assert [one.article for one in kept.listed("a", DeliverySpan(until=first), limit=9)] == [2]
    assert (
        kept.count("a", DeliverySpan()),
        kept.count("a", DeliverySpan(since=last)),
        kept.count("b", DeliverySpan()),
    ) == (2, 1, 0)
    assert (kept.earliest("a"), kept.earliest("b")) == (first, "")


def test_nothing_is_kept_of_a_batch_with_a_wrong_row(filled: Store) -> None:
    with pytest.raises(StoreError):
        filled.deliveries.keep("a", [sent(1), sent(99)])
    assert filled.deliveries.find("a", [1]) == {}


def test_records_come_with_their_version_which_grows_with_each_change(filled: Store) -> None:
    before = {one.number: one.version for one in filled.records.outgoing()}
    filled.records.write([(2, Citation(title="T2, corrected", doi="10.1/2"))], who="me")
    two, three = filled.records.outgoing(numbers=[2, 3])
    assert (two.number, two.citation.title) == (2, "T2, corrected")
    assert two.version > before[2]
    assert three.version == before[3]


def test_deleted_articles_go_along_marked_unless_a_status_is_chosen(filled: Store) -> None:
    filled.review.delete(2, who="me")
    filled.accept(3, who="me")
    assert [one.number for one in filled.records.outgoing() if one.deleted] == [2]
    assert [one.number for one in filled.records.outgoing(statuses=[Status.ACCEPTED])] == [3]


def test_the_articles_changed_after_a_change_are_known(filled: Store) -> None:
    last, every = filled.deliveries.changed(0)
    assert every == (1, 2, 3, 4, 5)
    assert filled.deliveries.changed(last) == (last, ())
    filled.records.write([(4, Citation(title="New", doi="10.1/4"))], who="me")
    later, changed = filled.deliveries.changed(last)
    assert later > last
    assert changed == (4,)
    record = filled.deliveries.record(4)
    assert record is not None
    assert record.title == "New"
    assert filled.deliveries.record(99) is None


def test_more_records_than_one_batch_all_come(url: str, clock: Callable[[], str]) -> None:
    with open_store(url, now=clock) as store:
        store.save(None, [Citation(title=f"T{number}", doi=f"10.1/{number}") for number in range(210)])
        numbers = [one.number for one in store.records.outgoing()]
        assert len(numbers) == 210
        store.deliveries.keep("a", map(sent, numbers))
        assert len(store.deliveries.find("a", numbers)) == 210


def test_a_policy_is_kept_with_its_journal(store: Store) -> None:
    store.journals.save(Journal(name="tides", title="Tides"))
    policy = Policy(permission="a licence", abstracts=False, embargo="12 months", terms="é")
    store.journals.save_policy("tides", policy)
    store.journals.save(Journal(name="tides", title="Tides, again"))
    assert store.journals.get("tides") == Journal(name="tides", title="Tides, again", policy=policy)
    store.journals.save_policy("tides", Policy())
    assert store.journals.get("tides").policy == Policy()
    with pytest.raises(StoreError, match="no such journal"):
        store.journals.save_policy("moors", policy)


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    with pytest.raises(StoreError, match="store is closed"):
        store.deliveries.states("a")

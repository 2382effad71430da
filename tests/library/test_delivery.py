"""Delivery of stored records: what is sent, what is left out and why, and what the next delivery knows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from tests.deliver.records import ONE, RECORDS, THREE, TWO

from medharvest.deliver import Batch, DeliveryState, RetryPolicy
from medharvest.deliver.files import FileTarget
from medharvest.deliver.oai import OaiListTarget
from medharvest.deliver.parcels import receipts_for_batch
from medharvest.errors import StoreError
from medharvest.formats import FORMATS
from medharvest.journals.policy import set_policy
from medharvest.library.delivery import Delivery, take_loader_reports
from medharvest.library.export import open_exporter
from medharvest.records import JournalTitle
from medharvest.store import open_store

TODAY = date(2026, 1, 1)


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        opened.save(None, RECORDS)
        yield opened


class Put:
    """Keeps files in memory, and fails when told."""

    def __init__(self):
        self.files, self.fail = {}, ""

    def __call__(self, name, body):
        if self.fail:
            raise OSError(self.fail)
        self.files[name] = body


@pytest.fixture
def put():
    return Put()


def deliver(store, target, *, name="t", again=False, tries=1, today=TODAY):
    delivery = Delivery(open_exporter(store, today), name, target, again=again)
    told = delivery.send(store.records.outgoing(), patience=RetryPolicy(tries=tries, sleep=lambda _: None))
    return {one.receipt.article: one for one in told}


def states(told):
    return [told[number].receipt.state for number in sorted(told)]


def test_the_same_delivery_again_sends_nothing(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    assert states(deliver(store, target)) == [DeliveryState.SENT] * 3
    files = dict(put.files)
    assert len(files) == 2
    put.files.clear()
    assert states(deliver(store, target)) == [DeliveryState.UNCHANGED] * 3
    assert put.files == {}
    assert states(deliver(store, target, again=True)) == [DeliveryState.SENT] * 3
    assert put.files == files


def test_only_what_changed_for_the_target_is_sent(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    deliver(store, target)
    put.files.clear()
    store.records.write([(1, replace(ONE, evidence=())), (2, replace(TWO, title="Moons, corrected"))], who="me")
    assert states(deliver(store, target)) == [DeliveryState.UNCHANGED, DeliveryState.SENT, DeliveryState.UNCHANGED]
    (body,) = put.files.values()
    assert body.count(b"<Article>") == 1
    assert b"Moons, corrected" in body


def test_what_failed_is_sent_the_next_time(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    put.fail = "away"
    assert states(deliver(store, target, tries=2)) == [DeliveryState.FAILED] * 3
    put.fail = ""
    assert states(deliver(store, target)) == [DeliveryState.SENT] * 3
    assert states(deliver(store, target)) == [DeliveryState.UNCHANGED] * 3


def test_a_kill_between_two_batches_loses_nothing_and_sends_only_the_rest(store, put):
    class Killed(FileTarget):
        def send(self, batch: Batch):
            if put.files:
                raise KeyboardInterrupt
            return super().send(batch)

    with pytest.raises(KeyboardInterrupt):
        deliver(store, Killed(FORMATS["pubmed"], put))
    first = dict(put.files)
    assert len(first) == 1
    assert sorted(states(deliver(store, FileTarget(FORMATS["pubmed"], put)))) == [
        DeliveryState.SENT,
        DeliveryState.UNCHANGED,
        DeliveryState.UNCHANGED,
    ]
    assert len(put.files) == 2


def test_a_record_that_pubmed_would_refuse_stays_and_says_why(store, put):
    wrong = (replace(ONE, title="", volume="99", doi=""), replace(TWO, doi="nonsense"), replace(THREE, doi=ONE.doi))
    store.records.write([(number, one) for number, one in enumerate(wrong, 1)], who="me")
    store.records.write([(None, replace(ONE, doi=ONE.doi, volume="77", pii="other"))], who="me")
    told = deliver(store, FileTarget(FORMATS["pubmed"], put))
    assert states(told) == [DeliveryState.REFUSED, DeliveryState.REFUSED, DeliveryState.SENT, DeliveryState.REFUSED]
    assert [told[number].receipt.detail.partition(":")[0] for number in (1, 2, 4)] == [
        "lacks title",
        "not a bare DOI",
        "another record has its DOI",
    ]
    assert states(deliver(store, FileTarget(FORMATS["ris"], put))) == [DeliveryState.SENT] * 4


def test_what_the_schema_refuses_stays_too(store, put):
    form = replace(FORMATS["pubmed"], write=lambda _: iter(["<ArticleSet><Oddity/></ArticleSet>"]))
    told = deliver(store, FileTarget(form, put))
    assert states(told) == [DeliveryState.REFUSED] * 3
    assert put.files == {}


def test_what_the_user_says_of_a_journal_goes_along(store, put):
    store.journals.save_title(JournalTitle(title="Journal of Tides", abbreviation="Tides (Lond)", issn=("2049-3630",)))
    deliver(store, FileTarget(FORMATS["pubmed"], put))
    assert all(b"<JournalTitle>Tides (Lond)</JournalTitle>" in body for body in put.files.values())


def test_policies_are_obeyed_and_told_of_each_record(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    set_policy(store, "Journal of Tides", {"abstracts": False, "embargo": "18 months"})
    told = deliver(store, target)
    assert states(told) == [DeliveryState.SENT, DeliveryState.SENT, DeliveryState.WITHHELD]
    assert told[1].note == "without its abstract: policy of journal-of-tides"
    assert told[3].receipt.detail == "embargo of journal-of-tides until 2027-06-30"
    assert not any(b"Abstract" in body for body in put.files.values())
    assert states(deliver(store, target, today=date(2027, 7, 1))) == [
        DeliveryState.UNCHANGED,
        DeliveryState.UNCHANGED,
        DeliveryState.SENT,
    ]
    set_policy(store, "Journal of Tides", {"embargo": "2030-01-01"})
    told = deliver(store, target)
    assert states(told) == [DeliveryState.WITHHELD] * 3
    assert "delete it there by hand" in told[1].receipt.detail


def test_a_list_shows_what_a_policy_takes_back_as_deleted_until_it_is_permitted_again(store):
    assert states(deliver(store, OaiListTarget())) == [DeliveryState.SENT] * 3
    set_policy(store, "Journal of Tides", {"embargo": "2027-01-01"})
    assert states(deliver(store, OaiListTarget())) == [DeliveryState.DELETED] * 3
    assert states(deliver(store, OaiListTarget())) == [DeliveryState.WITHHELD] * 3
    assert store.deliveries.states("t") == {"deleted": 3}
    assert states(deliver(store, OaiListTarget(), today=date(2027, 1, 1))) == [DeliveryState.SENT] * 3
    OaiListTarget().close()


def test_a_deleted_record_is_not_sent_and_where_it_was_it_is_told(store, put):
    target = FileTarget(FORMATS["ris"], put)
    store.review.delete(1, who="me")
    assert sorted(deliver(store, target)) == [2, 3]
    assert sorted(deliver(store, OaiListTarget(), name="list")) == [2, 3]
    store.review.delete(2, who="me")
    told = deliver(store, target)
    assert told[2].receipt.state is DeliveryState.WITHHELD
    assert told[2].receipt.detail == "deleted from the collection; it was sent before, delete it there by hand"
    assert deliver(store, OaiListTarget(), name="list")[2].receipt.state is DeliveryState.DELETED
    assert deliver(store, OaiListTarget(), name="list")[2].receipt.state is DeliveryState.WITHHELD


def test_a_dry_run_shows_the_very_bytes_and_sends_nothing(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    set_policy(store, "Journal of Tides", {"embargo": "18 months"})
    delivery = Delivery(open_exporter(store, TODAY), "t", target)
    shown: list[Any] = list(delivery.show(store.records.outgoing()))
    *told, batch = shown
    assert [one.receipt.state for one in told] == [DeliveryState.SENT, DeliveryState.SENT, DeliveryState.WITHHELD]
    assert (put.files, store.deliveries.states("t")) == ({}, {})
    deliver(store, target)
    assert put.files == {batch.name: batch.body}


def test_reports_give_records_their_pmids_and_corrections_replace_them(store, put):
    target = FileTarget(FORMATS["pubmed"], put)
    deliver(store, target)
    report = b"10.9999/tides.1 PMID 31234567\n10.9999/tides.2 rejected: no such journal\n10.9999/tides.9 PMID 3333333\n"
    told = list(take_loader_reports(store, "t", [("r.txt", report), ("again.txt", report)]))
    assert [(one.receipt.article, one.receipt.state, one.receipt.remote_id) for one in told] == [
        (1, DeliveryState.SENT, "31234567"),
        (2, DeliveryState.REFUSED, ""),
    ]
    assert store.citation(1).pmid == "31234567"
    assert store.deliveries.find("t", [1])[1].remote_id == "31234567"
    put.files.clear()
    assert states(deliver(store, target)) == [DeliveryState.UNCHANGED, DeliveryState.SENT, DeliveryState.UNCHANGED]
    store.records.write([(1, replace(store.citation(1), title="Tides, corrected"))], who="me")
    put.files.clear()
    assert states(deliver(store, target)) == [DeliveryState.SENT, DeliveryState.UNCHANGED, DeliveryState.UNCHANGED]
    (body,) = put.files.values()
    assert b'<Replaces IdType="pubmed">31234567</Replaces>' in body
    assert store.deliveries.find("t", [1])[1].remote_id == "31234567"


def test_a_report_against_the_record_is_told_and_an_identifier_of_two_names_neither(store, put):
    changed = [(1, replace(ONE, pmid="7654321", pii="7")), (3, replace(THREE, pii=TWO.pii))]
    store.records.write(changed, who="me")
    deliver(store, FileTarget(FORMATS["pubmed"], put))
    report = b"10.9999/tides.1 PMID 31234567\n\nS1-23 PMID 32222222\n\n10.9999/tides.3 PMID 33333333"
    told = list(take_loader_reports(store, "t", [("r.txt", report)]))
    assert [(one.receipt.article, one.receipt.state) for one in told] == [
        (1, DeliveryState.REFUSED),
        (3, DeliveryState.SENT),
    ]
    assert "the record says 7654321" in told[0].receipt.detail
    assert store.citation(1).pmid == "7654321"
    same = list(take_loader_reports(store, "t", [("r.txt", b"10.9999/tides.1 PMID 7654321")]))
    assert same[0].receipt.state is DeliveryState.SENT


def test_a_run_that_is_not_there_is_told(store):
    with pytest.raises(StoreError, match="no such run"):
        store.records.outgoing(run=9)


def test_receipts_keep_what_the_target_called_a_record():
    batch = Batch("x", (), b"")
    assert receipts_for_batch(batch, DeliveryState.SENT) == ()

"""A store harvested over OAI-PMH with Sickle, from a server on loopback, while it changes."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import replace

import pytest
from lxml import etree
from tests.deliver.records import ONE
from tests.deliver.test_oai import SCHEMA
from tests.waiting import LONG

from medharvest.deliver.oai_server import run_oai_server
from medharvest.journals.policy import set_policy
from medharvest.library.delivery import _MAX_SINGLE_UPDATES, OaiCollection, describe_repository
from medharvest.records import JournalTitle
from medharvest.settings import Deliver, Fetch, Settings
from medharvest.store import open_store

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # an escape in its source that newer Pythons mention
    import sickle

SETTINGS = Settings(deliver=Deliver(oai_batch=10, oai_domain="tides.example"), fetch=Fetch(contact="a@tides.example"))
MANY = [replace(ONE, title=f"Tide {number}", doi=f"10.9999/{number}", pii="") for number in range(1, 36)]


class Clock:
    """Tick one second at each question."""

    def __init__(self):
        self.day, self.seconds = "2026-01-01", 0

    def __call__(self):
        self.seconds += 1
        return f"{self.day}T{self.seconds // 3600:02d}:{self.seconds // 60 % 60:02d}:{self.seconds % 60:02d}Z"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    with open_store(str(tmp_path / "s.sqlite"), now=clock) as opened:
        opened.save(None, MANY)
        yield opened


@contextmanager
def harvester(store, clock):
    """Sickle at a server; every answer is valid, or the test fails."""
    collection, seen = OaiCollection(store, now=clock), []

    def answer(pairs, url):
        body = collection.answer(pairs, describe_repository(SETTINGS, url))
        seen.append((SCHEMA.validate(etree.fromstring(body)), SCHEMA.error_log, pairs))
        return body

    with run_oai_server("127.0.0.1", 0, answer) as server:
        yield sickle.Sickle(server.url, timeout=LONG)
    assert seen
    assert [wrong for wrong in seen if not wrong[0]] == []


def number(record) -> int:
    return int(record.header.identifier.rpartition(":")[2])


def test_sickle_harvests_every_record_in_every_format(store, clock):
    with harvester(store, clock) as client:
        assert client.Identify().deletedRecord == "persistent"
        assert [one.metadataPrefix for one in client.ListMetadataFormats()] == ["oai_dc", "pubmed", "jats"]
        for prefix in ("oai_dc", "pubmed", "jats"):
            assert [number(one) for one in client.ListRecords(metadataPrefix=prefix)] == list(range(1, 36))
        core = client.GetRecord(identifier="oai:tides.example:7", metadataPrefix="oai_dc")
        assert core.metadata["title"] == ["Tide 7"]
        assert len(list(client.ListIdentifiers(metadataPrefix="oai_dc"))) == 35


def test_nothing_is_left_out_when_records_change_in_between(store, clock):
    found: dict[int, list[str]] = {}
    with harvester(store, clock) as client:
        for count, record in enumerate(client.ListRecords(metadataPrefix="oai_dc")):
            found.setdefault(number(record), []).append(record.metadata["title"][0])
            if count == 12:  # in the second part: one that was given, one that waits, and a new one
                store.records.write([(3, replace(MANY[2], title="Changed 3"))], who="me")
                store.records.write([(30, replace(MANY[29], title="Changed 30"))], who="me")
                store.save(None, [replace(ONE, title="New", doi="10.9999/new", pii="new")])
    assert sorted(found) == list(range(1, 37))
    assert found[3] == ["Tide 3", "Changed 3"]
    assert found[30] == ["Changed 30"]
    assert found[36] == ["New"]


def test_later_harvests_see_only_what_changed_and_what_is_gone(store, clock):
    with harvester(store, clock) as client:
        list(client.ListRecords(metadataPrefix="oai_dc"))
        since = clock()
        store.records.write([(5, replace(MANY[4], title="Changed"))], who="me")
        changed = list(client.ListRecords(**{"metadataPrefix": "oai_dc", "from": since}))
        assert [number(one) for one in changed] == [5]
        since = clock()
        set_policy(store, "Journal of Tides", {"embargo": "2026-06-01"})
        gone = list(client.ListRecords(**{"metadataPrefix": "oai_dc", "from": since}))
        assert len(gone) == 35
        assert all(one.deleted for one in gone)
        assert list(client.ListRecords(metadataPrefix="jats", ignore_deleted=True)) == []
        clock.day = "2026-06-01"
        back = list(client.ListRecords(metadataPrefix="jats"))
        assert (len(back), any(one.deleted for one in back)) == (35, False)


def test_a_deleted_record_is_shown_as_deleted_and_comes_back_with_an_undo(store, clock):
    with harvester(store, clock) as client:
        list(client.ListRecords(metadataPrefix="oai_dc"))
        batch = store.review.delete(4, who="me")
        gone = client.GetRecord(identifier="oai:tides.example:4", metadataPrefix="oai_dc")
        assert gone.deleted
        store.undo(batch, who="me")
        back = client.GetRecord(identifier="oai:tides.example:4", metadataPrefix="oai_dc")
        assert not back.deleted


def test_policies_and_titles_show_in_what_is_handed_out(store, clock):
    set_policy(store, "Journal of Tides", {"abstracts": False})
    store.journals.save_title(JournalTitle(title="Journal of Tides", publisher="Other Press", issn=("2049-3630",)))
    with harvester(store, clock) as client:
        record = client.GetRecord(identifier="oai:tides.example:1", metadataPrefix="oai_dc")
    assert record.metadata["publisher"] == ["Other Press"]
    assert "description" not in record.metadata


def test_an_empty_store_is_an_empty_list(tmp_path, clock):
    with open_store(str(tmp_path / "e.sqlite"), now=clock) as empty, harvester(empty, clock) as client:
        with pytest.raises(sickle.oaiexceptions.NoRecordsMatch):
            list(client.ListRecords(metadataPrefix="oai_dc"))
        assert client.Identify().earliestDatestamp.startswith("2026-01-01")
        with pytest.raises(sickle.oaiexceptions.IdDoesNotExist):
            client.GetRecord(identifier="oai:tides.example:1", metadataPrefix="oai_dc")


def test_what_has_not_changed_is_not_looked_at_again(store, clock, monkeypatch):
    collection, asked, outgoing = OaiCollection(store, now=clock), [], store.records.outgoing

    def watched(**options):
        asked.append(options)
        return outgoing(**options)

    monkeypatch.setattr(store.records, "outgoing", watched)
    for _ in range(3):
        collection.refresh()
    store.records.write([(9, replace(MANY[8], title="x"))], who="me")
    collection.refresh()
    assert asked == [{}, {"numbers": (9,)}]
    assert _MAX_SINGLE_UPDATES < 30_000  # SQLite takes no more in one statement


def test_the_collection_speaks_for_whoever_keeps_it():
    told = describe_repository(SETTINGS, "http://127.0.0.1:1/oai")
    assert (told.email, told.url, told.batch) == ("a@tides.example", "http://127.0.0.1:1/oai", 10)
    own = Settings(deliver=Deliver(oai_email="b@x.example", oai_url="https://x.example/oai", oai_batch=0))
    other = describe_repository(own, "http://127.0.0.1:1/oai")
    assert (other.email, other.url, other.batch) == ("b@x.example", "https://x.example/oai", 1)
    assert "@" in describe_repository(Settings(), "u").email


def test_a_new_abbreviation_of_a_journal_is_a_change_of_its_records(store, clock):
    with harvester(store, clock) as client:
        before = {number(one): one.header.datestamp for one in client.ListRecords(metadataPrefix="pubmed")}
        store.journals.save_title(JournalTitle(title=ONE.journal, abbreviation="Tide J"))
        after = list(client.ListRecords(metadataPrefix="pubmed"))
        assert all(one.header.datestamp > before[number(one)] for one in after)
        assert all("Tide J" in one.raw for one in after)
        again = list(client.ListRecords(metadataPrefix="pubmed"))
        assert [one.header.datestamp for one in again] == [one.header.datestamp for one in after]

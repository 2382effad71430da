"""Another SQL database: a row a record, in a table of ours or of theirs."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import pytest
from tests.deliver.records import ONE, TWO, parcel

from medharvest.deliver import DeliveryState, open_target, parse_target
from medharvest.settings import Settings


@pytest.fixture
def made(tmp_path):
    targets = []

    def make(options: str = ""):
        targets.append(
            open_target(
                parse_target(f"copy=sqlite:///{tmp_path}/copy.db{options}"), Settings(), {"MEDHARVEST_SECRET_COPY": "x"}
            )
        )
        return targets[-1]

    yield make
    for target in targets:
        target.close()


def sent(target, *parcels):
    return [receipt for batch in target.pack(parcels) for receipt in target.send(batch)]


def rows(tmp_path, query: str):
    connection = sqlite3.connect(tmp_path / "copy.db")
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_records_become_rows_and_replace_their_own(made, tmp_path):
    target = made()
    got = sent(target, parcel(1, ONE, target), parcel(2, TWO, target))
    assert [(one.state, one.remote_id) for one in got] == [(DeliveryState.SENT, "1"), (DeliveryState.SENT, "2")]
    sent(target, parcel(2, replace(TWO, title="Moons, corrected"), target))
    assert rows(tmp_path, "SELECT id, title, authors, issn FROM citation ORDER BY id") == [
        (1, "Tides and gout <b>", "Marsh, Ada, Jr | Shore Group, | Oke", "2049-3630"),
        (2, "Moons, corrected", "Marsh, Ada, Jr | Shore Group, | Oke", "2049-3630"),
    ]
    ((whole,),) = rows(tmp_path, "SELECT record FROM citation WHERE id = 1")
    assert json.loads(whole)["authors"][0]["family"] == "Marsh"
    assert "evidence" not in json.loads(whole)


def test_a_table_of_theirs_gets_what_it_has_columns_for(made, tmp_path):
    rows(tmp_path, "CREATE TABLE articles (id INTEGER PRIMARY KEY, doi TEXT, note TEXT DEFAULT 'ours')")
    target = made("?table=articles")
    sent(target, parcel(7, ONE, target))
    assert rows(tmp_path, "SELECT * FROM articles") == [(7, "10.9999/tides.1", "ours")]


def test_a_table_without_id_and_a_database_that_is_none_are_failures_not_tried_again(made, tmp_path):
    rows(tmp_path, "CREATE TABLE citation (doi TEXT)")
    target = made()
    (failed,) = sent(target, parcel(1, ONE, target))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, False)
    assert "has no column id" in failed.detail
    (tmp_path / "copy.db").write_bytes(b"no database at all " * 100)
    other = made()
    (failed,) = sent(other, parcel(1, ONE, other))
    assert "not a SQLite database" in failed.detail


def test_characters_that_no_column_holds_are_replaced(made, tmp_path):
    target = made()
    sent(target, parcel(1, replace(ONE, title="a\ud800b\0c"), target))
    assert rows(tmp_path, "SELECT title FROM citation") == [("abc",)]


def test_a_database_that_is_in_use_is_tried_again(made, tmp_path, monkeypatch):
    monkeypatch.setattr("medharvest.store.sqlite.BUSY_SECONDS", 0.05)
    target = made()
    sent(target, parcel(1, ONE, target))
    holder = sqlite3.connect(tmp_path / "copy.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    (failed,) = sent(target, parcel(2, TWO, target))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, True)
    holder.close()
    assert [one.state for one in sent(target, parcel(2, TWO, target))] == [DeliveryState.SENT]

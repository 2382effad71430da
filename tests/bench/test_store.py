"""The benches of the store measure what they say."""

from __future__ import annotations

import json
import sys

from bench import records, store, store_tables

HEAD = {"command": "python -m bench.store", "commit": "0" * 40, "versions": {"python": "3.11"}}


def test_a_record_is_that_of_its_number_and_no_other():
    made = [records.record(n) for n in range(100)]
    assert made == [records.record(n) for n in range(100)]
    assert len({one.title for one in made}) == len({one.doi for one in made}) == 100
    assert len({(one.journal, one.volume, one.issue) for one in made}) == 100 / records.AN_ISSUE


def test_a_store_grows_through_the_sizes_and_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(store, "SIZES", (20, 40))
    monkeypatch.setattr(store, "BATCH", 15)
    monkeypatch.setattr(store, "LOOKS", 3)
    result = tmp_path / "result.json"
    for size in ("30", "40"):
        arguments = ["store", "--records", size, "--file", str(tmp_path / "s.sqlite"), "--result", str(result)]
        monkeypatch.setattr(sys, "argv", arguments)
        store.main()
    rows = json.loads(result.read_text())["sizes"]
    assert [(row["records"], row["inserted"]) for row in rows] == [(20, 20), (30, 10), (40, 10)]
    assert all(row["open most"] >= row["open median"] > 0 for row in rows)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_the_table_has_a_row_for_each_size():
    looks = {f"{what} {name}": 1.5 for what in ("open", "find") for name in ("median", "p95", "most", "cpu")}
    row = {"records": 30_000, "inserted": 20_000, "wall": 10.0, "cpu": 5.0, "load": 9.6, "megabytes": 1319.0, **looks}
    lines = store_tables.storing(HEAD | {"cores": 2, "sizes": [row]})
    assert "| 30,000 | 4,000 | 2,000 | 10 | 1.5 | 1.5 | 1.5 | 1.5 | 1.5 | 1,319 |" in lines


def test_the_table_has_a_row_for_each_database():
    killed = {"records": 1000, "kills": 20, "during a write": 19, "changes": 12345}
    run = {"killed": killed, "rivals": {"counted": 2000, "again": 7}}
    lines = store_tables.lasting(HEAD | {"seconds": 60.0, "runs": {"SQLite": run}})
    assert "| SQLite | 20 | 19 | 12,345 | 2,000 | 7 |" in lines

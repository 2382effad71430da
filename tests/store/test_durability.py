from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from medharvest.store import open_store

RECORDER = Path(__file__).parent / "recorder.py"
FOUND = 3  # new nodes a record


@pytest.mark.parametrize("at_least", [1, 25])
def test_what_was_acknowledged_before_a_kill_is_there_and_nothing_is_half_there(url: str, at_least: int) -> None:
    run, done = record_until_killed(url, at_least)
    with open_store(url) as store:
        store.save(None, [])  # waits for what a server still carries out for the dead
        nodes, pages = list(store.nodes(run)), list(store.pages(run))
        citations = list(store.citations(run=run))
        records = len(pages)
        assert records >= done >= at_least
        assert [node.n for node in nodes] == list(range(1, 2 + FOUND * records))
        assert [node.place for node in nodes] == ["closed"] * records + ["open"] * (len(nodes) - records)
        assert [page.size for page in pages] == list(range(1, 1 + records))
        assert done <= len(citations) <= records
        ended = store.run(run)
        assert (ended.pages, ended.archive_length, ended.state) == (records, 100 * records, "running")
    if "://" not in url:
        check_integrity(url)


def record_until_killed(url: str, at_least: int) -> tuple[int, int]:
    """Kill the recorder once it has said so often that a record is on disk, and give what it said last."""
    with subprocess.Popen([sys.executable, RECORDER, url], stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        said = [recorder.stdout.readline() for _ in range(at_least)]
        recorder.kill()
        said += recorder.stdout.readlines()
    run, done = [line for line in said if line.endswith("\n")][-1].split()
    return int(run), int(done)


def check_integrity(file: str) -> None:
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()

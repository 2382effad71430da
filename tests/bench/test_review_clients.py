"""The bench of many people counts what the app acknowledged, and sees what is lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.records import record
from bench.render_clients import describe_clients
from bench.review_clients import compared
from bench.review_people import Diary, Write, check_writes

from medharvest.store import Store, open_store


def test_what_is_measured_is_rendered(tmp_path: Path):
    about: dict[str, Any] = {"command": "python -m bench.review_clients", "commit": "0" * 40, "before": "", "cores": 2}
    size = {"records": 40, "users": 2, "blocks": 2}
    result = about | {"versions": {"python": "3.11"}} | compared(tmp_path, None, seconds=3.0, pause=0.05, **size)
    assert result["failures"] == []
    run = result["runs"]["after"]
    assert run["all"]["count"] == sum(block["count"] for block in run["blocks"]) > 0
    text = " ".join(describe_clients(result))
    assert f"All {run['writes']:,} acknowledged writes are in the stores" in text
    assert f"| all | after | {run['all']['count']:,} |" in text


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store("sqlite://") as opened:
        opened.save(None, [record(n) for n in range(2)])
        yield opened


def test_writes_that_are_in_the_store_are_right(store: Store):
    store.accept(1, ["title"], who="Ann")
    store.review.set_values(1, {"title": "ours"}, who="Ann")
    store.review.finish(1, who="Bob")
    ann = Diary("Ann", writes=[Write(1, "title"), Write(1, "title", "ours")])
    bob = Diary("Bob", writes=[Write(1, "title"), Write(1, "")])  # whose field was accepted before
    assert check_writes(store, [ann, bob]) == []


@pytest.mark.parametrize(
    "lost", [Write(2, "title"), Write(2, ""), Write(2, "title", "theirs"), Write(1, "title", "no")]
)
def test_an_acknowledged_write_that_is_not_in_the_store_is_lost(store: Store, lost: Write):
    store.review.set_values(1, {"title": "ours"}, who="Ann")
    kept = Write(1, "title", "ours")
    assert len(check_writes(store, [Diary("Ann", writes=[kept, lost])])) == 1


def test_a_write_that_is_there_twice_is_seen(store: Store):
    for title in ("ours", "theirs", "ours"):
        store.review.set_values(1, {"title": title}, who="Ann")
    wrong = check_writes(store, [Diary("Ann", writes=[Write(1, "title", "ours"), Write(1, "title", "theirs")])])
    assert len(wrong) == 2
    assert "'ours' is 2 times in the log" in wrong[0]
    assert "3 acts in the log, 2 acknowledged" in wrong[1]

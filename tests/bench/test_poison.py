"""The poison bench at a small size: all good pages arrive, and every kind of poison is of the kind it says."""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from typing import Any

import pytest
from bench.poison_pages import POISONS, TITLES
from bench.render_poison import describe_poison
from tests.hostile.web import serve_site

from bench import poison

KINDS = ("deep JSON metadata", "PDF page tree", "gzip bomb", "XML entities")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    given = argparse.Namespace(read_seconds=20.0, budgets=[0.0], interrupts=1, last_interrupt=0.1, seed=1)
    journal = poison.make_journal(4, 0.03, seed=1, only=KINDS)
    with serve_site(journal.answer) as site:
        tested = poison.Bench(journal, site, tmp_path_factory.mktemp("poison"), given).test_all()
    tested = json.loads(json.dumps(tested))
    head = {"good": 4, "poisons": len(journal.poisons), "read_seconds": 20.0, "cores": 2, "load": 0.5, "command": "it"}
    return {**head, "commit": "0" * 40, "versions": {"python": "3.11"}, **tested}


def test_the_program_is_harvested_resumed_and_stopped(result: dict[str, Any]) -> None:
    late = ("SIGINT", "budget")  # on a busy machine
    assert [one for one in result["failures"] if not one.startswith(late)] == []
    assert result["harvest"]["good"] == 4
    outcomes = {one["kind"]: one["outcome"] for one in result["harvest"]["poisons"]}
    assert set(outcomes) == set(KINDS)
    assert outcomes["gzip bomb"] == "lost: too_large"
    assert result["resume"]["changed"] == []
    assert result["interrupts"][0]["trial"]["code"] == 130
    assert result["harvest"]["trial"]["main"] > 20


def test_the_figures_are_described(result: dict[str, Any]) -> None:
    lines = describe_poison(result)
    assert lines[0] == "## Poisonous pages"
    assert any(line.startswith("| harvest | 4 of 4 |") for line in lines)
    assert any("lost: too_large" in line and "gzip bomb" in line for line in lines)


def test_every_kind_of_poison_can_be_made_and_the_good_pages_differ() -> None:
    assert len(POISONS) >= 20
    assert all(one.body(0.0001) for one in POISONS.values())
    assert len(set(TITLES)) == len(TITLES) >= 200
    assert POISONS["1.2 million attributes"].body(0.001).count(b"=1") == 1_200
    assert POISONS["depth 300,000"].body(0.001).count(b"<div>") == 300
    assert len(zlib.decompress(POISONS["deflate bomb"].body(0.001))) == 2_000_000


def test_a_process_that_outlives_the_program_is_seen_and_ended() -> None:
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    child = f"import subprocess, sys, time; subprocess.Popen({sleeper}); time.sleep(1)"
    with poison.watch_program([sys.executable, "-c", child], {}) as watched:
        trial = watched.follow(interrupt=None, budget=None, first=[])
    assert trial.survivors == 1

"""Broken files are made again from their number, read in a copy of the process, and what became of them is told."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from bench.fuzz_families import FAMILIES
from tests.waiting import LONG

from bench import apart, fuzz, fuzz_files, render_fuzz

KINDS = fuzz_files.file_kinds()


@pytest.mark.parametrize("name", KINDS)
def test_the_examples_themselves_are_read(name, tmp_path):
    kind = KINDS[name]
    for n, body in enumerate(kind.examples()[:3]):
        file = tmp_path / f"{n}{kind.suffix}"
        file.write_bytes(body)
        kind.read(file)


def test_a_file_is_made_again_from_its_number():
    kind = KINDS["ris"]
    files = [fuzz.make_mutant(kind, n, 4) for n in range(20)]
    assert files == [fuzz.make_mutant(kind, n, 4) for n in range(20)]
    assert len({one.body for one in files}) > 15
    assert {one.mutation.partition(",")[0] for one in files} == set(FAMILIES["lines"])


def test_each_kind_comes_as_often_as_its_share():
    kinds = [KINDS["ris"], KINDS["cookies"]]
    names = [kind.name for kind, _ in fuzz.list_numbers(kinds, 16)]
    assert (names.count("ris"), names.count("cookies")) == (14, 2)
    assert [n for kind, n in fuzz.list_numbers(kinds, 16) if kind.name == "ris"] == list(range(14))


def test_broken_files_of_some_kinds_give_a_record_or_a_reason(tmp_path):
    kinds = [KINDS[name] for name in ("ris", "csl", "OBO", "manifest")]
    done = list(fuzz.read_mutants(kinds, 40, seed=6, at_once=2, failures=tmp_path))
    assert len(done) == 40
    assert {one.outcome for one in done} == {"record", "reason"}
    assert list(tmp_path.iterdir()) == []
    table = fuzz.summarise(done)
    assert sum(row["files"] for row in table.values()) == 40


@pytest.mark.parametrize(
    ("read", "outcome", "detail"),
    [
        (lambda _: json.loads("{"), "traceback", "JSONDecodeError"),
        (lambda _: os.abort(), "crash", "SIGABRT"),
        (lambda _: os._exit(3), "crash", "exit code 3"),
        (lambda _: socket.socket(), "traceback", "open a socket"),
    ],
)
def test_a_file_that_fails_is_told_and_saved(read, outcome, detail, tmp_path, monkeypatch):
    kind = fuzz_files.FileKind("odd", "lines", ".odd", "read", lambda: [b"a"], read)
    monkeypatch.setattr(fuzz, "file_kinds", lambda: {"odd": kind})
    (reading,) = fuzz.read_mutants([kind], 1, seed=1, at_once=1, failures=tmp_path)
    assert (reading.outcome, reading.n) == (outcome, 0)
    assert detail in reading.detail
    assert (tmp_path / reading.saved).read_bytes() == fuzz.make_mutant(kind, 0, 1).body


def test_what_costs_too_much_is_over_the_limit():
    assert apart.Ending("record", 2.5, 10.0).verdict == "over the limit"
    assert apart.Ending("reason", 0.5, 1001.0).verdict == "over the limit"
    assert apart.Ending("reason", 0.5, 10.0).verdict == "reason"


def test_a_task_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(apart, "_HANGS_AFTER", 0.2)

    def loop() -> str:
        while True:
            pass

    ((case, ending),) = apart.run_apart([("endless", loop)])
    assert (case, ending.outcome) == ("endless", "hang")


def test_tasks_end_with_their_reader():
    before = _children()
    tasks = ((n, (lambda: "record") if n == 0 else _wait) for n in range(3))
    endings = apart.run_apart(tasks, at_once=2)
    assert next(endings)[0] == 0
    assert _children() - before
    endings.close()
    assert _children() <= before


def _children() -> set[str]:
    """The processes that this one has started; what other tests left behind may start more of its own."""
    files = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {pid for file in files for pid in file.read_text(encoding="ascii").split()}


def _wait() -> str:
    os.read(os.pipe()[0], 1)
    return "record"


def test_the_bench_writes_its_figures_and_they_are_described(root, tmp_path):
    file = tmp_path / "fuzz.json"
    command = [sys.executable, "-m", "bench.fuzz", "--files", "6", "--kind", "manifest", "--result", str(file)]
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", timeout=LONG, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(file.read_text(encoding="utf-8"))
    assert (result["files"], result["failures"]) == (6, [])
    lines = render_fuzz.describe_fuzz(result)
    assert lines[0].startswith("## ")
    assert any(line.startswith("| manifest | `read` | 6 |") for line in lines)


def test_figures_of_failures_are_described():
    failed = fuzz.Reading("ris", 3, "cut", 10, "hang", 20.0, 50.0, "SIGPROF", "ris-3.ris")
    result = fuzz.describe_run([failed], Namespace(kind=[], files=1, seed=1))
    assert result["failures"][0]["saved"] == "ris-3.ris"
    assert any("1 of them" in line for line in render_fuzz.describe_fuzz(result))


def test_the_raw_result_has_no_failure(root):
    file = root / "bench" / "results" / "fuzz.json"
    if not file.exists():
        pytest.skip("not run: no result of bench.fuzz yet")
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["files"] >= 100_000
    assert result["failures"] == []

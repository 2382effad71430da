"""Killed at any moment, or written to by several at once, a store is whole; bench/durability.py does it at length."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event
from tests.store import rival, writer
from tests.store.server import execute
from tests.waiting import LONG

from medharvest.cli import main
from medharvest.formats import FORMATS
from medharvest.records import Citation
from medharvest.store import Store, open_store

FOLDER = Path(__file__).parent
FOUND = 3  # new nodes a record


@pytest.mark.parametrize("at_least", [1, 25])
def test_what_was_acknowledged_before_a_kill_is_there_and_nothing_is_half_there(url: str, at_least: int) -> None:
    run, done = record_until_killed(url, at_least)
    with open_store(url) as store:
        store.save(None, [])  # waits for what a server still carries out for the dead
        nodes, pages = list(store.runs.nodes(run)), list(store.runs.pages(run))
        citations = list(store.citations(run=run))
        records = len(pages)
        assert records >= done >= at_least
        assert [node.n for node in nodes] == list(range(1, 2 + FOUND * records))
        assert [node.place for node in nodes] == ["closed"] * records + ["open"] * (len(nodes) - records)
        assert [page.size for page in pages] == list(range(1, 1 + records))
        assert done <= len(citations) <= records
        ended = store.runs.get(run)
        assert (ended.pages, ended.archive_length, ended.state) == (records, 100 * records, "running")
        assert store.check() == ()


def record_until_killed(url: str, at_least: int) -> tuple[int, int]:
    """Kill the recorder once it has said so often that a record is on disk, and give what it said last."""
    command = [sys.executable, str(FOLDER / "recorder.py"), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as recorder:
        assert recorder.stdout
        said = [recorder.stdout.readline() for _ in range(at_least)]
        recorder.kill()
        said += recorder.stdout.readlines()
    run, done = [line for line in said if line.endswith("\n")][-1].split()
    return int(run), int(done)


def test_a_run_of_records_that_is_killed_again_and_again_is_whole_after_each_kill(url: str) -> None:
    result = kill_writer(url, records=300, kills=2)
    assert result["kills"] == 2


def kill_writer(url: str, *, records: int, kills: int) -> dict[str, Any]:
    """Kill a program that writes records while it writes, look at the store each time, and let it come to its end."""
    chance = random.Random(20020908)
    killed = 0
    for goal in sorted(chance.sample(range(records // writer.LOT - 2), kills)):
        said = write_until(url, records, goal * writer.LOT, chance.random() * 0.05)
        if said[-1].startswith("end"):
            break
        killed += 1
        with open_store(url) as store:
            look(store, said[-1])
    end = write_until(url, records, records, 0)
    assert end[-1] == f"end {records}"
    with open_store(url) as store:
        look(store, end[-1])
        assert len(list(store.citations())) == records
        assert store.runs.all()[0].state == "finished"
        lines = sum(1 for _ in store.changes())
    return {"records": records, "kills": killed, "changes": lines}


def write_until(url: str, records: int, goal: int, wait: float) -> list[str]:
    """Start the writer and kill it some moments after it has come to a record; what it said."""
    most = goal + 2 * writer.LOT if goal < records else records  # that it does not end before it is killed
    command = [sys.executable, str(FOLDER / "writer.py"), url, str(records), str(most)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = []
        for line in process.stdout:
            said.append(line.strip())
            if int(line.split()[1]) >= goal and not line.startswith("end") and goal < records:
                time.sleep(wait)
                process.kill()
                break
        said += [line.strip() for line in process.stdout if line.endswith("\n")]
    return said


def look(store: Store, last: str) -> None:
    """Check that a store is whole after the writer said something last, and that all it said is there."""
    store.save(None, [])  # waits for what a server still carries out for the dead
    assert store.check() == ()
    numbers = [number for number, _ in store.records.numbered()]
    assert len(numbers) % writer.LOT == 0
    said, first = last.split()
    assert len(numbers) >= int(first) + writer.LOT * (said != "save") * (said != "end")
    for n in range(0, len(numbers), writer.LOT):
        some = [store.records.get(number) for number in numbers[n : n + writer.SOME]]
        assert len({article.citation.abstract for article in some}) == 1
        assert len({article.status for article in some}) == 1
        corrected = some[0]
        assert (corrected.citation.volume == "77") == (corrected.citation.issue == "7")
        assert (corrected.citation.volume == "77") == ("volume" in corrected.states)


def test_three_programs_that_write_at_once_lose_nothing(url: str) -> None:
    result = compete(url, rounds=15, seconds=0)
    assert result["counted"] + result["again"] == 45


def compete(url: str, *, rounds: int, seconds: float) -> dict[str, Any]:
    """Let three programs write to one store at once; nothing that one of them was told is done may be missing."""
    with open_store(url) as store:
        first = [Citation(title=f"Shared {n}", journal="Shore", volume="0") for n in range(rival.SHARED)]
        store.save(None, first)
    command = [sys.executable, str(FOLDER / "rival.py"), url]
    started = [
        subprocess.Popen(
            [*command, name, str(rounds), str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name in rival.WORK
    ]
    told = [(process.communicate(timeout=LONG), process.returncode) for process in started]
    assert [(code, error) for (_, error), code in told] == [(0, "")] * len(rival.WORK)
    results = [json.loads(output) for (output, _), _ in told]
    counted = sum(result["counted"] for result in results)
    with open_store(url) as store:
        shared = [store.records.get(n).citation for n in range(1, rival.SHARED + 1)]
        assert sum(int(citation.volume) for citation in shared) == counted
        harvested = [citation for citation in store.citations() if citation.title.startswith("Harvested")]
        assert len(harvested) == 5 * next(result["rounds"] for result in results if result["name"] == "harvest")
        assert store.check() == ()
        changes = sum(1 for _ in store.changes())
    again = sum(result["again"] for result in results)
    return {"programs": results, "counted": counted, "again": again, "changes": changes}


@pytest.mark.needs("postgres")
def test_an_import_whose_connection_is_dropped_says_so_and_keeps_what_was_committed(
    postgres: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, commits = postgres.format("dropped"), list[int]()
    execute(postgres.format("postgres"), "CREATE DATABASE dropped")
    open_store(url).close()
    records = [Citation(title=f"Study {n}", journal="Shore", doi=f"10.9999/{n}") for n in range(250)]
    (tmp_path / "records.ris").write_text("".join(FORMATS["ris"].write(records)), encoding="utf-8")

    def drop_second(_: Connection) -> None:
        commits.append(len(commits))
        if len(commits) == 2:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'dropped'"
            execute(postgres.format("postgres"), others)

    event.listen(Engine, "commit", drop_second)
    try:
        for code, kept in ((1, records[:100]), (0, records)):
            with pytest.raises(SystemExit) as stop:
                main(["import", str(tmp_path / "records.ris"), "--store", url])
            said = capsys.readouterr().err
            assert (stop.value.code, "error: database server cannot be reached: " in said) == (code, code == 1), said
            with open_store(url) as store:
                assert sorted(one.doi for one in store.citations()) == sorted(one.doi for one in kept)
                assert store.check() == ()
    finally:
        event.remove(Engine, "commit", drop_second)

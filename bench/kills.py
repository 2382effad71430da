"""SIGKILL at a thousand random moments: after each the verb is repeated, and nothing may be lost or doubled.

.venv/bin/python -m bench.kills [--kills 1000] [--jobs 2] [--seed 17] [--only issue …]   writes bench/results/kills.json

Each verb is first run to its end: that gives its duration and what must come out. Then it is started again and again
and killed with all its workers after a random part of that time, some kills per data set. What it had reported as
done must be there after each kill; at the end, all must be as it is without a kill.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.kill_cases import CASES
from bench.kill_trial import Case, Problem, Trial, end_group
from tests.harvest.test_kill import environment

from medharvest import __version__

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "kills.json"
SEED = 17
_KILLS_PER_SET = 8  # then the verb is left to come to its end, and all is compared
_PARTS = 10  # of the duration, to show how the moments are spread
_KINDS = ("lost", "doubled", "refused", "damaged")


@dataclass
class Tally:
    """What was counted for one case."""

    seconds: float = 0.0  # the verb without a kill
    kills: int = 0  # that hit a living process
    at_work: int = 0  # of these, after it had written something
    ended: int = 0  # processes that had come to their end before the moment
    sets: int = 0  # data sets that were brought to their end and compared
    moments: list[int] = field(default_factory=lambda: [0] * _PARTS)
    problems: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def note(self, problems: Iterable[Problem], when: str) -> None:
        """Count problems and keep them in full."""
        for kind, detail in problems:
            self.problems[kind] += 1
            self.failures.append({"kind": kind, "detail": detail, "when": when})

    def row(self) -> dict[str, Any]:
        """Return the row of the result."""
        own = {"seconds": round(self.seconds, 2), "kills": self.kills, "at_work": self.at_work, "ended": self.ended}
        return {**own, "sets": self.sets, "moments": self.moments, **{kind: self.problems[kind] for kind in _KINDS}}


def main() -> None:
    """Kill, repeat, compare, and write what was counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=sum(case.kills for case in CASES.values()))
    parser.add_argument("--jobs", type=int, default=2, help="cases that run at the same time")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES), metavar="CASE")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    result = {
        "command": f"python -m bench.kills --kills {given.kills} --jobs {given.jobs} --seed {given.seed}"
        + (f" --only {' '.join(given.only)}" if given.only != list(CASES) else ""),
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        **count_kills(share_kills(given.kills, given.only), jobs=given.jobs, seed=given.seed),
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result["all"]), f"wrote {given.result}")
    sys.exit(1 if result["failures"] else 0)


def share_kills(kills: int, names: Sequence[str]) -> dict[str, int]:
    """Share kills out over cases as the table of the cases does, at least one for each."""
    whole = sum(CASES[name].kills for name in names)
    return {name: max(1, round(kills * CASES[name].kills / whole)) for name in names}


def count_kills(shares: dict[str, int], *, jobs: int, seed: int) -> dict[str, Any]:
    """Kill each case so often, some cases at a time."""
    tallies = {name: Tally() for name in shares}
    stop, begun, cpu = threading.Event(), time.monotonic(), sum(os.times()[:4])
    with tempfile.TemporaryDirectory(prefix="kills-") as folder, ThreadPoolExecutor(jobs) as pool:
        works = [
            pool.submit(_Killer(name, tallies[name], Path(folder) / name, seed, stop).kill, kills)
            for name, kills in shares.items()
        ]
        try:
            for work in works:
                work.result()
        except BaseException:
            stop.set()
            raise
    rows = {name: tally.row() for name, tally in tallies.items()}
    keys = ("kills", "at_work", "ended", "sets", *_KINDS)
    return {
        "seed": seed,
        "jobs": jobs,
        "wall_seconds": round(time.monotonic() - begun),
        "cpu_seconds": round(
            sum(os.times()[:4]) - cpu
        ),  # of processes that ended; the killed ones' workers are not in it
        "load": round(os.getloadavg()[0], 1),
        "all": {key: sum(row[key] for row in rows.values()) for key in keys},
        "cases": {name: {"verb": CASES[name].verb, "store": CASES[name].store, **row} for name, row in rows.items()},
        "failures": [{"case": name, **one} for name, tally in tallies.items() for one in tally.failures],
    }


class _Killer:
    """Kills the processes of one case."""

    def __init__(self, name: str, tally: Tally, folder: Path, seed: int, stop: threading.Event) -> None:
        self.name = name
        self.case: Case = CASES[name]
        self.tally = tally
        self.folder = folder
        self.chance = random.Random(f"{seed} {name}")  # noqa: S311  (nothing secret)
        self.stop = stop

    def kill(self, kills: int) -> None:
        """Bring data set after data set to its end, each over some kills."""
        self.folder.mkdir()
        try:
            with self.case.prepare(self.folder) as make:
                self.tally.seconds = self._measure(make(self.folder / "whole", 0))
                while self.tally.kills < kills and not self.stop.is_set():
                    place = self.folder / str(self.tally.sets)
                    self._bring_to_end(make(place, self.tally.sets), min(_KILLS_PER_SET, kills - self.tally.kills))
                    shutil.rmtree(place, ignore_errors=True)
                    print(f"{self.name}: {self.tally.kills} of {kills} kills", flush=True)
        except Exception:  # noqa: BLE001  (the other cases go on, and the result file says what happened)
            self.tally.note([Problem("damaged", traceback.format_exc())], "the case came to no end")

    def _measure(self, trial: Trial) -> float:
        begun = time.monotonic()
        self._run_to_end(trial, "without a kill")
        return time.monotonic() - begun

    def _bring_to_end(self, trial: Trial, kills: int) -> None:
        for n in range(kills):
            words = trial.words()
            if not words or self.stop.is_set():
                break
            share = self.chance.random()
            when = f"set {self.tally.sets}, kill {n + 1} after {share:.2f} of the duration: {' '.join(map(str, words))}"
            begun = time.monotonic()
            if not self._kill_once(trial, words, share, when):
                # From beginning to end: the machine is less busy than when the duration was measured.
                self.tally.seconds = self.tally.seconds if n else time.monotonic() - begun
                break
        self._run_to_end(trial, f"set {self.tally.sets}, after the last kill")
        self.tally.sets += 1

    def _kill_once(self, trial: Trial, words: Sequence[object], share: float, when: str) -> bool:
        """Start the verb and kill it; False if it came to its end before."""
        before = trial.trace()
        with running(words, trial.folder) as process, trial.at_work(process):
            try:
                process.wait(share * self.tally.seconds)
            except subprocess.TimeoutExpired:
                end_group(process)
        if process.returncode != -signal.SIGKILL:
            self.tally.ended += 1
            return False
        self.tally.kills += 1
        self.tally.moments[int(share * _PARTS)] += 1
        self.tally.at_work += trial.trace() != before
        self.tally.note(trial.look(), when)
        return True

    def _run_to_end(self, trial: Trial, when: str) -> None:
        """Repeat the verb as a person would, until it says that it is done; then compare."""
        while (words := trial.words()) and not self.stop.is_set():
            with running(words, trial.folder) as process, trial.at_work(process):
                trial.wait(process)
            said = trial.said()
            if "Traceback" in said:
                self.tally.note([Problem("damaged", said)], when)
            if not trial.is_done(process.returncode, said):
                self.tally.note([Problem("refused", f"exit code {process.returncode}: {said[-2000:]}")], when)
                return
            if trial.whole:
                break
        if not self.stop.is_set():
            self.tally.note(trial.compare(), when)


@contextmanager
def running(words: Sequence[object], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a verb in a process group of its own, which is ended with the block."""
    command = [sys.executable, "-m", "medharvest", *map(str, words)]
    with (folder / Trial.OUTPUT).open("wb") as said:
        process = subprocess.Popen(command, env=environment(), stdout=said, stderr=said, start_new_session=True)
    try:
        yield process
    finally:
        end_group(process)
        process.wait()


if __name__ == "__main__":
    main()

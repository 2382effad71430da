"""A journal with poisonous pages among 200 good ones: all good ones arrive, and the run ends when it should.

.venv/bin/python -m bench.poison [--good 200] [--size 1] [--seed 1]      writes bench/results/poison.json

The program harvests the journal from a server on the loopback address, as a process of its own. Then the finished run
is resumed, further runs get a time budget or SIGINT at random moments, and one that was interrupted is resumed.
`--size 0.01` makes the poison smaller, for a trial; `--only NAME` serves one kind.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from bench.crawl import output
from bench.measure import list_family, peak_megabytes, resident_megabytes
from bench.poison_pages import POISONS, TITLES, contents_page, good_article
from tests.hostile.web import Asked, LocalSite, serve_site

from medharvest import __version__
from medharvest.fetch.warc import RUN_ARCHIVE
from medharvest.harvest.engine import RUN_MANIFEST
from medharvest.store import open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "poison.json"
MAIN_MEGABYTES = 600.0  # the process that crawls
BUDGETS = (5.0, 15.0, 30.0, 60.0)  # seconds
BUDGET_GRACE, STOP_GRACE = 5.0, 2.0  # seconds
INTERRUPTS = 8
_LAST_INTERRUPT = 90.0  # seconds after the first request; by then every kind of work has begun
_TICK = 0.05  # seconds between two looks at the processes
_PATIENCE = 7_200.0  # seconds; what hangs is not waited for any longer
_PARTIAL, _STOPPED = 3, 130  # exit codes
_FAILED_LINE = re.compile(r"^failed +(\S+) \((.*)\)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of the program: how it ended and what it cost, in seconds and megabytes.

    `main` is the peak of the process that crawls, `worker` that of the largest worker, `family` the most that all had
    at one time. `ending` are the seconds after SIGINT, or after the end of the time budget.
    """

    code: int
    wall: float
    cpu: float
    main: float
    worker: float
    family: float
    ending: float | None = None
    survivors: int = 0  # processes of the family that are still there
    said: str = ""  # the end of what it said on stderr


@dataclass(slots=True)
class Journal:
    """The bodies of a journal's pages, by path, and what each poisonous one is."""

    pages: dict[str, tuple[dict[str, str], bytes]]
    poisons: dict[str, str]
    good: int
    first: list[float] = field(default_factory=list)  # when the contents page was asked for

    def answer(self, asked: Asked) -> tuple[int, dict[str, str], bytes]:
        """Answer a request; a path that is not known is not found."""
        if asked.path == "/toc":
            self.first.append(time.monotonic())
        found = self.pages.get(asked.path)
        return (200, *found) if found else (404, {}, b"")


def main() -> None:
    """Harvest the journal in all ways and write the figures; exit 1 if something failed."""
    given = parse_options()
    began, load = os.times(), os.getloadavg()[0]
    journal = make_journal(given.good, given.size, given.seed, given.only)
    with tempfile.TemporaryDirectory(prefix="poison-") as folder, serve_site(journal.answer) as site:
        tested = Bench(journal, site, Path(folder), given).test_all()
    ended = os.times()
    result = {
        "command": f"python -m bench.poison --good {given.good} --size {given.size:g} --seed {given.seed}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cores": os.cpu_count(),
        "load": load,
        "cpu": round(sum(ended[:4]) - sum(began[:4]), 1),
        "seed": given.seed,
        "size": given.size,
        "good": given.good,
        "poisons": len(journal.poisons),
        "read_seconds": given.read_seconds,
        **tested,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: {len(tested['failures'])} failures")
    for failure in tested["failures"]:
        print(f"failed: {failure}")
    sys.exit(bool(tested["failures"]))


def parse_options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--good", type=int, default=200)
    parser.add_argument("--size", type=float, default=1.0, help="of the poison; 1 is the full size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], choices=POISONS, metavar="NAME", help="kinds of poison")
    parser.add_argument("--read-seconds", type=float, default=20.0, help="MEDHARVEST_READ_MAX_SECONDS")
    parser.add_argument("--budgets", type=float, nargs="*", default=BUDGETS, metavar="SECONDS")
    parser.add_argument("--interrupts", type=int, default=INTERRUPTS)
    parser.add_argument("--last-interrupt", type=float, default=_LAST_INTERRUPT, help="seconds after the first request")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    return parser.parse_args()


def make_journal(good: int, size: float, seed: int, only: Sequence[str] = ()) -> Journal:
    """Make the pages: good and poisonous ones in random order on one contents page."""
    kinds = [name for name in POISONS if not only or name in only]
    order: list[str | int] = [*range(good), *kinds]
    random.Random(seed).shuffle(order)  # noqa: S311  (the same journal every time)
    journal = Journal({}, {}, good)
    for place, one in enumerate(order):
        path = f"/article/{place}/abstract"
        if isinstance(one, int):
            journal.pages[path] = ({}, good_article(one))
        else:
            poison = POISONS[one]
            journal.pages[path] = ({"Content-Type": poison.media_type, **poison.headers}, poison.body(size))
            journal.poisons[path] = one
    journal.pages["/toc"] = ({}, contents_page([*journal.pages]))
    return journal


class Bench:
    """All trials on one journal; each fresh run has its own store and folder below `folder`."""

    def __init__(self, journal: Journal, site: LocalSite, folder: Path, given: argparse.Namespace) -> None:
        self.journal = journal
        self.site = site
        self.folder = folder
        self.given = given
        self.failures: list[str] = []
        self.said: dict[str, str] = {}  # why a page failed, by path, as the last run said it

    def test_all(self) -> dict[str, Any]:
        """Carry out all trials; the failures are the last entry."""
        harvest = self.harvest()
        resume = self.resume_finished(harvest["trial"]["code"])
        budgets = [self.spend(seconds) for seconds in self.given.budgets]
        moments = self.draw_moments(harvest["trial"]["wall"])
        interrupts = [self.interrupt(n, moment) for n, moment in enumerate(moments)]
        again = self.resume_interrupted(interrupts)
        return {
            "harvest": harvest,
            "resume": resume,
            "budgets": budgets,
            "interrupts": interrupts,
            "resume_of_an_interrupted_run": again,
            "failures": self.failures,
        }

    def harvest(self) -> dict[str, Any]:
        """Harvest the whole journal: every good page is there, and memory is bounded."""
        trial = self.run("whole", *self.issue("whole"))
        found = self.state("whole")
        self.expect(trial.code in {0, _PARTIAL}, f"harvest: exit code {trial.code}: {trial.said}")
        self.expect(found["good"] == self.journal.good, f"harvest: {found['good']} of {self.journal.good} good pages")
        self.expect(trial.main <= MAIN_MEGABYTES, f"harvest: the main process had {trial.main} MB")
        self.expect(not trial.survivors, f"harvest: {trial.survivors} processes are left")
        return {"trial": asdict(trial), "good": found["good"], "poisons": found["poisons"]}

    def resume_finished(self, code: int) -> dict[str, Any]:
        """Resume the finished run: it ends as the harvest did, asks for nothing and changes nothing."""
        before, asked = self.state("whole"), len(self.site.asked)
        trial = self.run("whole", "runs", "1", "resume", "--store", str(self.folder / "whole.sqlite"))
        after, requests = self.state("whole"), len(self.site.asked) - asked
        changed = [name for name in before if before[name] != after[name]]
        self.expect(trial.code == code, f"resume: exit code {trial.code}, not {code}: {trial.said}")
        self.expect(not requests, f"resume: {requests} requests")
        self.expect(not changed, f"resume: changed {changed}")
        return {"trial": asdict(trial), "requests": requests, "changed": changed}

    def spend(self, seconds: float) -> dict[str, Any]:
        """Give a fresh run a time budget, counted from its first request."""
        name = f"budget-{seconds:g}"
        trial = self.run(name, *self.issue(name), budget=seconds)
        over = trial.ending if trial.ending is not None else trial.wall
        self.expect(over <= BUDGET_GRACE, f"budget of {seconds:g} s: ended {over} s after it")
        self.expect(trial.code in {0, 1, _PARTIAL}, f"budget of {seconds:g} s: exit code {trial.code}: {trial.said}")
        self.expect(not trial.survivors, f"budget of {seconds:g} s: {trial.survivors} processes are left")
        return {"budget": seconds, "trial": asdict(trial), "good": self.state(name)["good"]}

    def draw_moments(self, wall: float) -> list[float]:
        """Random moments of a run, one in each part of it, beginning with its start."""
        chance = random.Random(self.given.seed)  # noqa: S311
        last, count = min(self.given.last_interrupt, 0.5 * wall), self.given.interrupts  # the start takes time too
        return [round(last * (n + chance.random()) / count, 2) for n in range(count)]

    def interrupt(self, n: int, moment: float) -> dict[str, Any]:
        """Interrupt a fresh run with SIGINT."""
        name = f"interrupt-{n}"
        trial = self.run(name, *self.issue(name), interrupt=moment)
        late = trial.ending if trial.ending is not None else trial.wall
        self.expect(late <= STOP_GRACE, f"SIGINT after {moment} s: ended {late} s later")
        self.expect(trial.code == _STOPPED, f"SIGINT after {moment} s: exit code {trial.code}: {trial.said}")
        self.expect(not trial.survivors, f"SIGINT after {moment} s: {trial.survivors} processes are left")
        return {"moment": moment, "trial": asdict(trial), "good": self.state(name)["good"]}

    def resume_interrupted(self, interrupts: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Resume the run that was interrupted in the middle: it ends whole."""
        begun = [n for n, one in enumerate(interrupts) if one["good"] and one["trial"]["code"] == _STOPPED]
        if not begun:
            return None
        name = f"interrupt-{begun[len(begun) // 2]}"
        trial = self.run(name, "runs", "1", "resume", "--store", str(self.folder / f"{name}.sqlite"))
        good, whole = self.state(name)["good"], self.state("whole")
        self.expect(trial.code in {0, _PARTIAL}, f"resume of {name}: exit code {trial.code}: {trial.said}")
        self.expect(good == whole["good"], f"resume of {name}: {good} of {whole['good']} good pages")
        return {"run": name, "trial": asdict(trial), "good": good}

    def issue(self, name: str) -> tuple[str, ...]:
        """The command that harvests the journal into a new store."""
        into = ("--into", str(self.folder / name), "--store", str(self.folder / f"{name}.sqlite"))
        return ("issue", f"{self.site.root}/toc", *into, "--export", "ris")

    def run(self, name: str, *command: str, interrupt: float | None = None, budget: float | None = None) -> Trial:
        """Run the program and watch it."""
        settings = {
            "MEDHARVEST_FETCH_ALLOW_PRIVATE": "true",
            "MEDHARVEST_FETCH_DELAY": "0",
            "MEDHARVEST_FETCH_PER_HOST": "4",
            "MEDHARVEST_CRAWL_MAX_PAGES": str(10 * (self.journal.good + len(POISONS))),
            "MEDHARVEST_READ_MAX_SECONDS": str(self.given.read_seconds),
            **({"MEDHARVEST_CRAWL_MAX_SECONDS": str(budget)} if budget is not None else {}),
        }
        self.journal.first.clear()
        with watch_program([sys.executable, "-m", "medharvest", *command], settings) as watched:
            trial = watched.follow(interrupt=interrupt, budget=budget, first=self.journal.first)
            self.said = {url.removeprefix(self.site.root): why for url, why in _FAILED_LINE.findall(watched.said())}
        print(f"{name}: {' '.join(command[:3])}: {asdict(trial)}", flush=True)
        return trial

    def state(self, name: str) -> dict[str, Any]:
        """What is kept of a run: its records, pages and archive, and what became of the poison."""
        store, folder = self.folder / f"{name}.sqlite", self.folder / name
        if not store.exists() or not (folder / RUN_MANIFEST).exists():
            return {"good": 0, "poisons": [], "records": [], "archive": 0, "pages": []}
        with open_store(str(store)) as opened:
            records = sorted((one.doi, one.title) for one in opened.citations(run=1))
        lines = (folder / RUN_MANIFEST).read_text(encoding="utf-8").splitlines()
        rows = {row["url"].removeprefix(self.site.root): row for row in map(json.loads, lines)}
        wanted = {(f"10.5555/jim.7.{n}", TITLES[n]) for n in range(self.journal.good)}
        return {
            "good": len(wanted & set(records)),
            "poisons": [self.describe(path, rows.get(path)) for path in self.journal.poisons],
            "records": records,
            "archive": (folder / RUN_ARCHIVE).stat().st_size if (folder / RUN_ARCHIVE).exists() else 0,
            "pages": sorted(rows),
        }

    def describe(self, path: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
        """What became of a poisonous page."""
        name, sent = self.journal.poisons[path], len(self.journal.pages[path][1])
        what = {"kind": name, "bytes": sent}
        if row is None or ("kind" not in row and not row["reason"]):
            return {**what, "outcome": "not asked for"}
        if row.get("reason"):
            return {**what, "outcome": f"lost: {row['reason']}", "detail": row["detail"]}
        if path in self.said:
            return {**what, "outcome": f"arrived as {row['kind']}, not read", "detail": self.said[path]}
        return {**what, "outcome": f"arrived as {row['kind']}"}

    def expect(self, held: bool, failure: str) -> None:  # noqa: FBT001
        """Note a failure."""
        if not held:
            self.failures.append(failure)


class WatchedProgram:
    """A running program, and the memory of it and of its workers so far."""

    def __init__(self, process: subprocess.Popen[bytes], sink: IO[bytes]) -> None:
        self.process = process
        self.began = time.monotonic()
        self.family: dict[int, str] = {}  # when each process started, which tells it from a later one
        self.main = self.worker = self.together = 0.0
        self._sink = sink

    def follow(self, *, interrupt: float | None, budget: float | None, first: Sequence[float]) -> Trial:
        """Watch the program until it ends; a budget and the moment of an interrupt count from its `first` request."""
        sent = None
        while (ended := os.wait4(self.process.pid, os.WNOHANG))[0] == 0:
            self.look()
            now = time.monotonic()
            if interrupt is not None and sent is None and first and now >= first[0] + interrupt:
                sent = now
                self.process.send_signal(signal.SIGINT)
            if now >= self.began + _PATIENCE:
                self.process.kill()
            time.sleep(_TICK)
        over = time.monotonic()
        self.process.returncode = os.waitstatus_to_exitcode(ended[1])
        since = sent if budget is None else first[0] + budget if first else None
        return Trial(
            code=self.process.returncode,
            wall=round(over - self.began, 2),
            cpu=round(ended[2].ru_utime + ended[2].ru_stime, 2),
            main=round(self.main, 1),
            worker=round(self.worker, 1),
            family=round(self.together, 1),
            ending=None if since is None else round(over - since, 2),
            survivors=sum(start == _start_of(pid) for pid, start in self.family.items()),
            said=self.said()[-500:],
        )

    def look(self) -> None:
        """Look at the processes and their memory."""
        pids = [*list_family(self.process.pid)]
        self.family.update((pid, start) for pid in pids if (start := _start_of(pid)))
        self.main = max(self.main, peak_megabytes(pids[0]))
        self.worker = max(self.worker, *map(peak_megabytes, pids[1:]), 0.0)
        self.together = max(self.together, sum(map(resident_megabytes, pids)))

    def said(self) -> str:
        """What the program said on stderr so far."""
        self._sink.seek(0)
        return self._sink.read().decode("utf-8", "replace")


@contextmanager
def watch_program(command: list[str], settings: Mapping[str, str]) -> Iterator[WatchedProgram]:
    """Start a program; whatever happens here, it and its workers are ended."""
    with tempfile.TemporaryFile() as sink:
        whole = {**os.environ, **settings}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sink, env=whole, cwd=ROOT)
        watched = WatchedProgram(process, sink)
        try:
            yield watched
        finally:
            if process.returncode is None:  # Ctrl-C in the bench
                process.kill()
                process.wait()
            for pid, start in watched.family.items():
                if start == _start_of(pid):
                    os.kill(pid, signal.SIGKILL)


def _start_of(pid: int) -> str:
    """When a process started, as the system counts it; empty for one that has ended or is only not yet reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


if __name__ == "__main__":
    main()

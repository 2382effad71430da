"""An hour of crawling, reading and reviewing: the memory of every long-lived process must stay flat.

.venv/bin/python -m bench.soak [--seconds 3600] [--people 3]      writes bench/results/soak.json
.venv/bin/python -m bench.render                                 renders the plot and the table of the docs from it

One process harvests issues, reads files and crawls a topic, round after round (`bench.soak_crawl`). A review server
works on the same store for as long; people look at records and their archived pages, accept, correct and search.
Resident memory, open files and threads of both and of their workers are sampled. It ends by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.measure import list_family
from bench.review import cpu_seconds, filled, served, spread
from bench.review_people import Diary, Reviewer, check_writes
from bench.soak_site import serve_rounds

from medharvest import __version__
from medharvest.store import open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "soak.json"
# Flat: between the medians of the second and the last quarter, a process grows by less than both.
FLAT_SHARE, FLAT_MEGABYTES = 0.05, 30.0
FLAT_FILES, FLAT_THREADS = 4, 4  # likewise
_TICK = 5.0  # seconds between two samples, less in a short trial
_SAMPLES = 240  # of each process that the result keeps
_MAX_FAILURES = 200  # that the result lists
_FIRST_LOOKS = 6_000  # records; together larger than the cache of the database
_PAUSE = 0.5  # seconds between two acts of a person, on average
_GRACE = 240.0  # seconds for the last round and the last requests
_ISSUE = re.compile(r'href="(/issues/\d+)"')
_RECORD = re.compile(r'href="/records/(\d+)"')
_PAGE = re.compile(r'src="(/evidence/[^"]+)"')


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process has at a time: resident megabytes, open files, threads."""

    seconds: float
    megabytes: float
    files: int
    threads: int


@dataclass
class Soak:
    """What was seen so far."""

    rounds: list[dict[str, Any]] = field(default_factory=list)
    diaries: list[Diary] = field(default_factory=list)
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def main() -> int:
    """Run, judge and write the result; the exit code is 1 if anything failed or grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--people", type=int, default=3)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two rounds of the crawling process")
    parser.add_argument(
        "--records", type=int, default=20_000, help="in the store at first, so that its caches fill early"
    )
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no process is left
    about = {
        "command": f"python -m bench.soak --seconds {given.seconds:g} --people {given.people} --pause {given.pause:g} "
        f"--records {given.records}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cores": os.cpu_count(),
    }
    result = about | soaked(given.seconds, people=given.people, pause=given.pause, records=given.records)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: flat {result['flat']}, {len(result['failures'])} failures")
    return 0 if result["flat"] and not result["failures"] else 1


def soaked(seconds: float, *, people: int, pause: float, records: int) -> dict[str, Any]:
    """Crawl and review for so long; figures, samples and failures."""
    soak, busy = Soak(), [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory(prefix="bench-soak-") as folder:
        path = Path(folder) / "store.sqlite"
        tokens = filled(path, records, people)
        with ExitStack() as stack:
            site = stack.enter_context(serve_rounds())
            url, server = stack.enter_context(served(path))
            look_through(url, tokens[0], records)
            crawler = stack.enter_context(crawling(soak, site, path, seconds=seconds, pause=pause))
            end = time.monotonic() + seconds
            crowd = stack.enter_context(reviewing(soak, url, tokens, until=end))
            watch(soak, {"crawl": crawler.pid, "review": server.pid}, seconds=seconds)
            crawler.wait(_GRACE)
            for person in crowd:
                person.join(_GRACE)
            busy.append(os.getloadavg()[0])
        soak.failures += [failure for one in soak.rounds for failure in one["failures"]]
        soak.failures += [f"{diary.who}: {failure}" for diary in soak.diaries for failure in diary.failures]
        soak.failures += [] if crawler.returncode == 0 else [f"the crawling process ended with {crawler.returncode}"]
        with open_store(str(path)) as store:
            soak.failures += check_writes(store, soak.diaries)
            there = sum(1 for _ in store.records.numbered())
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    ends = {"first records": records, "records": there, "bytes": size}
    return {"seconds": seconds, "people": people, "load": max(busy), **figures(soak), **ends}


@contextmanager
def crawling(soak: Soak, site: str, store: Path, *, seconds: float, pause: float) -> Iterator[subprocess.Popen[str]]:
    """The crawling process; a thread takes what it prints."""
    command = [sys.executable, "-m", "bench.soak_crawl", site, str(store), str(store.parent / "runs")]
    command += ["--seconds", str(seconds), "--pause", str(pause)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8") as process:

        def listen() -> None:
            for line in process.stdout or ():
                soak.rounds.append(json.loads(line))

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield process
            listener.join(_GRACE)
        finally:
            process.kill()


def look_through(url: str, token: str, records: int) -> None:
    """Show some thousand records once, without pauses, so that the server's caches are full from the start."""
    with Reviewer(url, token, Diary("first"), pause=0.0, seed=0, until=time.monotonic() + _GRACE) as person:
        for number in range(1, 1 + min(records, _FIRST_LOOKS)):
            person.get("record", f"/records/{number}")


@contextmanager
def reviewing(soak: Soak, url: str, tokens: Sequence[str], *, until: float) -> Iterator[list[threading.Thread]]:
    """People at work until the end."""
    soak.diaries += [Diary(f"person-{n}") for n in range(len(tokens))]

    def work(token: str, diary: Diary, seed: int) -> None:
        with Reviewer(url, token, diary, pause=_PAUSE, seed=seed, until=until) as person:
            while time.monotonic() < until:
                visit(person)

    given = enumerate(zip(tokens, soak.diaries, strict=True))
    crowd = [threading.Thread(target=work, args=(*one, n), daemon=True) for n, one in given]
    for person in crowd:
        person.start()
    yield crowd


def visit(person: Reviewer) -> None:
    """Choose an issue, review a record of it with its archived page, ask what it teaches, and search."""
    issues = _ISSUE.findall(person.get("issues", "/"))
    if not issues:
        return
    numbers = _RECORD.findall(person.get("queue", person.dice.choice(issues)))
    if not numbers:
        return
    number = int(person.dice.choice(numbers))
    shown = person.get("record", f"/records/{number}")
    for page in _PAGE.findall(shown)[:1]:
        person.get("archived page", page)
    person.review(number)
    person.get("history", f"/records/{number}/history")
    person.search()


def watch(soak: Soak, processes: dict[str, int], *, seconds: float) -> None:
    """Sample the processes until the time is over, and say now and then how it stands."""
    begun, tick = time.monotonic(), min(_TICK, seconds / _SAMPLES)
    told = 0.0
    while (now := time.monotonic() - begun) < seconds:
        for name, pid in processes.items():
            workers = [sample(now, one) for one in list_family(pid) if one != pid]
            _keep(soak, name, sample(now, pid))
            _keep(soak, f"{name} workers", max(filter(None, workers), key=lambda one: one.megabytes, default=None))
            soak.cpu[name] = cpu_seconds(*list_family(pid))
        if now - told >= 60:  # noqa: PLR2004  (a minute)
            told = now
            shown = ", ".join(f"{name} {rows[-1].megabytes:.0f} MB" for name, rows in soak.samples.items())
            print(f"{now:.0f} s: {len(soak.rounds)} rounds, {shown}", flush=True)
        time.sleep(tick)


def _keep(soak: Soak, name: str, one: Sample | None) -> None:
    if one is not None:
        soak.samples.setdefault(name, []).append(one)


def sample(seconds: float, pid: int) -> Sample | None:
    """What a process has now; None if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        files = len([*Path(f"/proc/{pid}/fd").iterdir()])
    except OSError:
        return None
    numbers = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if name in _READ}
    if numbers.keys() != _READ:
        return None  # a zombie
    return Sample(round(seconds, 1), round(numbers["VmRSS"] / 1024, 1), files, numbers["Threads"])


_READ = {"VmRSS", "Threads"}


def figures(soak: Soak) -> dict[str, Any]:
    """The counts, the times of the requests, and the judgement of each process."""
    counts: Counter[str] = Counter()
    for one in soak.rounds:
        counts.update({name: n for name, n in one.items() if name not in ("round", "failures")})
    kinds = sorted({kind for diary in soak.diaries for kind in diary.times})
    times = {kind: [one for diary in soak.diaries for one in diary.times[kind]] for kind in kinds}
    processes = {name: judge(samples) for name, samples in soak.samples.items()}
    return {
        "rounds": len(soak.rounds),
        **counts,
        "requests": {kind: spread(found) for kind, found in times.items()},
        "writes": sum(len(diary.writes) for diary in soak.diaries),
        "conflicts": sum(diary.conflicts for diary in soak.diaries),
        "cpu": {name: round(one, 1) for name, one in soak.cpu.items()},
        "limits": {"share": FLAT_SHARE, "MB": FLAT_MEGABYTES, "files": FLAT_FILES, "threads": FLAT_THREADS},
        "flat": bool(processes) and all(one["flat"] for one in processes.values()),
        "failures": soak.failures[:_MAX_FAILURES],
        "processes": processes,
    }


def judge(samples: Sequence[Sample]) -> dict[str, Any]:
    """Medians of the quarters, the slope over the last three, whether it is flat, and the samples, thinned."""
    size = len(samples)
    quarters = [samples[size * n // 4 : size * (n + 1) // 4] for n in range(4)]
    memory = [_median(one.megabytes for one in quarter) for quarter in quarters]
    files = [_median(one.files for one in quarter) for quarter in quarters]
    threads = [_median(one.threads for one in quarter) for quarter in quarters]
    growth = memory[-1] - memory[1]
    return {
        "quarters": [round(one, 1) for one in memory],
        "growth": round(growth, 1),
        "slope": round(slope([(one.seconds / 3600, one.megabytes) for one in samples[size // 4 :]]), 2),
        "peak": max((one.megabytes for one in samples), default=0.0),
        "files": files,
        "threads": threads,
        "flat": growth < min(FLAT_SHARE * memory[1], FLAT_MEGABYTES)
        and files[-1] - files[1] < FLAT_FILES
        and threads[-1] - threads[1] < FLAT_THREADS,
        "samples": [[one.seconds, one.megabytes, one.files, one.threads] for one in thinned(samples, _SAMPLES)],
    }


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median slope of all pairs of some points (Theil and Sen), which single peaks do not bend."""
    some = thinned(points, _SAMPLES)
    pairs = ((one, other) for n, one in enumerate(some) for other in some[n + 1 :])
    return _median((y - v) / (x - u) for (u, v), (x, y) in pairs if x != u)


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """At most so many of the values, evenly chosen, the first among them."""
    step = max(1, -(-len(values) // most))
    return list(values[::step])


def _median(values: Iterable[float]) -> float:
    found = list(values)
    return statistics.median(found) if found else 0.0


if __name__ == "__main__":
    sys.exit(main())

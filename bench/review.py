"""The review app under load: a store with many records, and people at work in it, each a thread with a browser's ways.

.venv/bin/python -m bench.review [--records 100000] [--users 20] [--acts 60]     writes bench/results/review.json
.venv/bin/python -m bench.render                                               renders the table of the docs from it

People come one after the other. Everybody opens an issue, then goes from record to record: looks, accepts fields,
corrects a title now and then, accepts the record, searches, with a second between two acts. What is measured is the
time from a request to the end of its answer, as the person waits for it, the other people's requests included. Each
acknowledged write must be in the store afterwards, once. `bench.review_clients` compares two versions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import httpx2
from bench.crawl import output
from bench.records import AN_ISSUE, record
from bench.review_people import Diary, Reviewer, check_writes

from medharvest import __version__
from medharvest.store import open_store
from medharvest.store.people import Person, Role
from medharvest.web.request_checks import SESSION_COOKIE, Sessions, hash_password

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "review.json"
_BATCH = 2_000  # records that are saved together
_COMING = 5  # pauses between the first who comes and the last
_PASSWORD = "correct horse"  # noqa: S105  (of people who do not exist)
_FILE = re.compile(r'(?:src|href)="(/static/[^"]+)"')

Times = dict[str, list[float]]


@dataclass(frozen=True)
class Load:
    """Where people work, on how many records, how often and how long each acts, and the seconds between, on average."""

    url: str
    records: int
    pause: float
    acts: float = inf
    seconds: float = inf
    seed: int = 0


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--acts", type=int, default=60)
    given = parser.parse_args()
    about = {
        "command": "python -m bench.review",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cores": os.cpu_count(),
    }
    result = about | measured(given.records, given.users, given.acts, pause=1.0)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def measured(records: int, users: int, acts: int, *, pause: float) -> dict[str, Any]:
    """Fill a store, serve it, let people work, and say how long they waited."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        tokens = filled(path, records, users)
        with served(path) as (url, process):
            first = first_page(url, tokens[0])
            before, busy = cpu_seconds(process.pid), os.getloadavg()[0]
            diaries = at_work(Load(url, records, acts=acts, pause=pause), tokens)
            cpu = cpu_seconds(process.pid) - before
        with open_store(str(path)) as store:
            failures = [*check_writes(store, diaries), *(one for diary in diaries for one in diary.failures)]
    if failures:
        raise RuntimeError("\n".join(failures))
    times = every_time(diaries)
    every = [one for kind in times.values() for one in kind]
    return {
        "records": records,
        "users": users,
        "acts": len(every),
        "pause": pause,
        "load": round(max(busy, os.getloadavg()[0]), 1),
        "cpu_ms": round(1000 * cpu / len(every), 2),
        "first_page_bytes": first,
        "all": spread(every),
        "kinds": {name: spread(found) for name, found in sorted(times.items())},
    }


def filled(path: Path, records: int, users: int) -> list[str]:
    """A store with records and people; the token of a session for each of them."""
    with open_store(str(path)) as store:
        for first in range(0, records, _BATCH):
            store.save(None, [record(n) for n in range(first, min(first + _BATCH, records))])
        store.collection.catch_up()
        sessions, secret = Sessions(store.people), hash_password(_PASSWORD)
        names = [f"person-{n}" for n in range(users)]
        for name in names:
            store.people.add(Person(name=name, role=Role.REVIEWER, secret=secret))
        return [sessions.log_in(name, _PASSWORD, address="") for name in names]


@contextmanager
def served(path: Path, *, source: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The app in a process of its own, as people start it; with `source`, that of another checkout."""
    command = [sys.executable, "-m", "medharvest", "review", "--no-open", "--port", "0", "--store", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=environment_of(source)) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().split()[-1].partition("/enter")[0]
            threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop the server
            yield url, process
        finally:
            process.kill()


def environment_of(source: Path | None) -> dict[str, str]:
    """The environment of a process that uses the package of this checkout, or of another one."""
    return {**os.environ, **({"PYTHONPATH": str(source / "src")} if source else {})}


def first_page(url: str, token: str) -> int:
    """The bytes of the first page with all it needs."""
    with httpx2.Client(base_url=url, cookies={SESSION_COOKIE: token}) as client:
        page = client.get("/")
        files = {*_FILE.findall(page.text)}
        return len(page.content) + sum(len(client.get(file).content) for file in files)


def at_work(load: Load, tokens: list[str]) -> list[Diary]:
    """What everybody did."""
    diaries = [Diary(f"person-{n}") for n in range(len(tokens))]
    given = enumerate(zip(tokens, diaries, strict=True))
    people = [threading.Thread(target=_work, args=(load, *one, n), daemon=True) for n, one in given]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return diaries


def _work(load: Load, token: str, diary: Diary, seed: int) -> None:
    try:
        _work_through(load, token, diary, seed)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a failure and not the end of the bench)
        diary.failures.append(f"{type(error).__name__}: {error}")


def _work_through(load: Load, token: str, diary: Diary, seed: int) -> None:
    """One person: an issue, its records, and a search now and then."""
    until = time.monotonic() + load.seconds
    with Reviewer(load.url, token, diary, pause=load.pause, seed=load.seed + seed, until=until) as person:
        time.sleep(min(person.dice.random() * _COMING * load.pause, load.seconds))
        while sum(map(len, diary.times.values())) < load.acts and time.monotonic() < until:
            number = person.dice.randrange(load.records) + 1
            steps = [("issues", "/"), ("queue", f"/issues/{(number - 1) // AN_ISSUE + 1}"), ("search", "")]
            kind, path = person.dice.choice(steps)
            if path:
                person.get(kind, path)
            else:
                person.search()
            person.review(number)


def every_time(diaries: Iterable[Diary]) -> Times:
    """The seconds of every request of everybody, by what was asked."""
    times: Times = defaultdict(list)
    for diary in diaries:
        for kind, found in diary.times.items():
            times[kind] += found
    return times


def spread(seconds: list[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile, in milliseconds, and how many there are."""
    known = sorted(seconds)
    at = {name: known[min(len(known) - 1, int(share * len(known)))] for name, share in _SHARES.items()}
    return {"count": len(known), **{name: round(1000 * value, 1) for name, value in at.items()}}


_SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99}


def cpu_seconds(*pids: int) -> float:
    """Seconds of CPU that processes have used; one that has ended counts nothing."""
    used = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()

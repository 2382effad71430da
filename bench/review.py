"""The review app under load: a store with many records, and people at work in it, each a thread with a browser's ways.

.venv/bin/python -m bench.review [--records 100000] [--users 20] [--acts 60]     writes bench/results/review.json
.venv/bin/python -m bench.render                                               renders the table of the docs from it

People come one after the other. Everybody opens an issue, then goes from record to record: looks, accepts a field,
accepts the record, searches now and then, with a second between two acts. What is measured is the time from a request
to the end of its answer, as the person waits for it, the other people's requests included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from bench.crawl import output
from bench.records import AN_ISSUE, record, word

from medharvest import __version__
from medharvest.store import open_store
from medharvest.store.people import Person, Role
from medharvest.web.sessions import SESSION_COOKIE, Sessions, hash_password

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "review.json"
_BATCH = 2_000  # records that are saved together
_COMING = 5  # pauses between the first who comes and the last
_PASSWORD = "correct horse"  # noqa: S105  (of people who do not exist)
_VERSION = re.compile(r'data-version="(\d+)"')
_CSRF = re.compile(r'name="csrf" content="([^"]+)"')
_FILE = re.compile(r'(?:src|href)="(/static/[^"]+)"')
_FIELDS = ("title", "authors", "abstract", "journal", "volume", "doi")

Times = dict[str, list[float]]


@dataclass(frozen=True)
class Load:
    """Where people work, on how many records, how often each acts, and the seconds between, on average."""

    url: str
    records: int
    acts: int
    pause: float


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
            before, busy = _cpu(process.pid), os.getloadavg()[0]
            times = at_work(Load(url, records, acts, pause), tokens)
            cpu = _cpu(process.pid) - before
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
def served(path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The app in a process of its own, as people start it."""
    command = [sys.executable, "-m", "medharvest", "review", "--no-open", "--port", "0", "--store", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        try:
            yield process.stderr.readline().split()[-1].partition("/enter")[0], process
        finally:
            process.kill()


def first_page(url: str, token: str) -> int:
    """The bytes of the first page with all it needs."""
    with httpx2.Client(base_url=url, cookies={SESSION_COOKIE: token}) as client:
        page = client.get("/")
        files = {*_FILE.findall(page.text)}
        return len(page.content) + sum(len(client.get(file).content) for file in files)


def at_work(load: Load, tokens: list[str]) -> Times:
    """The seconds of every request of everybody, by what was asked."""
    times: Times = defaultdict(list)
    people = [threading.Thread(target=_work, args=(load, token, n, times)) for n, token in enumerate(tokens)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    return times


def _work(load: Load, token: str, seed: int, times: Times) -> None:
    """One person: an issue, its records, and a search now and then."""
    dice = random.Random(seed)  # noqa: S311  (nothing secret)
    with httpx2.Client(base_url=load.url, cookies={SESSION_COOKIE: token}, timeout=60, follow_redirects=True) as client:
        csrf = _CSRF.findall(client.get("/help").text)[0]
        client.headers |= {"x-csrf": csrf, "origin": load.url, "x-fragment": "1"}
        done = 0
        time.sleep(dice.random() * _COMING * load.pause)
        while done < load.acts:
            number = dice.randrange(load.records) + 1
            steps = [("issues", "/"), ("queue", f"/issues/{(number - 1) // AN_ISSUE + 1}")]
            kind, path = dice.choice([*steps, ("search", f"/search?q={word(dice.randrange(2000))}")])
            _timed(client, times, kind, path)
            time.sleep(dice.expovariate(1) * load.pause)
            done += 1 + _review(client, times, number, dice, load.pause)


def _review(client: httpx2.Client, times: Times, number: int, dice: random.Random, pause: float) -> int:
    """Open a record, accept two fields of it and then the whole; how many acts that were."""
    version = _VERSION.findall(_timed(client, times, "record", f"/records/{number}"))
    for field in dice.sample(_FIELDS, 2):
        time.sleep(dice.expovariate(1) * pause)
        text = _timed(client, times, "accept field", f"/records/{number}/fields/{field}/accept", version=version[0])
        version = _VERSION.findall(text) or version
    time.sleep(dice.expovariate(1) * pause)
    _timed(client, times, "accept record", f"/records/{number}/accept", version=version[0])
    return 4


def _timed(client: httpx2.Client, times: Times, kind: str, path: str, **form: str) -> str:
    begun = time.perf_counter()
    answer = client.post(path, data=form) if form else client.get(path)
    times[kind].append(time.perf_counter() - begun)
    if answer.status_code != httpx2.codes.OK:
        raise RuntimeError(f"{path}: {answer.status_code}")
    return answer.text


def spread(seconds: list[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile, in milliseconds, and how many there are."""
    known = sorted(seconds)
    at = {name: known[min(len(known) - 1, int(share * len(known)))] for name, share in _SHARES.items()}
    return {"count": len(known), **{name: round(1000 * value, 1) for name, value in at.items()}}


_SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99}


def _cpu(pid: int) -> float:
    """Seconds of CPU a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()

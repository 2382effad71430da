"""What a page costs plan and store alone, as a crawl grows to 100,000 pages and a frontier of a million addresses.

.venv/bin/python -m bench.frontier [--pages 100000] [--fan 11]      writes bench/results/frontier.json

Each page brings `fan` new addresses and as many known ones. The same crawl is made in memory and with the SQLite store,
each in a process of its own; at each mark stands the CPU time of each stage since the last one.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medharvest.crawl import IssuePlan
from medharvest.records import JudgedLink, Kind, Link, Node, Outcome, Verdict, Wish
from medharvest.settings import Crawl
from medharvest.store import Store, open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "frontier.json"
MARKS = (1_000, 3_000, 10_000, 30_000, 100_000)
LIMITS = Crawl(max_pages=10**9, max_depth=10**6, max_bytes=10**15, max_seconds=1e9, max_share=1.0)
AT_A_TIME = 16
TIMEOUT = 1800.0  # seconds for one crawl
SITE = "https://www.journal.example/content/vol23/iss3"
VERDICT = Verdict("other", 0.5, "bench")


def main() -> None:
    """Crawl in memory and with the store, each in a process of its own, and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=MARKS[-1])
    parser.add_argument("--fan", type=int, default=11)
    parser.add_argument("--one", choices=("memory", "store"), help="make one crawl and print its figures")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(crawl(given.pages, given.fan, durable=given.one == "store")))
        return
    result = {
        "command": f"python -m bench.frontier --pages {given.pages} --fan {given.fan}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": versions(),
        "runs": {one: alone(one, given.pages, given.fan) for one in ("memory", "store")},
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.relative_to(ROOT)}")


def crawl(pages: int, fan: int, *, durable: bool) -> dict[str, Any]:
    """Make one crawl; what each stage cost up to each mark, and what it costs to restore the plan at the end."""
    plan = IssuePlan(f"{SITE}/0", limits=LIMITS, concurrency=AT_A_TIME, links="constraints")
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "store.sqlite")) as store:
        run = store.runs.begin(SITE, folder, plan.changes())
        result: dict[str, Any] = {"marks": list(follow(plan, pages, fan, store if durable else None, run))}
        result["megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
        if durable:
            start = time.process_time()
            restored = IssuePlan.restore(
                store.runs.nodes(run), limits=LIMITS, concurrency=AT_A_TIME, links="constraints"
            )
            result["restore"] = round(time.process_time() - start, 3)
            assert restored.waiting == plan.waiting
            result["file megabytes"] = round((Path(folder) / "store.sqlite").stat().st_size / 1e6, 1)
    return result


def follow(plan: IssuePlan, pages: int, fan: int, store: Store | None, run: int) -> Iterator[dict[str, float]]:
    """Feed pages to the plan and record them; give the CPU seconds of each stage since the last mark."""
    marks = {mark for mark in MARKS if mark <= pages} | {pages}
    out, spent = list(plan.begin()), {"feed": 0.0, "changes": 0.0, "record": 0.0}
    for page in range(pages):
        outcome = answer(out.pop(0), page, fan)
        times = [time.process_time()]
        out += plan.feed(outcome)
        times.append(time.process_time())
        nodes: tuple[Node, ...] = plan.changes()
        times.append(time.process_time())
        if store is not None:
            store.runs.record(run, outcome, nodes, archive_length=page)
        times.append(time.process_time())
        for stage, before, after in zip(spent, times, times[1:], strict=False):
            spent[stage] += after - before
        if page + 1 in marks:
            yield {"pages": page + 1, "waiting": plan.waiting, **{name: round(cpu, 4) for name, cpu in spent.items()}}
            spent = dict.fromkeys(spent, 0.0)


def answer(wish: Wish, page: int, fan: int) -> Outcome:
    """The page of a wish: its new addresses, and as many that earlier pages had."""
    new = range(page * fan + 1, page * fan + fan + 1)
    old = range(max(0, page * fan + 1 - fan), page * fan + 1)
    return Outcome(
        wish=wish,
        final_url=wish.url,
        kind=Kind.OTHER,
        links=tuple(link(n) for n in (*new, *old)),
        digest=f"{page:064x}",
        size=30_000,
        status=200,
        asked_at="2026-01-31T12:00:00.000Z",
        arrived_at="2026-01-31T12:00:00.500Z",
    )


def link(n: int) -> JudgedLink:
    """A link that the constraint sets let pass."""
    url = f"{SITE}/article{n}.abstract"
    found = Link(index=0, offset=0, end=0, href=url, url=url, text="")
    return JudgedLink(link=found, article=False, kind=None, verdict=VERDICT, follows=True)


def alone(one: str, pages: int, fan: int) -> dict[str, Any]:
    """Make one crawl in a process of its own that stops by itself."""
    command = [sys.executable, "-m", "bench.frontier", "--one", one, "--pages", str(pages), "--fan", str(fan)]
    found: dict[str, Any] = json.loads(output("timeout", str(TIMEOUT), *command))
    return found


def versions() -> dict[str, str]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "sqlalchemy": importlib.metadata.version("sqlalchemy"),
    }


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout.strip()


if __name__ == "__main__":
    main()

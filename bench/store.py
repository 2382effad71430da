"""A store as it grows to a million records: how many are inserted a second, how soon one opens, how large it is.

.venv/bin/python -m bench.store [--records 1000000] [--file FILE]      writes bench/results/store.json
.venv/bin/python -m bench.render                                       renders the table of the docs from it

FILE is kept, and a file that is there is grown further: what its rows were before stays in the result. Without it the
store is made in a folder that is removed. The time of making the records is taken off.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.records import record

from medharvest import __version__
from medharvest.store import Store, open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "store.json"
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
BATCH = 1_000  # records saved at a time, as from a large file
LOOKS = 300  # records opened at each size


def main() -> None:
    """Grow a store through the sizes, and measure at each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=SIZES[-1])
    parser.add_argument("--file", type=Path, help="the store, to be kept")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    known = given.file and given.file.exists() and given.result.exists()
    rows = json.loads(given.result.read_text())["sizes"] if known else []
    with tempfile.TemporaryDirectory() as folder:
        file = given.file or Path(folder) / "store.sqlite"
        for size in [*(one for one in SIZES if one < given.records), given.records]:
            if size > (rows[-1]["records"] if rows else 0):
                rows.append(grown(file, size))
                write(given.result, rows)
                print(json.dumps(rows[-1]), flush=True)


def write(result: Path, rows: list[dict[str, float]]) -> None:
    """The result so far."""
    whole = {
        "command": f"python -m bench.store --records {rows[-1]['records']}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "cores": os.cpu_count(),
        "sizes": rows,
    }
    result.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def grown(file: Path, size: int) -> dict[str, float]:
    """Fill a store up to a size and measure it: seconds of inserting, milliseconds of opening, megabytes."""
    with open_store(str(file)) as store:
        start = last(store)
        wall, cpu = fill(store, start, size)
    with open_store(str(file)) as store:
        dice = random.Random(size)  # noqa: S311
        numbers = [dice.randint(1, size) for _ in range(LOOKS)]
        opened = timed(store.records.get, numbers)
        found = timed(lambda n: store.records.find(record(n - 1)), numbers)
    return {
        "records": size,
        "inserted": size - start,
        "wall": round(wall, 2),
        "cpu": round(cpu, 2),
        "load": round(os.getloadavg()[0], 1),
        "megabytes": round(file.stat().st_size / 1e6, 1),
        **{f"open {name}": value for name, value in opened.items()},
        **{f"find {name}": value for name, value in found.items()},
    }


def last(store: Store) -> int:
    """The number of the last article; they are numbered without a gap."""
    with store._transactions.engine.connect() as connection:  # noqa: SLF001  (no part of the program needs it)
        return int(connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM article").scalar() or 0)


def fill(store: Store, start: int, end: int) -> tuple[float, float]:
    """Wall and CPU seconds of saving the records from one number to another."""
    wall = cpu = 0.0
    for first in range(start, end, BATCH):
        batch = [record(n) for n in range(first, min(first + BATCH, end))]
        before = time.perf_counter(), time.process_time()
        store.save(None, batch)
        wall += time.perf_counter() - before[0]
        cpu += time.process_time() - before[1]
    return wall, cpu


def timed(look: Callable[[int], Any], numbers: list[int]) -> dict[str, float]:
    """Milliseconds of looking at each: median, 95th percentile and most; CPU time of the median."""
    walls, cpus = [], []
    for number in numbers:
        before = time.perf_counter(), time.process_time()
        look(number)
        walls.append(1000 * (time.perf_counter() - before[0]))
        cpus.append(1000 * (time.process_time() - before[1]))
    return {
        "median": round(statistics.median(walls), 2),
        "p95": round(statistics.quantiles(walls, n=20)[-1], 2),
        "most": round(max(walls), 2),
        "cpu": round(statistics.median(cpus), 2),
    }


if __name__ == "__main__":
    main()

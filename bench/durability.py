"""Kill a run of 10,000 records twenty times while it writes; let three programs write at once for a minute.

.venv/bin/python -m bench.durability [--records 10000] [--kills 20] [--seconds 60]
.venv/bin/python -m bench.render                  renders the table of the docs from bench/results/durability.json

The programs and the checks are those of tests/store/test_durability.py: a lost update, half a record, an article that
the log of changes tells otherwise, or a store that is said to be in use fail the bench.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.crawl import output
from tests.store import test_durability as durability
from tests.store.server import execute, postgres_server

from medharvest import __version__

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "durability.json"


def main() -> None:
    """Do both over both kinds of database."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    runs: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:

        def new_server(name: str) -> str:
            execute(server.format("postgres"), f"CREATE DATABASE {name}")
            return server.format(name)

        places: dict[str, Callable[[str], str]] = {
            "SQLite": lambda name: str(Path(folder) / f"{name}.sqlite"),
            "PostgreSQL": new_server,
        }
        for kind, place in places.items():
            killed = durability.kill_writer(place("killed"), records=given.records, kills=given.kills)
            print(kind, killed, flush=True)
            rivals = durability.compete(place("rivals"), rounds=1, seconds=given.seconds)
            print(kind, rivals, flush=True)
            runs[kind] = {"killed": killed, "rivals": rivals}
    result = {
        "command": f"python -m bench.durability --records {given.records} --kills {given.kills} "
        f"--seconds {given.seconds:g}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "seconds": given.seconds,
        "runs": runs,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


if __name__ == "__main__":
    main()

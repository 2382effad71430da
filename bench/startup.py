"""How long the program takes to start, beside the bare interpreter, in interleaved rounds.

.venv/bin/python bench/startup.py [--rounds 15]      writes bench/results/startup.json
.venv/bin/python bench/render.py                     renders the table of the docs from it
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "startup.json"
PAGE = "src/medharvest/demo/site/estuary/article/240011.html"
CASES = {
    "bare interpreter": [sys.executable, "-c", "pass"],
    "import medharvest": [sys.executable, "-c", "import medharvest"],
    "medharvest --version": [str(ROOT / "medharvest"), "--version"],
    "medharvest read PAGE": [str(ROOT / "medharvest"), "read", "--json", PAGE],
}


def main() -> None:
    """Measure every case once a round and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in CASES}
    for _ in range(rounds):
        for name, command in CASES.items():
            runs[name].append(measure(command))
    result = {
        "command": f"python bench/startup.py --rounds {rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {
            "python": platform.python_version(),
            "medharvest": output(*CASES["medharvest --version"]).split()[1],
        },
        "runs": runs,
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.relative_to(ROOT)}")


def measure(command: list[str]) -> dict[str, float]:
    """Wall and CPU seconds of one run, children counted."""
    before, start = os.times(), time.perf_counter()
    with tempfile.TemporaryFile() as sink:
        subprocess.run(command, cwd=ROOT, stdout=sink, check=True)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall": round(wall, 4), "cpu": round(cpu, 4)}


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout.strip()


if __name__ == "__main__":
    main()

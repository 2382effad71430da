"""Render the tables of docs/reference/speed.md from the raw files in bench/results.

.venv/bin/python bench/render.py [--check]
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "speed.md"
LIMITS = {"import medharvest": 0.1, "medharvest --version": 0.3, "medharvest read PAGE": 1.0}


def main() -> int:
    """Write the page, or with `--check` say whether it is current."""
    text = page(json.loads((ROOT / "bench" / "results" / "startup.json").read_text(encoding="utf-8")))
    if "--check" in sys.argv[1:]:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print(f"{PAGE.relative_to(ROOT)} is {'current' if current else 'not what bench/results gives'}")
        return 0 if current else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page(result: dict[str, Any]) -> str:
    """The page: medians of each case, and their ratio to the bare interpreter of the same rounds."""
    base = _median(result["runs"]["bare interpreter"], "cpu")
    rows = [_row(name, runs, base) for name, runs in result["runs"].items()]
    rounds = len(next(iter(result["runs"].values())))
    return "\n".join(
        [
            "# Speed",
            "",
            "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->",
            "",
            "## Starting",
            "",
            f"Medians of {rounds} interleaved rounds, {_versions(result)}. The ratio is CPU time against the",
            "bare interpreter in the same rounds; the import alone is its row less that one.",
            "",
            "| case | wall s | CPU s | ratio | aim, wall s |",
            "|---|---:|---:|---:|---:|",
            *rows,
            "",
            f"Measured with `{result['command']}`.",
            "",
        ]
    )


def _versions(result: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"{versions}, commit `{result['commit'][:12]}`"


def _row(name: str, runs: list[dict[str, float]], base: float) -> str:
    cpu = _median(runs, "cpu")
    return f"| `{name}` | {_median(runs, 'wall'):.3f} | {cpu:.3f} | {cpu / base:.1f} | {LIMITS.get(name, '')} |"


def _median(runs: list[dict[str, float]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


if __name__ == "__main__":
    sys.exit(main())

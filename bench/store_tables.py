"""The tables of the store in docs/reference/speed.md: as it grows, and after kills."""

from __future__ import annotations

import textwrap
from typing import Any


def storing(result: dict[str, Any]) -> list[str]:
    """A row for each size that a store went through."""
    return [
        "## The store, as it grows",
        "",
        *_prose(
            "Records of some 4 KB with the evidence an import gives them, saved a thousand at a time to SQLite, each",
            "looked up among those there are and noted in the log of changes. The time of making them is taken off.",
            "Then 300 of them by chance are opened by number, and found by their identifiers, in a store opened anew.",
            f"{versions(result)}. Other programs ran on the {result['cores']} cores at the same time, as the load",
            "tells (how many programs wanted a core): CPU time is what the work takes, wall time what was waited for.",
            "The aims: 2,000 records a second, a record open in 20 ms.",
        ),
        "",
        "| records | inserted per CPU s | per wall s | load | open, ms: median | 95 % | most | CPU | find, ms | MB |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(_size(row) for row in result["sizes"]),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _size(row: dict[str, float]) -> str:
    speeds = [f"{row['inserted'] / row[clock]:,.0f}" for clock in ("cpu", "wall")]
    opened = [f"{row[f'open {name}']:.1f}" for name in ("median", "p95", "most", "cpu")]
    found = f"{row['find median']:.1f}"
    cells = [f"{row['records']:,}", *speeds, f"{row['load']:.0f}", *opened, found, f"{row['megabytes']:,.0f}"]
    return f"| {' | '.join(cells)} |"


def lasting(result: dict[str, Any]) -> list[str]:
    """A row for each kind of database."""
    first = next(iter(result["runs"].values()))["killed"]
    return [
        "## The store, killed and contended",
        "",
        *_prose(
            f"A run of {first['records']:,} records, some of them read again, corrected, accepted and undone, is",
            f"killed (SIGKILL) while it writes; {versions(result)}. After each kill the database checks itself, every",
            "record is compared with the log of its changes, and nothing may be there by half. Then three programs",
            f"write to one store for {result['seconds']:g} s: one harvests, one enriches, one reviews, and all count",
            "up in the same ten records. Every count must be there, and no program may be told that the store is in",
            "use. The bench fails where any of this does not hold.",
        ),
        "",
        "| database | kills | in a write | changes in the log | counted by three at once | told to read again |",
        "|---|---:|---:|---:|---:|---:|",
        *(_kind(name, run) for name, run in result["runs"].items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _kind(name: str, run: dict[str, Any]) -> str:
    killed, rivals = run["killed"], run["rivals"]
    counts = [killed["kills"], killed["during a write"], killed["changes"], rivals["counted"], rivals["again"]]
    return f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |"


def versions(result: dict[str, Any]) -> str:
    """What was measured."""
    known = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"{known}, commit `{result['commit'][:12]}`"


def _prose(*parts: str) -> list[str]:
    return textwrap.wrap(" ".join(parts), width=118, break_long_words=False, break_on_hyphens=False)

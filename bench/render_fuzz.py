"""The part of docs/reference/resilience.md on broken files."""

from __future__ import annotations

import textwrap
from typing import Any


def describe_fuzz(result: dict[str, Any]) -> list[str]:
    """Describe what became of broken files, by kind of file."""
    return [
        "## Broken files",
        "",
        *textwrap.wrap(_describe_run(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| file | read by | files | a record | a reason | failed | longest, CPU s | most MB |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
        *(_describe_kind(name, row) for name, row in result["kinds"].items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _describe_run(result: dict[str, Any]) -> str:
    limits = result["limits"]
    return (
        f"{result['files']:,} files, made by chance from files that medharvest wrote and from foreign ones, with "
        "damage that knows their syntax: elements, lines, columns, keys and objects removed, doubled, moved or "
        "replaced by wrong values, entities and macros that repeat each other, deep nesting, very long values, other "
        "encodings, changed bytes. Each is read in a process of its own as the command does it. "
        f"{len(result['failures'])} of them crashed, did not end, raised an unexpected error, or took more than "
        f"{limits['seconds']:g} s of CPU time or {limits['megabytes'] / 1000:g} GB. Python "
        f"{result['versions']['python']}, {result['cpu_seconds']:,.0f} s of CPU time in all, load "
        f"{result['load']:.1f}, seed {result['seed']}, commit `{result['commit'][:12]}`."
    )


def _describe_kind(name: str, row: dict[str, Any]) -> str:
    outcomes = row["outcomes"]
    record, reason = (outcomes.get(key, 0) for key in ("record", "reason"))
    verbs = ", ".join(f"`{verb}`" for verb in row["verb"].split(", "))
    failed = row["files"] - record - reason
    return (
        f"| {name} | {verbs} | {row['files']:,} | {record:,} | {reason:,} | {failed:,} | {row['seconds']:.2f} | "
        f"{row['megabytes']:.0f} |"
    )

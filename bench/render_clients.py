"""The part of docs/reference/resilience.md on many people in the review app."""

from __future__ import annotations

import textwrap
from typing import Any


def describe_clients(result: dict[str, Any]) -> list[str]:
    """How long people waited in this version, beside the earlier one, and whether a write was lost."""
    runs = result["runs"]
    kinds = ["all", *sorted({kind for run in runs.values() for kind in run["kinds"]})]
    return [
        f"## {result['users']} people in the review app",
        "",
        *textwrap.wrap(_describe_work(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| request | version | number | median ms | 95 % within ms | 99 % within ms |",
        "|---|---|---:|---:|---:|---:|",
        *(
            _row(kind, name, run)
            for kind in kinds
            for name, run in runs.items()
            if kind == "all" or kind in run["kinds"]
        ),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _describe_work(result: dict[str, Any]) -> str:
    before = result["before"]
    versions = f"this version (commit `{result['commit'][:12]}`)"
    versions = f"{versions} and an earlier one (`{before[:12]}`), which took turns" if before else versions
    costs = "; ".join(_cost(name, run) for name, run in result["runs"].items())
    return (
        f"{result['users']} people at once in a store with {result['records']:,} records, {result['seconds'] / 60:g} "
        f"minutes in {versions}, each on its own copy of the store; {result['pause']:g} s between two acts of one "
        f"person, Python {result['versions']['python']}, {result['cores']} cores. {_count_failures(result)} {costs}."
    )


def _count_failures(result: dict[str, Any]) -> str:
    if failures := result["failures"]:
        return f"{len(failures)} failures, the first: {failures[0]}."
    writes = sum(run["writes"] for run in result["runs"].values())
    return f"All {writes:,} acknowledged writes are in the stores, none of them twice, and no request failed."


def _cost(name: str, run: dict[str, Any]) -> str:
    return f"{name}: {run['cpu_ms']:.1f} ms of CPU per request, {run['MB']:.0f} MB at the end"


def _row(kind: str, name: str, run: dict[str, Any]) -> str:
    one = run["all"] if kind == "all" else run["kinds"][kind]
    return f"| {kind} | {name} | {one['count']:,} | {one['median']:.0f} | {one['p95']:.0f} | {one['p99']:.0f} |"

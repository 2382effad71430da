"""The part of docs/reference/resilience.md on kills."""

from __future__ import annotations

import textwrap
from typing import Any


def describe_kills(result: dict[str, Any]) -> list[str]:
    """How often each verb was killed, and what came of it."""
    return [
        "## Kills",
        "",
        *textwrap.wrap(_describe_work(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| verb | store | without a kill | kills | after a write | lost | doubled | refused | damaged |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
        *(_row(f"`{one['verb']}`", one["store"], f"{one['seconds']:.1f} s", one) for one in result["cases"].values()),
        _row("all", "", "", result["all"]),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _describe_work(result: dict[str, Any]) -> str:
    every = result["all"]
    return (
        f"Each verb was started and killed with SIGKILL, with all its workers, after a random part of the time "
        f"that it takes: {every['kills']:,} kills of living processes, {every['at_work']:,} of them after the process "
        "had written something. After each kill, all that the verb had reported as done had to be there. "
        f"The verb was repeated or resumed as a person would, and at the end each of {every['sets']:,} data sets was "
        "compared with one that no kill touched: records, log of changes, pages and archive, each once. `refused` "
        "counts repeated verbs that ended with an error, `damaged` what a check of a store, backup or file found. "
        "In `review`, four people corrected and accepted while the server was killed, and sent again what had not been "
        f"answered. Python {result['versions']['python']}, seed {result['seed']}, {result['wall_seconds'] / 60:.0f} "
        f"minutes, {result['cpu_seconds'] / 60:.0f} minutes of CPU, load {result['load']:g}, commit "
        f"`{result['commit'][:12]}`."
    )


def _row(verb: str, store: str, seconds: str, one: dict[str, Any]) -> str:
    counts = (f"{one[key]:,}" for key in ("kills", "at_work", "lost", "doubled", "refused", "damaged"))
    return f"| {verb} | {store} | {seconds} | {' | '.join(counts)} |"

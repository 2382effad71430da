"""The part of docs/reference/resilience.md on the growth of regular expressions."""

from __future__ import annotations

import textwrap
from typing import Any

_SHOWN = 10


def describe_patterns(result: dict[str, Any]) -> list[str]:
    """Describe how the CPU time of regular expressions grows with their text."""
    rows = result["failures"] or result["largest_ratios"][:_SHOWN]
    return [
        "## Regular expressions",
        "",
        *textwrap.wrap(_describe_run(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| pattern | method | text | CPU ms for n | CPU ms for 2n | ratio |",
        "|---|---|---|---:|---:|---:|",
        *map(_describe_growth, rows),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _describe_run(result: dict[str, Any]) -> str:
    return (
        f"{result['patterns']} regular expressions that meet foreign text, each with texts made to drive it into "
        f"backtracking: {result['searches']:,} searches in texts of n = {result['length']:,} and of 2n characters, "
        f"or as many as the caller passes on. {result['at_once_searches']:,} searches took less than "
        f"{1000 * result['at_once']:g} ms. Of the other {result['measured']:,}, {len(result['failures'])} took more "
        f"than {result['max_ratio']:g} times as long for twice the text; a linear search takes 2 times as long, a "
        f"quadratic one 4 times. The table lists the {'failures' if result['failures'] else 'largest ratios'}. Python "
        f"{result['versions']['python']}, load {result['load']:.1f}, commit `{result['commit'][:12]}`."
    )


def _describe_growth(row: dict[str, Any]) -> str:
    name = row["pattern"].removeprefix("medharvest.")
    text = row["text"].replace("|", "\\|").replace("`", "'")
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    once, twice = (1000 * row[key] for key in ("seconds", "seconds_twice"))
    return f"| `{name}` | {row['method']} | `{text}` | {once:.1f} | {twice:.1f} | {ratio} |"

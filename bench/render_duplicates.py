"""The table of labelled duplicates, beside bib-dedupe."""

from __future__ import annotations

import statistics
import textwrap
from typing import Any

_FIGURES = ("precision", "recall", "f1")


def describe_duplicates(result: dict[str, Any]) -> list[str]:
    """Precision, recall, F1 and CPU seconds of each contender on each set."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    rounds = len(next(iter(next(iter(result["runs"].values())).values())))
    text = (
        f"Records of systematic reviews, labelled by hand, without DOIs; medians of {rounds} rounds in turns, each "
        f"contender in a process of its own on one core, {versions}, commit `{result['commit'][:12]}`. Precision and "
        "recall are of pairs of records that were joined. The rules were made with the records of the first set; "
        "those of the second were not read, but its score was seen after each change. Uncertain pairs are offered for "
        "review and not joined."
    )
    return [
        "## Duplicates, beside bib-dedupe",
        "",
        *textwrap.wrap(text, width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| set | records | true pairs | | precision | recall | F1 | uncertain | CPU s |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|",
        *(_contender(name, who, runs) for name, both in result["runs"].items() for who, runs in both.items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _contender(name: str, who: str, runs: list[dict[str, float]]) -> str:
    first, seconds = runs[0], statistics.median(run["cpu"] for run in runs)
    scores = " | ".join(f"{first[figure]:.4f}" for figure in _FIGURES)
    size = f"{first['records']:,} | {first['pairs']}"
    return f"| {name} | {size} | {who} | {scores} | {first['uncertain']} | {seconds:.2f} |"

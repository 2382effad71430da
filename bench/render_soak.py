"""The part of docs/reference/resilience.md on the soak, and its plot."""

from __future__ import annotations

import textwrap
from typing import Any

from bench.plot import LineChart

_LABELS = {
    "crawl": "crawling process",
    "crawl workers": "its worker",
    "review": "review server",
    "review workers": "server's worker",
}


def describe_soak(result: dict[str, Any]) -> list[str]:
    """What was done in the hour, and what each process needed."""
    return [
        "## An hour of crawling, reading and reviewing",
        "",
        *textwrap.wrap(_describe_work(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "![Resident memory of each process against time](soak-memory.svg)",
        "",
        "| process | 2nd quarter MB | last quarter MB | growth | slope MB per hour | peak | files | threads | flat |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
        *(_row(name, result["processes"][name]) for name in _LABELS if name in result["processes"]),
        "",
        *textwrap.wrap(_describe_limits(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def soak_chart(result: dict[str, Any]) -> LineChart:
    """The resident memory of each process over time, for `bench.plot.draw_lines`."""
    lines = {
        label: [(seconds / 60, megabytes) for seconds, megabytes, *_ in result["processes"][name]["samples"]]
        for name, label in _LABELS.items()
        if name in result["processes"]
    }
    return LineChart("Resident memory", "minutes", "MB", lines)


def _describe_work(result: dict[str, Any]) -> str:
    requests = sum(one["count"] for one in result["requests"].values())
    return (
        f"For {result['seconds'] / 60:.0f} minutes one process harvested {result['issues']:,} issues of a loopback "
        f"site ({result['pages']:,} pages, {result['articles']:,} articles, most of them new), read "
        f"{result['files']:,} files and crawled a topic {result['topics']:,} times ({result['topic pages']:,} pages), "
        f"in turn and at the same time. A review server worked on the same store for {result['people']} people: "
        f"{requests:,} requests, {result['writes']:,} acknowledged writes, {result['conflicts']:,} refused because "
        f"the record had changed. The store had {result['first records']:,} records at first and "
        f"{result['records']:,} at the end. Python {result['versions']['python']}, {result['cores']} cores, commit "
        f"`{result['commit'][:12]}`. "
        f"{_count_failures(result['failures'])}"
    )


def _count_failures(failures: list[str]) -> str:
    if failures:
        return f"{len(failures)} failures, the first: {failures[0]}"
    return "No article was missing, no request failed, no acknowledged write was lost or doubled."


def _describe_limits(result: dict[str, Any]) -> str:
    limits = result["limits"]
    return (
        f"A process is flat if the medians of the second and the last quarter differ by less than "
        f"{limits['share']:.0%} and less than {limits['MB']:g} MB, and by fewer than {limits['files']} open files "
        f"and {limits['threads']} threads. The slope is the median slope of all pairs of samples of the last three "
        "quarters. Of several workers the largest counts."
    )


def _row(name: str, one: dict[str, Any]) -> str:
    second, last = one["quarters"][1], one["quarters"][-1]
    cells = [
        _LABELS[name],
        f"{second:.1f}",
        f"{last:.1f}",
        f"{(last - second) / second:+.1%}",
        f"{one['slope']:+.1f}",
        f"{one['peak']:.0f}",
        f"{one['files'][-1]:.0f}",
        f"{one['threads'][-1]:.0f}",
        "yes" if one["flat"] else "no",
    ]
    return f"| {' | '.join(cells)} |"

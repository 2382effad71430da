"""The part of docs/reference/resilience.md on poisonous pages."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any


def describe_poison(result: dict[str, Any]) -> list[str]:
    """What became of good pages among poisonous ones, and whether the run ended when it should."""
    return [
        "## Poisonous pages",
        "",
        *textwrap.wrap(_setting(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| trial | good pages | seconds | CPU seconds | main process MB | largest worker MB | all together MB |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *_trials(result),
        "",
        *textwrap.wrap(_endings(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| what became of the poison | kinds |",
        "|---|---|",
        *_outcomes(result["harvest"]["poisons"]),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _setting(result: dict[str, Any]) -> str:
    return (
        f"A journal of {result['good']} good article pages with {result['poisons']} kinds of poisonous ones among them "
        f"is harvested by `medharvest issue` from a server on the loopback address; a page may take "
        f"{result['read_seconds']:g} s of processor time in a worker. Four pages are requested at a time without a "
        f"pause, and the limit of pages is raised; all other limits are the defaults. Python "
        f"{result['versions']['python']}, {result['cores']} cores (load {result['load']:.1f}), commit "
        f"`{result['commit'][:12]}`. {len(result['failures'])} checks failed."
    )


def _trials(result: dict[str, Any]) -> list[str]:
    again = result["resume_of_an_interrupted_run"]
    rows = [("harvest", result["harvest"]["good"], result["harvest"]["trial"])]
    rows += [("resume of the finished run", result["harvest"]["good"], result["resume"]["trial"])]
    rows += [("resume of an interrupted run", again["good"], again["trial"])] if again else []
    return [
        f"| {name} | {good} of {result['good']} | {one['wall']:.0f} | {one['cpu']:.0f} | {one['main']:.0f} | "
        f"{one['worker']:.0f} | {one['family']:.0f} |"
        for name, good, one in rows
    ]


def _endings(result: dict[str, Any]) -> str:
    budgets = ", ".join(f"{one['budget']:g} s: {_seconds(one)} s" for one in result["budgets"])
    stops = ", ".join(f"{one['moment']:g} s: {_seconds(one)} s" for one in result["interrupts"])
    resume = result["resume"]
    changed = ", ".join(resume["changed"]) or "nothing"
    return (
        f"The resume of the finished run sent {resume['requests']} requests and changed {changed}. Fresh runs ended so "
        f"long after their time budget: {budgets or 'none tried'}. Interrupted by SIGINT so many seconds after their "
        f"first request, they ended so long after it: {stops or 'none tried'}."
    )


def _seconds(one: dict[str, Any]) -> str:
    ending = one["trial"]["ending"]
    return "?" if ending is None else f"{ending:.1f}"


def _outcomes(poisons: list[dict[str, Any]]) -> list[str]:
    """One row per outcome, with the kinds that had it."""
    counts = Counter(_outcome(one) for one in poisons)
    kinds = {name: "; ".join(sorted(one["kind"] for one in poisons if _outcome(one) == name)) for name in counts}
    return [f"| {name} ({count}) | {kinds[name]} |" for name, count in counts.most_common()]


def _outcome(one: dict[str, Any]) -> str:
    """The outcome with the reason, without the address and the hint."""
    why = one.get("detail", "").split("; ")[0].split(": http")[0]
    return f"{one['outcome']} ({why})" if why else str(one["outcome"])

"""The part of docs/reference/speed.md on the review app."""

from __future__ import annotations

import textwrap
from typing import Any


def reviewing(result: dict[str, Any]) -> list[str]:
    """How long people wait for the review app."""
    return [
        "## Reviewing",
        "",
        *textwrap.wrap(_setting(result), width=118, break_long_words=False, break_on_hyphens=False),
        "",
        "| request | number | median ms | 95 % within ms | 99 % within ms |",
        "|---|---:|---:|---:|---:|",
        *(_waited(name, one) for name, one in {**result["kinds"], "all": result["all"]}.items()),
        "",
        f"Measured with `{result['command']}`.",
        "",
    ]


def _setting(result: dict[str, Any]) -> str:
    return (
        f"{result['users']} people at work at once in a store with {result['records']:,} records, who came one after "
        f"the other: {result['acts']:,} requests with {result['pause']:g} s between two of one person, Python "
        f"{result['versions']['python']}, "
        f"{result['cores']} cores that other work shared (load {result['load']:g}), commit "
        f"`{result['commit'][:12]}`. The server used {result['cpu_ms']:.1f} ms of CPU a request. The first page has "
        f"{result['first_page_bytes'] / 1000:.0f} KB with all it needs."
    )


def _waited(name: str, one: dict[str, float]) -> str:
    return f"| {name} | {one['count']:,} | {one['median']:.0f} | {one['p95']:.0f} | {one['p99']:.0f} |"

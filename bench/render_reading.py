"""docs/reference/reading.md: how well pages of unseen layouts are read, and the learning curve."""

from __future__ import annotations

import textwrap
from typing import Any

from bench.plot import LineChart, draw_lines

_ABOUT = """Pages that the shipped models were trained on are read by models that saw neither their layout nor related
layouts (the same family). The untouched families were set aside before any of their pages was opened: neither models
nor rules were made with them, and they are only scored. core4 is the mean F1 of title, authors, affiliations and
abstract; "all four" is the share of pages on which all of these are right. A mean over layouts counts every layout
once, however many pages of it there are."""
_ACCEPTED = """Fields accepted without review, and how many of them are right. The lower bound (one-sided, 95 %) counts
articles, not fields, since the fields of one article are not independent."""
_CURVE = """Models trained on a part of the layouts, scored on the untouched families, all four core fields right, mean
over layouts. Generated pages print records on invented sites."""
_FIELDS = (
    "title",
    "authors",
    "affiliations",
    "abstract",
    "journal",
    "year",
    "volume",
    "issue",
    "first_page",
    "doi",
    "keywords",
)


def reading_files(result: dict[str, Any]) -> dict[str, str]:
    """The page and its plot."""
    page = {"reading.md": "\n".join(_reading_page(result))}
    return page | ({"reading-curve.svg": draw_lines(curve_chart(result["curve"]))} if result["curve"] else {})


def _reading_page(result: dict[str, Any]) -> list[str]:
    sets = result["sets"]
    return [
        "# Reading unseen layouts",
        "",
        "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->",
        "",
        *_wrap(_ABOUT),
        "",
        "| pages | number | layouts | core4 by page | all four | core4 by layout | all four by layout |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(_set_row(name, one) for name, one in sets.items()),
        "",
        "F1 by field, over pages:",
        "",
        f"| pages | {' | '.join(name.replace('_', ' ') for name in _FIELDS)} |",
        f"|---{'|---:' * len(_FIELDS)}|",
        *(_field_row(name, one["fields"]) for name, one in sets.items()),
        "",
        "## What is accepted",
        "",
        *_wrap(_ACCEPTED),
        "",
        "| pages | fields | accepted | share | right | articles | lower bound |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(_accepted_row(name, one["accepted"]) for name, one in sets.items()),
        "",
        *(_describe_curve(result["curve"]) if result["curve"] else []),
        _describe_run(result),
        "",
    ]


def _describe_run(result: dict[str, Any]) -> str:
    python = result["versions"]["python"]
    return (
        f"Measured with `{result['command']}`, {result['cpu']:,} s of CPU time, Python {python}, commit "
        f"`{result['commit'][:12]}`."
    )


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), width=118, break_long_words=False, break_on_hyphens=False)


def _set_row(name: str, one: dict[str, Any]) -> str:
    shares = f"{one['core4']:.3f} | {one['all4']:.1%} | {one['core4 by layout']:.3f} | {one['all4 by layout']:.1%}"
    return f"| {name} | {one['pages']} | {one['layouts']} | {shares} |"


def _field_row(name: str, fields: dict[str, float]) -> str:
    return f"| {name} | {' | '.join(f'{fields[field]:.2f}' if field in fields else '' for field in _FIELDS)} |"


def _accepted_row(name: str, one: dict[str, Any]) -> str:
    share, right = one["accepted"] / max(1, one["fields"]), one["right"] / max(1, one["accepted"])
    counts = f"{one['fields']} | {one['accepted']} | {share:.1%} | {right:.1%}"
    return f"| {name} | {counts} | {one['articles']} | {one['lower bound']:.1%} |"


def _describe_curve(curve: list[dict[str, Any]]) -> list[str]:
    return [
        "## Learning curve",
        "",
        *_wrap(_CURVE),
        "",
        "![All four core fields right against the number of layouts in training](reading-curve.svg)",
        "",
        "| layouts | generated sites | core4 | all four | core4 without metadata | all four without metadata |",
        "|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {row['layouts']} | {row['sites']} | {row['with metadata']['core4']:.3f} | "
            f"{row['with metadata']['all4']:.1%} | {row['without metadata']['core4']:.3f} | "
            f"{row['without metadata']['all4']:.1%} |"
            for row in curve
        ),
        "",
    ]


def curve_chart(curve: list[dict[str, Any]]) -> LineChart:
    """All four right against layouts: with and without metadata, real pages alone and with generated ones."""
    lines = {
        f"{label}{' + generated' if sites else ''}": [
            (row["layouts"], 100 * row[name]["all4"]) for row in curve if bool(row["sites"]) == sites
        ]
        for name, label in (("with metadata", "metadata"), ("without metadata", "print alone"))
        for sites in (False, True)
    }
    return LineChart("All four core fields right", "layouts in training", "% of pages, mean over layouts", lines)

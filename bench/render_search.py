"""The page of the docs about what a search finds and how long it takes, from the raw files in bench/results."""

from __future__ import annotations

import textwrap
from typing import Any

WAYS = ("bare", "synonym", "narrower", "near", "wide")


def searching(speed: dict[str, Any] | None, recall: dict[str, Any] | None) -> str:
    """The whole page."""
    head = ["# Search figures", "", "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->", ""]
    parts = [*(finding(recall) if recall else []), *(answering(speed) if speed else [])]
    return "\n".join([*head, *parts])


def finding(result: dict[str, Any]) -> list[str]:
    """Recall and precision of each topic, bare and widened."""
    ways, default = result["ways"], result["default"]
    rise = 100 * ways[default]["rise"]
    before, after = (100 * ways[way]["precision"] for way in ("bare", default))
    return [
        "## What widening finds",
        "",
        *_prose(
            f"{result['pages']:,} pages of an offline web are the collection, {len(result['relevant'])} topics with",
            "known relevant pages the questions, by their names alone. Recall is the share of the relevant pages among",
            "all hits; P@20 the relevant share of the first twenty, of which there may be fewer. `bare` is the name as",
            "typed; the others are what `--expand --reach` makes of it.",
        ),
        "",
        *_prose(
            f"With `--expand` as it stands (`{default}`) recall rises by {rise:.0f} %, P@20 goes from {before:.0f} to",
            f"{after:.0f} %. Other names and narrower concepts alone are not enough for that: `narrower` gains",
            f"{100 * ways['narrower']['rise']:.0f} %. What is relevant was judged more widely than by the name of a",
            "topic, so no way finds all of it. Neither vocabulary nor weights were fitted to these topics; that the",
            "default goes one step up was decided with them in view.",
        ),
        "",
        f"| recall / P@20, % (hits) | {' | '.join(WAYS)} |",
        f"|---|{'---:|' * len(WAYS)}",
        *(_topic(topic, number, ways) for topic, number in result["relevant"].items()),
        f"| mean | {' | '.join(_pair(ways[way]) for way in WAYS)} |",
        f"| recall to bare | {' | '.join(_rise(way, ways) for way in WAYS)} |",
        "",
        _source(result),
        "",
    ]


def _topic(topic: str, number: int, ways: dict[str, Any]) -> str:
    rows = [ways[way]["topics"][topic] for way in WAYS]
    cells = [f"{_pair(row)} ({row['found']:,})" for row in rows]
    return f"| {topic}, {number} relevant | {' | '.join(cells)} |"


def _pair(row: dict[str, Any]) -> str:
    return f"{100 * row['recall']:.0f} / {100 * row['precision']:.0f}"


def _rise(way: str, ways: dict[str, Any]) -> str:
    return "" if way == "bare" else f"{100 * ways[way]['rise']:+.0f} %"


def answering(result: dict[str, Any]) -> list[str]:
    """Times of each kind of query as the collection grows."""
    sizes = result["sizes"]
    kinds = [*sizes[0]["kinds"], "all"]
    return [
        "## How long an answer takes",
        "",
        *_prose(
            "Records with invented words in SQLite, from the text of a query to twenty hits with snippets;",
            "milliseconds of CPU time, median and 95th percentile, and by the clock, which on a machine with other",
            "work tells of that too.",
            f"{sizes[0]['all']['queries']} queries at each size.",
        ),
        "",
        f"| query | {' | '.join(format(row['records'], ',') + ' records' for row in sizes)} |",
        f"|---|{'---:|' * len(sizes)}",
        *(f"| {kind} | {' | '.join(_times(row, kind, 'cpu') for row in sizes)} |" for kind in kinds),
        f"| all, by the clock | {' | '.join(_times(row, 'all', 'wall') for row in sizes)} |",
        f"| index and documents, MB | {' | '.join(format(row['megabytes'], ',.0f') for row in sizes)} |",
        f"| documents indexed a CPU second | {' | '.join(_rate(row['filling']) for row in sizes)} |",
        "",
        _source(result),
        "",
    ]


def _times(row: dict[str, Any], kind: str, clock: str) -> str:
    figures = row["all"] if kind == "all" else row["kinds"][kind]
    return f"{1000 * figures[f'{clock}_p50']:.0f}, {1000 * figures[f'{clock}_p95']:.0f}"


def _rate(filling: dict[str, float]) -> str:
    return f"{filling['records'] / filling['cpu']:,.0f}" if filling["records"] else ""


def _source(result: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return f"Measured with `{result['command']}`, {versions}, commit `{result['commit'][:12]}`."


def _prose(*parts: str) -> list[str]:
    return textwrap.wrap(" ".join(parts), width=118, break_long_words=False, break_on_hyphens=False)

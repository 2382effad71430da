"""The page docs/reference/harvest.md from the raw figures of `bench.harvest`."""

from __future__ import annotations

import textwrap
from typing import Any

_FIGURES = {
    "harvest_100": "HR@100",
    "harvest_500": "HR@500",
    "harvest_1000": "HR@1000",
    "beyond_100": "HRx@100",
    "recall_800": "TR@800",
    "own_100": "own@100",
}
_GAIN = ("lokman", "cosine", "beyond_100")  # the thesis' comparison


def harvest_page(result: dict[str, Any]) -> str:
    """The whole page."""
    mark = "<!-- rendered by bench/render.py from bench/results; edit neither by hand -->"
    hub, near = result["hub"], result["near"]
    return "\n".join(
        [
            "# Harvest of topical crawls",
            "",
            mark,
            "",
            *_prose(
                f"Crawls of an offline web of real pages for {len(hub[0]['topics'])} topics, 1,000 pages after the",
                "seeds: means over the topics in percent; what they mean is said under",
                "[`evaluate topic`](../guides/measure-quality.md#topic). `look-ahead` sees the text of the target of a",
                "link, which no crawler can. The constants of `adaptive` were chosen with these topics in sight, so",
                "its figures flatter it; the others have none.",
            ),
            "",
            *_ways("Seeds that are hubs", hub),
            *_ways("Seeds near the topic", near),
            *_sweep(result["inherit"]),
            f"Measured with `{result['command']}`.",
            "",
        ]
    )


def _ways(title: str, rows: list[dict[str, Any]]) -> list[str]:
    return [f"## {title}", "", *_table([(row["crawler"], row) for row in rows]), "", *_gain(rows), ""]


def _gain(rows: list[dict[str, Any]]) -> list[str]:
    """How much the vocabulary gains over plain best-first, and how sure that is."""
    ours, plain, figure = _GAIN
    means = {row["crawler"]: row["mean"][figure] for row in rows}
    spans = {row["crawler"]: row["interval"][figure] for row in rows}
    more = f"{means[ours] / means[plain]:.2f} times" if means[plain] else "any number of times"
    return _prose(
        f"By HRx@100, `{ours}` finds {more} what `{plain}` finds (the thesis: 1.77 times what a crawler finds that has",
        f"no vocabulary); 95 % intervals over the topics: {_span(spans[ours])} and {_span(spans[plain])}.",
    )


def _sweep(rows: list[dict[str, Any]]) -> list[str]:
    table = _table([(f"{row['inherit']:g}", row) for row in rows])
    return ["## How much a link inherits", "", "`lokman` with hub seeds, the thesis' test.", "", *table, ""]


def _table(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [
        f"| | {' | '.join(_FIGURES.values())} |",
        f"|---|{'---:|' * len(_FIGURES)}",
        *(f"| {name} | {' | '.join(_percent(row['mean'][figure]) for figure in _FIGURES)} |" for name, row in rows),
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _span(span: tuple[float, float]) -> str:
    return f"{100 * span[0]:.1f} to {100 * span[1]:.1f}"


def _prose(*lines: str) -> list[str]:
    return textwrap.wrap(" ".join(lines), 118, break_long_words=False, break_on_hyphens=False)

"""The figures of the thesis, drawn from crawls of an offline web: harvest rates and target recall page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from medharvest.crawl.frontier import Merge
from medharvest.errors import OutputError
from medharvest.evaluate.counts import mean_of
from medharvest.evaluate.sweeps import matplotlib_figure
from medharvest.evaluate.topic import Expedition, Progress, Survey, survey
from medharvest.evaluate.topic_measures import RECALL_AT
from medharvest.evaluate.topic_runs import Crawler, Trace

_FIRST = 100  # pages, as far as the thesis draws harvest rates
_GREATER = Crawler(estimator="lokman")
_SUM = Crawler(estimator="lokman", merge=Merge.SUM)
_SIMPLE = Crawler(estimator="cosine")
_ADAPTIVE = Crawler()
Curve = Callable[[Trace], list[float]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: its crawler, beside which `adaptive` is drawn, and what is measured."""

    name: str
    title: str
    crawler: Crawler
    curves: tuple[tuple[str, Curve], ...]


def harvest_curve(trace: Trace) -> list[float]:
    """The harvest rate after 1, 2, … pages."""
    return _running([visit.url in trace.topic.relevant for visit in trace.visited], _FIRST)


def beyond_curve(trace: Trace) -> list[float]:
    """The same without pages that a seed links to."""
    beyond = [visit.url in trace.topic.relevant for visit in trace.visited if visit.url not in trace.direct]
    return _running(beyond, _FIRST)


def recall_curve(trace: Trace) -> list[float]:
    """The target recall after 1, 2, … pages."""
    marks = [visit.url in trace.topic.targets for visit in trace.visited][:RECALL_AT]
    marks += [False] * (RECALL_AT - len(marks))
    return [found / max(1, len(trace.topic.targets)) for found in accumulate(marks)]


_WITH: tuple[str, Curve] = ("harvest rate", harvest_curve)
_WITHOUT: tuple[str, Curve] = ("harvest rate, direct links left out", beyond_curve)
FIGURES = (
    Figure("figure-15", "Lokman, IncrementValues", _SUM, (_WITH,)),
    Figure("figure-16", "Lokman, IncrementValues, direct links left out", _SUM, (_WITHOUT,)),
    Figure("figure-17", "Lokman, GetGreater", _GREATER, (_WITH,)),
    Figure("figure-18", "Lokman, GetGreater, direct links left out", _GREATER, (_WITHOUT,)),
    Figure("figure-22", "Simple best-first", _SIMPLE, (_WITH, _WITHOUT)),
    Figure("figure-23", "Target recall of Lokman", _GREATER, (("target recall", recall_curve),)),
)


def draw_figures(expedition: Expedition, folder: Path, progress: Progress | None = None) -> tuple[Path, ...]:
    """Crawl in the thesis' ways and draw each figure as SVG and PNG, `adaptive` beside it."""
    figure = matplotlib_figure("topic")
    crawlers = (_GREATER, _SUM, _SIMPLE, _ADAPTIVE)
    found = {one.crawler: one for one in survey(expedition, crawlers, progress)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = [_draw(figure, one, (found[one.crawler], found[_ADAPTIVE]), folder) for one in FIGURES]
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"figures cannot be written: {folder}", path=str(folder), hint=hint) from error
    return tuple(path for paths in drawn for path in paths)


def mean_curve(found: Survey, curve: Curve) -> list[float]:
    """The mean over topics at each number of pages."""
    return [mean_of(values) for values in zip(*map(curve, found.traces), strict=True)]


def _draw(figure: Any, one: Figure, surveys: Sequence[Survey], folder: Path) -> list[Path]:
    drawing = figure()
    axes = drawing.add_subplot(title=f"{one.name}: {one.title}", xlabel="pages", ylabel="share")
    for found in surveys:
        for label, curve in one.curves:
            values = mean_curve(found, curve)
            axes.plot(range(1, len(values) + 1), values, label=f"{found.crawler.name}: {label}")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    paths = [folder / f"{one.name}.{suffix}" for suffix in ("svg", "png")]
    for path in paths:
        drawing.savefig(path)
    return paths


def _running(marks: list[bool], most: int) -> list[float]:
    """The share of true ones after each; where there are too few the count of pages goes on."""
    padded = (marks + [False] * most)[:most]
    return [found / n for n, found in enumerate(accumulate(padded), start=1)]

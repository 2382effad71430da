"""Figures 15 to 18, 22 and 23 of the thesis, drawn from crawls of an offline web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from experiments.block_sweeps import load_matplotlib_figure
from medharvest.crawl.frontier import ValueMerge
from medharvest.errors import OutputError
from medharvest.evaluate.labelled_pages import Progress
from medharvest.evaluate.results import mean_of
from medharvest.evaluate.topic_scores import RECALL_AT, Crawler, CrawlSetup, CrawlSurvey, CrawlTrace, survey_crawlers

_HARVEST_PAGES_DRAWN = 100  # pages, as in the thesis
_LOKMAN_GREATER = Crawler(estimator="lokman")
_LOKMAN_SUM = Crawler(estimator="lokman", merge=ValueMerge.SUM)
_SIMPLE_BEST_FIRST = Crawler(estimator="cosine")
_ADAPTIVE_CRAWLER = Crawler()
PageCurve = Callable[[CrawlTrace], list[float]]


@dataclass(frozen=True, slots=True)
class ThesisFigure:
    """One figure: its crawler and its curves. The default crawler is drawn beside it."""

    name: str
    title: str
    crawler: Crawler
    curves: tuple[tuple[str, PageCurve], ...]


def harvest_curve(trace: CrawlTrace) -> list[float]:
    """The harvest rate after 1, 2, … pages."""
    return _running_shares([visit.url in trace.topic.relevant for visit in trace.visited], _HARVEST_PAGES_DRAWN)


def beyond_curve(trace: CrawlTrace) -> list[float]:
    """The harvest rate without pages that a seed links to."""
    beyond = [visit.url in trace.topic.relevant for visit in trace.visited if visit.url not in trace.direct]
    return _running_shares(beyond, _HARVEST_PAGES_DRAWN)


def recall_curve(trace: CrawlTrace) -> list[float]:
    """The target recall after 1, 2, … pages."""
    marks = [visit.url in trace.topic.targets for visit in trace.visited][:RECALL_AT]
    marks += [False] * (RECALL_AT - len(marks))
    return [found / max(1, len(trace.topic.targets)) for found in accumulate(marks)]


_HARVEST_RATE: tuple[str, PageCurve] = ("harvest rate", harvest_curve)
_HARVEST_RATE_BEYOND: tuple[str, PageCurve] = ("harvest rate, direct links left out", beyond_curve)
THESIS_FIGURES = (
    ThesisFigure("figure-15", "Lokman, IncrementValues", _LOKMAN_SUM, (_HARVEST_RATE,)),
    ThesisFigure("figure-16", "Lokman, IncrementValues, direct links left out", _LOKMAN_SUM, (_HARVEST_RATE_BEYOND,)),
    ThesisFigure("figure-17", "Lokman, GetGreater", _LOKMAN_GREATER, (_HARVEST_RATE,)),
    ThesisFigure("figure-18", "Lokman, GetGreater, direct links left out", _LOKMAN_GREATER, (_HARVEST_RATE_BEYOND,)),
    ThesisFigure("figure-22", "Simple best-first", _SIMPLE_BEST_FIRST, (_HARVEST_RATE, _HARVEST_RATE_BEYOND)),
    ThesisFigure("figure-23", "Target recall of Lokman", _LOKMAN_GREATER, (("target recall", recall_curve),)),
)


def draw_thesis_figures(expedition: CrawlSetup, folder: Path, progress: Progress | None = None) -> tuple[Path, ...]:
    """Run the crawlers of the thesis and draw each figure as SVG and PNG, with the default crawler beside them."""
    figure = load_matplotlib_figure("topic")
    crawlers = (_LOKMAN_GREATER, _LOKMAN_SUM, _SIMPLE_BEST_FIRST, _ADAPTIVE_CRAWLER)
    found = {one.crawler: one for one in survey_crawlers(expedition, crawlers, progress)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = [
            _draw_thesis_figure(figure, one, (found[one.crawler], found[_ADAPTIVE_CRAWLER]), folder)
            for one in THESIS_FIGURES
        ]
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"figures cannot be written: {folder}", path=str(folder), hint=hint) from error
    return tuple(path for paths in drawn for path in paths)


def mean_curve(found: CrawlSurvey, curve: PageCurve) -> list[float]:
    """The mean over topics at each number of pages."""
    return [mean_of(values) for values in zip(*map(curve, found.traces), strict=True)]


def _draw_thesis_figure(figure: Any, one: ThesisFigure, surveys: Sequence[CrawlSurvey], folder: Path) -> list[Path]:
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


def _running_shares(marks: list[bool], most: int) -> list[float]:
    """The running share of true marks; missing marks count as false."""
    padded = (marks + [False] * most)[:most]
    return [found / n for n, found in enumerate(accumulate(padded), start=1)]

"""Measures of a topical crawl: harvest rate, target recall, and how sure a mean over topics is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.topic_runs import Trace

AT = (100, 500, 1000)
RECALL_AT = 800
_SAMPLES = 2000
_TAILS = (0.025, 0.975)


def measure(trace: Trace) -> dict[str, float]:
    """All figures of a crawl; the number of pages asked for stays the denominator when the crawl ran dry before."""
    relevant, urls = trace.topic.relevant, [visit.url for visit in trace.visited]
    beyond = [url for url in urls if url not in trace.direct]
    own = {visit.url for visit in trace.visited if visit.own > 0}
    return {
        **{f"harvest_{n}": harvest(urls, relevant, n) for n in AT},
        **{f"beyond_{n}": harvest(beyond, relevant, n) for n in AT},
        f"recall_{RECALL_AT}": recall(urls, trace.topic.targets, RECALL_AT),
        f"own_{AT[0]}": harvest(urls, own, AT[0]),
    }


def harvest(urls: Sequence[str], relevant: frozenset[str] | set[str], n: int) -> float:
    """The relevant share of the first n pages."""
    return sum(url in relevant for url in urls[:n]) / n


def recall(urls: Sequence[str], targets: frozenset[str], n: int) -> float:
    """The share of the targets among the first n pages."""
    return share(len(targets.intersection(urls[:n])), len(targets))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Between which means 95 of 100 choices of as many topics lie, topics drawn with replacement."""
    draw = random.Random(0)  # noqa: S311  (the same interval each time)
    means = sorted(mean_of(draw.choices(values, k=len(values))) for _ in range(_SAMPLES))
    low, high = (means[int(tail * (_SAMPLES - 1))] for tail in _TAILS)
    return low, high


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each figure."""
    return {name: mean_of([row[name] for row in rows]) for name in rows[0]}

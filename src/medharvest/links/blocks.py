"""Logical link blocks: runs of links that stand close together, found in the raw HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.distance import Spans, code_distances, link_spans, text_distances
from medharvest.records import LinkBlock, Page

LEAST = 3  # links that make a block, C_t of the paper


class Measure(NamedTuple):
    """A way to measure distances, the fixed threshold of the paper, and between what an adaptive one may lie."""

    distances: Callable[..., list[int]]
    fixed: int
    low: int
    high: int


# The bounds are a quarter of the fixed value and four times as much: where a page shows nothing, their middle is it.
MEASURES: Mapping[str, Measure] = {
    "text": Measure(text_distances, 40, 10, 160),
    "code": Measure(code_distances, 80, 20, 320),
}


class LinkBlocks(NamedTuple):
    """The blocks of a page, how many links it has, and how much of its links and of its code they cover."""

    blocks: tuple[LinkBlock, ...]
    links: int
    threshold: int
    lcr: float | None
    ccr: float


def find_blocks(page: Page, *, distance: str = "text", threshold: int | None = None, least: int = LEAST) -> LinkBlocks:
    """The blocks of a page; without a threshold, one is derived from the distances of the page itself."""
    spans, measure = link_spans(page.text), MEASURES[distance]
    distances = measure.distances(page.text, spans, most=threshold or measure.high)
    limit = adaptive_threshold(distances, measure) if threshold is None else threshold
    return cover(page.text, spans, near_runs(distances, limit, least), limit)


def adaptive_threshold(distances: Sequence[int], measure: Measure) -> int:
    """The middle of the widest stretch that no distance falls into, in ratios, between the bounds of a measure.

    Of two stretches as wide the one nearer to the fixed value counts, then the lower one.
    """
    edges = sorted({measure.low, measure.high, *(one for one in distances if measure.low < one < measure.high)})
    stretches = [(other / one, math.sqrt(one * other)) for one, other in pairwise(edges)]
    _, middle = max(stretches, key=lambda item: (item[0], -abs(math.log(item[1] / measure.fixed))))
    return math.ceil(middle)


def near_runs(distances: Sequence[int], threshold: int, least: int) -> list[tuple[int, int]]:
    """First link and number of links of each maximal run whose adjacent distances are all below the threshold."""
    far = [place for place, distance in enumerate(distances, 1) if distance >= threshold]
    edges = [0, *far, len(distances) + 1]
    runs = ((first, after - first) for first, after in pairwise(edges))
    return [(first, links) for first, links in runs if links >= least]


def cover(text: str, spans: Spans, runs: Sequence[tuple[int, int]], threshold: int) -> LinkBlocks:
    """The blocks that runs of links make, and what they cover."""
    blocks = tuple(
        LinkBlock(start=spans.links[first][0], end=spans.links[first + links - 1][1], first=first, links=links)
        for first, links in runs
        if first + links <= len(spans.links)  # a page without links has one run of none
    )
    return LinkBlocks(
        blocks=blocks,
        links=len(spans.links),
        threshold=threshold,
        lcr=sum(block.links for block in blocks) / len(spans.links) if spans.links else None,
        ccr=sum(block.end - block.start for block in blocks) / max(1, len(text)),
    )

"""Logical link blocks: runs of links with little between them.

`find_blocks(page).blocks` has the blocks, and `outline_page` makes an HTML view with links and blocks outlined.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.distances import (
    LinkSpans,
    code_distances,
    link_spans,
    text_distances,
)
from medharvest.records import JudgedLink, LinkBlock, Page

MIN_BLOCK_LINKS = 3  # links that make a block, C_t of the paper
# Nothing is loaded or sent: only the inline styles and inline images of the page are shown.
_OUTLINE_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
)
_OUTLINE_HEAD = (
    '<!doctype html><meta charset="utf-8">'
    f'<meta http-equiv="Content-Security-Policy" content="{_OUTLINE_SECURITY_POLICY}">'
)
# These tags reach another server without a script; they are replaced by `wbr`, which is empty too and does nothing.
_LOADING_TAG = re.compile(r"<(?:link|meta|base)(?=[\s/>])", re.IGNORECASE)
_OUTLINE_STYLE = """
a[data-mh] { outline: 2px dotted #8a8a8a !important; outline-offset: 1px !important }
a[data-mh="article"] { outline: 2px solid #0a7d32 !important }
a[data-mh="other"] { outline: 2px dotted #b3261e !important }
a[data-mh-block] { background-color: #1a56db22 !important }
a[data-mh-edge~="first"] { border-left: 6px solid #1a56db !important }
a[data-mh-edge~="last"] { border-right: 6px solid #1a56db !important }
"""
_FRAME_STYLE = """
body { margin: 0; font: 14px/2.4 sans-serif; background: #fff; color: #111 }
header a { color: inherit; margin: 0 .6em; padding: 0 .3em }
iframe { display: block; border: 0; border-top: 1px solid #111; width: 100%; height: calc(100vh - 2.5em) }
"""
_LEGEND = """<header><a data-mh="article">article</a><a data-mh="other">other link</a><a data-mh="link">not judged</a>
<a data-mh="link" data-mh-block="" data-mh-edge="first last">block of links</a></header>"""


class DistanceMeasure(NamedTuple):
    """A function that measures distances, the fixed threshold of the paper, and the bounds of an adaptive one."""

    distances: Callable[..., list[int]]
    fixed: int
    low: int
    high: int


# The bounds are a quarter and four times the fixed value: if a page has no distances between them, the threshold is
# their geometric mean, which is the fixed value.
DISTANCE_MEASURES: Mapping[str, DistanceMeasure] = {
    "text": DistanceMeasure(text_distances, 40, 10, 160),
    "code": DistanceMeasure(code_distances, 80, 20, 320),
}


class LinkBlocks(NamedTuple):
    """The link blocks of a page, its number of links, and the shares of its links and code that the blocks cover."""

    blocks: tuple[LinkBlock, ...]
    links: int
    threshold: int
    lcr: float | None  # share of the links that are in blocks; None for a page without links
    ccr: float  # share of the code that blocks cover


def find_blocks(
    page: Page, *, distance: str = "text", threshold: int | None = None, least: int = MIN_BLOCK_LINKS
) -> LinkBlocks:
    """Find the link blocks of a page; without a threshold, one is derived from the distances on the page."""
    spans, measure = link_spans(page.text), DISTANCE_MEASURES[distance]
    distances = measure.distances(page.text, spans, most=threshold or measure.high)
    limit = adaptive_threshold(distances, measure) if threshold is None else threshold
    return build_blocks(page.text, spans, near_runs(distances, limit, least), limit)


def adaptive_threshold(distances: Sequence[int], measure: DistanceMeasure) -> int:
    """Return the geometric mean of the widest gap in the distances, by ratio, between the bounds of a measure.

    Of equally wide gaps the one nearest to the fixed value counts, then the lowest.
    """
    edges = sorted({measure.low, measure.high, *(one for one in distances if measure.low < one < measure.high)})
    stretches = [(other / one, math.sqrt(one * other)) for one, other in pairwise(edges)]
    _, middle = max(stretches, key=lambda item: (item[0], -abs(math.log(item[1] / measure.fixed))))
    return math.ceil(middle)


def near_runs(distances: Sequence[int], threshold: int, least: int) -> list[tuple[int, int]]:
    """Return first link and number of links of each maximal run with all distances below the threshold."""
    far = [place for place, distance in enumerate(distances, 1) if distance >= threshold]
    edges = [0, *far, len(distances) + 1]
    runs = ((first, after - first) for first, after in pairwise(edges))
    return [(first, links) for first, links in runs if links >= least]


def build_blocks(text: str, spans: LinkSpans, runs: Sequence[tuple[int, int]], threshold: int) -> LinkBlocks:
    """Turn runs of links into blocks, and measure what they cover."""
    blocks = tuple(
        LinkBlock(start=spans.links[first][0], end=spans.links[first + links - 1][1], first=first, links=links)
        for first, links in runs
        if first + links <= len(spans.links)  # a page without links has one empty run
    )
    return LinkBlocks(
        blocks=blocks,
        links=len(spans.links),
        threshold=threshold,
        lcr=sum(block.links for block in blocks) / len(spans.links) if spans.links else None,
        ccr=sum(block.end - block.start for block in blocks) / max(1, len(text)),
    )


def outline_page(page: Page, judged: Iterable[JudgedLink] = (), blocks: Iterable[LinkBlock] = ()) -> str:
    """Return an HTML document that shows a page with its links, judged or not, and its blocks outlined.

    The page is in a sandboxed frame: no script runs, no form is sent and nothing is loaded.
    """
    marked = "".join(_mark_links_with_verdicts(page.text, _verdict_titles(judged), list(blocks)))
    inner = f"{_OUTLINE_HEAD}<style>{_OUTLINE_STYLE}</style>{_LOADING_TAG.sub('<wbr', marked)}"
    frame = f'<iframe sandbox title="the page" srcdoc="{html.escape(inner)}"></iframe>'
    title = f"<title>{html.escape(page.url or 'page')}</title>"
    return f"{_OUTLINE_HEAD}{title}<style>{_OUTLINE_STYLE}{_FRAME_STYLE}</style>{_LEGEND}{frame}\n"


def _verdict_titles(judged: Iterable[JudgedLink]) -> dict[int, tuple[str, str]]:
    """The name and the full text of each verdict, by the offset of its link."""
    found = {}
    for one in judged:
        name = "article" if one.article else "other"
        kind = f", {one.kind.value}" if one.article and one.kind else ""
        found[one.link.offset] = (name, f"{name}{kind}: {one.verdict.score:.2f} by {one.verdict.method}")
    return found


def _mark_links_with_verdicts(text: str, titles: dict[int, tuple[str, str]], blocks: list[LinkBlock]) -> Iterator[str]:
    """Add attributes at the start of each link: of two attributes with one name the first counts."""
    position, places = 0, _describe_block_places(blocks)
    for index, (start, _) in enumerate(link_spans(text).links):
        name, title = titles.get(start, ("link", ""))
        where, attributes = places.get(index, ("", ""))
        said = html.escape("; ".join(part for part in (title, where) if part))
        yield f'{text[position : start + 2]} data-mh="{name}"{attributes}' + (f' title="{said}"' if said else "")
        position = start + 2
    yield text[position:]


def _describe_block_places(blocks: list[LinkBlock]) -> dict[int, tuple[str, str]]:
    """The block of each link, by its index, in words and as attributes."""
    found = {}
    for number, block in enumerate(blocks, 1):
        last = block.first + block.links - 1
        for index in range(block.first, last + 1):
            edge = " ".join(word for word, at in (("first", block.first), ("last", last)) if at == index)
            place = f"block {number} of {len(blocks)}, {block.links} links"
            found[index] = (place, f' data-mh-block="{number}"' + (f' data-mh-edge="{edge}"' if edge else ""))
    return found

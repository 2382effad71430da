"""Logical link blocks: runs of links with little between them.

`find_blocks(page).blocks` has the blocks, and `outline_page` makes an HTML view with links and blocks outlined.
`read_page_text(page)` gives the text from top to bottom, with the address, the text and the surroundings of each link,
and whether it is in a block.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from medharvest.links.distances import (
    LinkSpans,
    code_distances,
    hidden_code_pattern,
    link_spans,
    text_distances,
)
from medharvest.links.urls import Resolver
from medharvest.records import JudgedLink, LinkBlock, Page, unescape_html

FIXED_TEXT_DISTANCE = 40  # words between two links of a block, d_t of the paper
MIN_BLOCK_LINKS = 3  # links that make a block, C_t of the paper
_CHARS_AROUND_LINK = 80  # characters before and after a link that count as around it
MAX_TEXT_CHARS = 500_000  # characters of text that are read
_MOST_LINKS = 5_000
# Marks where a link begins or ends in the text of a page: not a blank, not a letter, and no entity decodes to it.
_LINK_EDGE = "\1"
_HIDDEN_PARTS = hidden_code_pattern("script", "style", "title")
# The lookahead spares most tags the longer alternatives.
_TAG_OR_HIDDEN = re.compile(rf"<(?:(?=[!sStT])(?:{_HIDDEN_PARTS})|[/!?a-zA-Z][^<>\1]*+>?)")
_TITLE_ELEMENT = re.compile(r"<title(?=[\s>])[^<>]*+>([^<]*+)", re.IGNORECASE)
_BASE_HREF = re.compile(r"""<base(?=\s)[^<>]*?\shref\s*+=\s*+["']?([^\s"'<>]++)""", re.IGNORECASE)
_HREF_IN_LINK = re.compile(r"""[\s"'/]href\s*+=\s*+(?:"([^"]*+)|'([^']*+)|([^\s"'>]++))""", re.IGNORECASE)
# A heading or bold text with a few tags inside; the bound on their number keeps the time linear.
_HEADING_OR_BOLD = re.compile(
    r"<(?=[hbstdc])(h[1-6]|b|strong|th|dt|caption)(?=[\s>])[^<>]*+>"
    r"([^<]*+(?:<(?!/\1[\s>])[^<]*+){0,6})</\1(?=[\s>])",
    re.IGNORECASE,
)
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
    "text": DistanceMeasure(text_distances, FIXED_TEXT_DISTANCE, 10, 160),
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


class LinkInText(NamedTuple):
    """A link: its address, its text, that text with the text near it on both sides, and whether it is in a block."""

    url: str
    text: str
    around: str
    listed: bool


class PageText(NamedTuple):
    """The title, the text with the link texts in it, the headings and bold text, and the links of a page.

    `unlisted` is the text without its blocks of links: the body text of the paper.
    """

    title: str
    text: str
    strong: str
    links: tuple[LinkInText, ...]
    unlisted: str


def read_page_text(page: Page) -> PageText:
    """Read the text and links of a page; of a huge page only the beginning."""
    spans = link_spans(page.text).links[:_MOST_LINKS]
    pieces = _split_at_links(page.text, spans)
    listed = _mark_listed_links(pieces[2:-1:2])
    starts = accumulate((len(piece) + 1 if piece else 0 for piece in pieces), initial=0)
    whole = "\n".join(filter(None, pieces))
    line = whole.replace("\n", " ")
    title = _TITLE_ELEMENT.search(page.text)
    links = [
        LinkInText(
            url, piece, line[max(0, start - _CHARS_AROUND_LINK) : start + len(piece) + _CHARS_AROUND_LINK], in_block
        )
        for url, piece, start, in_block in zip(
            _resolve_link_addresses(page, spans), pieces[1::2], islice(starts, 1, None, 2), listed, strict=False
        )
        if url
    ]
    return PageText(
        title=_code_to_line(title[1]) if title else "",
        text=whole[:MAX_TEXT_CHARS],
        strong="\n".join([_code_to_line(found[2]) for found in _HEADING_OR_BOLD.finditer(page.text)]),
        links=tuple(links),
        unlisted="\n".join(_pieces_outside_blocks(pieces, listed))[:MAX_TEXT_CHARS],
    )


def _pieces_outside_blocks(pieces: Sequence[str], listed: Sequence[bool]) -> Iterator[str]:
    """The pieces of text that are neither in a block of links nor between two links of one."""
    for place, piece in enumerate(pieces):
        before, after = (place - 1) // 2, place // 2
        inside = before >= 0 and after < len(listed) and listed[before] and listed[after]
        if piece and (not inside or len(piece.split()) >= FIXED_TEXT_DISTANCE):
            yield piece


def _mark_listed_links(between: Sequence[str]) -> list[bool]:
    """Whether each link is in a block of links, given the texts between links; words count as their distance."""
    listed = [False] * (len(between) + 1)
    distances = [len(text.split()) for text in between]
    limit = adaptive_threshold(distances, DISTANCE_MEASURES["text"])
    for first, links in near_runs(distances, limit, MIN_BLOCK_LINKS):
        listed[first : first + links] = [True] * links
    return listed


def _split_at_links(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Split a page into the text before, in, between and after its links, each piece in one line."""
    edges = [0, *chain.from_iterable(spans), len(text)]
    raw = [text[start:end] for start, end in pairwise(edges)]
    pieces = _code_to_line(_LINK_EDGE.join(raw)).split(_LINK_EDGE)
    if len(pieces) != len(raw):  # the page contains the mark itself, or has a link where none is allowed
        return [_code_to_line(piece.replace(_LINK_EDGE, "")) for piece in raw]
    return [piece.strip() for piece in pieces]


def _resolve_link_addresses(page: Page, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The address of each link; empty if it has none."""
    text, resolve = page.text, Resolver(page.url)
    if base := _BASE_HREF.search(text):
        resolve = resolve.rebased(unescape_html(base[1]))
    for start, end in spans:
        href = _HREF_IN_LINK.search(text, start, end)
        address = href[href.lastindex or 0] if href else ""
        yield resolve(unescape_html(address) if "&" in address else address)


def _code_to_line(piece: str) -> str:
    """A piece of HTML as text in one line."""
    if "<" in piece:
        piece = _TAG_OR_HIDDEN.sub(" ", piece)
    if "&" in piece:
        piece = unescape_html(piece)
    return " ".join(piece.split())


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

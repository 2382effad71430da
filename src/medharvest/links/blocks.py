"""Logical link blocks: runs of links with little between them, and the body text of a page without them.

`find_blocks(page).blocks` has the blocks, `body_text(page)` is the running text, and `outline_page` makes an HTML view
with links and blocks outlined.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.distances import (
    TAG_VALUES,
    LinkSpans,
    any_case,
    code_distances,
    count_words,
    find_tag_bounds,
    link_spans,
    text_distances,
)
from medharvest.links.urls import normal_url, server_of
from medharvest.records import JudgedLink, LinkBlock, Page, unescape_html

MIN_BLOCK_LINKS = 3  # links that make a block, C_t of the paper
# Comments, scripts and styles. The bound on the length of a start tag keeps the time linear.
_HIDDEN_CODE = re.compile(
    r"<(?:!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)|"
    + "|".join(
        rf"{name}[^>]{{0,1000}}+(?<!/)>(?:[^<]++|<(?!/{name}))*+(?:</{name}[^>]*+>?|\Z)"
        for name in map(any_case, ("script", "style"))
    )
    + ")"
)

# Elements whose text does not belong to the content of a page, as HTML defines them.
_SILENT_NAMES = "aside button footer head iframe nav noscript object select svg template textarea".split()
# Tags inside a line of text; every other tag begins a new line.
_TEXT_TAGS = """abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span
strike strong sub sup time tt u var wbr""".split()
_BREAK, _STAYS, _LEAVES, _CLOSES, _ENTERS, _EXITS = "\x01\x02\x03\x04\x05\x06"
_LINK_TAG = re.compile(rf"<{any_case('a')}{TAG_VALUES}>")
_HREF_VALUE = re.compile(r"""\shref\s*+=\s*+("[^"]*+|'[^']*+|\S++)""", re.IGNORECASE)
_HOST_IN_HREF = re.compile(r"(?:^.?//|https?://|https?%3a%2f%2f)([\w.-]++)", re.IGNORECASE)
_MARKS_BY_TAG = (
    (_LINK_TAG, _STAYS),
    (re.compile(r"</[aA]\s*+>"), _CLOSES),
    (re.compile(rf"</?{any_case(*_TEXT_TAGS)}{TAG_VALUES}>"), ""),
    (re.compile(rf"</?[a-zA-Z][^\s/<>]*+{TAG_VALUES}>"), _BREAK),
)
_ALL_MARKS = _BREAK + _STAYS + _LEAVES + _CLOSES + _ENTERS + _EXITS
_BLANKS_FOR_MARKS = str.maketrans(_ALL_MARKS, " " * len(_ALL_MARKS))  # a page may contain these characters itself
_LINK_OR_BLOCK_MARK = re.compile(rf"[{_STAYS}-{_EXITS}]")
_BLOCK_EDGE = re.compile(rf"[{_ENTERS}{_EXITS}]")
_TAG_LEFT_OVER = re.compile(r"<[a-zA-Z/!?]")
_EMPTY_LINES = re.compile(rf"{_BREAK}[\s{_BREAK}]++")
_LINKED_TEXT = re.compile(rf"[{_STAYS}{_LEAVES}]([^{_STAYS}-{_EXITS}]*+)")
# An advertisement in the text: three or more links that leave the site, with hardly a word between them.
_EXTERNAL_LINK = rf"{_LEAVES}[^{_STAYS}-{_CLOSES}]*+{_CLOSES}"
_ADVERTISEMENT = re.compile(rf"{_EXTERNAL_LINK}(?:[^{_STAYS}-{_CLOSES}]{{0,40}}+{_EXTERNAL_LINK}){{2,}}+")
_LINE_COST = 5  # words; shorter lines are captions, dates and labels, and running text may include a few of them
_MIN_RUNNING_WORDS = 16  # words outside links that make a line in a link block running text
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


def _element_pattern(name: str) -> str:
    """A pattern for a whole element after its `<`; it may contain one of its kind, and must be closed."""
    own = any_case(name)
    tag, text = rf"{own}{TAG_VALUES}>", rf"[^<]++|<(?!/?{own})"
    return rf"{tag}(?:{text}|<{tag}(?:{text})*+</{own}\s*+>)*+</{own}\s*+>"


_SILENT_ELEMENT = re.compile(f"<(?:{'|'.join(map(_element_pattern, _SILENT_NAMES))})")


class TextLine(NamedTuple):
    """A line of text, the number of its words, how many of them are in links, and whether it is in a link block."""

    text: str
    units: int
    linked: int
    blocked: bool

    @property
    def runs(self) -> bool:
        """Whether this is running text rather than links with some words between them."""
        own = self.units - self.linked
        return own > self.linked and (own >= _MIN_RUNNING_WORDS or not self.blocked)

    @property
    def worth(self) -> int:
        """What the line adds to a stretch of running text, or subtracts from it."""
        return (self.units - 2 * self.linked if self.runs else 0) - _LINE_COST


def body_text(page: Page, found: LinkBlocks | None = None) -> str:
    """Return the running text of a page, line by line; `found` are its link blocks, if they are known."""
    lines = list(text_lines(page, (found or find_blocks(page)).blocks))
    first, last = find_densest_stretch([line.worth for line in lines])
    return "\n".join(line.text for line in lines[first:last] if line.runs)


def find_densest_stretch(values: Sequence[int]) -> tuple[int, int]:
    """Return start and end of the stretch with the greatest sum; an empty one if no value is positive."""
    most, best, total, first = 0, (0, 0), 0, 0
    for place, value in enumerate(values, 1):
        total += value
        if total <= 0:
            total, first = 0, place
        elif total > most:
            most, best = total, (first, place)
    return best


def text_lines(page: Page, blocks: Sequence[LinkBlock]) -> Iterator[TextLine]:
    """Yield the lines with text, without advertisements in blocks; a block may begin or end inside a line."""
    marked = _mark_lines_and_links(_mark_block_edges(page.text, blocks), server_of(normal_url(page.url)))
    inside, before = False, ""  # whether a block, and the mark of the link, is open where a line begins
    for line in marked.split(_BREAK):
        blocked = inside or _ENTERS in line
        inside = blocked and line.rfind(_ENTERS) >= line.rfind(_EXITS)
        whole, linked = before + line, ""
        if _CLOSES in whole or _STAYS in whole or _LEAVES in whole:
            whole = _ADVERTISEMENT.sub(" ", whole) if blocked and _LEAVES in whole else whole
            linked, before = _split_linked_text(whole)
        shown = " ".join(_LINK_OR_BLOCK_MARK.sub("", whole).split())
        if shown:
            yield TextLine(shown, count_words(shown), count_words(linked) if linked else 0, blocked)


def _split_linked_text(line: str) -> tuple[str, str]:
    """The text of the links in a line, and the mark of the link that is still open at its end."""
    opened = max(line.rfind(_STAYS), line.rfind(_LEAVES))
    return " ".join(_LINKED_TEXT.findall(line)), line[opened] if opened > line.rfind(_CLOSES) else ""


def _mark_block_edges(text: str, blocks: Sequence[LinkBlock]) -> str:
    """Remove hidden and silent elements from the HTML, and mark where each block begins and ends."""
    text = text.translate(_BLANKS_FOR_MARKS) if any(mark in text for mark in _ALL_MARKS) else text
    edges = [0, *(edge for block in blocks for edge in (block.start, block.end)), len(text)]
    sides = [side for _ in blocks for side in (_ENTERS, _EXITS)]
    parts = [text[one:other] for one, other in pairwise(edges)]
    code = _HIDDEN_CODE.sub("", "".join(part for pair in zip(parts, [*sides, ""], strict=True) for part in pair))
    return _SILENT_ELEMENT.sub(_keep_block_edges, code)


def _keep_block_edges(found: re.Match[str]) -> str:
    return _BREAK + "".join(_BLOCK_EDGE.findall(found.group()))


def _mark_lines_and_links(code: str, server: str) -> str:
    """Replace the tags of a piece of HTML by marks where lines end and links begin and end.

    If a server is given, links that leave it get a different mark.
    """
    if server:
        code = _LINK_TAG.sub(lambda found: _choose_link_mark(found[0], server), code)
    for pattern, mark in _MARKS_BY_TAG:
        code = pattern.sub(mark, code)
    if _TAG_LEFT_OVER.search(code):  # tags that no pattern above matches
        edges = [0, *(edge for start, _, end in find_tag_bounds(code) for edge in (start, end)), len(code)]
        code = _BREAK.join(code[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))
    return _EMPTY_LINES.sub(_BREAK, unescape_html(code) if "&" in code else code)


def _choose_link_mark(tag: str, server: str) -> str:
    """The mark of a link: whether it leaves a server, directly or by a redirect address that names another host."""
    href = _HREF_VALUE.search(tag) if "//" in tag or "%" in tag else None
    for host in _HOST_IN_HREF.findall(href[1]) if href else ():
        if not f".{host.lower()}".endswith(f".{server}"):
            return _LEAVES
    return _STAYS


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

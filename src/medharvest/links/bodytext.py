"""The body text of a page: what is left without its link blocks, cut to where the running text stands; no tree."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.links.blocks import LinkBlocks, find_blocks
from medharvest.links.distance import TAG_VALUES, any_case, markup
from medharvest.links.units import count_words
from medharvest.links.urls import normal_url, server_of
from medharvest.records import LinkBlock, Page

# Comments, scripts and styles; a start tag without end is looked at so far only, which keeps the time linear.
_HIDDEN = re.compile(
    r"<(?:!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)|"
    + "|".join(
        rf"{name}[^>]{{0,1000}}+(?<!/)>(?:[^<]++|<(?!/{name}))*+(?:</{name}[^>]*+>?|\Z)"
        for name in map(any_case, ("script", "style"))
    )
    + ")"
)


def _element(name: str) -> str:
    """A whole element after its `<`; one of its kind may stand in it, and one left open is none."""
    own = any_case(name)
    tag, text = rf"{own}{TAG_VALUES}>", rf"[^<]++|<(?!/?{own})"
    return rf"{tag}(?:{text}|<{tag}(?:{text})*+</{own}\s*+>)*+</{own}\s*+>"


# Elements whose text is no part of what a page tells, by the meaning HTML gives them.
_SILENT_NAMES = "aside button footer head iframe nav noscript object select svg template textarea".split()
_SILENT = re.compile(f"<(?:{'|'.join(map(_element, _SILENT_NAMES))})")
# Tags that stand inside a line of text; every other begins a new one.
_INLINE = """abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span
strike strong sub sup time tt u var wbr""".split()
_BREAK, _STAYS, _LEAVES, _CLOSE, _ENTERS, _EXITS = "\x01\x02\x03\x04\x05\x06"
_LINK = re.compile(rf"<{any_case('a')}{TAG_VALUES}>")
_HREF = re.compile(r"""\shref\s*+=\s*+("[^"]*+|'[^']*+|\S++)""", re.IGNORECASE)
_HOST = re.compile(r"(?:^.?//|https?://|https?%3a%2f%2f)([\w.-]++)", re.IGNORECASE)
_MARKS = (
    (_LINK, _STAYS),
    (re.compile(r"</[aA]\s*+>"), _CLOSE),
    (re.compile(rf"</?{any_case(*_INLINE)}{TAG_VALUES}>"), ""),
    (re.compile(rf"</?[a-zA-Z][^\s/<>]*+{TAG_VALUES}>"), _BREAK),
)
_OWN_MARKS = _BREAK + _STAYS + _LEAVES + _CLOSE + _ENTERS + _EXITS
_OWN = str.maketrans(_OWN_MARKS, " " * len(_OWN_MARKS))  # what the page itself has of them
_MARK = re.compile(rf"[{_STAYS}-{_EXITS}]")
_EDGE = re.compile(rf"[{_ENTERS}{_EXITS}]")
_LEFT = re.compile(r"<[a-zA-Z/!?]")
_EMPTY = re.compile(rf"{_BREAK}[\s{_BREAK}]++")
_LINKED = re.compile(rf"[{_STAYS}{_LEAVES}]([^{_STAYS}-{_EXITS}]*+)")
# Three links or more that leave the site, with hardly a word between them: an advertisement in the text.
_OUT = rf"{_LEAVES}[^{_STAYS}-{_CLOSE}]*+{_CLOSE}"
_ADVERTISEMENT = re.compile(rf"{_OUT}(?:[^{_STAYS}-{_CLOSE}]{{0,40}}+{_OUT}){{2,}}+")
_LINE_COST = 5  # words; shorter lines are captions, dates and labels, and a text may hold some of them
_RUNNING = 16  # words of its own that make a line in a block of links running text


class Line(NamedTuple):
    """A line of text, its units, those of them that are linked, and whether it stands in a block."""

    text: str
    units: int
    linked: int
    blocked: bool

    @property
    def runs(self) -> bool:
        """Whether this is running text rather than links with some words between them."""
        own = self.units - self.linked
        return own > self.linked and (own >= _RUNNING or not self.blocked)

    @property
    def worth(self) -> int:
        """What the line adds to a stretch of running text, or takes from it."""
        return (self.units - 2 * self.linked if self.runs else 0) - _LINE_COST


def body_text(page: Page, found: LinkBlocks | None = None) -> str:
    """The running text of a page, a line for each of its own; `found` are its blocks where they are known."""
    lines = list(text_lines(page, (found or find_blocks(page)).blocks))
    first, last = densest([line.worth for line in lines])
    return "\n".join(line.text for line in lines[first:last] if line.runs)


def densest(values: Sequence[int]) -> tuple[int, int]:
    """Where the stretch with the greatest sum begins and ends; an empty one where no value is positive."""
    most, best, total, first = 0, (0, 0), 0, 0
    for place, value in enumerate(values, 1):
        total += value
        if total <= 0:
            total, first = 0, place
        elif total > most:
            most, best = total, (first, place)
    return best


def text_lines(page: Page, blocks: Sequence[LinkBlock]) -> Iterator[Line]:
    """The lines of a page that hold text, advertisements in blocks left out; a block may begin or end inside a line."""
    marked = _marked(_code(page.text, blocks), server_of(normal_url(page.url)))
    inside, before = False, ""  # a link may hold several lines
    for line in marked.split(_BREAK):
        blocked = inside or _ENTERS in line
        inside = blocked and line.rfind(_ENTERS) >= line.rfind(_EXITS)
        whole, linked = before + line, ""
        if _CLOSE in whole or _STAYS in whole or _LEAVES in whole:
            whole = _ADVERTISEMENT.sub(" ", whole) if blocked and _LEAVES in whole else whole
            linked, before = _linked(whole)
        shown = " ".join(_MARK.sub("", whole).split())
        if shown:
            yield Line(shown, count_words(shown), count_words(linked) if linked else 0, blocked)


def _linked(line: str) -> tuple[str, str]:
    """The text of the links in a line, and the mark of the one that is open at its end, if one is."""
    opened = max(line.rfind(_STAYS), line.rfind(_LEAVES))
    return " ".join(_LINKED.findall(line)), line[opened] if opened > line.rfind(_CLOSE) else ""


def _code(text: str, blocks: Sequence[LinkBlock]) -> str:
    """The HTML of a page without what is hidden or silent, with a mark where a block begins and where it ends."""
    text = text.translate(_OWN) if any(mark in text for mark in _OWN_MARKS) else text
    edges = [0, *(edge for block in blocks for edge in (block.start, block.end)), len(text)]
    sides = [side for _ in blocks for side in (_ENTERS, _EXITS)]
    parts = [text[one:other] for one, other in pairwise(edges)]
    code = _HIDDEN.sub("", "".join(part for pair in zip(parts, [*sides, ""], strict=True) for part in pair))
    return _SILENT.sub(_only_edges, code)


def _only_edges(found: re.Match[str]) -> str:
    return _BREAK + "".join(_EDGE.findall(found.group()))


def _marked(code: str, server: str) -> str:
    """The text of a piece of HTML, with a mark where a line ends and where a link begins and ends.

    Links that leave the server have a mark of their own, where one is named.
    """
    if server:
        code = _LINK.sub(lambda found: _side(found[0], server), code)
    for pattern, mark in _MARKS:
        code = pattern.sub(mark, code)
    if _LEFT.search(code):  # tags that are not plain
        edges = [0, *(edge for start, _, end in markup(code) for edge in (start, end)), len(code)]
        code = _BREAK.join(code[one:other] for one, other in zip(edges[::2], edges[1::2], strict=True))
    return _EMPTY.sub(_BREAK, html.unescape(code) if "&" in code else code)


def _side(tag: str, server: str) -> str:
    """The mark of a link: whether it leaves a server, or goes by way of it to another."""
    href = _HREF.search(tag) if "//" in tag or "%" in tag else None
    for host in _HOST.findall(href[1]) if href else ():
        if not f".{host.lower()}".endswith(f".{server}"):
            return _LEAVES
    return _STAYS

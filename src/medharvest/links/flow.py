"""A page as it is read from top to bottom: its text with the links in it, what stands around each, what stands out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from medharvest.links.distance import TAG_VALUES, any_case, link_spans
from medharvest.links.urls import Resolver
from medharvest.records import Page

_NEAR = 80  # characters before and after a link that count as around it
_LONGEST = 500_000  # characters of text that are read
_MOST_LINKS = 5_000
_HIDDEN = "|".join(
    rf"{any_case(name)}{TAG_VALUES}(?<!/)>(?:[^<]++|<(?!/{any_case(name)}))*+(?:</{any_case(name)}[^>]*+>?|\Z)"
    for name in ("script", "style", "title")
)
_COMMENT = r"!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)"
# Where a link begins or ends in the text of a page: no blank, no letter, and no entity stands for it.
_EDGE = "\1"
# The look ahead spares most tags the longer alternatives.
_MARKUP = re.compile(rf"<(?:(?=[!sStT])(?:{_COMMENT}|{_HIDDEN})|[/!?a-zA-Z][^<>\1]*+>?)")
_TITLE = re.compile(r"<title(?=[\s>])[^<>]*+>([^<]*+)", re.IGNORECASE)
_BASE = re.compile(r"""<base(?=\s)[^<>]*?\shref\s*+=\s*+["']?([^\s"'<>]++)""", re.IGNORECASE)
_HREF = re.compile(r"""[\s"'/]href\s*+=\s*+(?:"([^"]*+)|'([^']*+)|([^\s"'>]++))""", re.IGNORECASE)
# A heading or bold text with a few tags inside: a bound on them keeps the time linear.
_STRONG = re.compile(
    r"<(?=[hbstdc])(h[1-6]|b|strong|th|dt|caption)(?=[\s>])[^<>]*+>"
    r"([^<]*+(?:<(?!/\1[\s>])[^<]*+){0,6})</\1(?=[\s>])",
    re.IGNORECASE,
)


class FlowLink(NamedTuple):
    """A link: its address, its text, and that text with what is near it on both sides."""

    url: str
    text: str
    around: str


class Flow(NamedTuple):
    """What is read of a page, link texts among the text."""

    title: str
    text: str
    strong: str
    links: tuple[FlowLink, ...]


def read_flow(page: Page) -> Flow:
    """Read a page without building its tree; a huge one is read in part."""
    spans = link_spans(page.text).links[:_MOST_LINKS]
    pieces = _texts(page.text, spans)
    starts = accumulate((len(piece) + 1 if piece else 0 for piece in pieces), initial=0)
    whole = "\n".join(filter(None, pieces))
    line = whole.replace("\n", " ")
    title = _TITLE.search(page.text)
    links = [
        FlowLink(url, piece, line[max(0, start - _NEAR) : start + len(piece) + _NEAR])
        for url, piece, start in zip(_addresses(page, spans), pieces[1::2], islice(starts, 1, None, 2), strict=False)
        if url
    ]
    return Flow(
        title=_plain(title[1]) if title else "",
        text=whole[:_LONGEST],
        strong="\n".join([_plain(found[2]) for found in _STRONG.finditer(page.text)]),
        links=tuple(links),
    )


def _texts(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """What stands before, in, between and after the links, each in one line: all of it is read in one go."""
    edges = [0, *chain.from_iterable(spans), len(text)]
    raw = [text[start:end] for start, end in pairwise(edges)]
    pieces = _plain(_EDGE.join(raw)).split(_EDGE)
    if len(pieces) != len(raw):  # a page that has the mark itself, or a link where none may be
        return [_plain(piece.replace(_EDGE, "")) for piece in raw]
    return [piece.strip() for piece in pieces]


def _addresses(page: Page, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Where each link leads; empty for nowhere."""
    text, resolve = page.text, Resolver(page.url)
    if base := _BASE.search(text):
        resolve = resolve.rebased(html.unescape(base[1]))
    for start, end in spans:
        href = _HREF.search(text, start, end)
        address = href[href.lastindex or 0] if href else ""
        yield resolve(html.unescape(address) if "&" in address else address)


def _plain(piece: str) -> str:
    """A piece of HTML as text in one line."""
    if "<" in piece:
        piece = _MARKUP.sub(" ", piece)
    if "&" in piece:
        piece = html.unescape(piece)
    return " ".join(piece.split())

"""The text of a page from top to bottom, with its links, headings and bold text; no tree is built.

`read_page_text(page).links` has the address of each link, its text, and the text around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from medharvest.links.distances import hidden_code_pattern, link_spans
from medharvest.links.urls import Resolver
from medharvest.records import Page, unescape_html

_CHARS_AROUND_LINK = 80  # characters before and after a link that count as around it
_MAX_TEXT_CHARS = 500_000  # characters of text that are read
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


class LinkInText(NamedTuple):
    """A link: its address, its text, and that text with the text near it on both sides."""

    url: str
    text: str
    around: str


class PageText(NamedTuple):
    """The title, the text with the link texts in it, the headings and bold text, and the links of a page."""

    title: str
    text: str
    strong: str
    links: tuple[LinkInText, ...]


def read_page_text(page: Page) -> PageText:
    """Read the text and links of a page; of a huge page only the beginning."""
    spans = link_spans(page.text).links[:_MOST_LINKS]
    pieces = _split_at_links(page.text, spans)
    starts = accumulate((len(piece) + 1 if piece else 0 for piece in pieces), initial=0)
    whole = "\n".join(filter(None, pieces))
    line = whole.replace("\n", " ")
    title = _TITLE_ELEMENT.search(page.text)
    links = [
        LinkInText(url, piece, line[max(0, start - _CHARS_AROUND_LINK) : start + len(piece) + _CHARS_AROUND_LINK])
        for url, piece, start in zip(
            _resolve_link_addresses(page, spans), pieces[1::2], islice(starts, 1, None, 2), strict=False
        )
        if url
    ]
    return PageText(
        title=_code_to_line(title[1]) if title else "",
        text=whole[:_MAX_TEXT_CHARS],
        strong="\n".join([_code_to_line(found[2]) for found in _HEADING_OR_BOLD.finditer(page.text)]),
        links=tuple(links),
    )


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

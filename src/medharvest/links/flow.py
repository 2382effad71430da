"""A page as it is read from top to bottom: its text with the links in it, what stands around each, what stands out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
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
_MARKUP = re.compile(rf"<(?:!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)|{_HIDDEN}|[/!?a-zA-Z][^<>]*+>?)")
_TITLE = re.compile(r"<title(?=[\s>])[^<>]*+>([^<]*+)", re.IGNORECASE)
_BASE = re.compile(r"""<base(?=\s)[^<>]*?\shref\s*+=\s*+["']?([^\s"'<>]++)""", re.IGNORECASE)
_HREF = re.compile(r"""[\s"'/]href\s*+=\s*+(?:"([^"]*+)|'([^']*+)|([^\s"'>]++))""", re.IGNORECASE)
# A heading or bold text with a few tags inside: a bound on them keeps the time linear.
_STRONG = re.compile(
    r"<(h[1-6]|b|strong|th|dt|caption)(?=[\s>])[^<>]*+>([^<]*+(?:<(?!/\1[\s>])[^<]*+){0,6})</\1(?=[\s>])", re.IGNORECASE
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
    pieces: list[str] = []
    links: list[tuple[str, int, int]] = []  # address, and where its text begins and ends
    length = 0
    for url, text in _pieces(page):
        if url:
            links.append((url, length, length + len(text)))
        if text:
            pieces.append(text)
            length += len(text) + 1
    whole = "\n".join(pieces)
    title = _TITLE.search(page.text)
    return Flow(
        title=_plain(title[1]) if title else "",
        text=whole[:_LONGEST],
        strong="\n".join([_plain(found[2]) for found in _STRONG.finditer(page.text)]),
        links=tuple(
            [
                FlowLink(url, whole[start:end], whole[max(0, start - _NEAR) : end + _NEAR].replace("\n", " "))
                for url, start, end in links
            ]
        ),
    )


def _pieces(page: Page) -> Iterator[tuple[str, str]]:
    """The texts of a page in order; those of links with their address."""
    text, position = page.text, 0
    base = _BASE.search(text)
    resolve = Resolver(page.url)
    resolve = resolve.rebased(html.unescape(base[1])) if base else resolve
    for start, end in link_spans(text).links[:_MOST_LINKS]:
        yield "", _plain(text[position:start])
        href = _HREF.search(text, start, end)
        address = next(filter(None, href.groups()), "") if href else ""
        yield resolve(html.unescape(address) if "&" in address else address), _plain(text[start:end])
        position = end
    yield "", _plain(text[position:])


def _plain(piece: str) -> str:
    """A piece of HTML as text in one line."""
    if "<" in piece:
        piece = _MARKUP.sub(" ", piece)
    if "&" in piece:
        piece = html.unescape(piece)
    return " ".join(piece.split())

"""A page as it is read from top to bottom: its text with the links in it, what stands around each, what stands out."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

from medharvest.links.distance import TAG_VALUES, any_case
from medharvest.links.scan import scan_links
from medharvest.records import Link, Page

_NEAR = 80  # characters before and after a link that count as around it
_REACH = 4  # pieces of text on each side, other links among them
_LONGEST = 500_000  # characters of text that are read
_MOST_LINKS = 5_000
_HIDDEN = "|".join(
    rf"{any_case(name)}{TAG_VALUES}(?<!/)>(?:[^<]++|<(?!/{any_case(name)}))*+(?:</{any_case(name)}[^>]*+>?|\Z)"
    for name in ("script", "style", "title")
)
_MARKUP = re.compile(rf"<(?:!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)|{_HIDDEN}|[/!?a-zA-Z][^<>]*+>?)")
_TITLE = re.compile(r"<title(?=[\s>])[^<>]*+>([^<]*+)", re.IGNORECASE)
# A heading or bold text with a few tags inside: a bound on them keeps the time linear.
_STRONG = re.compile(
    r"<(h[1-6]|b|strong|th|dt|caption)(?=[\s>])[^<>]*+>([^<]*+(?:<(?!/\1[\s>])[^<]*+){0,6})</\1(?=[\s>])", re.IGNORECASE
)


class Flow(NamedTuple):
    """What is read: `around[i]` is the text about `links[i]`, its own included."""

    title: str
    text: str
    strong: str
    links: tuple[Link, ...]
    around: tuple[str, ...]


def read_flow(page: Page) -> Flow:
    """Read a page without building its tree; a huge one is read in part."""
    links = scan_links(page)[:_MOST_LINKS]
    gaps = _gaps(page.text, links)
    pieces = [gaps[0]]
    for link, gap in zip(links, gaps[1:], strict=True):
        pieces += [link.text, gap]
    title = _TITLE.search(page.text)
    return Flow(
        title=_plain(title[1]) if title else "",
        text="\n".join(filter(None, pieces))[:_LONGEST],
        strong="\n".join(_plain(found[2]) for found in _STRONG.finditer(page.text)),
        links=links,
        around=tuple(_around(pieces, 2 * place + 1) for place in range(len(links))),
    )


def _gaps(text: str, links: Sequence[Link]) -> list[str]:
    """The texts before, between and after links."""
    starts = [0, *(link.end for link in links)]
    ends = [*(link.offset for link in links), len(text)]
    return [_plain(text[start:end]) for start, end in zip(starts, ends, strict=True)]


def _plain(piece: str) -> str:
    """A piece of HTML as text in one line."""
    if "<" in piece:
        piece = _MARKUP.sub(" ", piece)
    if "&" in piece:
        piece = html.unescape(piece)
    return " ".join(piece.split())


def _around(pieces: Sequence[str], place: int) -> str:
    """A link's text with what is near it on both sides, other links' texts too."""
    before = " ".join(filter(None, pieces[max(0, place - _REACH) : place]))
    after = " ".join(filter(None, pieces[place + 1 : place + 1 + _REACH]))
    return " ".join(filter(None, (before[-_NEAR:], pieces[place], after[:_NEAR])))

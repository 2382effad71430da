"""One pass over the raw HTML, no tree: every `<a href>` outside comments, scripts and styles."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

import ada_url

from medharvest.records import Link, Page

_START = re.compile(r"<(?:!--|/a(?=[\s/>])|(?:a|script|style|base)(?=[\s/>]))", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_STOP = re.compile(r"[\"'>]")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)?[^>]*>")
_SKIPPED = re.compile(r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1|$)", re.IGNORECASE | re.DOTALL)


class _Tag(NamedTuple):
    name: str
    start: int
    end: int  # just past its `>`
    attributes: tuple[tuple[str, str], ...]


def scan_links(page: Page) -> tuple[Link, ...]:
    """Every link in document order; a link left open ends where the next one begins."""
    base = page.url
    links: list[Link] = []
    opened: _Tag | None = None
    for tag in _tags(page.text):
        if opened is not None:
            links.append(_link(page.text, opened, tag.start, index=len(links), base=base))
            opened = None
        if tag.name == "base":
            base = _join(page.url, dict(tag.attributes).get("href", "")) or base
        elif tag.name == "a" and any(name == "href" for name, _ in tag.attributes):
            opened = tag
    if opened is not None:
        links.append(_link(page.text, opened, len(page.text), index=len(links), base=base))
    return tuple(links)


def _tags(text: str) -> Iterator[_Tag]:
    """Opening and closing `a` tags and `base`; a comment or script left open hides the rest of the page."""
    position, quotes = 0, _Quotes(text)
    while found := _START.search(text, position):
        name = found.group()[1:].lower()
        if name == "!--":
            end = text.find("-->", found.end())
            position = len(text) if end < 0 else end + 3
            continue
        position = quotes.tag_end(found.end())
        if name in _ENDS:
            position = _script_end(text, name, position)
        elif name == "/a":
            yield _Tag(name, found.start(), position, ())
        else:
            yield _Tag(name, found.start(), position, _attributes(text[found.end() : position - 1]))


def _script_end(text: str, name: str, position: int) -> int:
    if text[position - 2 : position] == "/>":  # `<script …/>` is empty here, as pages mean it
        return position
    end = _ENDS[name].search(text, position)
    return end.start() if end else len(text)


class _Quotes:
    """Finds where a tag ends, quoted `>` skipped, in linear time whatever quotes are left open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last = {quote: text.rfind(quote) for quote in "\"'"}

    def tag_end(self, position: int) -> int:
        """The position just past the `>` of a tag; the end of the text if there is none."""
        first = self.text.find(">", position)
        while found := _STOP.search(self.text, position):
            mark = found.group()
            if mark == ">":
                return found.end()
            # A quote opens a value only after `=`; one that never closes opens nothing.
            opens = self.text[found.start() - 1].strip() in {"=", ""}
            if not opens or found.start() >= self.last[mark]:
                position = found.end()
                continue
            position = self.text.find(mark, found.end()) + 1
        return first + 1 if first >= 0 else len(self.text)


def _attributes(inside: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (found.group(1).lower(), html.unescape(found.group(2) or found.group(3) or found.group(4) or ""))
        for found in _ATTRIBUTE.finditer(inside)
    )


def _link(text: str, tag: _Tag, end: int, *, index: int, base: str) -> Link:
    inner = _SKIPPED.sub(" ", text[tag.end : end])
    href = dict(reversed(tag.attributes))["href"]  # of two, the first counts
    return Link(
        index=index,
        offset=tag.start,
        end=end,
        href=href,
        url=_join(base, href),
        text=" ".join(html.unescape(_TAG.sub(" ", inner)).split()),
        attributes=tag.attributes,
        content_tags=tuple(name.upper() for slash, name in _TAG.findall(inner) if name and not slash),
    )


def _join(base: str, href: str) -> str:
    """The absolute URL, without its fragment; empty where there is none to be had."""
    try:
        url = ada_url.URL(href.strip(), base=base) if base else ada_url.URL(href.strip())
    except ValueError:
        return ""
    url.hash = ""
    return str(url.href)

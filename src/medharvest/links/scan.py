"""One pass over the raw HTML, no tree: every `<a href>` outside comments, scripts and styles."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from html.entities import html5
from typing import NamedTuple

import ada_url

from medharvest.records import Link, Page

_START = re.compile(r"<(?:!--|(?:/?a|script|style|base)(?=[\s/>]))", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_STOP = re.compile(r"[\"'>]")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?""")
_REFERENCE = re.compile(r"&(#?\w+;?)(=?)")
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|[/!?])")
_GLUED = frozenset("b em font i strong sub sup u wbr".split())  # tags that stand inside a word, as in `CO<sub>2`


class _Tag(NamedTuple):
    """`a`, `/a`, `base`, or `hidden`: a comment, script or style as a whole."""

    name: str
    start: int
    end: int  # just past its `>`
    attributes: tuple[tuple[str, str], ...] = ()


def scan_links(page: Page) -> tuple[Link, ...]:
    """Every link in document order; a link left open ends where the next one begins."""
    text, base = page.text, ""
    links: list[Link] = []
    opened: _Tag | None = None
    hidden: list[_Tag] = []
    for tag in itertools.chain(_tags(text), [_Tag("/a", len(text), len(text))]):
        if tag.name == "hidden":
            hidden.append(tag)
        elif tag.name == "base":  # of several, the first counts
            base = base or _join(page.url, _first(tag, "href") or "")
        else:
            if opened is not None:
                inner = _without(text, opened.end, tag.start, hidden)
                links.append(_link(opened, inner, end=tag.start, index=len(links), base=base or page.url))
            opened = tag if tag.name == "a" and _first(tag, "href") is not None else None
            hidden = []
    return tuple(links)


def _tags(text: str) -> Iterator[_Tag]:
    """The tags a link scan needs; a comment or script left open hides the rest of the page."""
    position, quotes = 0, _Quotes(text)
    while found := _START.search(text, position):
        name, start = found.group()[1:].lower(), found.start()
        if name == "!--":
            end = text.find("-->", found.end() - 2)  # `<!-->` is a whole comment
            position = len(text) if end < 0 else end + 3
            yield _Tag("hidden", start, position)
            continue
        position = quotes.tag_end(found.end())
        if name in _ENDS:
            position = _script_end(text, name, position)
            yield _Tag("hidden", start, position)
        else:
            yield _Tag(name, start, position, _attributes(text[found.end() : position].removesuffix(">")))


def _script_end(text: str, name: str, position: int) -> int:
    if text[position - 2 : position] == "/>":  # `<script …/>` is empty here, as pages mean it
        return position
    end = _ENDS[name].search(text, position)
    return (text.find(">", end.end()) + 1 or len(text)) if end else len(text)


class _Quotes:
    """Finds where a tag ends, quoted `>` skipped, in linear time whatever quotes are left open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last = {quote: text.rfind(quote) for quote in "\"'"}
        self.trusted = True

    def tag_end(self, position: int) -> int:
        """The position just past the `>` of a tag; the end of the text if there is none."""
        first = self.text.find(">", position)
        if first < 0:
            return len(self.text)
        while self.trusted and (found := _STOP.search(self.text, position)):
            mark = found.group()
            if mark == ">":
                return found.end()
            # A quote opens a value only after `=` or a blank; one that never closes opens nothing.
            opens = self.text[found.start() - 1].strip() in {"=", ""}
            if opens and found.start() < self.last[mark]:
                position = self.text.find(mark, found.end()) + 1
            else:
                position = found.end()
        # Every `>` from here on seems quoted. Asking again for each tag that follows would take quadratic time.
        self.trusted = False
        return first + 1


def _attributes(inside: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (found.group(1).lower(), _REFERENCE.sub(_decoded, found.group(2) or found.group(3) or found.group(4) or ""))
        for found in _ATTRIBUTE.finditer(inside)
    )


def _decoded(found: re.Match[str]) -> str:
    """The character a reference in an attribute stands for; `&copy=1` is none, but a name and a value."""
    name, equals = found.groups()
    if name.startswith("#"):
        return html.unescape(f"&{name}") + equals
    return found.group() if equals else html5.get(name, found.group())


def _first(tag: _Tag, attribute: str) -> str | None:
    """The value of an attribute; of two with one name the first counts."""
    return next((value for name, value in tag.attributes if name == attribute), None)


def _without(text: str, start: int, end: int, hidden: Sequence[_Tag]) -> str:
    """What stands between two places, hidden parts left out."""
    starts = [start, *(tag.end for tag in hidden)]
    ends = [*(tag.start for tag in hidden), end]
    return " ".join(text[one:other] for one, other in zip(starts, ends, strict=True))


def _link(tag: _Tag, inner: str, *, end: int, index: int, base: str) -> Link:
    text, names = _content(inner)
    href = _first(tag, "href") or ""
    return Link(
        index=index,
        offset=tag.start,
        end=end,
        href=href,
        url=_join(base, href),
        text=text,
        attributes=tag.attributes,
        content_tags=names,
    )


def _content(inner: str) -> tuple[str, tuple[str, ...]]:
    """The text inside a link in one line, and the names of the tags there in upper case."""
    texts: list[str] = []
    names: list[str] = []
    position, quotes = 0, _Quotes(inner)
    while found := _TAG.search(inner, position):
        slash, name = found.group(1), (found.group(2) or "").lower()
        texts += [inner[position : found.start()], "" if name in _GLUED else " "]
        if name and not slash:
            names.append(name.upper())
        position = quotes.tag_end(found.end())
    texts.append(inner[position:])
    return " ".join(html.unescape("".join(texts)).split()), tuple(names)


def _join(base: str, href: str) -> str:
    """The absolute URL, without its fragment; empty where there is none to be had."""
    try:
        url = ada_url.URL(href.strip(), base=base) if base else ada_url.URL(href.strip())
    except ValueError:
        return ""
    url.hash = ""
    return str(url.href)

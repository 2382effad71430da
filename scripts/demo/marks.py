"""Markers in the templates: stripped from the page, what they enclosed is written down.

A template says `link(article, form)` before an anchor and `zone(label)` … `end()` around a piece of text.
Both print private-use characters, so what the page holds is known and never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from markupsafe import Markup

_LINK, _ZONE, _CLOSE, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_MARK = re.compile(f"([{_LINK}{_ZONE}])([^{_CLOSE}]*){_CLOSE}|{_END}")
# These part no words; any other element does.
_INLINE = frozenset(
    (
        "a",
        "abbr",
        "b",
        "button",
        "cite",
        "em",
        "font",
        "i",
        "img",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
    )
)


def link(article: Any, form: str) -> Markup:
    """Mark the next anchor as a link to a form of an article."""
    return Markup(f"{_LINK}{article.id}|{form}{_CLOSE}")  # noqa: S704  (ids and forms are our own)


def zone(label: str) -> Markup:
    """Mark the beginning of a zone."""
    return Markup(f"{_ZONE}{label}{_CLOSE}")  # noqa: S704


def end() -> Markup:
    """Mark the end of the innermost zone."""
    return Markup(_END)  # noqa: S704


@dataclass(frozen=True)
class Marked:
    """A page without its marks, and what they said; offsets count code points."""

    text: str
    links: tuple[dict[str, Any], ...]
    zones: tuple[dict[str, Any], ...]


def strip_marks(text: str, encoding: str = "utf-8") -> Marked:
    """Take the marks out; letters the encoding lacks become references first, so that offsets hold."""
    text = _referenced(text, encoding)
    plain, targets, zones = _split(text)
    anchors = _Anchors.of(plain)
    lost = set(targets) - {anchor["offset"] for anchor in anchors}
    if lost:
        raise ValueError(f"a link mark stands before no anchor: {plain[min(lost) :][:80]!r}")
    links = []
    for index, anchor in enumerate(anchors):
        key, form = targets.get(anchor["offset"], ("", None))
        links.append({"i": index, **anchor, "article": bool(key), "type": form, "article_key": key})
    return Marked(plain, tuple(links), tuple(zones))


def plain_text(html: str) -> str:
    """The text of a piece of HTML: references decoded, blanks collapsed, blocks parted by a blank."""
    return _Text.of(html)


def _referenced(text: str, encoding: str) -> str:
    pieces = []
    for piece in re.split(f"([{_LINK}-{_END}])", text):
        mark = len(piece) == 1 and _LINK <= piece <= _END
        pieces.append(piece if mark else piece.encode(encoding, "xmlcharrefreplace").decode(encoding))
    return "".join(pieces)


def _split(text: str) -> tuple[str, dict[int, tuple[str, str]], list[dict[str, Any]]]:
    plain, last = "", 0
    targets: dict[int, tuple[str, str]] = {}
    zones: list[dict[str, Any]] = []
    open_zones: list[dict[str, Any]] = []
    for mark in _MARK.finditer(text):
        plain += text[last : mark.start()]
        last = mark.end()
        if mark[1] == _LINK:
            key, _, form = mark[2].partition("|")
            targets[len(plain)] = (key, form)
        elif mark[1] == _ZONE:
            open_zones.append({"label": mark[2], "start": len(plain)})
        else:
            zones.append({**open_zones.pop(), "end": len(plain)})
    if open_zones:
        raise ValueError(f"a zone is never closed: {open_zones[-1]['label']}")
    plain += text[last:]
    zones.sort(key=lambda zone: (zone["start"], -zone["end"]))
    return (
        plain,
        targets,
        [{**zone, "text": plain_text(plain[zone["start"] : zone["end"]])} for zone in zones],
    )


class _Anchors(HTMLParser):
    """Every `<a href>` outside comments, scripts and styles, with its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._lines = [0, *(match.end() for match in re.finditer("\n", html))]
        self.found: list[dict[str, Any]] = []
        self._open: list[str] | None = None

    @classmethod
    def of(cls, html: str) -> list[dict[str, Any]]:
        parser = cls(html)
        parser.feed(html)
        parser.close()
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href is not None:
            line, column = self.getpos()
            self.found.append({"offset": self._lines[line - 1] + column, "href": href, "text": ""})
            self._open = []
        elif tag not in _INLINE:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._open is not None:
            self.found[-1]["text"] = " ".join("".join(self._open).split())
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.append(data)


class _Text(HTMLParser):
    """The text of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[str] = []

    @classmethod
    def of(cls, html: str) -> str:
        parser = cls()
        parser.feed(html)
        parser.close()
        return " ".join("".join(parser._pieces).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._space(tag)

    def handle_endtag(self, tag: str) -> None:
        self._space(tag)

    def handle_data(self, data: str) -> None:
        self._pieces.append(data)

    def _space(self, tag: str) -> None:
        if tag not in _INLINE:
            self._pieces.append(" ")

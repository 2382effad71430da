"""Microdata and RDFa Lite: what attributes of the visible page say, as the nested values that JSON-LD would have."""

from __future__ import annotations

import re
from typing import Any

from medharvest.pages import tree

# A page that describes an article says so in an attribute; most describe other things, if any.
_ATTRIBUTES = ("itemtype", "typeof")
_ARTICLE = re.compile(r"\s{0,9}=[^>]{0,200}?(?:Article|Publication|Periodical|Report)")
_DEEPEST = 12  # things inside each other, and values inside each other, that are followed
_MOST = 5_000  # values of a page
_LONGEST = 2_000_000  # characters of all values
_IN_ATTRIBUTE = ("content", "datetime")  # a value that is not the text of its element
_ADDRESSES = {"a": "href", "link": "href", "area": "href", "img": "src"}
_ADDRESS_NAMES = frozenset({"url", "sameas", "license", "image", "contenturl", "encoding"})


def marked_up(html: str) -> list[dict[str, Any]]:
    """The things that a page describes by `itemprop` or `property`, outermost first."""
    if not any(_describes_article(html, name) for name in _ATTRIBUTES):
        return []
    reader = _Reader()
    tree.visit(html, reader)
    return reader.things


def _describes_article(html: str, attribute: str) -> bool:
    at = html.find(attribute)
    while at >= 0:
        at += len(attribute)
        if _ARTICLE.match(html, at):
            return True
        at = html.find(attribute, at)
    return False


class _Reader:
    """Collects things and their values while a page is shown to it."""

    def __init__(self) -> None:
        self.things: list[dict[str, Any]] = []
        self._open: list[tuple[int, dict[str, Any]]] = []  # things, with the level they opened at
        self._texts: list[tuple[int, dict[str, Any], list[str], list[str]]] = []  # level, thing, names, pieces
        self._left, self._room = _MOST, _LONGEST

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        """A tag may begin a thing, name a value, or neither."""
        names = _names(attributes.get("itemprop") or attributes.get("property"))
        if "itemscope" in attributes or "typeof" in attributes:
            self._begin(names, level, attributes.get("itemtype") or attributes.get("typeof"))
        elif names and self._open and self._left > 0:
            self._value(names, tag, level, attributes)
        return tag not in {"script", "style", "template"}

    def close(self, tag: str, level: int) -> None:  # noqa: ARG002  (what every visitor is told)
        """A tag that closes may end a value or a thing."""
        while self._texts and self._texts[-1][0] == level:
            _, thing, names, pieces = self._texts.pop()
            self._put(thing, names, "".join(pieces))
        if self._open and self._open[-1][0] == level:
            self._open.pop()

    def text(self, text: str) -> None:
        """A text belongs to every value it stands in."""
        for _, _, _, pieces in self._texts:
            pieces.append(text[: max(0, self._room)])
            self._room -= len(text)

    def _begin(self, names: list[str], level: int, kind: str | None) -> None:
        if len(self._open) >= _DEEPEST or self._left <= 0:
            return
        kinds = _names(kind)
        thing: dict[str, Any] = {"@type": kinds[0] if len(kinds) == 1 else kinds}
        if names and self._open:
            self._put(self._open[-1][1], names, thing)
        else:
            self.things.append(thing)
        self._open.append((level, thing))

    def _value(self, names: list[str], tag: str, level: int, attributes: dict[str, str | None]) -> None:
        thing = self._open[-1][1]
        given = next((attributes[name] for name in _IN_ATTRIBUTE if attributes.get(name)), None)
        address = attributes.get(_ADDRESSES.get(tag, ""))
        if address and not given and not _ADDRESS_NAMES.isdisjoint(name.lower() for name in names):
            given = address
        if given:
            self._put(thing, names, given)
        elif len(self._texts) < _DEEPEST:
            self._texts.append((level, thing, names, []))

    def _put(self, thing: dict[str, Any], names: list[str], value: Any) -> None:
        self._left -= 1
        for name in names:
            known = thing.setdefault(name, value)
            if known is value:
                continue
            if isinstance(known, list):
                known.append(value)
            else:
                thing[name] = [known, value]


def _names(text: str | None) -> list[str]:
    return [_last(name) for name in (text or "").split()[:4]]


def _last(name: str) -> str:
    """The name itself of `http://schema.org/headline` or `schema:headline`."""
    return name.rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]

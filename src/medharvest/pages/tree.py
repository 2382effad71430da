"""The only module that knows the HTML parser: a page as a flat stream of tags and texts."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser


@functools.lru_cache(maxsize=1)
def _parse(html: str) -> LexborHTMLParser:
    """The tree of a page; the stages of one reading ask for it in turn, and none may change it."""
    return LexborHTMLParser(html)


class Open(NamedTuple):
    """A tag opens; HTML is level 1."""

    tag: str
    level: int
    attributes: dict[str, str | None]


class Close(NamedTuple):
    """A tag closes."""

    tag: str
    level: int


class Text(NamedTuple):
    """A text node, entities decoded."""

    text: str


def walk(html: str) -> Iterator[Open | Close | Text]:
    """Yield the tags and texts of a page depth first; no recursion, so no page is too deep."""
    node: Any = _parse(html).root  # its stubs call every pointer optional
    level = 1
    while node is not None:
        step = _enter(node, level)
        if step is not None:
            yield step
        if isinstance(step, Open) and node.child is not None:
            node, level = node.child, level + 1
            continue
        if isinstance(step, Open):
            yield Close(step.tag, level)
        while level > 1 and node.next is None:  # climb until there is a next sibling
            node, level = node.parent, level - 1
            yield Close(node.tag, level)
        node = node.next if level > 1 else None


def _enter(node: Any, level: int) -> Open | Text | None:
    if node.is_text_node:
        return Text(node.text_content or "")
    if node.is_element_node:
        return Open(node.tag, level, node.attributes)
    return None


# Nodes of an element that are read for its beginning: elements may be nested in each other, thousands deep, and reading
# each to its end would take quadratic time.
_BEGINNING = 40


class Document:
    """A page parsed once for several questions."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._parser = _parse(html)

    def contents(self, css: str) -> tuple[tuple[dict[str, str | None], str], ...]:
        """Attributes and text of every element that a selector matches."""
        return tuple((node.attributes, node.text(deep=True)) for node in self._parser.css(css))

    def texts(self, css: str) -> tuple[str, ...]:
        """The text of every element that a selector matches, each in one line; of very large ones the beginning."""
        return tuple(" ".join(_beginning(node).split()) for node in self._parser.css(css))

    def plain_text(self) -> str:
        """The visible text in one line."""
        stripped = LexborHTMLParser(self._html)  # a tree of its own: stripping changes it
        stripped.strip_tags(["script", "style", "noscript", "template"])
        body = stripped.body
        return " ".join(body.text(separator=" ").split()) if body else ""


def _beginning(node: Any) -> str:
    texts: list[str] = []
    waiting = [node.child]
    for _ in range(_BEGINNING):
        while waiting and waiting[-1] is None:
            waiting.pop()
        if not waiting:
            break
        inner = waiting.pop()
        waiting += [inner.next, inner.child]
        if inner.is_text_node:
            texts.append(inner.text_content or "")
    return "".join(texts)

"""The parsed HTML of a page, visited tag by tag or queried by CSS selectors; no other module uses the HTML parser.

`HtmlDocument(html).texts("h1")` has the text of every `<h1>`; `visit_tags(html, visitor)` calls a `TagVisitor`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Protocol

from selectolax.lexbor import LexborHTMLParser

_MAX_TEXT_NODE_CHARS = 500_000  # as many as a long book chapter has
_MOST_TAGS = 40_000  # tags of a page that are read; the largest of 360 real pages has a quarter of it
# Nodes of an element that are read for its beginning: elements may be nested thousands deep, and reading each to its
# end would take quadratic time.
_MAX_BEGINNING_NODES = 40
_MOST_TEXTS = 10_000  # elements that are read for one selector
_UNSEEN_TAGS = frozenset({"script", "style", "noscript", "template"})


class TagVisitor(Protocol):
    """Receives the tags and texts of a page in document order."""

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        """Handle a start tag; `<html>` has level 1. Return false to skip its content and its end tag."""

    def close(self, tag: str, level: int) -> None:
        """Handle an end tag."""

    def text(self, text: str) -> None:
        """Handle a text node, entities decoded."""


def visit_tags(html: str, visitor: TagVisitor) -> None:
    """Visit the tags and texts of a page depth first, without recursion; a huge page ends early."""
    left = _MOST_TAGS
    node: Any = _parse_html_tree(html).root  # in the stubs every pointer is optional
    show_open, show_close, show_text = visitor.open, visitor.close, visitor.text
    above: list[tuple[Any, str]] = []  # the open tags, outermost first
    while node is not None and left:
        following = None
        if node.is_text_node:
            show_text((node.text_content or "")[:_MAX_TEXT_NODE_CHARS])
        elif node.is_element_node:
            left -= 1
            tag = node.tag
            level = len(above) + 1
            if show_open(tag, level, node.attributes):
                following = node.child
                if following is None:
                    show_close(tag, level)
                else:
                    above.append((node, tag))
        if following is None and above:
            following = node.next
        while following is None and above:  # climb until there is a next sibling
            node, tag = above.pop()
            show_close(tag, len(above) + 1)
            following = node.next if above else None
        node = following
    while above:  # left open if a huge page ended early
        show_close(above.pop()[1], len(above) + 1)


@functools.lru_cache(maxsize=1)
def _parse_html_tree(html: str) -> LexborHTMLParser:
    """The tree of a page, cached: several stages ask for it in turn, so none may change it."""
    return LexborHTMLParser(html)


class HtmlDocument:
    """A parsed page for queries by CSS selectors."""

    def __init__(self, html: str) -> None:
        self._parser = _parse_html_tree(html)

    def contents(self, css: str) -> tuple[tuple[dict[str, str | None], str], ...]:
        """Return attributes and text of every element that a selector matches."""
        return tuple((node.attributes, node.text(deep=True)) for node in self._parser.css(css))

    def tagged(self, css: str) -> tuple[tuple[str, dict[str, str | None]], ...]:
        """Return tag and attributes of every element that a selector matches."""
        return tuple((node.tag or "", node.attributes) for node in self._parser.css(css))

    def texts(self, css: str) -> tuple[str, ...]:
        """Return the text of each element that a selector matches, in one line; of large elements the beginning."""
        return tuple([text for _, text in self.tagged_texts(css)])

    def tagged_texts(self, css: str) -> tuple[tuple[str, str], ...]:
        """Return tag and text of each element that a selector matches, as `texts` does."""
        found = self._parser.css(css)[:_MOST_TEXTS]
        return tuple([(node.tag or "", " ".join(_beginning_of_element(node).split())) for node in found])

    def has(self, css: str) -> bool:
        """Whether a selector matches anything."""
        return self._parser.css_first(css) is not None

    def plain_text(self, most: int) -> str:
        """Return the visible text in one line; of a long page the beginning, at least `most` characters."""
        texts: list[str] = []
        length = 0
        for text in _iterate_visible_texts(self._parser.body):
            texts.append(text)
            length += len(text) + 1
            if length > most:
                break
        return " ".join(texts)


def _iterate_visible_texts(node: Any) -> Iterator[str]:
    """Yield the texts below a node that a browser shows, each in one line."""
    waiting = [node and node.child]
    while waiting:
        inner = waiting.pop()
        if inner is None:
            continue
        waiting.append(inner.next)
        if inner.is_text_node:
            words = " ".join((inner.text_content or "")[:_MAX_TEXT_NODE_CHARS].split())
            if words:
                yield words
        elif inner.tag not in _UNSEEN_TAGS:
            waiting.append(inner.child)


def _beginning_of_element(node: Any) -> str:
    first = node.child
    if first is None:
        return ""
    if first.is_text_node and first.next is None:  # most elements contain only a text
        return (first.text_content or "")[:_MAX_TEXT_NODE_CHARS]
    texts: list[str] = []
    waiting = [first]
    for _ in range(_MAX_BEGINNING_NODES):
        while waiting and waiting[-1] is None:
            waiting.pop()
        if not waiting:
            break
        inner = waiting.pop()
        waiting += [inner.next, inner.child]
        if inner.is_text_node:
            texts.append((inner.text_content or "")[:_MAX_TEXT_NODE_CHARS])
    return "".join(texts)

"""The seven steps that leave of a page's tree the tags and texts of which its patterns are made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from medharvest.pages import tree
from medharvest.zones.segment import INLINE

# Lines of their own, kept even when they hold no text.
FRAME = frozenset({"html", "head", "title", "body"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Step 5, the paper's own list.
ELIMINATED = frozenset(
    """! a acronym address applet area base basefont bdo bgsound blockquote button caption code col colgroup comment
    custom dd del dfn dir div dl dt embed fieldset form frame frameset iframe img input ins isindex label legend li link
    map marquee menu meta noframes noscript object ol optgroup option param plaintext q rt ruby samp script select span
    style tbody td textarea tfoot th thead tr ul var xml xmp""".split()
)
_SILENT = frozenset({"script", "style"})  # what stands in them is no text of the page
_FONT = ("face", "color", "size")


class Node(NamedTuple):
    """A tag or a text that the steps keep; `level` is its depth in the page as it was parsed, HTML being 1."""

    level: int
    tag: str  # empty for a text
    text: str = ""
    font: str = ""  # `[face,colour,size]` of a FONT
    begins: bool = False  # of a text: whether a block opened or closed since the text before it


def normalise(html: str) -> tuple[Node, ...]:
    """The kept nodes of a page in document order; what is eliminated leaves its texts to the nearest kept tag above."""
    collector = _Collector()
    tree.visit(html, collector)
    return tuple(collector.kept())


class _Collector:
    """Collects nodes, and of each tag whether a text stands below it."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.filled: list[bool] = []  # of each node: whether a text stands in it
        self.holders: list[int] = []  # places in `nodes` of the open tags that may stay, outermost first
        self.opened: list[bool] = []  # of every open tag, whether it is among them
        self.tables = 0  # open ones
        self.silent = 0
        self.begins = True

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        """Steps 2, 3 and 5: headings stay, what is in a table or in the list goes."""
        stays = tag in HEADINGS or not (self.tables or tag in ELIMINATED)
        self.opened.append(stays)
        self.tables += tag == "table"
        self.silent += tag in _SILENT
        self.begins |= tag not in INLINE
        if stays:
            self.holders.append(len(self.nodes))
            self._append(Node(level, tag, font=_font(tag, attributes)))
        return True

    def text(self, text: str) -> None:
        """Steps 4 and 6: every text stays that is more than white space."""
        words = " ".join(text.split())
        if words and not self.silent:
            self._append(Node(len(self.opened) + 1, "", words, begins=self.begins), filled=True)
            self._fill()
            self.begins = False

    def close(self, tag: str, level: int) -> None:  # noqa: ARG002
        self.tables -= tag == "table"
        self.silent -= tag in _SILENT
        self.begins |= tag not in INLINE
        if self.opened.pop():
            self.holders.pop()

    def kept(self) -> Iterator[Node]:
        """Step 7: a tag without text goes, those of the frame excepted."""
        pairs = zip(self.nodes, self.filled, strict=True)
        return (node for node, filled in pairs if filled or node.tag in FRAME)

    def _append(self, node: Node, *, filled: bool = False) -> None:
        self.nodes.append(node)
        self.filled.append(filled)

    def _fill(self) -> None:
        """Every open tag holds a text now; those around a filled one are filled already."""
        for place in reversed(self.holders):
            if self.filled[place]:
                return
            self.filled[place] = True


def _font(tag: str, attributes: dict[str, str | None]) -> str:
    if tag != "font":
        return ""
    return f"[{','.join(attributes.get(name) or '' for name in _FONT)}]"

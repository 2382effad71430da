"""A page to look at: its text and plain markup alone, every block with the path that evidence names it by.

Nothing of the page is passed through. Each tag is written anew from a short list, each text escaped, and of the
attributes none but the spans of table cells, so what comes out holds no script, no address and no style, whatever went
in.
"""

from __future__ import annotations

import html

from medharvest.pages import tree
from medharvest.records import Page
from medharvest.zones.segment import DEEPEST, INLINE, SILENT, is_hidden

_KEPT = frozenset(
    """article aside blockquote caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol
    p pre section table tbody td tfoot th thead tr ul abbr b bdi bdo cite code dfn em i kbd mark q s samp small span
    strong sub sup u var""".split()
)
_EMPTY = frozenset({"br", "hr", "wbr", "img", "input", "link", "meta"})
_SPANS = ("colspan", "rowspan")
_MOST_SPAN = 50


def shown(page: Page) -> str:
    """The body of a page as HTML of our own; each block has its path as `data-zone`."""
    painter = _Painter()
    tree.visit(page.text, painter)
    return "".join(painter.pieces)


class _Painter:
    """Writes a page as it is walked through."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.paths = [""]  # of the open blocks, outermost first
        self.counts: list[dict[str, int]] = [{}]
        self.inside = False  # past the opening of the body

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        del level
        if tag in SILENT or (tag in INLINE and is_hidden(attributes)):
            return False
        self.inside = self.inside or tag == "body"
        zone = "" if tag in INLINE else self._descend(tag)
        if self.inside:
            self._write(tag, attributes, zone)
        return True

    def _descend(self, tag: str) -> str:
        counts = self.counts[-1]
        counts[tag] = counts.get(tag, 0) + 1
        path = self.paths[-1]
        if len(self.paths) <= DEEPEST:
            path = f"{path}/{tag}[{counts[tag]}]".lstrip("/")
        self.paths.append(path)
        self.counts.append({})
        return path

    def _write(self, tag: str, attributes: dict[str, str | None], zone: str) -> None:
        if tag in {"br", "hr"}:
            self.pieces.append(f"<{tag}>")
        elif tag == "img":
            self.pieces.append(f"<span class=picture>{html.escape((attributes.get('alt') or '')[:200])}</span>")
        elif tag not in _EMPTY:
            name = f' data-zone="{html.escape(zone)}"' if zone else ""
            hidden = " class=folded" if zone and is_hidden(attributes) else ""
            self.pieces.append(f"<{_own(tag)}{name}{hidden}{_spans(tag, attributes)}>")

    def close(self, tag: str, level: int) -> None:
        del level
        if self.inside and tag not in _EMPTY and tag != "br":
            self.pieces.append(f"</{_own(tag)}>")
        if tag not in INLINE:
            self.paths.pop()
            self.counts.pop()
        self.inside = self.inside and tag != "body"

    def text(self, text: str) -> None:
        if self.inside:
            self.pieces.append(html.escape(text))


def _own(tag: str) -> str:
    """The tag that stands for one of the page's."""
    return tag if tag in _KEPT else "span" if tag in INLINE else "div"


def _spans(tag: str, attributes: dict[str, str | None]) -> str:
    if tag not in {"td", "th"}:
        return ""
    values = [(name, attributes.get(name) or "") for name in _SPANS]
    return "".join(
        f" {name}={value}"
        for name, value in values
        if value.isascii() and value.isdecimal() and int(value) < _MOST_SPAN
    )

"""Render a page as safe HTML for people to look at: nothing in it runs or loads.

Every tag comes from a fixed list and every text is escaped. Of the page's attributes only the spans of table cells and
the texts of images are kept.
"""

from __future__ import annotations

import html

from medharvest.pages import tree
from medharvest.records import Page
from medharvest.zones.segmentation import INLINE_TAGS, MAX_PATH_LEVELS, SILENT_TAGS, is_hidden_tag

_KEPT_TAGS = frozenset(
    """article aside blockquote caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol
    p pre section table tbody td tfoot th thead tr ul abbr b bdi bdo cite code dfn em i kbd mark q s samp small span
    strong sub sup u var""".split()
)
_EMPTY_TAGS = frozenset({"br", "hr", "wbr", "img", "input", "link", "meta"})
_SPAN_ATTRIBUTES = ("colspan", "rowspan")
_MAX_CELL_SPAN = 50


def render_safe_html(page: Page) -> str:
    """Return the body of a page as safe HTML; each block has its path as `data-zone`."""
    writer = _SafeHtmlWriter()
    tree.visit_tags(page.text, writer)
    return "".join(writer.pieces)


class _SafeHtmlWriter:
    """Writes safe HTML while the page is parsed."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.paths = [""]  # of the open blocks, outermost first
        self.counts: list[dict[str, int]] = [{}]
        self.inside = False  # whether the body has opened

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        del level
        if tag in SILENT_TAGS or (tag in INLINE_TAGS and is_hidden_tag(attributes)):
            return False
        self.inside = self.inside or tag == "body"
        zone = "" if tag in INLINE_TAGS else self._descend(tag)
        if self.inside:
            self._write(tag, attributes, zone)
        return True

    def _descend(self, tag: str) -> str:
        counts = self.counts[-1]
        counts[tag] = counts.get(tag, 0) + 1
        path = self.paths[-1]
        if len(self.paths) <= MAX_PATH_LEVELS:
            path = f"{path}/{tag}[{counts[tag]}]".lstrip("/")
        self.paths.append(path)
        self.counts.append({})
        return path

    def _write(self, tag: str, attributes: dict[str, str | None], zone: str) -> None:
        if tag in {"br", "hr"}:
            self.pieces.append(f"<{tag}>")
        elif tag == "img":
            self.pieces.append(f"<span class=picture>{html.escape((attributes.get('alt') or '')[:200])}</span>")
        elif tag not in _EMPTY_TAGS:
            name = f' data-zone="{html.escape(zone)}"' if zone else ""
            hidden = " class=folded" if zone and is_hidden_tag(attributes) else ""
            self.pieces.append(f"<{_safe_tag_for(tag)}{name}{hidden}{_write_cell_spans(tag, attributes)}>")

    def close(self, tag: str, level: int) -> None:
        del level
        if self.inside and tag not in _EMPTY_TAGS and tag != "br":
            self.pieces.append(f"</{_safe_tag_for(tag)}>")
        if tag not in INLINE_TAGS:
            self.paths.pop()
            self.counts.pop()
        self.inside = self.inside and tag != "body"

    def text(self, text: str) -> None:
        if self.inside:
            self.pieces.append(html.escape(text))


def _safe_tag_for(tag: str) -> str:
    """Return the safe tag for a tag of the page."""
    return tag if tag in _KEPT_TAGS else "span" if tag in INLINE_TAGS else "div"


def _write_cell_spans(tag: str, attributes: dict[str, str | None]) -> str:
    if tag not in {"td", "th"}:
        return ""
    values = [(name, attributes.get(name) or "") for name in _SPAN_ATTRIBUTES]
    return "".join(
        f" {name}={value}"
        for name, value in values
        if value.isascii() and value.isdecimal() and int(value) < _MAX_CELL_SPAN
    )

"""The frame beside a record: an archived page, or the sheets of a PDF, with nothing of it that could act."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import Any

from starlette.responses import HTMLResponse, Response

from medharvest.web.guard import frame_policy, new_nonce
from medharvest.web.rendering import static_text

MOST_SHEETS = 6
Sheet = tuple[bytes, float, float]  # PNG, width and height in points


def frame(shown: dict[str, Any], sheets: Sequence[Sheet] = ()) -> Response:
    """The document of the frame: the page's own HTML, or the sheets of a PDF with the boxes of its blocks."""
    nonce = new_nonce()
    body = (
        shown["html"] if "html" in shown else "".join(_sheet(n, one, shown["boxes"]) for n, one in enumerate(sheets, 1))
    )
    text = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Archived page</title>'
        f'<style nonce="{nonce}">{static_text("frame.css")}</style></head><body>{body}'
        f'<script nonce="{nonce}" type="module">{static_text("frame.js")}</script></body></html>'
    )
    return HTMLResponse(text, headers={"Content-Security-Policy": frame_policy(nonce)})


def sheets_of(boxes: Sequence[Any]) -> int:
    """How many sheets of a PDF are shown: the first ones, which bear the record."""
    return min(MOST_SHEETS, max((page for page, _, _ in boxes), default=1))


def _sheet(number: int, sheet: Sheet, boxes: Sequence[Any]) -> str:
    """A sheet as a picture with a box over every block; the blocks' places count from below."""
    png, width, height = sheet
    rects = "".join(
        f'<rect data-zone="{html.escape(path)}" x="{left}" y="{height - top:.0f}" width="{max(1, right - left)}" '
        f'height="{max(1, top - bottom)}"/>'
        for page, path, (left, bottom, right, top) in boxes
        if page == number
    )
    data = base64.b64encode(png).decode("ascii")
    image = f'<image href="data:image/png;base64,{data}" width="{width:.0f}" height="{height:.0f}"/>'
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}" aria-label="Page {number}">{image}{rects}</svg>'

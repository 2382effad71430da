"""Bytes to text by BOM, content, header, meta, in this order."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Browsers read the left name as the right one; so do the authors of the pages.
_AS_BROWSERS_DO = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_HEAD_BYTES = 4096  # browsers look for a declaration in the first 1,024 bytes; real pages put it later


def decode(body: bytes, declared: str = "") -> tuple[str, str]:
    """Decode a page; `declared` is the charset of the HTTP header. Nothing is lost: odd bytes become U+FFFD."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace"), name
    # Text that is valid UTF-8 and not plain ASCII is UTF-8, whatever the page declares.
    if not body.isascii() and _fits(body, "utf-8"):
        return body.decode("utf-8"), "utf-8"
    for name in (declared, _declared_in(body)):
        known = _lookup(name)
        if known and _fits(body, known):
            return body.decode(known), known
    return (body.decode("utf-8"), "utf-8") if body.isascii() else (body.decode("cp1252", "replace"), "cp1252")


def _declared_in(body: bytes) -> str:
    found = _META.search(body, 0, _HEAD_BYTES)
    return found.group(1).decode("ascii", "replace") if found else ""


def _lookup(name: str) -> str:
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name if name else ""
        "".encode(known or "utf-8")
    except (LookupError, ValueError):  # no such charset, or a codec that is none (`hex`)
        return ""
    return _AS_BROWSERS_DO.get(known, known)


def _fits(body: bytes, name: str) -> bool:
    try:
        body.decode(name)
    except UnicodeError:
        return False
    return True

"""Bytes to text by BOM, content, header, meta, in this order."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What browsers read: UTF-16 has its BOM, and a page should not choose `punycode` or `unicode_escape`.
_READABLE = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp(?:866|874|932|949|125\d)|koi8-[ru]|mac-(?:roman|cyrillic)|tis-620|"
    r"gb2312|gbk|gb18030|big5(?:hkscs)?|euc_(?:jp|kr)|iso2022_jp|shift_jis"
)
# Browsers read the left name as the right one; so do the authors of the pages.
_AS_BROWSERS_DO = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_HEAD_BYTES = 4096  # browsers look for a declaration in the first 1,024 bytes; real pages put it later
_DAMAGE = 0.1  # of the characters beyond ASCII may be broken: a wrong charset breaks nearly all


def decode(body: bytes, declared: str = "") -> tuple[str, str]:
    """Decode a page; `declared` is the charset of the HTTP header. Nothing is lost: odd bytes become U+FFFD."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace"), name
    # Text that is UTF-8 and not plain ASCII is UTF-8, whatever the page declares.
    for name in ("" if body.isascii() else "utf-8", declared, _declared_in(body)):
        known = _lookup(name)
        text = _try(body, known) if known else None
        if text is not None:
            return text, known
    return _plain_or_windows(body)


def _declared_in(body: bytes) -> str:
    found = _META.search(body, 0, _HEAD_BYTES)
    return found.group(1).decode("ascii", "replace") if found else ""


def _lookup(name: str) -> str:
    try:
        known = codecs.lookup(name.strip().strip("\"'")).name if name else ""
    except (LookupError, ValueError):  # no such charset, or a name with a NUL in it
        return ""
    return _AS_BROWSERS_DO.get(known, known) if _READABLE.fullmatch(known) else ""


def _try(body: bytes, name: str) -> str | None:
    """The text, or nothing where too much of it would be broken."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        # What stands before it is sound, and of a huge page need not be looked at again; others keep a state.
        start = error.start if name == "utf-8" else 0
    head, tail = body[:start], body[start:].decode(name, "replace")
    beyond = _beyond(tail) + (0 if head.isascii() else _beyond(head.decode(name, "replace")))
    return head.decode(name, "replace") + tail if tail.count("\ufffd") <= _DAMAGE * beyond else None


def _beyond(text: str) -> int:
    """How many characters are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _plain_or_windows(body: bytes) -> tuple[str, str]:
    """Plain text, or one in the charset of old pages, of which the plain beginning is decoded ten times as fast."""
    try:
        return body.decode("ascii"), "utf-8"
    except UnicodeDecodeError as error:
        start = error.start
    return body[:start].decode("ascii") + body[start:].decode("cp1252", "replace"), "cp1252"

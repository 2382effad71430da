"""Bytes to `Page`, or a clear reason why not."""

from __future__ import annotations

import hashlib
import re

from medharvest.errors import InputError
from medharvest.pages import pdf
from medharvest.pages.charset import decode
from medharvest.pages.nesting import is_too_deep
from medharvest.records import Page

_PDF_MAGIC = b"%PDF-"
_TAG = re.compile(r"<[a-zA-Z!/?]")
_LOOK = 1024  # readers accept a PDF header anywhere in the first kilobyte


def parse_page(
    body: bytes,
    *,
    url: str = "",
    charset: str = "",
    name: str = "",
    max_pdf_pages: int = 40,
) -> Page:
    """Decode HTML, convert a PDF; raise `InputError` for what is neither, or too deep. Messages call it `name`."""
    name = name or url or "page"
    digest = hashlib.sha256(body).hexdigest()
    if not body.strip():
        raise InputError(f"empty file: {name}", name=name, hint="save the page again, it has no content")
    before, magic, _ = body[:_LOOK].partition(_PDF_MAGIC)
    if magic and b"<" not in before:  # a page may speak of `%PDF-` too
        text = pdf.to_html(body, name=name, max_pages=max_pdf_pages)
        return Page(url=url, text=text, digest=digest, encoding="utf-8", media_type="application/pdf")
    if b"\0" in body[:_LOOK] and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _no_html(name)
    text, encoding = decode(body, charset)
    if not _TAG.search(text):
        raise _no_html(name)
    if is_too_deep(text):
        raise InputError(
            f"page is nested too deeply: {name}",
            name=name,
            hint="a page that browsers show is flatter; save it from one",
        )
    return Page(url=url, text=text, digest=digest, encoding=encoding)


def _no_html(name: str) -> InputError:
    return InputError(f"not an HTML page or PDF: {name}", name=name, hint="give the saved page (.html) or the .pdf")

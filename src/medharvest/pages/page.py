"""Bytes to `Page`, or a clear reason why not."""

from __future__ import annotations

import hashlib
import re

from medharvest.errors import InputError
from medharvest.pages import pdf
from medharvest.pages.charset import decode
from medharvest.pages.mhtml import SavedPage, is_mhtml, unpack
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
    """Decode HTML, alone or saved with its pictures, or convert a PDF; messages call it `name`.

    Raise `InputError` for what is none of them, or nested too deeply.
    """
    name = name or url or "page"
    digest = hashlib.sha256(body).hexdigest()
    if not body or body.isspace():
        raise InputError(f"empty file: {name}", name=name, hint="save the page again, it has no content")
    if is_pdf(body):
        text = pdf.to_html(body, name=name, max_pages=max_pdf_pages)
        return Page(url=url, text=text, digest=digest, encoding="utf-8", media_type="application/pdf")
    saved = _saved(body, name) if is_mhtml(body) else SavedPage(body)
    text, encoding = _decode_html(saved.body, charset or saved.charset, name=name)
    return Page(url=url or saved.url, text=text, digest=digest, encoding=encoding)


def _decode_html(body: bytes, charset: str, *, name: str) -> tuple[str, str]:
    """The text of an HTML page and its encoding."""
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
    return text, encoding


def _saved(body: bytes, name: str) -> SavedPage:
    page = unpack(body)
    if page is None:
        hint = "save the page again, as a single file or as HTML only"
        raise InputError(f"no page in this file: {name}", name=name, hint=hint)
    return page


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF; a page may speak of `%PDF-` too."""
    before, magic, _ = body[:_LOOK].partition(_PDF_MAGIC)
    return bool(magic) and b"<" not in before


def _no_html(name: str) -> InputError:
    return InputError(f"not an HTML page or PDF: {name}", name=name, hint="give the saved page (.html, .mhtml) or PDF")

"""PDF to HTML: blocks in reading order, each with its font size and weight."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pypdfium2

from medharvest.errors import InputError
from medharvest.pages.pdf_html import document
from medharvest.pages.pdf_layout import Block, page_blocks
from medharvest.pages.pdf_order import in_reading_order
from medharvest.pages.pdf_running import without_running
from medharvest.pages.pdf_text import Run, page_runs

_MOST_CHARACTERS = 400_000  # of a document; forty close pages have half of it


def to_html(body: bytes, *, name: str, max_pages: int) -> str:
    """Convert the first pages of a PDF; raise `InputError` for one that is broken, locked or has no text."""
    try:
        pdf = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise InputError(
            f"PDF {'is locked by a password' if locked else 'cannot be opened'}: {name}",
            name=name,
            hint="save a copy without password" if locked else "download the file again, it is damaged",
        ) from error
    try:
        blocks = list(without_running(list(_pages(pdf, max_pages))))
    finally:
        pdf.close()
    if not blocks:
        raise InputError(f"PDF has no text: {name}", name=name, hint="it may be a scan; run it through OCR first")
    return document(blocks)


def _pages(pdf: Any, max_pages: int) -> Iterator[list[Block]]:
    """The blocks of each page; a broken one is left out, and so are all past the most characters."""
    left = _MOST_CHARACTERS
    for number in range(min(len(pdf), max_pages)):
        runs = _runs(pdf, number)
        left -= sum(len(run.text) for run in runs)
        yield in_reading_order(page_blocks(runs, number))
        if left <= 0:
            return


def _runs(pdf: Any, number: int) -> list[Run]:
    try:
        with contextlib.closing(pdf[number]) as page:
            return page_runs(page)
    except pypdfium2.PdfiumError:
        return []

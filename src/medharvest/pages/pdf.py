"""PDF to HTML, with page, box, font size and weight of each paragraph; and a PDF page as a picture.

`to_html(body, name="a.pdf", max_pages=40)` gives the HTML, `draw_page(body, 1, name="a.pdf")` a PNG.
"""

from __future__ import annotations

import contextlib
import functools
import html
import re
import struct
import unicodedata
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2

from medharvest.errors import InputError
from medharvest.pages.pdf_layout import (
    PdfBlock,
    PdfLine,
    PrintedPageNumber,
    build_pdf_blocks,
    drop_repeated_running_heads,
    find_printed_page_numbers,
    in_reading_order,
    is_lowered,
    is_raised,
)
from medharvest.pages.pdf_text import SPACING_ACCENTS, PdfRun, read_pdf_runs

_MAX_DOCUMENT_CHARACTERS = 400_000  # forty pages in small print have half of it
_MIN_BLANK_GAP = 0.12  # of the font size; a smaller gap between two runs is not a blank
# Accents that are drawn beside their letter, and the combining characters for them.
_COMBINING_ACCENTS = dict(
    zip(SPACING_ACCENTS, "\u0308\u0301\u0300\u0302\u0303\u030a\u0327\u030c\u0306\u0307\u030b", strict=True)
)
_ACCENT_ENDS = tuple(SPACING_ACCENTS)
_ACCENT_BESIDE_LETTER = re.compile(rf"([A-Za-z\u0131]?)([{SPACING_ACCENTS}])( ?)([A-Za-z\u0131]?)")
_COMPOUND = re.compile(r"\b[^\W\d_]{1,30}-[^\W\d_]{2,30}\b")
_LAST_WORD, _FIRST_WORD = re.compile(r"[^\W\d_]{1,30}-$"), re.compile(r"[^\W\d_]{2,30}")
_INFORMATION = ("Title", "Subject")
_MAX_INFORMATION = 500  # characters
_LINE_END_BLANKS = "  "  # the two characters of a line end, each replaced by a blank
_REOPENED_TAG = re.compile(r"</(b|i|sup|sub)>(\s*)<\1>")
# Lines of a head or foot are kept apart: journal, volume and DOI may stand below one another without any sign between.
_MASTHEAD_SIGN = re.compile(r"\b(?:vol(?:ume)?|v)\b|\bissn|\bdoi\b|©|(?:19|20)\d\d", re.IGNORECASE)
_MAX_MASTHEAD_LINES, _MAX_MASTHEAD_LINE = 8, 90  # and characters of each
_PICTURE_WIDTH = 1000  # pixels, whatever the size of the page
_MOST_PIXELS = 4_000_000  # a very long page is drawn smaller
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as PNG, with its width and height in points, the unit of the boxes in the HTML."""

    png: bytes
    width: float
    height: float


def to_html(body: bytes, *, name: str, max_pages: int) -> str:
    """Convert the first pages of a PDF to HTML; raise `InputError` if it is broken, locked or has no text."""
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
        pages = list(_iterate_page_blocks(pdf, max_pages))
        whole = len(pages) == len(pdf)
        information = _read_information(pdf)
    finally:
        pdf.close()
    blocks = list(drop_repeated_running_heads(pages))
    if not blocks:
        raise InputError(f"PDF has no text: {name}", name=name, hint="it may be a scan; run it through OCR first")
    return render_pdf_html(blocks, find_printed_page_numbers(pages) if whole else (), information)


def _read_information(pdf: Any) -> dict[str, str]:
    """Return title and subject that the file gives of itself; programs often fill in something else."""
    known = {name: " ".join(pdf.get_metadata_value(name).split()) for name in _INFORMATION}
    return {f"pdf.{name.lower()}": text[:_MAX_INFORMATION] for name, text in known.items() if text}


def _iterate_page_blocks(pdf: Any, max_pages: int) -> Iterator[list[PdfBlock]]:
    """Yield the blocks of each page; broken pages are empty, and pages beyond the character limit are left out."""
    left = _MAX_DOCUMENT_CHARACTERS
    for number in range(min(len(pdf), max_pages)):
        runs = _read_page_runs(pdf, number)
        left -= sum(len(run.text) for run in runs)
        yield in_reading_order(build_pdf_blocks(runs, number))
        if left <= 0:
            return


def _read_page_runs(pdf: Any, number: int) -> list[PdfRun]:
    try:
        with contextlib.closing(pdf[number]) as page:
            return read_pdf_runs(page)
    except pypdfium2.PdfiumError:
        return []


def render_pdf_html(
    blocks: Sequence[PdfBlock], numbers: Iterable[PrintedPageNumber] = (), information: Mapping[str, str] | None = None
) -> str:
    """Return the HTML document of all blocks; printed page numbers are footers at its end."""
    feet = (f"<footer {_place_of_block(one.block)}>{one.number}</footer>" for one in numbers)
    compounds = _find_compounds(blocks)
    body = "\n".join([*(_render_pdf_paragraph(block, compounds) for block in blocks), *feet])
    told = "".join(f'<meta name="{name}" content="{html.escape(text)}">' for name, text in (information or {}).items())
    return f"<!DOCTYPE html>\n<html><head><title></title>{told}</head><body>\n{body}\n</body></html>\n"


def _find_compounds(blocks: Iterable[PdfBlock]) -> frozenset[str]:
    """Return the words that the document writes with a hyphen inside a line, such as `non-inferior`."""
    texts = (line.text for block in blocks for line in block.lines if "-" in line.text)
    return frozenset(word.lower() for text in texts for word in _COMPOUND.findall(text))


def _render_pdf_paragraph(block: PdfBlock, compounds: Container[str] = ()) -> str:
    first = block.lines[0]
    lines = [_render_pdf_line(line, bold=first.bold) for line in block.lines]
    join = functools.partial(join_lines, compounds=compounds)
    text = " ".join(_keep_lines_apart(lines, join)) if _is_masthead(block) else functools.reduce(join, lines, "")
    text = _with_accents(text)
    weight = ";font-weight:700" if first.bold else ""
    tag = "header" if block.running else "p"
    return f'<{tag} {_place_of_block(block)} style="font-size:{first.size:.1f}pt{weight}">{text}</{tag}>'


def _is_masthead(block: PdfBlock) -> bool:
    """Whether a block on the first page may hold lines about the issue below one another."""
    texts = [line.text for line in block.lines]
    short = 1 < len(texts) <= _MAX_MASTHEAD_LINES and max(map(len, texts)) <= _MAX_MASTHEAD_LINE
    return short and block.page == 0 and any(map(_MASTHEAD_SIGN.search, texts))


def _keep_lines_apart(lines: Iterable[str], join: Callable[[str, str], str]) -> Iterator[str]:
    """Yield lines as spans; a line that ends with a hyphen is joined with the next."""
    open_line = ""
    for line in lines:
        open_line = join(open_line, line)
        if not open_line.endswith("-"):
            yield f"<span>{open_line}</span>"
            open_line = ""
    if open_line:
        yield f"<span>{open_line}</span>"


def _place_of_block(block: PdfBlock) -> str:
    box = f"{block.left:.0f} {block.bottom:.0f} {block.right:.0f} {block.top:.0f}"
    return f'data-page="{block.page + 1}" data-box="{box}"'


def _render_pdf_line(line: PdfLine, *, bold: bool) -> str:
    out, before = "", None
    for run in line.runs:
        raised = is_raised(run, line)
        if before is not None:
            if _is_touching_run(before, run, line):
                out = out.rstrip()
            gap = run.left - before.right > _MIN_BLANK_GAP * line.size and not raised
            if gap and not out.endswith(" ") and not _is_behind_accent(out, run):
                out += " "
        out += _render_pdf_run(run, line, bold=bold, raised=raised)
        before = run
    return " ".join((_REOPENED_TAG.sub(r"\2", out) if "</" in out else out).split())


def _is_behind_accent(text: str, run: PdfRun) -> bool:
    """Whether a run continues a word after an accent, which is drawn back over its letter."""
    return text.endswith(_ACCENT_ENDS) and run.text[:1].islower()


def _is_touching_run(before: PdfRun, run: PdfRun, line: PdfLine) -> bool:
    """Whether a run begins where the one before ends; pdfium reports a line end there if the height changes."""
    return (
        before.text.endswith(_LINE_END_BLANKS)
        and run.left - before.right < _MIN_BLANK_GAP * line.size
        and run.left > before.left
    )


def _render_pdf_run(run: PdfRun, line: PdfLine, *, bold: bool, raised: bool) -> str:
    """The text of a run in its tags, with the blanks outside them."""
    text = html.escape(run.text, quote=False)
    inner = text.strip()
    if run.italic:
        inner = f"<i>{inner}</i>"
    if run.bold and not bold:
        inner = f"<b>{inner}</b>"
    if raised:
        return f"<sup>{inner}</sup>"
    if is_lowered(run, line):
        inner = f"<sub>{inner}</sub>"
    return " " * text[:1].isspace() + inner + " " * text[-1:].isspace()


def join_lines(text: str, line: str, compounds: Container[str] = ()) -> str:
    """Join two lines; a hyphenated word is joined, and loses its hyphen if the next line begins with a small letter.

    A word keeps its hyphen if it is one of the `compounds`, in lower case.
    """
    if not text.endswith("-") or not text[-2:-1].isalnum():
        return f"{text} {line}" if text else line
    if not (line[:1].islower() and text[-2].isalpha()):
        return text + line
    first, second = _LAST_WORD.search(text), _FIRST_WORD.match(line)
    known = first and second and f"{first.group()}{second.group()}".lower() in compounds
    return (text if known else text[:-1]) + line


def _with_accents(text: str) -> str:
    """Join accents with the letters that they were drawn over."""
    return _ACCENT_BESIDE_LETTER.sub(_join_accent_match, text)


def _join_accent_match(found: re.Match[str]) -> str:
    before, accent, blank, after = found.groups()
    onto_before, onto_after = (_compose_letter(letter, accent) for letter in (before, after))
    if onto_before:
        return onto_before + blank + after
    return before + onto_after if onto_after else found.group()


def _compose_letter(letter: str, accent: str) -> str:
    """A letter with its accent as one character; empty if there is no such character."""
    joined = unicodedata.normalize("NFC", letter.replace("\u0131", "i") + _COMBINING_ACCENTS[accent])
    return joined if letter and len(joined) == 1 else ""


def draw_page(body: bytes, number: int, *, name: str) -> PagePicture:
    """Draw one page of a PDF, counted from 1; raise `InputError` if there is no such page or it cannot be drawn."""
    try:
        with contextlib.closing(pypdfium2.PdfDocument(body)) as pdf:
            if not 1 <= number <= len(pdf):
                raise InputError(f"PDF has no page {number}: {name}", name=name, hint=f"pages: 1 to {len(pdf)}")
            with contextlib.closing(pdf[number - 1]) as page:
                width, height = page.get_size()
                scale = min(_PICTURE_WIDTH / width, (_MOST_PIXELS / (width * height)) ** 0.5)
                bitmap = page.render(scale=scale, grayscale=True)
                return PagePicture(_encode_png(bitmap), width, height)
    except (pypdfium2.PdfiumError, ZeroDivisionError) as error:
        raise InputError(f"PDF cannot be drawn: {name}", name=name, hint="its text can still be read") from error


def _encode_png(bitmap: pypdfium2.PdfBitmap) -> bytes:
    """Encode a grey bitmap as PNG: a filter byte before each row, compressed."""
    pixels, stride = memoryview(bitmap.buffer), bitmap.stride
    rows = b"".join(b"\0" + bytes(pixels[row * stride : row * stride + bitmap.width]) for row in range(bitmap.height))
    head = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, 0, 0, 0, 0)
    return (
        _PNG_SIGNATURE
        + _encode_png_chunk(b"IHDR", head)
        + _encode_png_chunk(b"IDAT", zlib.compress(rows, 6))
        + _encode_png_chunk(b"IEND", b"")
    )


def _encode_png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

"""PDF to HTML: lines in reading order, each paragraph with its font size and weight."""

from __future__ import annotations

import html
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium_c

from medharvest.errors import InputError

_BOLD = 600
# Distances and sizes as shares of the font size.
_SAME_LINE = 0.6  # a raised or lowered piece still belongs to its line
_NEXT_LINE = 1.9  # a larger gap starts a new paragraph
_SPACE = 0.12  # a smaller gap is no blank between two pieces
_FAR = 3  # a piece farther to the right stands in another column
_RAISED_SIZE, _RAISED_BY = 0.85, 0.15  # a raised piece is smaller and stands higher
_SAME_SIZE = 0.5  # points; lines of one paragraph differ less
_MOST_PIECES = 20_000  # on a page: the time pdfium takes to give their text grows with the square of their number
# A line that begins with one of these says something new, however close it stands.
_NEW_MATTER = re.compile(
    r"(?![a-z])(?i:abstract|summary|key ?words|introduction|background|correspond\w+|address for|received|accepted|"
    r"copyright)\b|(?i:e-?mail)\b|[©*†]"
)
_HYPHENS = str.maketrans("\x02\u00ad\ufffe", "---")  # what pdfium and fonts write for a hyphen that ends a line
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    size: float
    bold: bool
    left: float
    right: float
    base: float
    page: int


def to_html(body: bytes, *, name: str, max_pages: int) -> str:
    """Convert the first pages of a PDF; raise `InputError` for one that is broken, locked or has no text."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise InputError(
            f"PDF {'is locked by a password' if locked else 'cannot be opened'}: {name}",
            name=name,
            hint="save a copy without password" if locked else "download the file again, it is damaged",
        ) from error
    try:
        pieces = list(_pieces(document, max_pages))
    finally:
        document.close()
    if not pieces:
        raise InputError(f"PDF has no text: {name}", name=name, hint="it may be a scan; run it through OCR first")
    return _document(_paragraphs(_lines(pieces)))


def _pieces(document: Any, max_pages: int) -> Iterator[_Piece]:
    for number in range(min(len(document), max_pages)):
        try:
            page = document[number]
            textpage = page.get_textpage()
        except pypdfium2.PdfiumError:  # one broken page leaves the others readable
            continue
        texts = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_TEXT], textpage=textpage)
        for item in itertools.islice(texts, _MOST_PIECES):
            piece = _piece(item, number)
            if piece is not None:
                yield piece
        textpage.close()
        page.close()


def _piece(item: Any, number: int) -> _Piece | None:
    try:
        text = item.extract()
        left, _, right, _ = item.get_bounds()
        matrix = item.get_matrix()
        size = item.get_font_size() * math.hypot(matrix.c, matrix.d)  # the raw size is often 1.0
        weight = item.get_font().get_weight()
        name = item.get_font().get_base_name()
    except pypdfium2.PdfiumError:
        return None
    text = _CONTROL.sub(" ", text.translate(_HYPHENS))
    if not text.strip() or not size:
        return None
    return _Piece(text, size, weight >= _BOLD or "bold" in name.lower(), left, right, matrix.f, number)


def _lines(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    line: list[_Piece] = []
    main: _Piece | None = None
    for piece in pieces:
        if main is not None and not _continues(main, line[-1], piece):
            yield line
            line, main = [], None
        line.append(piece)
        main = piece if main is None or piece.size > main.size else main
    if line:
        yield line


def _continues(main: _Piece, last: _Piece, piece: _Piece) -> bool:
    """Whether a piece stands on the line of its largest and right of its last piece."""
    size = max(main.size, piece.size)
    return (
        piece.page == last.page
        and abs(piece.base - main.base) < _SAME_LINE * size
        and -size < piece.left - last.right < _FAR * size
    )


def _paragraphs(lines: Iterable[list[_Piece]]) -> Iterator[list[list[_Piece]]]:
    paragraph: list[list[_Piece]] = []
    for line in lines:
        if paragraph and not _follows(paragraph[-1], line):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _follows(above: list[_Piece], below: list[_Piece]) -> bool:
    a, b = _main(above), _main(below)
    alike = a.page == b.page and abs(a.size - b.size) < _SAME_SIZE and _is_bold(above) == _is_bold(below)
    # A line that begins with a raised marker is a new affiliation or footnote.
    new = _is_raised(below[0], b) or bool(_NEW_MATTER.match(below[0].text.lstrip()))
    return alike and 0 < a.base - b.base < _NEXT_LINE * a.size and not new


def _main(line: list[_Piece]) -> _Piece:
    return max(line, key=lambda p: p.size)


def _is_bold(line: list[_Piece]) -> bool:
    """Whether most of a line is bold."""
    return 2 * sum(len(piece.text) for piece in line if piece.bold) > sum(len(piece.text) for piece in line)


def _is_raised(piece: _Piece, main: _Piece) -> bool:
    return piece.size < _RAISED_SIZE * main.size and piece.base - main.base > _RAISED_BY * main.size


def _document(paragraphs: Iterable[list[list[_Piece]]]) -> str:
    body = "\n".join(_paragraph(paragraph) for paragraph in paragraphs)
    return f"<!DOCTYPE html>\n<html><head><title></title></head><body>\n{body}\n</body></html>\n"


def _paragraph(lines: list[list[_Piece]]) -> str:
    first, bold = _main(lines[0]), _is_bold(lines[0])
    text = ""
    for line in lines:
        text = _join(text, _line(line, bold=bold))
    weight = ";font-weight:700" if bold else ""
    return f'<p data-page="{first.page + 1}" style="font-size:{first.size:.1f}pt{weight}">{text}</p>'


def _join(text: str, line: str) -> str:
    """Join two lines; a word cut by a hyphen at the line's end becomes whole, without it when the next begins small."""
    if text.endswith("-") and text[-2:-1].isalnum():
        return (text[:-1] if line[:1].islower() and text[-2].isalpha() else text) + line
    return f"{text} {line}" if text else line


def _line(line: list[_Piece], *, bold: bool) -> str:
    main = _main(line)
    out, end = "", None
    for piece in line:
        raised = _is_raised(piece, main)
        gap = end is not None and piece.left - end > _SPACE * main.size and not raised
        inner = html.escape(piece.text, quote=False)
        if raised:
            inner = f"<sup>{inner.strip()}</sup>"
        elif piece.bold and not bold:
            inner = f"<b>{inner.rstrip()}</b>" + " " * inner.endswith(" ")
        out += (" " if gap and not out.endswith(" ") else "") + inner
        end = piece.right
    return " ".join(out.split())

"""Sets text on the pages of a generated PDF: paragraphs of styled runs, broken into lines, in one or more columns."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0  # points
_RAISED_SIZE, _RAISED_BY = 0.62, 0.36  # of the font size
_BOLD, _ITALIC, _RAISED = "b", "i", "sup"
_FACES = {(False, False): "Regular", (True, False): "Bold", (False, True): "It", (True, True): "BoldIt"}
FONT_FAMILIES = ("SourceSerifPro", "SourceSansPro")


class Run(NamedTuple):
    """A text with one style: any of the letters of "b", "i" and the word "sup", divided by blanks."""

    text: str
    style: str = ""


class Paragraph(NamedTuple):
    """Runs in a font size; `indent` is on both sides, `before` is the space above, in points."""

    runs: tuple[Run, ...]
    size: float
    family: str = FONT_FAMILIES[0]
    align: str = "left"
    indent: float = 0.0
    before: float = 0.0
    leading: float = 1.22


class Box(NamedTuple):
    """A column or another part of a page, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


class _Piece(NamedTuple):
    """A word, or its part in one style, with its width; `glued` to the one before without a blank."""

    text: str
    style: str
    width: float
    glued: bool


class PdfCanvas:
    """The pages of a PDF; text is set into boxes of the current page."""

    def __init__(self, **information: str) -> None:
        from reportlab.pdfgen.canvas import Canvas  # development dependency

        self._target = io.BytesIO()
        self._canvas: Any = Canvas(self._target, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), invariant=1)
        for name, text in information.items():
            getattr(self._canvas, f"set{name.title()}")(text)

    def set_paragraphs(self, paragraphs: Iterable[Paragraph], box: Box) -> float:
        """Set paragraphs from the top of a box, however many lines there are; return where they end."""
        left = list(self.fill(paragraphs, [box._replace(bottom=-PAGE_HEIGHT)]))
        assert not left
        return self._end

    def fill(self, paragraphs: Iterable[Paragraph], boxes: Sequence[Box]) -> Iterator[Paragraph]:
        """Set paragraphs into the boxes of a page one after the other; yield those that do not fit."""
        free = iter(boxes)
        box = next(free)
        self._end = y = box.top
        full = False
        for paragraph in paragraphs:
            lines = [] if full else _break_lines(paragraph, box.right - box.left - 2 * paragraph.indent)
            y -= paragraph.before if y < box.top else 0
            for number, line in enumerate(lines):
                step = paragraph.size * paragraph.leading
                if y - step < box.bottom:
                    following = next(free, None)
                    if following is None:
                        full = True
                        yield paragraph._replace(runs=tuple(_runs_of_lines(lines[number:])), before=0.0)
                        break
                    box, y = following, following.top
                y -= step
                self._draw_line(paragraph, line, box, y)
                self._end = y
            else:
                if full:
                    yield paragraph

    def _draw_line(self, paragraph: Paragraph, line: Sequence[_Piece], box: Box, base: float) -> None:
        blank = _width_of(" ", "", paragraph.family, paragraph.size)
        width = sum(piece.width for piece in line) + blank * sum(not piece.glued for piece in line[1:])
        free = box.right - box.left - 2 * paragraph.indent - width
        x = box.left + paragraph.indent + {"left": 0.0, "centre": free / 2, "right": free}[paragraph.align]
        for text, style, start in _join_pieces(line, x, blank):
            size = paragraph.size * (_RAISED_SIZE if _RAISED in style else 1)
            self._canvas.setFont(_register_face(paragraph.family, style), size)
            self._canvas.drawString(start, base + (_RAISED_BY * paragraph.size if _RAISED in style else 0), text)

    def turn_page(self) -> None:
        """Begin the next page."""
        self._canvas.showPage()

    def finish(self) -> bytes:
        """Return the PDF."""
        self._canvas.save()
        return self._target.getvalue()


def _join_pieces(line: Sequence[_Piece], x: float, blank: float) -> Iterator[tuple[str, str, float]]:
    """Yield text, style and left edge of the runs of a line: pieces of one style are drawn at once."""
    text, style, start = "", "", x
    for number, piece in enumerate(line):
        gap = "" if piece.glued or not number else " "
        if text and piece.style != style:
            yield text, style, start
            text = ""
        x += blank if gap else 0
        if not text:
            text, style, start = piece.text, piece.style, x
        else:
            text += gap + piece.text
        x += piece.width
    if text:
        yield text, style, start


def _break_lines(paragraph: Paragraph, width: float) -> list[list[_Piece]]:
    blank = _width_of(" ", "", paragraph.family, paragraph.size)
    lines: list[list[_Piece]] = [[]]
    used = 0.0
    for word in _words_of(paragraph):
        length = sum(piece.width for piece in word)
        if lines[-1] and used + blank + length > width:
            lines.append([])
            used = 0.0
        used += length + (blank if lines[-1] else 0)
        lines[-1] += word
    return lines if lines[0] else []


def _words_of(paragraph: Paragraph) -> Iterator[list[_Piece]]:
    """Yield the words; one that changes its style inside has several pieces."""
    word: list[_Piece] = []
    for run in paragraph.runs:
        parts = run.text.split(" ")
        for number, part in enumerate(parts):
            if number and word:
                yield word
                word = []
            if part:
                width = _width_of(part, run.style, paragraph.family, paragraph.size)
                word.append(_Piece(part, run.style, width, glued=bool(word)))
    if word:
        yield word


def _runs_of_lines(lines: Iterable[Sequence[_Piece]]) -> Iterator[Run]:
    for line in lines:
        for piece in line:
            yield Run(piece.text if piece.glued else f" {piece.text}", piece.style)


def _width_of(text: str, style: str, family: str, size: float) -> float:
    from reportlab.pdfbase.pdfmetrics import stringWidth

    shown = size * (_RAISED_SIZE if _RAISED in style else 1)
    return float(stringWidth(text, _register_face(family, style), shown))


def _register_face(family: str, style: str) -> str:
    words = style.split()
    return _register_font(family, _FACES[_BOLD in words, _ITALIC in words])


@functools.cache
def _register_font(family: str, face: str) -> str:
    """Register a font that is embedded, so that letters of many languages can be printed."""
    import font_source_sans_pro  # type: ignore[import-untyped]  # development dependencies
    import font_source_serif_pro  # type: ignore[import-untyped]
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    module = font_source_serif_pro if "Serif" in family else font_source_sans_pro
    name = f"{family}-{face}"
    pdfmetrics.registerFont(TTFont(name, Path(module.__file__).parent / "files" / f"{name}.ttf"))
    return name

"""PDFs that tests draw."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

from reportlab.pdfgen.canvas import Canvas

from medharvest.pages import parse_page

Draw = Callable[[Canvas], None]


def pdf(draw: Draw, *, password: str = "", size: tuple[float, float] = (595, 842)) -> bytes:
    """A PDF of what is drawn."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=size, encrypt=password or None, invariant=1)
    draw(canvas)
    canvas.save()
    return file.getvalue()


def write(
    canvas: Canvas,
    lines: Sequence[str],
    *,
    x: float = 72,
    y: float = 700,
    size: float = 10,
    font: str = "Times-Roman",
) -> None:
    """Write lines below each other."""
    canvas.setFont(font, size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - number * size * 1.2, line)


def write_marked(canvas: Canvas, pieces: Sequence[str], *, x: float = 72, y: float = 700, size: float = 10) -> None:
    """Write one line in which every second piece is raised."""
    text = canvas.beginText(x, y)
    for number, piece in enumerate(pieces):
        raised = number % 2
        text.setRise(size * 0.4 if raised else 0)
        text.setFont("Times-Roman", size * 0.6 if raised else size)
        text.textOut(piece)
    canvas.drawText(text)


def html_of(draw: Draw) -> str:
    """The HTML made of what is drawn."""
    return parse_page(pdf(draw)).text


def paragraphs(draw: Draw) -> list[str]:
    """The paragraphs made of what is drawn, running heads aside."""
    return re.findall(r"<p [^>]*>(.*?)</p>", html_of(draw))

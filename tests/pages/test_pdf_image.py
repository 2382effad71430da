"""Pages of a PDF as pictures."""

from __future__ import annotations

import struct
import zlib

import pytest
from tests.pages.pdfs import pdf, write

from medharvest.errors import InputError
from medharvest.pages.pdf import draw_page


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def pixels(png: bytes) -> bytes:
    begin = png.index(b"IDAT")
    (length,) = struct.unpack(">I", png[begin - 4 : begin])
    return zlib.decompress(png[begin + 4 : begin + 4 + length])


def test_a_sheet_is_drawn_with_its_size_in_points() -> None:
    picture = draw_page(pdf(lambda canvas: write(canvas, "Tides and gout")), 1, name="a.pdf")
    assert (round(picture.width), round(picture.height)) == (595, 842)
    width, height = size(picture.png)
    assert width == pytest.approx(1000, abs=2)
    rows = pixels(picture.png)
    assert len(rows) == (width + 1) * height
    assert 0 in rows[1:]  # something black
    assert 255 in rows


def test_a_huge_sheet_is_drawn_small() -> None:
    picture = draw_page(pdf(lambda canvas: write(canvas, "x"), size=(200, 14_000)), 1, name="a.pdf")
    width, height = size(picture.png)
    assert width * height <= 4_100_000


@pytest.mark.parametrize("number", [0, 2, 99])
def test_a_sheet_that_is_not_there_is_an_error(number: int) -> None:
    with pytest.raises(InputError, match="has no page"):
        draw_page(pdf(lambda canvas: write(canvas, "x")), number, name="a.pdf")


@pytest.mark.parametrize("body", [b"", b"%PDF-1.7 broken", b"\0" * 100])
def test_what_is_no_pdf_is_an_error(body: bytes) -> None:
    with pytest.raises(InputError, match="cannot be drawn"):
        draw_page(body, 1, name="a.pdf")

"""A page of a PDF as a picture, to look at beside what was read from it."""

from __future__ import annotations

import contextlib
import struct
import zlib
from dataclasses import dataclass

import pypdfium2

from medharvest.errors import InputError

_WIDTH = 1000  # pixels of a picture, whatever the sheet measures
_MOST_PIXELS = 4_000_000  # a strip of paper a mile long is drawn smaller
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """A sheet: its picture as PNG, and how large it is in points, the unit of the boxes on it."""

    png: bytes
    width: float
    height: float


def draw_page(body: bytes, number: int, *, name: str) -> Picture:
    """Draw one page of a PDF, counted from 1; raise `InputError` where there is none or it cannot be drawn."""
    try:
        with contextlib.closing(pypdfium2.PdfDocument(body)) as pdf:
            if not 1 <= number <= len(pdf):
                raise InputError(f"PDF has no page {number}: {name}", name=name, hint=f"it has {len(pdf)}")
            with contextlib.closing(pdf[number - 1]) as page:
                width, height = page.get_size()
                scale = min(_WIDTH / width, (_MOST_PIXELS / (width * height)) ** 0.5)
                bitmap = page.render(scale=scale, grayscale=True)
                return Picture(_png(bitmap), width, height)
    except (pypdfium2.PdfiumError, ZeroDivisionError) as error:
        raise InputError(f"PDF cannot be drawn: {name}", name=name, hint="the text beside it was read") from error


def _png(bitmap: pypdfium2.PdfBitmap) -> bytes:
    """A grey picture as PNG: a filter byte before each row, packed."""
    pixels, stride = memoryview(bitmap.buffer), bitmap.stride
    rows = b"".join(b"\0" + bytes(pixels[row * stride : row * stride + bitmap.width]) for row in range(bitmap.height))
    head = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, 0, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 6)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

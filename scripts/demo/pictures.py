"""The pictures of the pages, drawn by rule: a spacer, small uncompressed PNGs, and SVGs."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SPACER_GIF = bytes.fromhex("47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b")


def png(width: int, height: int, palette: Sequence[str], ink: Callable[[int, int], int]) -> bytes:
    """A picture of four colours; `ink` tells the colour of a point."""
    rows = b"".join(b"\0" + bytes(_packed([ink(x, y) for x in range(width)])) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0)
    colours = b"".join(bytes.fromhex(colour) for colour in palette)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", colours),
            _chunk(b"IDAT", _stored(rows)),
            _chunk(b"IEND", b""),
        )
    )


def logo(colour: str) -> bytes:
    """A masthead emblem: hills over water."""

    def ink(x: int, y: int) -> int:
        if y > 30:  # noqa: PLR2004  (the waterline)
            return 2 if (x + y) % 6 < 2 else 3  # noqa: PLR2004
        return 1 if y > 24 - min(x % 32, 32 - x % 32) else 0

    return png(64, 40, ("ffffff", colour, "9db4c8", "dfe8ef"), ink)


def chart(seed: int) -> bytes:
    """A bar chart that differs by seed: the figure of an article."""
    heights = [20 + (seed * 37 + bar * 53) % 70 for bar in range(8)]

    def ink(x: int, y: int) -> int:
        if x < 8 or y > 110:  # noqa: PLR2004  (the axes' margins)
            return 3 if x == 7 or y == 111 else 0  # noqa: PLR2004
        bar, inside = divmod(x - 8, 20)
        return 1 + bar % 2 if inside > 4 and 110 - y < heights[bar % 8] else 0  # noqa: PLR2004

    return png(168, 120, ("ffffff", "5b7fa6", "c58b4a", "333333"), ink)


def cover(text: str, colour: str) -> bytes:
    """An issue's cover as SVG."""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="120" height="160" viewBox="0 0 120 160">
<rect width="120" height="160" fill="{colour}"/>
<path d="M0 130 L35 80 L60 115 L85 70 L120 125 V160 H0 Z" fill="#ffffff" fill-opacity=".35"/>
<text x="10" y="28" font-family="Georgia, serif" font-size="15" fill="#ffffff">{text}</text>
</svg>
""".encode()


def thumbnail(seed: int) -> bytes:
    """An article's picture on its card, as SVG."""
    hue = seed * 47 % 360
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120" viewBox="0 0 320 120">
<rect width="320" height="120" fill="hsl({hue} 35% 88%)"/>
<circle cx="{60 + seed * 29 % 200}" cy="60" r="42" fill="hsl({hue} 40% 60%)" fill-opacity=".6"/>
<circle cx="{110 + seed * 53 % 150}" cy="70" r="26" fill="hsl({(hue + 60) % 360} 45% 45%)" fill-opacity=".6"/>
</svg>
""".encode()


def _packed(row: Sequence[int]) -> list[int]:
    padded = [*row, *[0] * (-len(row) % 4)]
    return [padded[i] << 6 | padded[i + 1] << 4 | padded[i + 2] << 2 | padded[i + 3] for i in range(0, len(padded), 4)]


def _stored(data: bytes) -> bytes:
    """A zlib stream without compression: the same bytes whichever zlib Python was built with."""
    size = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF)
    return b"\x78\x01" + size + data + struct.pack(">I", zlib.adler32(data))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

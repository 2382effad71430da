"""The text of a PDF page as runs: pieces that one instruction draws, with font, size and place."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

MAX_PAGE_CHARACTERS = 30_000  # of a page; the closest print of a large sheet has fewer
_MIN_BOLD_WEIGHT = 600
_BOLD_NAME = ("bold", "black", "heavy", "demi", "-bd", ".b")
_ITALIC_NAME = ("italic", "oblique", "-it", ".i")
_NAME_BYTES = 128
_BLANK_CODES = [*range(32), *range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFD, 0xFFFF]
_ZERO_WIDTH_SPACE = "\u200b"
# Ligatures become letters; \2 and U+FFFE are what pdfium writes for a hyphen that ends a line.
_READABLE_CHARACTERS = {
    **dict.fromkeys(_BLANK_CODES, " "),
    **dict.fromkeys([*range(0x200B, 0x2010), 0xFEFF], ""),
    **dict.fromkeys([2, 0xAD, 0xFFFE], "-"),
    **dict(enumerate(["ff", "fi", "fl", "ffi", "ffl", "st", "st"], start=0xFB00)),
}
# Accents that stand beside their letter, and the blank behind one that is within a word.
SPACING_ACCENTS = "\u00a8\u00b4`\u02c6\u02dc\u02da\u00b8\u02c7\u02d8\u02d9\u02dd"
_FALSE_BLANK = re.compile(rf"\w[{SPACING_ACCENTS}] (?=[a-zà-ÿ])")
_MAX_SKIPPED_CHARACTERS = 32  # characters that are skipped at most where the one behind them is of the same object
_MAX_LETTER_GAP = 0.1  # of a line's height; the letters of a word stand closer
_MIN_WHITE_COLOUR = 250  # of 255 in all three colours


def _wrap_pdfium_function(function: Any, given: Sequence[Any], returned: Any = ctypes.c_void_p) -> Any:
    """A function of pdfium with addresses as numbers, which are quicker to make and to compare."""
    return ctypes.CFUNCTYPE(returned, *given)(_address_of_pointer(function))


def _address_of_pointer(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


_object_at = _wrap_pdfium_function(pdfium.FPDFText_GetTextObject, [ctypes.c_void_p, ctypes.c_int])
_font_of = _wrap_pdfium_function(pdfium.FPDFTextObj_GetFont, [ctypes.c_void_p])
_COLOUR_POINTERS = [ctypes.POINTER(ctypes.c_uint)] * 4
_fill_colour = _wrap_pdfium_function(
    pdfium.FPDFPageObj_GetFillColor, [ctypes.c_void_p, *_COLOUR_POINTERS], ctypes.c_int
)


class PdfRun(NamedTuple):
    """A piece of text on one line, in points; `base` is its baseline, counted from the foot of the page."""

    text: str
    size: float
    bold: bool
    italic: bool
    left: float
    right: float
    base: float
    white: bool = False


def read_pdf_runs(page: Any) -> list[PdfRun]:
    """The runs of a page in the order they are drawn, white ones last, for they may hide between the others.

    What is written in another direction than most is left out.
    """
    textpage = page.get_textpage()
    gauge = _RunGauge(textpage.raw)
    try:
        measured = (gauge.measure(*span) for span in _iterate_text_objects(textpage))
        turned = [found for found in measured if found is not None]
    finally:
        textpage.close()
    letters: Counter[int] = Counter()
    for turn, run in turned:
        letters[turn] += len(run.text)
    main = max(letters, key=lambda turn: letters[turn], default=0)
    return sorted((run for turn, run in turned if turn == main), key=lambda run: run.white)


def _iterate_text_objects(textpage: Any) -> Iterator[tuple[int, int, str]]:
    """The address of each text object, the index of its first character and its characters."""
    count = min(textpage.count_chars(), MAX_PAGE_CHARACTERS)
    text = _without_false_blanks(textpage, _read_pdf_characters(textpage, count))
    raw = _address_of_pointer(textpage.raw)
    start, item, index = 0, 0, 0
    while index < count:
        found = _object_at(raw, index)
        if found == item:
            index = _find_object_end(raw, found, index, count)
        elif found:  # blanks that pdfium adds belong to no object
            if item:
                yield item, start, text[start:index]
            start, item = index, found
            index = _find_object_end(raw, found, index, count)
        index += 1
    if item:
        yield item, start, text[start:]


def _find_object_end(raw: int, item: int, index: int, count: int) -> int:
    """How far an object reaches without a break: what one object draws stands together."""
    step = 1
    while index + step < count and _object_at(raw, index + step) == item:
        index += step
        step = min(2 * step, _MAX_SKIPPED_CHARACTERS)
    while step > 1:
        step //= 2
        if index + step < count and _object_at(raw, index + step) == item:
            index += step
    return index


def _read_pdf_characters(textpage: Any, count: int) -> str:
    """One character for each index; the text as a whole lacks those that pdfium cannot name."""
    text: str = textpage.get_text_range(0, count) if count else ""
    if len(text) == count:
        return text
    codes = (pdfium.FPDFText_GetUnicode(textpage.raw, index) for index in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else " " for code in codes)  # noqa: PLR2004  (the last code point)


def _without_false_blanks(textpage: Any, text: str) -> str:
    """Take out the blanks that pdfium adds behind an accent within a word, where the next letter is as near as any."""
    characters = list(text)
    for found in _FALSE_BLANK.finditer(text):
        letter, blank = found.start(), found.end() - 1
        one, two = _box_of_character(textpage, letter), _box_of_character(textpage, blank + 1)
        if abs(two.left - one.right) < _MAX_LETTER_GAP * (one.top - one.bottom):
            characters[blank] = _ZERO_WIDTH_SPACE
    return "".join(characters)


class _RunGauge:
    """Measures the runs of a page, always with the same pieces of memory: they cost more than what is asked."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.fonts: dict[int, tuple[bool, bool]] = {}  # bold and italic by where the font is in memory
        self.matrix, self.box = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
        self.x, self.y = ctypes.c_double(), ctypes.c_double()
        self.colours = [ctypes.c_uint() for _ in range(4)]

    def measure(self, item: int, start: int, text: str) -> tuple[int, PdfRun] | None:
        """A run with the direction it is written in, in quarter turns; None where there is nothing to see."""
        raw, matrix, box = self.raw, self.matrix, self.box
        shown = text.rstrip()
        pdfium.FPDFText_GetMatrix(raw, start, matrix)
        pdfium.FPDFText_GetCharOrigin(raw, start, self.x, self.y)
        pdfium.FPDFText_GetLooseCharBox(raw, start + max(len(shown) - 1, 0), box)
        # The size by itself is often 1.0, and the matrix makes it what is seen.
        size = pdfium.FPDFText_GetFontSize(raw, start) * math.hypot(matrix.c, matrix.d)
        x, y = self.x.value, self.y.value
        if not shown or not size or not all(map(math.isfinite, (size, x, y, box.left, box.top, box.right, box.bottom))):
            return None
        turn = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
        left, base = _turn_point(x, y, turn)
        right = max(_turn_point(box.left, box.bottom, turn)[0], _turn_point(box.right, box.top, turn)[0])
        readable = text.translate(_READABLE_CHARACTERS)
        return turn, PdfRun(readable, size, *self.font(item), left, max(left, right), base, self.is_white(item))

    def is_white(self, item: int) -> bool:
        """Whether a text object is drawn in white."""
        told = _fill_colour(item, *self.colours)
        return bool(told) and min(colour.value for colour in self.colours[:3]) >= _MIN_WHITE_COLOUR

    def font(self, item: int) -> tuple[bool, bool]:
        """Whether the font of a text object is bold, and whether it is italic; asked once for each font of a page."""
        font = _font_of(item) or 0
        if font not in self.fonts:
            self.fonts[font] = _style_of_font(ctypes.cast(font, pdfium.FPDF_FONT)) if font else (False, False)
        return self.fonts[font]


def _box_of_character(textpage: Any, index: int) -> Any:
    """The box of a character, as wide as its font says and as high as the line."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(textpage.raw, index, box)
    return box


def _turn_point(x: float, y: float, turn: int) -> tuple[float, float]:
    """A point seen along the direction of writing."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turn]


def _style_of_font(font: Any) -> tuple[bool, bool]:
    angle = ctypes.c_int()
    pdfium.FPDFFont_GetItalicAngle(font, angle)
    buffer = ctypes.create_string_buffer(_NAME_BYTES)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, _NAME_BYTES)
    name = buffer.raw.partition(b"\0")[0].decode("latin-1").lower()
    bold = pdfium.FPDFFont_GetWeight(font) >= _MIN_BOLD_WEIGHT or any(part in name for part in _BOLD_NAME)
    return bold, bool(angle.value) or any(part in name for part in _ITALIC_NAME)

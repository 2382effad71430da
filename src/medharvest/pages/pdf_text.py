"""The text of a PDF page as runs: the pieces that one text object draws, with font, size and position."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

MAX_PAGE_CHARACTERS = 30_000  # a large page in small print has fewer
_MIN_BOLD_WEIGHT = 600
_BOLD_NAME = ("bold", "black", "heavy", "demi", "-bd", ".b")
_ITALIC_NAME = ("italic", "oblique", "-it", ".i")
_NAME_BYTES = 128
_BLANK_CODES = [*range(32), *range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFD, 0xFFFF]
_ZERO_WIDTH_SPACE = "\u200b"
# Ligatures become letters; pdfium writes \2 and U+FFFE for a hyphen at the end of a line.
_READABLE_CHARACTERS = {
    **dict.fromkeys(_BLANK_CODES, " "),
    **dict.fromkeys([*range(0x200B, 0x2010), 0xFEFF], ""),
    **dict.fromkeys([2, 0xAD, 0xFFFE], "-"),
    **dict(enumerate(["ff", "fi", "fl", "ffi", "ffl", "st", "st"], start=0xFB00)),
}
# Accents beside their letter, and the blank after one inside a word.
SPACING_ACCENTS = "\u00a8\u00b4`\u02c6\u02dc\u02da\u00b8\u02c7\u02d8\u02d9\u02dd"
_FALSE_BLANK = re.compile(rf"\w[{SPACING_ACCENTS}] (?=[a-zà-ÿ])")
_MAX_SKIPPED_CHARACTERS = 32  # at most, while the character after them belongs to the same object
_MAX_LETTER_GAP = 0.1  # of the line height; the letters of a word are closer
_MIN_WHITE_COLOUR = 250  # of 255 in all three colours


def _wrap_pdfium_function(function: Any, given: Sequence[Any], returned: Any = ctypes.c_void_p) -> Any:
    """Wrap a pdfium function so that pointers are integers, which are faster to create and to compare."""
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
    """A piece of text on one line; positions in points, `base` is the baseline measured from the bottom of the page."""

    text: str
    size: float
    bold: bool
    italic: bool
    left: float
    right: float
    base: float
    white: bool = False


def read_pdf_runs(page: Any) -> list[PdfRun]:
    """Return the runs of a page in the order they are drawn; white runs last, since they may be hidden among others.

    Text in another direction than most of the page is left out.
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
    """Yield the address of each text object, the index of its first character, and its characters."""
    count = min(textpage.count_chars(), MAX_PAGE_CHARACTERS)
    text = _without_false_blanks(textpage, _read_pdf_characters(textpage, count))
    raw = _address_of_pointer(textpage.raw)
    start, item, index = 0, 0, 0
    while index < count:
        found = _object_at(raw, index)
        if found == item:
            index = _find_object_end(raw, found, index, count)
        elif found:  # blanks that pdfium inserts belong to no object
            if item:
                yield item, start, text[start:index]
            start, item = index, found
            index = _find_object_end(raw, found, index, count)
        index += 1
    if item:
        yield item, start, text[start:]


def _find_object_end(raw: int, item: int, index: int, count: int) -> int:
    """The last character of an object, found by doubling steps: the characters of an object are contiguous."""
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
    """One character per index; the text as a whole lacks characters that pdfium cannot map."""
    text: str = textpage.get_text_range(0, count) if count else ""
    if len(text) == count:
        return text
    codes = (pdfium.FPDFText_GetUnicode(textpage.raw, index) for index in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else " " for code in codes)  # noqa: PLR2004  (the last code point)


def _without_false_blanks(textpage: Any, text: str) -> str:
    """Remove the blanks that pdfium inserts after an accent inside a word, if the next letter is close enough."""
    characters = list(text)
    for found in _FALSE_BLANK.finditer(text):
        letter, blank = found.start(), found.end() - 1
        one, two = _box_of_character(textpage, letter), _box_of_character(textpage, blank + 1)
        if abs(two.left - one.right) < _MAX_LETTER_GAP * (one.top - one.bottom):
            characters[blank] = _ZERO_WIDTH_SPACE
    return "".join(characters)


def _box_of_character(textpage: Any, index: int) -> Any:
    """The loose box of a character: as wide as its font says and as high as the line."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(textpage.raw, index, box)
    return box


class _RunGauge:
    """Measures the runs of a page; its buffers are reused, since allocating them would cost more than the calls."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.fonts: dict[int, tuple[bool, bool]] = {}  # bold and italic, by the address of the font
        self.matrix, self.box = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
        self.x, self.y = ctypes.c_double(), ctypes.c_double()
        self.colours = [ctypes.c_uint() for _ in range(4)]

    def measure(self, item: int, start: int, text: str) -> tuple[int, PdfRun] | None:
        """Return a run with its direction in quarter turns; None if nothing of it is visible."""
        raw, matrix, box = self.raw, self.matrix, self.box
        shown = text.rstrip()
        pdfium.FPDFText_GetMatrix(raw, start, matrix)
        pdfium.FPDFText_GetCharOrigin(raw, start, self.x, self.y)
        pdfium.FPDFText_GetLooseCharBox(raw, start + max(len(shown) - 1, 0), box)
        # The font size alone is often 1.0; the matrix scales it to the visible size.
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
        known = _fill_colour(item, *self.colours)
        return bool(known) and min(colour.value for colour in self.colours[:3]) >= _MIN_WHITE_COLOUR

    def font(self, item: int) -> tuple[bool, bool]:
        """Whether the font of a text object is bold, and whether it is italic; read once per font of a page."""
        font = _font_of(item) or 0
        if font not in self.fonts:
            self.fonts[font] = _style_of_font(ctypes.cast(font, pdfium.FPDF_FONT)) if font else (False, False)
        return self.fonts[font]


def _turn_point(x: float, y: float, turn: int) -> tuple[float, float]:
    """Rotate a point so that the text runs from left to right."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turn]


def _style_of_font(font: Any) -> tuple[bool, bool]:
    angle = ctypes.c_int()
    pdfium.FPDFFont_GetItalicAngle(font, angle)
    buffer = ctypes.create_string_buffer(_NAME_BYTES)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, _NAME_BYTES)
    name = buffer.raw.partition(b"\0")[0].decode("latin-1").lower()
    bold = pdfium.FPDFFont_GetWeight(font) >= _MIN_BOLD_WEIGHT or any(part in name for part in _BOLD_NAME)
    return bold, bool(angle.value) or any(part in name for part in _ITALIC_NAME)

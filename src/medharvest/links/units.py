"""Counts the units of a text: words, numbers, dates, CJK characters and punctuation marks, one each."""

from __future__ import annotations

import functools
import re
import unicodedata

# Han, kana, bopomofo and Hangul, without the punctuation between them.
_CJK = re.compile(
    "[\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc]++|[\U0001b000-\U0001b16f\U00020000-\U0003ffff]++"
)
# Where none of these stands a text has neither CJK nor joining characters: a quick look spares two slow ones.
_FAR = re.compile("[\u0300-\u1fff\u2060-\u206f\u2e80-\U0010ffff\xad\u200b-\u200f\u202a-\u202e]")
_MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = re.compile(r"[0-9]{4}")
# `D.M.Y` needs no pattern of its own: it counts 1 as a number.
_DATE = re.compile(
    rf"(?<!\w)(?:{_MONTH}\.?\s++[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s++[0-9]{{4}}(?!\w)|"
    r"[0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}(?!\w)|/[0-9]{1,2}/[0-9]{1,2}(?!\w)|年[0-9]{1,2}月[0-9]{1,2}日))"
)
_UNIT = r" ?+(?:{letter}{inner}*+(?:['-]{inner}++)*+|{digit}++(?:[.,]{digit}++)*+|({mark})\1*+)"
_ASCII = re.compile(
    _UNIT.format(letter="[a-zA-Z]", inner="[a-zA-Z0-9]", digit="[0-9]", mark=r"[!-/:-@\[-`{-~]"),
)
_UNICODE = re.compile(
    _UNIT.format(letter=r"[^\W\d_]", inner=r"[^\W_]", digit=r"\d", mark=r"[^\w\s\x00-\x1f\x7f-\x9f]|_"),
)
_JOINING = frozenset({"Mn", "Mc", "Me", "Cf"})


def count_units(text: str) -> int:
    """The number of units: white space and control characters count nothing, dates are found before all else.

    Combining marks and format characters are taken out first: they belong to the character before them.
    """
    text = " ".join(text.split())  # a search through a long run of blanks would be slow
    if text.isascii():
        return len(_ASCII.findall(_dated(text)))
    if not _FAR.search(text):
        return len(_UNICODE.findall(_dated(text)))
    text = _dated(_joining().sub("", text))
    spaced, runs = _CJK.subn(" ", text)
    return len(text) - len(spaced) + runs + len(_UNICODE.findall(spaced))


def count_words(text: str) -> int:
    """What stands between blanks, and each CJK character: quicker to count, where no mark need be told apart."""
    words = len(text.split())
    return words if text.isascii() or not _FAR.search(text) else words + sum(map(len, _CJK.findall(text)))


def _dated(text: str) -> str:
    return _DATE.sub(" 0 ", text) if _YEAR.search(text) else text


@functools.cache
def _joining() -> re.Pattern[str]:
    """The characters that only join others; made when the first text needs it, for it takes some milliseconds."""
    near, far = (
        "".join(char for char in map(chr, table) if unicodedata.category(char) in _JOINING)
        for table in (range(0xAD, 0x10000), (*range(0x10000, 0x20000), *range(0xE0000, 0xE0200)))
    )
    return re.compile(f"[{near}]++|(?=[\U00010000-\U000e01ff])[{far}]++")  # one set of all would be slow

"""Dates as pages print them, to ISO as precise as known."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAMES = (
    "january february march april may june july august september october november december",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
)
MONTHS = {name: number for names in _NAMES for number, name in enumerate(names.split(), 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items() if name.isascii() and len(name) > 2}  # noqa: PLR2004
MONTHS |= {"sept": 9}

_YEAR = r"(?P<y>(?:1[5-9]|20)\d\d)"
_WORD = r"(?P<m>[^\W\d_]{3,9})\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<d>\d{{1,2}}))?(?!\d)",  # 2010-09-15, 2010/09
        rf"\b{_DAY}[\s-]+{_WORD}[\s,-]+{_YEAR}\b",  # 15 September 2010
        rf"\b{_WORD}\s+{_DAY}\s*,?\s+{_YEAR}\b",  # September 15, 2010
        rf"\b{_YEAR}\s+{_WORD}(?:\s+{_DAY})?\b",  # 2010 Sep 15
        rf"\b{_WORD}(?:\s*[-/–]\s*[^\W\d_]{{3,9}})?,?\s+{_YEAR}\b",  # September 2010, May/June 2017
        rf"(?<!\d){_YEAR}(?!\d)",
    )
)


def parse_date(text: str) -> str:
    """The first date in a text as YYYY, YYYY-MM or YYYY-MM-DD; empty where there is none."""
    return next((date for form in _FORMS for found in form.finditer(text) if (date := _iso(found))), "")


def _iso(found: re.Match[str]) -> str:
    parts = found.groupdict()
    year, month, day = parts["y"], _number(parts.get("m"), MONTHS.get), parts.get("d")
    if parts.get("m") and month is None:
        return ""
    if month is None:
        return year
    if day is None:
        return f"{year}-{month:02d}"
    return f"{year}-{month:02d}-{int(day):02d}" if 1 <= int(day) <= 31 else ""  # noqa: PLR2004


def _number(text: str | None, lookup: Callable[[str], int | None]) -> int | None:
    if not text:
        return None
    number = int(text) if text.isdigit() else lookup(text.lower())
    return number if number is not None and 1 <= number <= 12 else None  # noqa: PLR2004

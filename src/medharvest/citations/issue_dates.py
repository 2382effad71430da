"""Dates of issues, such as `Mar-Apr`, `Winter` and `2024 Dec-2025 Jan`, from print to ISO and to MEDLINE's forms."""

from __future__ import annotations

import re

from medharvest.citations.dates import MONTHS, parse_date

_SHORT = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SEASONS = {
    name: number
    for number, names in (
        ("21", "spring printemps frühjahr frühling primavera lente"),
        ("22", "summer été sommer verano estate zomer verão"),
        ("23", "autumn fall automne herbst otoño autunno herfst outono"),
        ("24", "winter hiver invierno inverno"),
    )
    for name in names.split()
}
_PRINTED = {f"{number:02d}": name for number, name in enumerate(_SHORT, 1)} | {
    "21": "Spring", "22": "Summer", "23": "Autumn", "24": "Winter"
}  # fmt: skip
_YEAR = r"(?:1[5-9]|20)[0-9]{2}"
_DASH = r"\s*[-\u2010\u2011–—/]\s*"
_WORD = r"[^\W\d_]{3,12}\.?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<m>{_WORD}),?\s+(?P<y>{_YEAR}){_DASH}(?P<m2>{_WORD}),?\s+(?P<y2>{_YEAR})",  # December 2024-January 2025
        rf"(?P<y>{_YEAR})\s+(?P<m>{_WORD}){_DASH}(?P<y2>{_YEAR})\s+(?P<m2>{_WORD})",  # 2024 Dec-2025 Jan
        rf"(?P<y>{_YEAR}),?\s+(?P<m>{_WORD}){_DASH}(?P<m2>{_WORD})",  # 2025 Mar-Apr
        rf"(?P<m>{_WORD}){_DASH}(?P<m2>{_WORD}),?\s+(?P<y>{_YEAR})",  # March-April 2025
        rf"(?P<m>{_WORD}),?\s+(?:of\s+|de\s+)?(?P<y>{_YEAR})",  # Winter 2024/25
        rf"(?P<y>{_YEAR}),?\s+(?P<m>{_WORD})(?!\s*[0-9])",  # 2025 Winter
    )
)
_LONGEST = 500  # characters of a text that are looked at


def parse_issue_date(text: str) -> str:
    """The date of an issue in a text, as ISO: a span is `2025-03/2025-04`, a season `2025-24`; empty for none.

    Seasons are numbered 21 (spring) to 24 (winter), as ISO 8601-2 does.
    """
    text = " ".join(text[:_LONGEST].split())
    found = (date for form in _FORMS for match in form.finditer(text) if (date := _date_of(match.groupdict())))
    return next(found, "") or parse_date(text)


def medline_date(iso: str) -> str:
    """The date as DP has it: `2025 Mar 7`, `2025 Mar-Apr`, `2025 Winter`, `2024 Dec-2025 Jan`."""
    first, _, last = iso.partition("/")
    one, two = _printed(first), _printed(last)
    same = bool(two) and one[:4] == two[:4]
    return one if not two or one == two else f"{one}-{two[5:] if same else two}"


def _printed(iso: str) -> str:
    year, *rest = iso.split("-")
    names = [_PRINTED.get(part, "") for part in rest[:1]]
    return " ".join(part for part in (year, *names, *(str(int(day)) for day in rest[1:2] if day.isdecimal())) if part)


def _date_of(parts: dict[str, str | None]) -> str:
    """Two months, or a season; a single month is left to the reader of plain dates, which knows days too."""
    year, second = parts["y"] or "", parts.get("y2") or ""
    word, other = (_plain(parts.get(name) or "") for name in ("m", "m2"))
    if word in SEASONS and not other:
        return f"{year}-{SEASONS[word]}"
    if word not in MONTHS or other not in MONTHS:
        return ""
    first, last = f"{year}-{MONTHS[word]:02d}", f"{second or year}-{MONTHS[other]:02d}"
    return f"{first}/{last}" if first < last and int(last[:4]) - int(year) <= 1 else ""


def _plain(word: str) -> str:
    return word.lower().rstrip(".")

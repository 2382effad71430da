"""ISO dates to the forms of the formats and back: parts, MEDLINE's `2025 Mar 7`, slashes.

A date is YYYY, YYYY-MM or YYYY-MM-DD; a season YYYY-21 (spring) to YYYY-24 (winter); a span is two of them with a
slash between, as ISO 8601 writes them.
"""

from __future__ import annotations

import functools
import re

from medharvest.citations.issue_dates import medline_date

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SEASONS = {"21": "Spring", "22": "Summer", "23": "Autumn", "24": "Winter"}
_ISO = re.compile(r"([0-9]{4})(?:-(?:(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?|(2[1-4])))?(?![0-9])")
_WORDS = {month.lower(): f"{number:02d}" for number, month in enumerate(MONTHS, 1)} | {
    "spring": "21", "summer": "22", "autumn": "23", "fall": "23", "winter": "24"
}  # fmt: skip
_PRINTED = re.compile(r"(?:([0-9]{4})\b[ ]?)?(?:([A-Za-z]{3,9})\b\.?[ ]?([0-9]{1,2}\b)?)?")


@functools.lru_cache(maxsize=4096)
def parts(iso: str) -> tuple[str, ...]:
    """Year, month and day of the first date, as far as known; a season is no month; nothing for no date."""
    found = _ISO.match(iso)
    return tuple(part for part in found.groups()[:3] if part) if found else ()


def is_full(iso: str) -> bool:
    """Whether a date has a day."""
    return len(parts(iso)) == 3  # noqa: PLR2004


@functools.lru_cache(maxsize=4096)
def printed(iso: str) -> str:
    """The date as MEDLINE prints it: `2025 Mar 7`, `2025 Mar-Apr`, `2025 Winter`, `2024 Dec-2025 Jan`."""
    ends = [found.group() for part in iso.split("/")[:2] if (found := _ISO.match(part))]
    return medline_date("/".join(ends)) if ends else ""


def season(iso: str) -> str:
    """What stands for a month where there is none: a season, or a span within the year such as `Mar-Apr`."""
    words = printed(iso)
    only_month = "/" not in iso and not SEASONS.get(iso[5:])
    return "" if only_month else words[5:]


@functools.lru_cache(maxsize=4096)
def from_printed(text: str) -> str:
    """The ISO date of what MEDLINE prints; empty where there is none."""
    first, dash, last = text.strip().partition("-")
    one = _iso(first, "")
    two = _iso(last, one[:4]) if dash else ""
    return f"{one}/{two}" if one and two and one != two else one


def _iso(text: str, year: str) -> str:
    found = _PRINTED.match(text.strip())
    own, word, day = found.groups() if found else (None, None, None)
    month = _WORDS.get((word or "")[:3].lower()) or _WORDS.get((word or "").lower(), "")
    if not (own or (year and month)):
        return ""
    days = f"{int(day):02d}" if day and month < "13" else ""
    return from_parts(own or year, month, days)


def from_parts(year: str, month: str = "", day: str = "") -> str:
    """The ISO date of texts as files have them: month a number, a name or a season; empty without a year."""
    month = _WORDS.get(month.strip()[:3].lower()) or _WORDS.get(month.strip().lower()) or _two(month)
    iso = "-".join(part for part in (year.strip(), month, _two(day) if month else "") if part)
    found = _ISO.match(iso)
    return found.group() if found else ""


def _two(number: str) -> str:
    return f"{int(number):02d}" if re.fullmatch(r"\s*[0-9]{1,2}\s*", number) else ""


def slashed(iso: str) -> str:
    """YYYY/MM/DD, as far as known."""
    return "/".join(parts(iso))

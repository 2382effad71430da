"""Dates of issues that ISO cannot say, such as `Mar-Apr`, `Winter` and `2024 Dec-2025 Jan`, to and from MEDLINE's DP."""

from __future__ import annotations

import re
from dataclasses import dataclass

from medharvest.citations.dates import MONTHS, parse_date

_SHORT = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SEASONS = {
    name: season
    for season, names in (
        ("Spring", "spring printemps frühjahr frühling primavera lente"),
        ("Summer", "summer été sommer verano estate zomer verão"),
        ("Fall", "fall"),
        ("Autumn", "autumn automne herbst otoño autunno herfst outono"),
        ("Winter", "winter hiver invierno inverno"),
    )
    for name in names.split()
}
_YEAR = r"(?:1[5-9]|20)[0-9]{2}"
_DASH = r"\s*[-‐‑–—/]\s*"
_WORD = r"[^\W\d_]{3,12}\.?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<m>{_WORD}),?\s+(?P<y>{_YEAR}){_DASH}(?P<m2>{_WORD}),?\s+(?P<y2>{_YEAR})",  # December 2024-January 2025
        rf"(?P<y>{_YEAR})\s+(?P<m>{_WORD}){_DASH}(?P<y2>{_YEAR})\s+(?P<m2>{_WORD})",  # 2024 Dec-2025 Jan
        rf"(?P<y>{_YEAR}),?\s+(?P<m>{_WORD}){_DASH}(?P<m2>{_WORD})",  # 2025 Mar-Apr
        rf"(?P<m>{_WORD}){_DASH}(?P<m2>{_WORD}),?\s+(?P<y>{_YEAR})",  # March-April 2025
        rf"(?P<m>{_WORD}),?\s+(?:of\s+|de\s+)?(?P<y>{_YEAR})(?:{_DASH}(?P<y2>{_YEAR}|[0-9]{{2}})(?![0-9]))?",  # Winter 2024/25
        rf"(?P<y>{_YEAR})(?:{_DASH}(?P<y2>{_YEAR}))?,?\s+(?P<m>{_WORD})(?!\s*[0-9])",  # 2025 Winter
    )
)
_LONGEST = 500  # characters of a text that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueDate:
    """A date as an issue prints it: one or two years, none to two months, a day, or a season."""

    years: tuple[int, ...]
    months: tuple[int, ...] = ()
    day: int | None = None
    season: str = ""

    @property
    def iso(self) -> str:
        """Its beginning as ISO, as precise as known."""
        parts = [f"{self.years[0]:04d}", *(f"{month:02d}" for month in self.months[:1])]
        return "-".join([*parts, f"{self.day:02d}"] if self.day and self.months else parts)


def parse_issue_date(text: str) -> IssueDate | None:
    """The date of an issue in a text: the most that its forms say; nothing where there is no year."""
    text = " ".join(text[:_LONGEST].split())
    for form in _FORMS:
        for found in form.finditer(text):
            if date := _date_of(found.groupdict()):
                return date
    iso = parse_date(text)
    if not iso:
        return None
    year, *rest = map(int, iso.split("-"))
    return IssueDate(years=(year,), months=tuple(rest[:1]), day=rest[1] if len(rest) > 1 else None)


def medline_date(date: IssueDate) -> str:
    """The date as DP has it: `2025 Mar 7`, `2025 Mar-Apr`, `2025 Winter`, `2024 Dec-2025 Jan`."""
    years, names = [str(year) for year in date.years], [_SHORT[month - 1] for month in date.months]
    if date.season:
        return f"{'-'.join(years)} {date.season}"
    if len(years) > 1 and len(names) > 1:
        return "-".join(f"{year} {name}" for year, name in zip(years, names, strict=True))
    day = [str(date.day)] if date.day and names else []
    return " ".join(["-".join(years), *(["-".join(names)] if names else []), *day])


def medline_day(iso: str) -> str:
    """A whole ISO date as DEP and LR have it, `20250307`; nothing for a date without its day."""
    return iso.replace("-", "") if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", iso) else ""


def history_date(iso: str, name: str) -> str:
    """A date of the article's history as PHST has it: `2025/03/07 00:00 [received]`; parts not known are 1."""
    year, month, day = [*iso.split("-"), "01", "01"][:3]
    return f"{year}/{month}/{day} 00:00 [{name}]"


def _date_of(parts: dict[str, str | None]) -> IssueDate | None:
    """Two months, or a season; a single month is left to the reader of plain dates, which knows days too."""
    first = int(parts["y"] or 0)
    second = parts.get("y2") or ""
    years = (first, int(str(first)[: 4 - len(second)] + second)) if second else (first,)
    word, other = (_plain(parts.get(name) or "") for name in ("m", "m2"))
    if word in SEASONS and not other:
        return IssueDate(years=years if years[-1] == years[0] + 1 else years[:1], season=SEASONS[word])
    if word not in MONTHS or other not in MONTHS:
        return None
    months = (MONTHS[word], MONTHS[other])
    ordered = months[0] < months[1] if len(years) == 1 else years[1] == years[0] + 1
    return IssueDate(years=years, months=months) if ordered else None


def _plain(word: str) -> str:
    return word.lower().rstrip(".")

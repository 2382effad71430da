"""Dates and issue dates as pages print them, parsed to ISO.

parse_date("15 September 2010")  # "2010-09-15"
parse_issue_date("March-April 2025")  # "2025-03/2025-04"
"""

from __future__ import annotations

import calendar
import re
import unicodedata

_PRINTED_MONTH_NAMES = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jän feb mär apr mai jun jul aug sep okt nov dez",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago set oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",  # noqa: RUF001  (Turkish letters)
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
MONTH_BY_NAME = {name: number for names in _PRINTED_MONTH_NAMES for number, name in enumerate(names.split(), 1)}
_ROMAN_MONTHS = {name: number for number, name in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), 1)}

# White space is collapsed before matching, so one blank matches any.
_DATE_YEAR = r"(?<![0-9])(?P<y>(?:1[5-9]|20)[0-9]{2})(?![0-9])"
_DATE_MONTH_WORD = r"\b(?P<m>[^\W\d_]{3,12})\b\.?"
_DATE_DAY = r"\b(?P<d>[0-9]{1,2})(?:st|nd|rd|th|er|º)?\b\.?"
_DATE_OF = r"(?:of |de |del )?"  # 1st of May 2010, 7 de mayo de 2001
# A number that cannot be a month tells 15/09/2010 from 09/15/2010; 03/04/2010 stays ambiguous.
_DAY_ABOVE_TWELVE = "1[3-9]|2[0-9]|3[01]"
_DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_DATE_YEAR}[-/.](?P<m>[0-9]{{1,2}})(?:[-/.](?P<d>[0-9]{{1,2}}))?(?![0-9])",  # 2010-09-15, 2010/09
        rf"\b(?P<d>[0-9]{{1,2}})\.(?P<m>[0-9]{{1,2}})\.{_DATE_YEAR}",  # 15.09.2010
        rf"\b(?P<d>{_DAY_ABOVE_TWELVE})/(?P<m>[0-9]{{1,2}})/{_DATE_YEAR}",  # 15/09/2010
        rf"\b(?P<m>[0-9]{{1,2}})/(?P<d>{_DAY_ABOVE_TWELVE})/{_DATE_YEAR}",  # 09/15/2010
        rf"\b(?P<d>0?(?P<n>[0-9]{{1,2}}))/(?P<m>0?(?P=n))/{_DATE_YEAR}",  # 11/11/2010
        rf"\b(?P<d>[0-9]{{1,2}})[. ]{{1,2}}(?P<m>[IVX]{{1,4}})[. ]{{1,2}}{_DATE_YEAR}",  # 15.IX.2010
        rf"{_DATE_YEAR} ?年 ?(?P<m>[0-9]{{1,2}}) ?月(?: ?(?P<d>[0-9]{{1,2}}) ?日)?",  # 2010年9月15日
        rf"{_DATE_DAY}[ -]{_DATE_OF}{_DATE_MONTH_WORD},?[ -]{_DATE_OF}{_DATE_YEAR}",  # 15 September 2010
        rf"{_DATE_MONTH_WORD} {_DATE_DAY} ?,? ?{_DATE_YEAR}",  # September 15, 2010
        rf"{_DATE_YEAR} {_DATE_MONTH_WORD}(?: {_DATE_DAY})?",  # 2010 Sep 15
        # September 2010, May/June 2017
        rf"{_DATE_MONTH_WORD}(?: ?[-/–] ?[^\W\d_]{{3,12}}\.?)?,? {_DATE_OF}{_DATE_YEAR}",
        _DATE_YEAR,
    )
)
_SEASON_NUMBERS = {
    name: number
    for number, names in (
        ("21", "spring printemps frühjahr frühling primavera lente"),
        ("22", "summer été sommer verano estate zomer verão"),
        ("23", "autumn fall automne herbst otoño autunno herfst outono"),
        ("24", "winter hiver invierno inverno"),
    )
    for name in names.split()
}
_ISSUE_YEAR = r"(?:1[5-9]|20)[0-9]{2}"
_ISSUE_DASH = r"\s*[-\u2010\u2011–—/]\s*"
_ISSUE_WORD = r"[^\W\d_]{3,12}\.?"
_ISSUE_DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # December 2024-January 2025
        (
            rf"(?P<m>{_ISSUE_WORD}),?\s+(?P<y>{_ISSUE_YEAR}){_ISSUE_DASH}"
            rf"(?P<m2>{_ISSUE_WORD}),?\s+(?P<y2>{_ISSUE_YEAR})"
        ),
        # 2024 Dec-2025 Jan
        rf"(?P<y>{_ISSUE_YEAR})\s+(?P<m>{_ISSUE_WORD}){_ISSUE_DASH}(?P<y2>{_ISSUE_YEAR})\s+(?P<m2>{_ISSUE_WORD})",
        rf"(?P<y>{_ISSUE_YEAR}),?\s+(?P<m>{_ISSUE_WORD}){_ISSUE_DASH}(?P<m2>{_ISSUE_WORD})",  # 2025 Mar-Apr
        rf"(?P<m>{_ISSUE_WORD}){_ISSUE_DASH}(?P<m2>{_ISSUE_WORD}),?\s+(?P<y>{_ISSUE_YEAR})",  # March-April 2025
        rf"(?P<m>{_ISSUE_WORD}),?\s+(?:of\s+|de\s+)?(?P<y>{_ISSUE_YEAR})",  # Winter 2024/25
        rf"(?P<y>{_ISSUE_YEAR}),?\s+(?P<m>{_ISSUE_WORD})(?!\s*[0-9])",  # 2025 Winter
    )
)
_MAX_ISSUE_DATE_CHARS = 500  # only this much of a text is searched


def parse_date(text: str) -> str:
    """Return the most precise date in a text, the first of several, as YYYY, YYYY-MM or YYYY-MM-DD; empty for none."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    found = (
        (match.start(), iso) for form in _DATE_FORMS for match in form.finditer(text) if (iso := _to_iso_date(match))
    )
    return min(found, key=lambda date: (-len(date[1]), date[0]), default=(0, ""))[1]


def _to_iso_date(found: re.Match[str]) -> str:
    """Return the date of a match; empty if the month is unknown or does not have the day."""
    parts = found.groupdict()
    year, word, day = parts["y"], parts.get("m"), parts.get("d")
    if word is None:
        return year
    month = int(word) if word.isdecimal() else MONTH_BY_NAME.get(word.lower()) or _ROMAN_MONTHS.get(word.lower(), 0)
    if not 1 <= month <= 12:  # noqa: PLR2004
        return ""
    if day is None:
        return f"{year}-{month:02d}"
    last = calendar.monthrange(int(year), month)[1]
    return f"{year}-{month:02d}-{int(day):02d}" if 1 <= int(day) <= last else ""


def parse_issue_date(text: str) -> str:
    """Return the issue date in a text as ISO: a span is `2025-03/2025-04`, a season `2025-24`; empty for none.

    Seasons are numbered 21 (spring) to 24 (winter), as ISO 8601-2 does.
    """
    text = " ".join(text[:_MAX_ISSUE_DATE_CHARS].split())
    found = (
        date
        for form in _ISSUE_DATE_FORMS
        for match in form.finditer(text)
        if (date := _to_iso_issue_date(match.groupdict()))
    )
    return next(found, "") or parse_date(text)


def _to_iso_issue_date(parts: dict[str, str | None]) -> str:
    """Return a span of months or a season; a single month is left to `parse_date`, which knows days too."""
    year, second = parts["y"] or "", parts.get("y2") or ""
    word, other = (_plain_date_word(parts.get(name) or "") for name in ("m", "m2"))
    if word in _SEASON_NUMBERS and not other:
        return f"{year}-{_SEASON_NUMBERS[word]}"
    if word not in MONTH_BY_NAME or other not in MONTH_BY_NAME:
        return ""
    first, last = f"{year}-{MONTH_BY_NAME[word]:02d}", f"{second or year}-{MONTH_BY_NAME[other]:02d}"
    return f"{first}/{last}" if first < last and int(last[:4]) - int(year) <= 1 else ""


def _plain_date_word(word: str) -> str:
    return word.lower().rstrip(".")

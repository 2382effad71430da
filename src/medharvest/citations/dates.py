"""Dates as pages print them, to ISO as precise as known."""

from __future__ import annotations

import calendar
import re
import unicodedata

_NAMES = (
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
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",  # noqa: RUF001  (as Turkish has it)
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
MONTHS = {name: number for names in _NAMES for number, name in enumerate(names.split(), 1)}
_ROMAN = {name: number for number, name in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), 1)}

# White space is collapsed before these are tried, so one blank stands for any.
_YEAR = r"(?<![0-9])(?P<y>(?:1[5-9]|20)[0-9]{2})(?![0-9])"
_WORD = r"\b(?P<m>[^\W\d_]{3,12})\b\.?"
_DAY = r"\b(?P<d>[0-9]{1,2})(?:st|nd|rd|th|er|º)?\b\.?"
_OF = r"(?:of |de |del )?"  # 1st of May 2010, 7 de mayo de 2001
_BIG = "1[3-9]|2[0-9]|3[01]"  # no month: tells which of 15/09/2010 and 09/15/2010 it is; 03/04/2010 is told by nothing
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_YEAR}[-/.](?P<m>[0-9]{{1,2}})(?:[-/.](?P<d>[0-9]{{1,2}}))?(?![0-9])",  # 2010-09-15, 2010/09
        rf"\b(?P<d>[0-9]{{1,2}})\.(?P<m>[0-9]{{1,2}})\.{_YEAR}",  # 15.09.2010
        rf"\b(?P<d>{_BIG})/(?P<m>[0-9]{{1,2}})/{_YEAR}",  # 15/09/2010
        rf"\b(?P<m>[0-9]{{1,2}})/(?P<d>{_BIG})/{_YEAR}",  # 09/15/2010
        rf"\b(?P<d>0?(?P<n>[0-9]{{1,2}}))/(?P<m>0?(?P=n))/{_YEAR}",  # 11/11/2010
        rf"\b(?P<d>[0-9]{{1,2}})[. ]{{1,2}}(?P<m>[IVX]{{1,4}})[. ]{{1,2}}{_YEAR}",  # 15.IX.2010
        rf"{_YEAR} ?年 ?(?P<m>[0-9]{{1,2}}) ?月(?: ?(?P<d>[0-9]{{1,2}}) ?日)?",  # 2010年9月15日
        rf"{_DAY}[ -]{_OF}{_WORD},?[ -]{_OF}{_YEAR}",  # 15 September 2010
        rf"{_WORD} {_DAY} ?,? ?{_YEAR}",  # September 15, 2010
        rf"{_YEAR} {_WORD}(?: {_DAY})?",  # 2010 Sep 15
        rf"{_WORD}(?: ?[-/–] ?[^\W\d_]{{3,12}}\.?)?,? {_OF}{_YEAR}",  # September 2010, May/June 2017
        _YEAR,
    )
)


def parse_date(text: str) -> str:
    """The first of the most precise dates in a text as YYYY, YYYY-MM or YYYY-MM-DD; empty where there is none."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    found = ((match.start(), iso) for form in _FORMS for match in form.finditer(text) if (iso := _iso(match)))
    return min(found, key=lambda date: (-len(date[1]), date[0]), default=(0, ""))[1]


def _iso(found: re.Match[str]) -> str:
    """The date of a match; empty where the word is no month or the day none of the month's."""
    parts = found.groupdict()
    year, word, day = parts["y"], parts.get("m"), parts.get("d")
    if word is None:
        return year
    month = int(word) if word.isdecimal() else MONTHS.get(word.lower()) or _ROMAN.get(word.lower(), 0)
    if not 1 <= month <= 12:  # noqa: PLR2004
        return ""
    if day is None:
        return f"{year}-{month:02d}"
    last = calendar.monthrange(int(year), month)[1]
    return f"{year}-{month:02d}-{int(day):02d}" if 1 <= int(day) <= last else ""

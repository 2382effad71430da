"""Words that institutions and their addresses are known by."""

from __future__ import annotations

import re
from collections.abc import Iterable

_INSTITUTION = (
    r"\b(?:universi\w+|h[oô]spi\w+|hôpita\w+|institut\w*|istitut\w*|departe?ment\w*|dept|facult\w+|school|college|"
    r"cent(?:er|re|ro)s?|zentrum|clini\w+|klini\w+|divisions?|laborator\w+|unit|infirmary|academy|service|ministry|"
    r"foundation|office|network|observatory|authority|council|agency|bureau|campus|trust)\b"
)
INSTITUTION = re.compile(_INSTITUTION, re.IGNORECASE)
_SMALL_INSTITUTION = re.compile(_INSTITUTION)
_COUNTRIES = (
    r"USA|U\.S\.A|United States|UK|United Kingdom|England|Scotland|Germany|France|Italy|Spain|China|Japan|Korea|"
    r"India|Canada|Australia|Brazil|Netherlands|Switzerland|Sweden|Norway|Denmark|Finland|Belgium|Austria|Israel|"
    r"Turkey|Iran|Taiwan|Singapore|Mexico|Poland|Portugal|Greece|Ireland|Russia|Egypt|New Zealand|South Africa"
)
COUNTRY = re.compile(rf"\b(?:{_COUNTRIES})\b")
_COUNTRY_WORDS = frozenset(re.findall(r"[A-Za-z]+", _COUNTRIES))


def names_country(text: str, words: Iterable[str]) -> bool:
    """Whether a text speaks of a country; its words, which tell that most do not, are known to who asks."""
    return not _COUNTRY_WORDS.isdisjoint(words) and COUNTRY.search(text) is not None


def names_institution(text: str) -> bool:
    """Whether a text speaks of an institution; in small letters that is told in a third of the time."""
    return _SMALL_INSTITUTION.search(text.lower()) is not None

"""Words and patterns that several stages share: institutions, countries, headings of articles, academic degrees."""

from __future__ import annotations

import re
from collections.abc import Iterable

_INSTITUTION_PATTERN = (
    r"\b(?:universi\w+|h[oô]spi\w+|hôpita\w+|institut\w*|istitut\w*|departe?ment\w*|dept|facult\w+|school|college|"
    r"cent(?:er|re|ro)s?|zentrum|clini\w+|klini\w+|divisions?|laborator\w+|unit|infirmary|academy|service|ministry|"
    r"foundation|office|network|observatory|authority|council|agency|bureau|campus|trust)\b"
)
INSTITUTION_WORD = re.compile(_INSTITUTION_PATTERN, re.IGNORECASE)
_SMALL_INSTITUTION = re.compile(_INSTITUTION_PATTERN)
_COUNTRY_NAMES = (
    r"USA|U\.S\.A|United States|UK|United Kingdom|England|Scotland|Germany|France|Italy|Spain|China|Japan|Korea|"
    r"India|Canada|Australia|Brazil|Netherlands|Switzerland|Sweden|Norway|Denmark|Finland|Belgium|Austria|Israel|"
    r"Turkey|Iran|Taiwan|Singapore|Mexico|Poland|Portugal|Greece|Ireland|Russia|Egypt|New Zealand|South Africa"
)
COUNTRY_NAME = re.compile(rf"\b(?:{_COUNTRY_NAMES})\b")
_COUNTRY_WORDS = frozenset(re.findall(r"[A-Za-z]+", _COUNTRY_NAMES))
# Structured abstracts have background, methods and results too; these headings are only in the body of an article.
BODY_HEADING = re.compile(
    r"introduction|discussion|case (?:report|presentation)|(?:materials?|patients|subjects) and methods"
)
ABSTRACT_OR_BODY_HEADING = re.compile(r"background|(?:materials? and |patients and )?methods|results|conclusions?")
# A label before its text on the same line: "Key words: snow; sleep".
RUN_IN_LABEL = re.compile(r"(?P<word>[^\W\d_][^:.—–]{2,30}?)\s*[:.—–]\s*(?=\w)")
# The fourteen roles of the CRediT taxonomy, which pages print beside the names.
CONTRIBUTOR_ROLE = re.compile(
    r"(?:roles?:?\s*)?(?:conceptuali[sz]ation|data curation|formal analysis|funding acquisition|investigation|"
    r"methodology|project administration|resources|software|supervision|validation|visuali[sz]ation|"
    r"writing(?:\W+(?:original draft|review|editing|reviewing|preparation|and|&)\W*)*)|roles?:?",
    re.IGNORECASE,
)
ACADEMIC_DEGREES = frozenset(
    """ba bs bsc bchir bds bm bmbs chb chm dds dm dmd do dphil dpharm drph dsc dvm edd faan facc facp facs fracp frcp
    frcs frcpc frcpath frcpch frcpsych jd llm ma mb mba mbbs mbchb md mdres med meng mph mphil mrcp mrcs ms msc msn mscn
    np pa pharmd phd psyd pt rd rn rnc scd vmd""".split()
)


def names_country(text: str, words: Iterable[str]) -> bool:
    """Whether a text names a country; `words` are its words, which rule out most texts quickly."""
    return not _COUNTRY_WORDS.isdisjoint(words) and COUNTRY_NAME.search(text) is not None


def names_institution(text: str) -> bool:
    """Whether a text names an institution; matching in lower case takes a third of the time."""
    return _SMALL_INSTITUTION.search(text.lower()) is not None

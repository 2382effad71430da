"""What the words a link shows say of it on any site: a title, a form of an article, a service, an issue, a person."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from medharvest.records import Link

TOKEN = re.compile(r"[^\W_]+")
# Words for the forms an article is offered in.
FORMS = frozenset(
    """abs abstract abstracts summary preview pdf epdf reprint html full fulltext text supplement supplementary
    supplemental supporting suppl epub doi references figures download read xml resumen resumo résumé zusammenfassung
    riassunto volltext texto completo texte intégral 摘要 全文 cif appendix dataset article pdfs
    supplements dc1 esm hkl""".split()
)
# Words for what a site offers beside its articles.
SERVICES = frozenset(
    """about accessibility account add advanced advertise advertisement advertising aims alert alerts archive
    archives author authors back bibtex blog board browse buy careers cart citation cite cited citedby
    collections commons contact contacts cookie cookies copyright creative current disclaimer editor editorial
    editors email events export faq favorites favourites feed feedback feeds follow guide guidelines help home
    index info information institution institutional instructions issue issues javascript jobs journal journals
    librarian librarians licence license log login mail mailto media members membership menu metrics more news
    next order partners password past permission permissions policies policy press previous print privacy
    purchase register related reprints request reviewer reviewers rights rss save scope search share signin site
    sitemap skip subject subjects submission submissions submit subscribe subscription subscriptions support
    terms top topics user volume volumes""".split()
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_CALENDAR = frozenset(
    """apr april aug august dec december feb february jan january jul july jun june mar march may nov november
    oct october sep sept september autumn fall spring summer winter issue issues no number numbers page pages
    part pp vol volume volumes i ii iii iv v vi vii viii ix x xi xii""".split()
)
_ISSUE = re.compile(
    rf"\b(?:vol(?:ume|\.)?|issue|number|no\.?) ?[\divxlc]+\b|\b(?:{_MONTHS})[a-z]* (?:\d\d?,? )?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
# Texts of links to all of an issue, to other issues, or to what stands around an issue.
_WHOLE = re.compile(
    r"\b(?:all|complete|current|entire|full|latest|list of|next|of the|of this|past|previous|recent|this|whole)"
    r" issues?\b|^\W*(?:latest|most|recent)\b(?=(?:\W+\w+){1,2}\W*$)|^\W*(?:all|cover|more)\W*$|"
    r"\b(?:see|view) all\b|\bview more \w|^\W*(?:editorial|advisory|review) board\b|\bmasthead\b|"
    r"\b(?:for|to) (?:authors|librarians|reviewers)\b|\btable of contents\b|\b(?:front|back) (?:matter|cover)\b",
    re.IGNORECASE,
)
# A text that none of these stands in needs no look at the pattern above, which is slow.
_WHOLE_WORDS = frozenset(
    """all authors back board contents cover issue issues latest librarians masthead matter more most recent reviewers
    view""".split()
)
# What a reader may do with an article beside reading it, as the first of a few words.
_ACTIONS = frozenset(
    """add advertise alert buy cite comment contact email export follow join listen login order permissions print
    purchase recommend register related request rights save search send share sign subscribe submit take tweet
    unsubscribe visit watch""".split()
)
_TELLING = FORMS | SERVICES | _CALENDAR | _WHOLE_WORDS | _ACTIONS
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"(?:https?:|www\.|doi\b|10\.\d)", re.IGNORECASE)
_PICTURED = re.compile(r"""\b(?:alt|title|aria-label)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_PICTURE_CODE = 1_500  # characters of a link's code looked at for what a picture shows
_LONGEST = 400  # characters of a text looked at
_SHORT, _MIDDLE = 45, 70  # longer texts are titles whatever words they hold
_TITLE_CHARS, _TITLE_WORDS = 25, 4
_NAME_WORDS = range(2, 6)
_FEW = 3
SOME, MOST = 4, 6  # tenths of a text: with more words of a service or an issue it is no title


class Caption(NamedTuple):
    """Small numbers about a text; shares are in tenths."""

    chars: int = 0  # in eights
    words: int = 0
    title: int = 0
    form: int = 0
    service: int = 0
    issue: int = 0
    lower: int = 0
    name: int = 0
    digits: int = 0
    address: int = 0
    upper: int = 0
    whole: int = 0  # all of an issue, or something about the journal


def shown_text(link: Link, code: str) -> str:
    """What a link shows: its text, or what is written for those who cannot see its picture; `code` is the page."""
    if link.text:
        return link.text[:_LONGEST]
    for found in _PICTURED.finditer(code, link.offset, min(link.end, link.offset + _PICTURE_CODE)):
        said = " ".join("".join(found.groups("")).split())
        if said:
            return said[:_LONGEST]
    return ""


@functools.lru_cache(maxsize=16_384)
def caption(text: str) -> Caption:
    """What a text says."""
    tokens = TOKEN.findall(text.lower())
    if not tokens:
        return Caption()
    words, chars, count = text.split(), len(text), len(tokens)
    digits = sum(map(str.isdigit, text)) if _DIGIT.search(text) else 0
    whole, form, service, issue = _said(text, tokens) if digits or not _TELLING.isdisjoint(tokens) else (0, 0, 0, 0)
    upper = len([word for word in words if word[0].isupper()])
    return Caption(  # in the order of its fields: names would take as long as all the rest
        min(chars, 160) // 8,
        min(count, 24) // 2,
        int(chars >= _TITLE_CHARS and len(words) >= _TITLE_WORDS and service <= SOME and issue <= MOST),
        form,
        service,
        issue,
        _tenths(len([word for word in words if word[0].islower()]), len(words)),
        int(upper == len(words) and upper in _NAME_WORDS and not (digits or form or service)),
        _tenths(digits, chars),
        1 if _ADDRESS.match(text) else 0,
        int(text.isupper()),
        whole,
    )


def _said(text: str, tokens: list[str]) -> tuple[int, int, int, int]:
    """Whether a text means all of an issue, and how much of it names a form, a service and an issue."""
    chars, count = len(text), len(tokens)
    whole = chars < _MIDDLE and not _WHOLE_WORDS.isdisjoint(tokens) and bool(_WHOLE.search(text))
    act = whole or (count <= _FEW and tokens[0] in _ACTIONS)
    form = 0 if act or chars >= _SHORT else _tenths(_count(tokens, FORMS), count)
    service = 10 if act else 0 if chars >= _MIDDLE else _tenths(_count(tokens, SERVICES), count)
    return int(whole), form, service, 0 if chars >= _MIDDLE else _issue(text, tokens)


def _issue(text: str, tokens: list[str]) -> int:
    """How much of a text names an issue, in tenths; all of it where it names one by number or date."""
    numbers = sum(map(str.isdigit, tokens))
    named = _count(tokens, _CALENDAR)
    if (numbers or named) and _ISSUE.search(text):
        return 10
    return _tenths(named + numbers, len(tokens))


def _count(tokens: list[str], words: frozenset[str]) -> int:
    return sum(map(words.__contains__, tokens))


def _tenths(part: int, whole: int) -> int:
    return 10 * part // whole

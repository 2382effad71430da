"""The values that records are compared by, without what databases add to them.

`match_values` reduces a record; titles lose notes such as "[Erratum appears in …]" or "[Swedish]", a volume
"65 (Supplement 1)" is 65, and a page "14-Jun", which a spreadsheet made a date, is 6 to 14 again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from medharvest.citations.identifiers import find_issns, parse_doi
from medharvest.records import Citation, unescape_html

_MAX_TITLE_CHARS = 1_000
_MAX_NAME_CHARS = 300
_MAX_AUTHORS = 30  # longer lists are cut by databases, each at another number
_MIN_OTHER_TITLE_WORDS = 4  # brackets with fewer words are a remark, not another title

_LANGUAGES = (
    "afrikaans|albanian|arabic|armenian|azerbaijani|bosnian|bulgarian|catalan|chinese|croatian|czech|danish|dutch|"
    "english|estonian|finnish|flemish|french|georgian|german|greek|hebrew|hungarian|icelandic|indonesian|italian|"
    "japanese|korean|latvian|lithuanian|macedonian|norwegian|persian|polish|portuguese|romanian|russian|serbian|"
    "serbo-croatian|slovak|slovene|slovenian|spanish|swedish|thai|turkish|ukrainian|vietnamese"
)
# What stands in the last brackets of a title and is no part of it, by the words it begins with.
_TITLE_NOTE = re.compile(
    r"corrected\b|retracted\b|withdrawn\b|see comments?\b|comments?$|review\b|(?:[0-9]+ )?ref(?:s|erences)?\b|"
    r"(?:meeting |conference )?abstract\b|poster\b|in process citation|editorial$|letter$|vol\.? ?[0-9]|epub\b|"
    rf"(?:in |article in )?(?:{_LANGUAGES})(?:$|[,;. ])",
    re.IGNORECASE,
)
# Notes that end a title wherever they begin: they contain brackets of their own, or were cut off.
_LONG_TITLE_NOTE = re.compile(
    r"[\[(](?:published |original )?(?:erratum|errata|corrigendum|correction|retraction|comment|republished|update)s? "
    r"(?:appears |published )?(?:in|on|from)\b",
    re.IGNORECASE,
)
_TITLE_LEAD = re.compile(r"(?:retracted(?: article)?|withdrawn|proceedings|original article)\s?[.:]\s", re.IGNORECASE)
_TITLE_BREAK = re.compile(r"<original>|\s=\s|;\s|[\r\n]", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,60}>", re.IGNORECASE)
# A record about an article is not the article, however alike the titles are.
_ABOUT_WORDS = (
    r"errat(?:um|a)|corrigend(?:um|a)|corrections?|retractions?|retraction notice|republished|expression of concern|"
    r"(?:authors?'?s?'? |in )?repl(?:y|ies)|(?:invited |editorial )?comment(?:s|ary)?|letters?(?: to the editor)?|"
    r"responses?|re"
)
_ABOUT_LEAD = re.compile(rf"\W*(?:{_ABOUT_WORDS})\b(?:\W*[:.\]]| (?:to|on|of|for)\b)", re.IGNORECASE)
_ABOUT_END = re.compile(rf"[\[(.:?!-]\s?(?:{_ABOUT_WORDS})\W*\Z", re.IGNORECASE)

_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"[0-9]+")
_NUMERALS = {
    **{
        roman: str(n)
        for n, roman in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(), 1)
    },
    **{word: str(n) for n, word in enumerate("one two three four five six seven eight nine ten".split(), 1)},
}
# Letters that do not fall apart into a letter and an accent, and Greek ones, which databases spell out.
_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "&": " and ", "+": " plus "}  # noqa: RUF001
    | {letter: unicodedata.name(letter).rpartition(" ")[2].lower() for letter in map(chr, range(0x3B1, 0x3CA))}
)
_JOURNAL_PART = re.compile(r"[:;=.()/\[\]]")
_SMALL_WORDS = frozenset("the of and for in de la le les el der die das et und an a y d l s".split())
_PAGE = re.compile(r"(?P<before>[a-z]{0,4})\.?\s?(?P<number>[0-9]{1,9})", re.IGNORECASE)
_MONTH_PAGE = re.compile(r"([0-9]{1,4})-([a-z]{3})|([a-z]{3})-([0-9]{1,4})", re.IGNORECASE)
_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}


class TitleForm(NamedTuple):
    """A title as it is compared: its letters, its words in order of the alphabet, the numbers in it."""

    letters: str
    words: str
    numbers: tuple[str, ...]


class PageKey(NamedTuple):
    """First and last page as numbers, and the letters before the first; 0 for a last page that is not known."""

    before: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchValues:
    """What a record is compared by; `about` if it is about another article, as an erratum or a reply is."""

    titles: tuple[TitleForm, ...]
    about: bool
    surnames: tuple[str, ...]
    given_names: frozenset[str]
    journals: tuple[tuple[str, ...], ...]
    issns: frozenset[str]
    year: int
    volume: str
    issue: str
    page: PageKey | None
    doi: str
    pmid: str
    pii: str


def match_values(citation: Citation) -> MatchValues:
    """Reduce a record to the values that it is compared by."""
    written = [title for title in (citation.title, citation.vernacular_title) if title]
    forms = dict.fromkeys(form for title in written for form in title_forms(title))
    authors = citation.authors[:_MAX_AUTHORS]
    year = citation.date[:4]
    return MatchValues(
        titles=tuple(forms),
        about=any(map(is_about_other_article, written)),
        surnames=tuple(filter(None, (fold_name(author.family or author.collective) for author in authors))),
        given_names=frozenset(word for author in authors for word in fold_words(author.given).split() if len(word) > 2),  # noqa: PLR2004  (no initials)
        journals=tuple(form for name in {citation.journal, citation.abbreviation} for form in journal_forms(name)),
        issns=frozenset(find_issns(" ".join(citation.issn))) if citation.issn else frozenset(),
        year=int(year) if len(year) == len("2031") and year.isascii() and year.isdigit() else 0,
        volume=first_number(citation.volume),
        issue=first_number(citation.issue),
        page=page_key(citation.first_page or citation.article_number, citation.last_page),
        doi=parse_doi(citation.doi) if citation.doi else "",
        pmid=citation.pmid.strip(),
        pii=citation.pii.strip().lower(),
    )


def title_forms(title: str) -> tuple[TitleForm, ...]:
    """Return the titles in a text, the main one first: "[Translated]", "Original [Translated]", "One = Two"."""
    text = title[:_MAX_TITLE_CHARS]
    pieces = dict.fromkeys([text, *_TITLE_BREAK.split(text)])
    words = [fold_words(part) for piece in pieces for part in _split_brackets(piece)]
    long = [text for text in words if text.count(" ") >= _MIN_OTHER_TITLE_WORDS - 1]
    kept = dict.fromkeys([*filter(None, words[:1]), *long]) or dict.fromkeys(filter(None, words))
    return tuple(map(_title_form, kept))


def _title_form(words: str) -> TitleForm:
    parts = [_NUMERALS.get(word, word) for word in words.split()]
    numbers = Counter(number.lstrip("0") for word in parts for number in _DIGITS.findall(word))
    return TitleForm("".join(parts), " ".join(sorted(parts)), tuple(sorted(numbers.elements())))


def _split_brackets(text: str) -> list[str]:
    """Return a title without the notes at its end, and another title that stands in brackets with it."""
    text = _LONG_TITLE_NOTE.split(_strip_tags(text), maxsplit=1)[0].strip()
    lead = _TITLE_LEAD.match(text)
    text = text[lead.end() :] if lead else text
    others: list[str] = []
    while text.endswith(("]", ")", "].", ").")):
        bare = text.rstrip(".")
        start = bare.rfind("[" if bare.endswith("]") else "(")
        inner = bare[start + 1 : -1].strip()
        if start <= 0 or not (_TITLE_NOTE.match(inner) or _is_other_title(bare, inner)):
            break
        others += [] if _TITLE_NOTE.match(inner) else [inner]
        text = bare[:start].rstrip(" .")
    end = text.find("]")
    if text.startswith("[") and 0 < end < len(text) - 1 and _is_other_title(text[: end + 1], text[end + 1 :]):
        return [text[1:end], text[end + 1 :], *others]
    return [text, *others]


def _is_other_title(bracketed: str, other: str) -> bool:
    return bracketed.endswith("]") and len(other.split()) >= _MIN_OTHER_TITLE_WORDS


def _strip_tags(text: str) -> str:
    text = unescape_html(text) if "&" in text else text
    return _TAG.sub("", text) if "<" in text else text


def is_about_other_article(title: str) -> bool:
    """Whether a title is that of an erratum, a reply, a comment or the like."""
    text = title[:_MAX_TITLE_CHARS]
    return bool(_ABOUT_LEAD.match(text) or _ABOUT_END.search(text[-60:]))


@lru_cache(maxsize=4_000)
def fold_words(text: str) -> str:
    """Return the words of a text in lower case, without accents; Greek letters are spelt out."""
    lowered = text[:_MAX_TITLE_CHARS].casefold()
    if not lowered.isascii():
        letters = unicodedata.normalize("NFKD", lowered)
        lowered = "".join(letter for letter in letters if not unicodedata.combining(letter)).translate(_LETTERS)
    elif "&" in lowered or "+" in lowered:
        lowered = lowered.translate(_LETTERS)
    return " ".join(_WORD.findall(lowered.replace("'", "")))


@lru_cache(maxsize=4_000)
def fold_name(name: str) -> str:
    """Return the letters of a surname, folded."""
    return fold_words(name[:_MAX_NAME_CHARS]).replace(" ", "")


@lru_cache(maxsize=4_000)
def journal_forms(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each name in a journal's title: "JPEN. Journal of …", "One = Two", "Lung (Leipzig)"."""
    parts = [name[:_MAX_NAME_CHARS], *_JOURNAL_PART.split(name[:_MAX_NAME_CHARS])]
    words = (
        tuple(word for word in fold_words(part.replace("'", " ")).split() if word not in _SMALL_WORDS) for part in parts
    )
    return tuple(dict.fromkeys(filter(None, words)))


@lru_cache(maxsize=4_000)
def first_number(text: str) -> str:
    """Return the number of a volume or issue: "65 (Supplement 1)" is 65, "XII" is 12."""
    words = fold_words(text[:100]).split()
    found = next((match[0] for word in words if (match := _DIGITS.search(word))), "")
    return found.lstrip("0") or next((_NUMERALS[word] for word in words if word in _NUMERALS), "")


@lru_cache(maxsize=4_000)
def page_key(first: str, last: str) -> PageKey | None:
    """Return the pages of an article as numbers; None for what has none."""
    if dated := _MONTH_PAGE.fullmatch(first.strip()):
        month, page = (dated[2], dated[1]) if dated[1] else (dated[3], dated[4])
        number = _MONTHS.get(month.lower(), 0)
        return PageKey("", *sorted((number, int(page)))) if number else None
    found = list(_PAGE.finditer(f"{first[:40]} {last[:40]}"))
    if not found:
        return None
    start, end = int(found[0]["number"]), int(found[1]["number"]) if len(found) > 1 else 0
    if 0 < end < start:  # "304-10"
        head, tail = found[0]["number"], found[1]["number"]
        end = int(head[: max(0, len(head) - len(tail))] + tail)
    return PageKey(found[0]["before"].lower(), start, end if end > start else 0)

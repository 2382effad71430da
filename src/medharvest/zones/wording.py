"""The wording of headings, institutions and names, as rules and features look for it in a zone."""

from __future__ import annotations

import functools
import re
import unicodedata

from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING, COUNTRY_NAME, names_institution
from medharvest.records import Zone

# What a heading announces; compared with the whole heading in lower case without numbers and colons.
ANNOUNCED_LABELS = {
    "abstract": "abstract",
    "summary": "abstract",
    "résumé": "other_abstract",
    "摘要": "other_abstract",
    "plain language summary": "other_abstract",
    "lay summary": "other_abstract",
    "graphical abstract": "other_abstract",
    "highlights": "other_abstract",
    "keywords": "keywords",
    "key words": "keywords",
    "references": "reference",
    "literature cited": "reference",
    "bibliography": "reference",
    "funding": "funding",
    "conflict of interest": "conflict",
    "conflicts of interest": "conflict",
    "competing interests": "conflict",
}
# Headings inside a structured abstract: they begin a section and do not end the abstract.
SECTION_WORDS = frozenset(
    """aim aims background conclusion conclusions context design discussion findings importance interpretation
    interventions introduction measurements method methods objective objectives outcome participants patients purpose
    rationale results setting settings subjects significance relevance measures main and exposures""".split()
)
_HEADING_RANKS = {f"h{number}": number for number in range(1, 7)}
_PERSONAL_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,5}")
_NO_NAME_SIGNS = re.compile(r"[@:?!]|\b(?:the|with|from|using|journal|volume|vol|issue|received|accepted|doi)\b")
_PROSE_WORDS = ("the ", "with ", "from ", "using ")
_PROSE_PATTERN = re.compile(r"\b(?:the|with|from|using) ")
_SMALL_WORD = re.compile(r"[a-z]+")
_NAME_SEPARATOR = re.compile(r",|;|\band\b|&|\bet\b")
# What pages print before, between and after names.
_AROUND_NAMES = re.compile(
    r"^(?:by|authors?)\b ?:?|\b(?:view )?orcid(?: profile)?|e-?mail(?: authors?)?|"
    r"\b(?:show|view) (?:all|more)(?: authors)?\b|\bet al\b\.?|[\d*†‡§¶#∥\u200b]+",
    re.IGNORECASE,
)
_AROUND_MARK = re.compile(r"[\d*†‡§¶#∥\u200b]")
_NAME_LEADS, _AROUND_WORDS = ("by", "author"), ("orcid", "mail", "show", "view", "et al")
_MIN_NAMES_ALONE_SHARE = 0.6  # names among the parts of a list of names; the rest is what pages print between them
_LISTING_SIGNS = (",", ";", "&", " and ")  # a list of people has one of these
_GLUED_TAGS = frozenset({"a", "span", "b", "i"})  # inline tags whose texts may touch without a space
_NON_LETTER = re.compile(r"[\W_]+")
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_MAX_REMEMBERED_TEXTS = 4096  # short texts cached per test: every step asks again
_MAX_NAMES_CHARACTERS, MAX_NAME_CHARACTERS = 6_000, 60  # of a list of names, of one name
_MIN_UNCACHED_CHARACTERS = 2_001  # longer texts would fill the cache


def share_of_names(zone: Zone) -> float:
    """Return the share of a zone's parts between commas that read like names; -1 if it cannot list names."""
    return find_names_in_zone(zone)[0]


def find_names_in_zone(zone: Zone) -> tuple[float, str]:
    """Return the same share as `share_of_names`, and the parts that read like names."""
    if len(zone.text) > _MAX_NAMES_CHARACTERS or is_prose_text(zone.text) or is_article_heading(zone.text):
        return -1.0, ""
    text = _strip_raised_parts(zone)
    if _has_text_around_names(text):
        text = _AROUND_NAMES.sub(";", text)
    if has_no_name(text):
        return -1.0, ""
    if " " not in text:
        return 0.0, ""
    pieces = [piece for part in _NAME_SEPARATOR.split(text) if (piece := part.strip(" *†‡."))]
    names = [p for p in pieces if _PERSONAL_NAME.fullmatch(p) and is_capitalised(p) and len(p.split()) <= 6]  # noqa: PLR2004
    if not any(len(p.split()) >= 2 for p in names):  # noqa: PLR2004
        return 0.0, ""
    return len(names) / len(pieces), ", ".join(names)


def has_no_name(text: str) -> bool:
    """Whether a text has words or signs that no list of names has."""
    return _NO_NAME_SIGNS.search(text.lower()) is not None


def _has_text_around_names(text: str) -> bool:
    """Whether a text may contain what pages print around names: a cheap test before the pattern."""
    small = text.lower()
    held = any(map(small.__contains__, _AROUND_WORDS))
    return held or small.startswith(_NAME_LEADS) or _AROUND_MARK.search(text) is not None


def is_prose_text(text: str) -> bool:
    """Whether a text has the function words of sentences."""
    return any(map(text.__contains__, _PROSE_WORDS)) and _PROSE_PATTERN.search(text) is not None


def _strip_raised_parts(zone: Zone) -> str:
    """Return the text without raised parts, with a semicolon where two inline parts touch."""
    if not zone.marks:
        return zone.text
    pieces: list[str] = []
    at = 0
    for place, end in sorted(
        {(m.start, m.end) for m in zone.marks if m.tag == "sup"} | {(p, p) for p in find_glued_positions(zone)}
    ):
        if place >= at:
            pieces += [zone.text[at:place], ";" if place == end else " "]
            at = end
    return "".join([*pieces, zone.text[at:]])


def find_glued_positions(zone: Zone) -> list[int]:
    """Return where words of different inline tags touch: `Anna Berg` and `E-mail` in `Anna BergE-mail`."""
    text = zone.text
    places = {place for mark in zone.marks if mark.tag in _GLUED_TAGS for place in (mark.start, mark.end)}
    return sorted(p for p in places if 0 < p < len(text) and text[p].isupper() and text[p - 1].islower())


def mentions_place(zone: Zone) -> bool:
    """Whether a zone names an institution or a country."""
    return names_institution(zone.text) or COUNTRY_NAME.search(zone.text) is not None


def may_hold_people(zone: Zone) -> bool:
    """Whether a zone may name people: it lists something, ends like a name, or names an institution."""
    text = zone.text
    if any(map(text.__contains__, _LISTING_SIGNS)) or (" " in text and is_capitalised(text)):
        return True
    return any(mark.tag == "sup" for mark in zone.marks) or mentions_place(zone)


def is_names_alone(zone: Zone) -> bool:
    """Whether a zone lists names, but no institution or country."""
    return share_of_names(zone) > _MIN_NAMES_ALONE_SHARE and not mentions_place(zone)


def is_one_name(zone: Zone) -> bool:
    """Whether a zone is one name and nothing else; items with several names are authors of other articles."""
    return is_names_alone(zone) and "," not in find_names_in_zone(zone)[1]


def is_article_heading(text: str) -> bool:
    """Whether a text is worded like a heading of an article: `Case Presentation` is not a name."""
    return len(text) < MAX_NAME_CHARACTERS and _is_heading_text(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _is_heading_text(text: str) -> bool:
    key = heading_key(text)
    return (
        key in ANNOUNCED_LABELS
        or is_abstract_section(text)
        or any(pattern.fullmatch(key) for pattern in (BODY_HEADING, ABSTRACT_OR_BODY_HEADING))
    )


def is_abstract_section(text: str) -> bool:
    """Whether a text is a heading inside a structured abstract."""
    return len(text) < MAX_NAME_CHARACTERS and _is_section_text(text)


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _is_section_text(text: str) -> bool:
    words = _SMALL_WORD.findall(text.lower())
    return 0 < len(words) <= 6 and all(word in SECTION_WORDS for word in words)  # noqa: PLR2004


def is_capitalised(name: str) -> bool:
    """Whether the last word of a name is capitalised; the first may be a particle."""
    return name.rsplit(maxsplit=1)[-1][:1].isupper()


def heading_rank(zone: Zone) -> int:
    """Return 1 to 6 for the headings H1 to H6, 0 for other zones."""
    return _HEADING_RANKS.get(zone.tag, 0)


def heading_key(text: str) -> str:
    """Return a heading in lower case without number and colon; empty if it is too long for a heading."""
    return _strip_heading_key(text) if len(text) < 40 else ""  # noqa: PLR2004


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _strip_heading_key(text: str) -> str:
    return text.lower().lstrip("0123456789. ").rstrip(" :.—-0123456789()")


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text in one case, for comparison."""
    return (
        _fold_letters_cached(text) if len(text) < _MIN_UNCACHED_CHARACTERS else _fold_letters_cached.__wrapped__(text)
    )


@functools.lru_cache(maxsize=_MAX_REMEMBERED_TEXTS)
def _fold_letters_cached(text: str) -> str:
    if text.isascii():
        return text.lower().encode("ascii").translate(None, _ASCII_SIGNS).decode("ascii")
    return _NON_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())

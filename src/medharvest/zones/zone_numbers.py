"""Zones in numbers, for boosted trees: the zone itself, those written like it, what stands around it.

`number_zones` gives a vector for each zone; `ZONE_NUMBERS` names its places.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING, COUNTRY_NAME, names_institution
from medharvest.records import Zone
from medharvest.zones.wording import (
    ANNOUNCED_LABELS,
    find_names_in_zone,
    fold_letters,
    heading_key,
    heading_rank,
    is_abstract_section,
    is_article_heading,
    is_prose_text,
)
from medharvest.zones.zone_features import (
    MetadataKeys,
    collect_page_words,
    count_held_families,
    is_known_abstract,
    is_known_place,
)

_MAX_CHARACTERS, _MAX_WORDS = 1_500, 120  # of a zone that are looked at
_MIN_CHARACTERS = 20  # a shorter zone that can have no label is not looked at
_WORD = re.compile(r"[^\W\d_]+")
_NO_NUMBER = -1.0  # of something that this page or zone does not have
_FAR = 60  # zones; what is farther away counts as just as far
# Words that show what a zone is about: how many words of each list it has is a number.
_SIGN_WORDS = {
    "mail": "mail email mails",
    "address": "http https www doi org",
    "correspondence": "correspondence corresponding correspond reprint reprints contact address addresses",
    "editor": "editor editors edited reviewed reviewer reviewers handling academic guest translated translation",
    "history": "received accepted published revised available epub vol volume issue page pages pp",
    "rights": "copyright license licence licensed licenced commons rights",
    "site": "search find view click login log sign share download pdf menu home cite citation scholar pubmed orcid "
    "profile show hide more see related follow tweet metrics print journal articles",
    "degrees": "md ph phd mph msc bsc ma dr prof professor rn mbbs frcp drph mba ms bs",
    "note": "contributed equally these present current deceased conflict disclosure disclosures fund funded funding "
    "grant support supported",
}
_SIGN_BY_WORD = {word: name for name, words in _SIGN_WORDS.items() for word in words.split()}
_SENTENCE = re.compile(r"[.!?。]\s+[A-Z(]|[a-z]{3}\.(?:\s|$)|。")
_LEADING_MARKER = re.compile(r"\W{0,2}(?:\d{1,2}|[a-z]|[*†‡§¶#∥])(?=[\s.):\]]{0,3}[^\W\d_])")
_POSTCODE = re.compile(r"\b\d{4,6}\b")
_MAX_COUNTED = 5
ABSTRACT_WORD = re.compile(
    r"\W{0,5}(?:abstract|summary|resumen|resumo|résumé|zusammenfassung|riassunto|streszczenie|аннотация|реферат|özet|"
    r"abstrak|摘要|要旨|抄録|چکیده|الملخص|sažetak|abstrakt|samenvatting|sammanfattning|opsomming)\b",
    re.IGNORECASE,
)
_TAGS = ("p", "div", "li", "td", "span", "dd", "dt", "h1", "h2", "h3", "h4", "a", "address")
_RULE_LABELS = (
    "author",
    "affiliation",
    "abstract",
    "heading",
    "reference",
    "keywords",
    "funding",
    "conflict",
    "other_abstract",
    "title",
)
_AREAS = {
    "nav": ("/nav[",),
    "footer": ("/footer[",),
    "aside": ("/aside[",),
    "header": ("/header[",),
    "table": ("/table[",),
    "form": ("/form[",),
    "list": ("/ul[", "/ol[", "/dl["),
    "article": ("/main[", "/article["),
    "address": ("/address[",),
}
_WORDING = (
    "length words commas semicolons digits capitals upper names-share names-count institution country "
    "raised raised-first linked bold italic rank size hidden level prose colon bracket stop lower-start "
    "abstract-word section article-heading sentences marker postcode at-sign held-share held-count held-dense "
    "known-place known-abstract known-title known-names in-tab plain copies other-script ideographs"
).split()
_OWN = (
    *_WORDING,
    *(f"sign {name}" for name in _SIGN_WORDS),
    *(f"tag {tag}" for tag in _TAGS),
    *(f"rule {label}" for label in _RULE_LABELS),
    *(f"in {area}" for area in _AREAS),
)
# What a zone shows to its neighbours.
_SHOWN = [
    _OWN.index(name)
    for name in """length capitals names-share names-count institution country raised rank hidden prose abstract-word
    section article-heading sentences""".split()
]
_show = itemgetter(*_SHOWN)
_GROUP = ("group size", "group place", "group names", "group institutions", "group length", "like above", "like below")
_CONTEXT = ("heading above", "heading distance", "names distance", "institution distance", "place", "zones")
_NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
ZONE_NUMBERS = (
    *_OWN,
    *_GROUP,
    *_CONTEXT,
    *(f"{step:+} {_OWN[place]}" for step in _NEIGHBOURS for place in _SHOWN),
)
_NO_MARKS = (0, False, 0.0, 0.0, 0.0)
_NOTHING = (0.0,) * (len(_OWN) - 1)
_NAMES_SHARE, _INSTITUTION, _LENGTH = (_OWN.index(name) for name in ("names-share", "institution", "length"))
_LISTS_NAMES = 0.6  # share of names in a zone that lists people
_ANNOUNCED_KINDS = ("abstract", "other_abstract", "keywords", "reference", "funding", "conflict")
_NO_HEADING, _PEOPLE_HEADING, _SECTION_HEADING, _BODY_HEADING, _OTHER_HEADING = 0, 7, 8, 9, 10
_MAX_HEADING_CHARACTERS = 40  # of a heading that is not tagged as one
_DIGITS = re.compile(r"\d+")


class _PageNumbers(NamedTuple):
    """What the zones of a page are compared with."""

    tab: str  # the folded text of TITLE
    size: float  # the largest font size
    known: MetadataKeys
    words: Container[str]  # words that the page writes in lower case
    copies: Mapping[str, int]


def number_zones(
    zones: Sequence[Zone], rules: Sequence[str], known: MetadataKeys, mute: Container[int] = frozenset()
) -> list[list[float]]:
    """Return the vector of each zone; `rules` are the labels that rules give.

    Of `mute` zones, which can have no label, only long ones are looked at, and no references.
    """
    page = _PageNumbers(
        tab=next((fold_letters(zone.text) for zone in zones if zone.tag == "title"), ""),
        size=max((zone.size for zone in zones), default=0.0),
        known=known,
        words=collect_page_words(zones),
        copies=Counter([zone.text for zone in zones if len(zone.text) < _MAX_CHARACTERS]),
    )
    own = [
        _number_length(zone)
        if i in mute and (rules[i] == "reference" or len(zone.text) < _MIN_CHARACTERS)
        else _number_zone(zone, rules[i], page)
        for i, zone in enumerate(zones)
    ]
    groups = _number_groups(zones, own)
    context = _number_context(zones, own)
    outside = [_NO_NUMBER] * len(_SHOWN)
    shown = [list(_show(numbers)) for numbers in own]
    near = [outside] * 3 + shown + [outside] * 3
    return [
        own[i] + groups[i] + context[i] + near[i] + near[i + 1] + near[i + 2] + near[i + 4] + near[i + 5] + near[i + 6]
        for i in range(len(zones))
    ]


def _number_length(zone: Zone) -> list[float]:
    return [math.log1p(len(zone.text)), *_NOTHING]


def _number_zone(zone: Zone, rule: str, page: _PageNumbers) -> list[float]:
    text = zone.text[:_MAX_CHARACTERS]
    words = _WORD.findall(text)[:_MAX_WORDS]
    signs = Counter([sign for word in words if (sign := _SIGN_BY_WORD.get(word.lower()))])
    return [
        *_number_letters(zone, text, words),
        *_number_form(zone, text, page),
        *_number_knowledge(zone, text, words, page),
        *[min(signs[name], _MAX_COUNTED) for name in _SIGN_WORDS],
        *[zone.tag == tag for tag in _TAGS],
        *[rule == label for label in _RULE_LABELS],
        *_number_areas(zone.path.rpartition("/")[0]),
    ]


@functools.lru_cache(maxsize=4096)
def _number_areas(path: str) -> tuple[bool, ...]:
    return tuple(any(map(f"{path}/".__contains__, tags)) for tags in _AREAS.values())


def _number_letters(zone: Zone, text: str, words: Sequence[str]) -> list[float]:
    share, names = find_names_in_zone(zone)
    count = max(1, len(words))
    return [
        math.log1p(len(zone.text)),
        len(words),
        text.count(","),
        text.count(";"),
        sum(map(text.count, "0123456789")) / max(1, len(text)),
        sum([word[0].isupper() for word in words]) / count,
        sum([len(word) > 1 and word.isupper() for word in words]) / count,
        share,
        names.count(",") + 1 if names else 0,
        names_institution(text),
        COUNTRY_NAME.search(text) is not None,
    ]


def _number_form(zone: Zone, text: str, page: _PageNumbers) -> list[float]:
    return [
        *(_number_marks(zone) if zone.marks else _NO_MARKS),
        heading_rank(zone),
        zone.size / page.size if page.size else 0.0,
        zone.hidden,
        zone.level,
        is_prose_text(text),
        ":" in text,
        "(" in text,
        text.rstrip()[-1:] in {".", "。"},
        text[:1].islower(),
        ABSTRACT_WORD.match(text) is not None,
        is_abstract_section(zone.text),
        is_article_heading(zone.text),
        min(len(_SENTENCE.findall(text)), _MAX_COUNTED),
        _LEADING_MARKER.match(text) is not None,
        _POSTCODE.search(text) is not None,
        "@" in text,
    ]


def _number_marks(zone: Zone) -> list[float]:
    """Return the number of raised parts, whether one begins the zone, and the shares of links, bold and italics."""
    raised = [mark for mark in zone.marks if mark.tag == "sup"]
    shares = [sum([m.end - m.start for m in zone.marks if m.tag == tag]) / max(1, len(zone.text)) for tag in "abi"]
    return [len(raised), bool(raised) and raised[0].start < 2, *shares]  # noqa: PLR2004  (it may follow a bracket)


def _number_knowledge(zone: Zone, text: str, words: Sequence[str], page: _PageNumbers) -> list[float]:
    """Return how a zone agrees with the metadata, with TITLE and with the words of the page."""
    key = fold_letters(text)
    known = page.known
    held = count_held_families(known.families, key) if known.families and len(zone.text) < _MAX_CHARACTERS else None
    capitals = [word for word in words if len(word) > 1 and word[0].isupper()]
    return [
        *(held or (_NO_NUMBER, _NO_NUMBER, _NO_NUMBER)),
        is_known_place(key, known.places) if known.places else _NO_NUMBER,
        is_known_abstract(key, known.abstracts) if known.abstracts else _NO_NUMBER,
        key in known.titles if known.titles else _NO_NUMBER,
        bool(known.families),
        len(key) > 8 and key in page.tab,  # noqa: PLR2004  (a shorter text may be in any title)
        sum([word.lower() in page.words for word in capitals]) / len(capitals) if capitals else 0.0,
        min(page.copies.get(zone.text, 0), _MAX_COUNTED),
        not text.isascii(),
        0.0 if text.isascii() else sum([letter > "\u2e7f" for letter in text[:300]]) / min(len(text), 300),
    ]


def _number_groups(zones: Sequence[Zone], own: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return for each zone what the zones of its page that are written like it hold."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, zone in enumerate(zones):
        groups[_DIGITS.sub("", zone.signature) + zone.tag].append(i)
    out: list[list[float]] = [[]] * len(zones)
    for members in groups.values():
        count = len(members)
        common = [
            sum(own[i][_NAMES_SHARE] > _LISTS_NAMES for i in members) / count,
            sum(own[i][_INSTITUTION] for i in members) / count,
            sum(own[i][_LENGTH] for i in members) / count,
        ]
        for place, i in enumerate(members):
            above = place > 0 and members[place - 1] == i - 1
            below = place + 1 < count and members[place + 1] == i + 1
            out[i] = [min(count, _FAR), place / count, *common, above, below]
    return out


def _number_context(zones: Sequence[Zone], own: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return for each zone the kind of the heading above it, and how far that, names and institutions are."""
    out: list[list[float]] = []
    kind = at = 0
    names = places = -_FAR
    for i, zone in enumerate(zones):
        distances = [min(i - other, _FAR) for other in (at, names, places)]
        out.append([kind, *distances, i / len(zones), len(zones)])
        found = kind_of_heading(zone)
        if found != _NO_HEADING:
            kind, at = found, i
        names = i if own[i][_NAMES_SHARE] > _LISTS_NAMES else names
        places = i if own[i][_INSTITUTION] else places
    return out


def kind_of_heading(zone: Zone) -> int:
    """Return a number for what a heading announces; 0 if the zone is not a heading."""
    key = heading_key(zone.text)
    if key in ANNOUNCED_LABELS:
        return 1 + _ANNOUNCED_KINDS.index(ANNOUNCED_LABELS[key])
    if len(zone.text) < _MAX_HEADING_CHARACTERS and ABSTRACT_WORD.match(zone.text):
        return 1
    tests = (
        (_PEOPLE_HEADING, "affiliation" in key or "author" in key),
        (_SECTION_HEADING, is_abstract_section(zone.text)),
        (_BODY_HEADING, BODY_HEADING.fullmatch(key) or ABSTRACT_OR_BODY_HEADING.fullmatch(key)),
        (_OTHER_HEADING, heading_rank(zone)),
    )
    return next((kind for kind, true in tests if true), _NO_HEADING)

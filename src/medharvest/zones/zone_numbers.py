"""Zones in numbers, for boosted trees: the zone itself, those written like it, what stands around it.

`ZoneNumbers(zones, rules, known).vector(i)` gives the vector of a zone; `ZONE_NUMBERS` names its places.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice

from medharvest.pages.word_lists import (
    TAB_SEPARATOR,
    names_country,
    split_words,
    words_name_institution,
)
from medharvest.records import Zone
from medharvest.zones.known_values import MetadataKeys, count_held_families, is_known_abstract, is_known_place
from medharvest.zones.wording import (
    ABSTRACT_WORD,
    AFFILIATION_LEAD,
    ANNOUNCED_LABELS,
    AUTHOR_LEAD,
    CONTACT_LEAD,
    MAX_NAME_CHARACTERS,
    count_ideographs,
    find_names_in_zone,
    fold_letters,
    heading_key,
    heading_rank,
    is_abstract_section,
    is_article_heading,
    is_prose_text,
    text_width,
)

_MAX_CHARACTERS, _MAX_WORDS = 1_500, 120  # of a zone that are looked at
_MAX_SHOWN_CHARACTERS = 600  # of a zone in which words are looked for that its neighbours see
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
# It begins with the stop, so that a search only looks at stops.
_SENTENCE = re.compile(r"[.!?。](?:(?<=。)|\s+[A-ZÀ-ÞА-Я(¿]|(?<=[^\W\d_A-ZÀ-ÞА-Я]{3}\.)(?:\s|$))")
_LEADING_MARKER = re.compile(r"\W{0,2}(?:\d{1,2}|[a-z]|[*†‡§¶#∥])(?=[\s.):\]]{0,3}[^\W\d_])")
_POSTCODE = re.compile(r"\b\d{4,6}\b")
_MAX_COUNTED = 5
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
# General words in the classes and ids of a block that say what it holds.
_NAMING_WORDS = {
    "author": "author authors contrib contributor contributors byline creator creators name names person people",
    "affiliation": "affiliation affiliations aff affil institution institutions address addresses org organization",
    "abstract": "abstract abstracts summary abs",
    "title": "title heading headline",
    "reference": "reference references ref refs citation citations cite bibliography biblio",
    "site": "nav navigation menu sidebar side footer header toolbar related recommended recommend similar share social "
    "metrics widget breadcrumb breadcrumbs cookie banner login search ad popular",
    "details": "meta metadata info information details history date dates doi pub published volume issue journal",
    "note": "note notes footnote footnotes fn corresp correspondence corresponding email contact",
    "keyword": "keyword keywords kwd subject subjects tag tags",
    "body": "body fulltext section content text para paragraph",
}
_NAMING_SETS = tuple(frozenset(words.split()) for words in _NAMING_WORDS.values())
# What a zone shows to its neighbours, too.
_SHOWN = tuple(
    """length capitals names-share names-count institution country raised rank hidden prose abstract-word section
    article-heading sentences""".split()
)
_WORDING = (
    *_SHOWN,
    *"""words commas semicolons digits upper raised-first linked bold italic size level colon bracket stop
    lower-start marker postcode at-sign affiliation-lead author-lead contact-lead held-share held-count
    held-dense known-place known-abstract known-title known-names in-tab plain copies other-script
    ideographs""".split(),
)
_OWN = (
    *_WORDING,
    *(f"sign {name}" for name in _SIGN_WORDS),
    *(f"tag {tag}" for tag in _TAGS),
    *(f"rule {label}" for label in _RULE_LABELS),
    *(f"in {area}" for area in _AREAS),
    *(f"named {name}" for name in _NAMING_WORDS),
)
_GROUP = ("group size", "group place", "group names", "group institutions", "group length", "like above", "like below")
_CONTEXT = ("heading above", "heading distance", "names distance", "institution distance", "place", "zones")
_NEIGHBOURS = (-3, -2, -1, 1, 2, 3)
ZONE_NUMBERS = (*_OWN, *_GROUP, *_CONTEXT, *(f"{step:+} {name}" for step in _NEIGHBOURS for name in _SHOWN))
_OUTSIDE = (_NO_NUMBER,) * len(_SHOWN)
_NAMES_SHARE, _INSTITUTION, _COUNTRY, _LENGTH, _SENTENCES = (
    _SHOWN.index(name) for name in ("names-share", "institution", "country", "length", "sentences")
)
_SOME_NAMES, _FEW_SENTENCES = 0.3, 2  # of a zone that may list people
_LISTS_NAMES = 0.6  # share of names in a zone that lists people
_MAX_GROUP_SAMPLE = 8  # zones of a group that are looked at
_MAX_LOOK_BACK = 8  # zones above a zone in which names and institutions are looked for
_ANNOUNCED_KINDS = ("abstract", "other_abstract", "keywords", "reference", "funding", "conflict")
_NO_HEADING, _PEOPLE_HEADING, _SECTION_HEADING, _BODY_HEADING, _OTHER_HEADING = 0, 7, 8, 9, 10
_MAX_HEADING_CHARACTERS = 40  # of a heading that is not tagged as one
_DIGITS = re.compile(r"\d+")
_UNKNOWN_CAPITALS = 0.5
_IDEOGRAPHS_OF_WORD = 2
_MIN_HELD_TITLE, _MAX_TITLE_LABEL = 25, 30  # letters of a title in a longer line, and of what stands beside it


class ZoneNumbers:
    """The numbers of the zones of a page, each made when it is first asked for; most zones are never asked for."""

    def __init__(self, zones: Sequence[Zone], rules: Sequence[str], known: MetadataKeys) -> None:
        """`rules` are the labels that rules give."""
        self.zones = zones
        self.known = known
        self._rules = rules
        tab = next((zone.text for zone in zones if zone.tag == "title"), "")
        self.tab = fold_letters(tab)
        self.tab_part = max(map(fold_letters, TAB_SEPARATOR.split(tab)), key=len)  # without the name of the site
        self.size = max((zone.size for zone in zones), default=0.0)
        self._shown: list[tuple[float, ...]] = [()] * len(zones)
        self._first_words: list[list[str]] = [[]] * len(zones)  # of the zones that were looked at
        self._vectors: dict[int, list[float]] = {}
        self._groups = _group_zones(zones)
        self._group_numbers: dict[int, tuple[float, ...]] = {}
        self._headings = [(_NO_HEADING, 0)]  # above each zone, down to the last that was asked for

    @functools.cached_property
    def _words(self) -> frozenset[str]:
        """The words of the page; one that it also writes in lower case is hardly ever a name."""
        shown = split_words("\n".join([zone.text for zone in self.zones if not zone.hidden]))
        hidden = [zone.text for zone in self.zones if zone.hidden]
        return shown.union(" ".join(hidden).split()) if hidden else shown

    @functools.cached_property
    def _copies(self) -> Counter[str]:
        return Counter([zone.text for zone in self.zones if len(zone.text) < _MAX_CHARACTERS])

    def vector(self, i: int) -> list[float]:
        """Return the vector of a zone."""
        if i not in self._vectors:
            self._vectors[i] = [*map(float, self._make_vector(i))]  # compared faster than mixed numbers
        return self._vectors[i]

    def _make_vector(self, i: int) -> list[float]:
        out = [*self.show(i), *self._number_rest(i), *self._number_group(i), *self._number_context(i)]
        last = len(self.zones) - 1
        for step in _NEIGHBOURS:
            out += self.show(i + step) if 0 <= i + step <= last else _OUTSIDE
        return out

    def show(self, i: int) -> tuple[float, ...]:
        """Return what a zone shows to its neighbours."""
        return self._shown[i] or self._look_at(i)

    def holds_title(self, i: int) -> bool:
        """Whether a zone is the title of the metadata with a few letters more, such as a label in front."""
        key = fold_letters(self.zones[i].text) if self.known.titles else ""
        return any(
            len(title) >= _MIN_HELD_TITLE and title in key
            for title in self.known.titles
            if len(key) <= len(title) + _MAX_TITLE_LABEL
        )

    def share_of_tab(self, i: int) -> float:
        """Return which share of the title of the browser tab a zone is, or the tab of it; 0 if none holds the other."""
        key = fold_letters(self.zones[i].text)
        if len(self.tab_part) >= _MIN_HELD_TITLE and self.tab_part in key:
            return len(self.tab_part) / len(key)
        return len(key) / len(self.tab) if key and key in self.tab else 0.0

    def lists_people(self, i: int) -> bool:
        """Whether a zone lists names, or names an institution or a country, and is not a text of sentences."""
        shown = self.show(i)
        named = shown[_NAMES_SHARE] > _SOME_NAMES or shown[_INSTITUTION] or shown[_COUNTRY]
        return bool(named) and not (shown[_SENTENCES] > _FEW_SENTENCES and not shown[_INSTITUTION])

    def _look_at(self, i: int) -> tuple[float, ...]:
        zone = self.zones[i]
        text = zone.text[:_MAX_CHARACTERS]
        words = self._first_words[i] = _WORD.findall(text[:_MAX_SHOWN_CHARACTERS])
        share, names = find_names_in_zone(zone)
        found = self._shown[i] = (
            math.log1p(text_width(zone.text)),
            _share_of_capitals(words),
            share,
            names.count(",") + 1 if names else 0,
            words_name_institution(map(str.lower, words), text[:_MAX_SHOWN_CHARACTERS]),
            names_country(text, words),
            sum([mark.tag == "sup" for mark in zone.marks]) if zone.marks else 0,
            heading_rank(zone),
            zone.hidden,
            is_prose_text(text),
            ABSTRACT_WORD.match(text) is not None,
            is_abstract_section(zone.text),
            is_article_heading(zone.text),
            len([*islice(_SENTENCE.finditer(text), _MAX_COUNTED)]),
        )
        return found

    def _number_rest(self, i: int) -> list[float]:
        zone = self.zones[i]
        text = zone.text[:_MAX_CHARACTERS]
        words = (self._first_words[i] if len(text) <= _MAX_SHOWN_CHARACTERS else _WORD.findall(text))[:_MAX_WORDS]
        small = [*map(str.lower, words)]
        signs = [*filter(None, map(_SIGN_BY_WORD.get, small))]
        return [
            *self._number_form(zone, text, words),
            *self._number_knowledge(zone, text, words, small),
            *([min(signs.count(name), _MAX_COUNTED) for name in _SIGN_WORDS] if signs else _NO_SIGNS),
            *_TAG_NUMBERS.get(zone.tag, _NO_TAG),
            *_RULE_NUMBERS.get(self._rules[i], _NO_RULE),
            *_number_areas(zone.path.rpartition("/")[0]),
            *_number_names_of_block(zone.words),
        ]

    def _number_form(self, zone: Zone, text: str, words: Sequence[str]) -> list[float]:
        return [
            len(words)
            if text.isascii()
            else min(_MAX_WORDS, len(words) + count_ideographs(text) // _IDEOGRAPHS_OF_WORD),
            text.count(","),
            text.count(";"),
            sum(map(text.count, "0123456789")) / max(1, len(text)),
            sum([len(word) > 1 for word in filter(str.isupper, words)]) / (len(words) or 1),
            *(_number_marks(zone) if zone.marks else _NO_MARKS),
            zone.size / self.size if self.size else 0.0,
            zone.level,
            ":" in text,
            "(" in text,
            text.rstrip()[-1:] in {".", "。"},
            text[:1].islower(),
            _LEADING_MARKER.match(text) is not None,
            _POSTCODE.search(text) is not None,
            "@" in text,
            AFFILIATION_LEAD.match(text) is not None,
            AUTHOR_LEAD.match(text) is not None,
            CONTACT_LEAD.match(text) is not None,
        ]

    def _number_knowledge(self, zone: Zone, text: str, words: Sequence[str], small: Sequence[str]) -> list[float]:
        """Return how a zone agrees with the metadata, with TITLE and with the words of the page.

        `small` are its words in lower case.
        """
        key = fold_letters(text)
        known = self.known
        held = count_held_families(known.families, key) if known.families and len(zone.text) < _MAX_CHARACTERS else None
        capitals = [low for word, low in zip(words, small, strict=True) if word[0].isupper() and len(word) > 1]
        return [
            *(held or (_NO_NUMBER, _NO_NUMBER, _NO_NUMBER)),
            is_known_place(key, known.places) if known.places else _NO_NUMBER,
            is_known_abstract(key, known.abstracts) if known.abstracts else _NO_NUMBER,
            key in known.titles if known.titles else _NO_NUMBER,
            bool(known.families),
            len(key) > 8 and key in self.tab,  # noqa: PLR2004  (a shorter text may be in any title)
            sum(map(self._words.__contains__, capitals)) / len(capitals) if capitals else 0.0,
            min(self._copies.get(zone.text, 0), _MAX_COUNTED),
            not text.isascii(),
            0.0 if text.isascii() else sum([letter > "\u2e7f" for letter in text[:300]]) / min(len(text), 300),
        ]

    def _number_group(self, i: int) -> list[float]:
        """Return what the zones of the page that are written like a zone hold."""
        members, place = self._groups[i]
        count = len(members)
        if members[0] not in self._group_numbers:
            seen = [self.show(member) for member in members[:_MAX_GROUP_SAMPLE]]
            self._group_numbers[members[0]] = (
                sum([one[_NAMES_SHARE] > _LISTS_NAMES for one in seen]) / len(seen),
                sum([one[_INSTITUTION] for one in seen]) / len(seen),
                sum([one[_LENGTH] for one in seen]) / len(seen),
            )
        above = place > 0 and members[place - 1] == i - 1
        below = place + 1 < count and members[place + 1] == i + 1
        return [min(count, _FAR), place / count, *self._group_numbers[members[0]], above, below]

    def _find_heading_above(self, i: int) -> tuple[int, int]:
        """Return the kind of the heading above a zone, and the heading's place."""
        known = self._headings
        for last in range(len(known) - 1, i):
            found = kind_of_heading(self.zones[last])
            known.append((found, last) if found != _NO_HEADING else known[last])
        return known[i]

    def _number_context(self, i: int) -> list[float]:
        """Return the kind of the heading above a zone, and how far that, names and institutions are."""
        kind, at = self._find_heading_above(i)
        names = places = 0
        for back in range(1, min(_MAX_LOOK_BACK, i) + 1):
            shown = self.show(i - back)
            if not names and shown[_NAMES_SHARE] > _LISTS_NAMES:
                names = back
            if not places and shown[_INSTITUTION]:
                places = back
            if names and places:
                break
        return [kind, min(i - at, _FAR), names or _FAR, places or _FAR, i / len(self.zones), len(self.zones)]


def _share_of_capitals(words: Sequence[str]) -> float:
    """Return the share of words that begin with a capital; a script without capitals tells nothing."""
    capitals = sum([word[0].isupper() for word in words])
    if capitals or not words or words[0].isascii():
        return capitals / (len(words) or 1)
    return 0.0 if any(word[0].islower() for word in words) else _UNKNOWN_CAPITALS


_NO_MARKS = (False, 0.0, 0.0, 0.0)
_NO_SIGNS = (0,) * len(_SIGN_WORDS)
_TAG_NUMBERS = {tag: tuple(int(tag == other) for other in _TAGS) for tag in _TAGS}
_NO_TAG = (0,) * len(_TAGS)
_RULE_NUMBERS = {label: tuple(int(label == other) for other in _RULE_LABELS) for label in _RULE_LABELS}
_NO_RULE = (0,) * len(_RULE_LABELS)


@functools.lru_cache(maxsize=4096)
def _number_areas(path: str) -> tuple[bool, ...]:
    return tuple(any(map(f"{path}/".__contains__, tags)) for tags in _AREAS.values())


@functools.lru_cache(maxsize=4096)
def _number_names_of_block(words: tuple[str, ...]) -> tuple[bool, ...]:
    return tuple(not names.isdisjoint(words) for names in _NAMING_SETS)


def _number_marks(zone: Zone) -> list[float]:
    """Return whether a raised part begins the zone, and the shares of links, bold and italics."""
    first = next((mark.start for mark in zone.marks if mark.tag == "sup"), None)
    shares = [sum([m.end - m.start for m in zone.marks if m.tag == tag]) / max(1, len(zone.text)) for tag in "abi"]
    return [first is not None and first < 2, *shares]  # noqa: PLR2004  (it may follow a bracket)


def _group_zones(zones: Sequence[Zone]) -> list[tuple[list[int], int]]:
    """Return for each zone the zones that are written like it, and its place among them."""
    groups: dict[str, list[int]] = defaultdict(list)
    out = []
    for i, zone in enumerate(zones):
        members = groups[_kind_of_block(zone.signature, zone.tag)]
        out.append((members, len(members)))
        members.append(i)
    return out


@functools.lru_cache(maxsize=4096)
def _kind_of_block(signature: str, tag: str) -> str:
    return _DIGITS.sub("", signature) + tag


def kind_of_heading(zone: Zone) -> int:
    """Return a number for what a heading announces; 0 if the zone is not a heading."""
    tagged = heading_rank(zone) > 0
    if len(zone.text) >= MAX_NAME_CHARACTERS:
        return _OTHER_HEADING if tagged else _NO_HEADING
    return _kind_of_short_text(zone.text, tagged)


@functools.lru_cache(maxsize=4096)
def _kind_of_short_text(text: str, tagged: bool) -> int:  # noqa: FBT001
    key = heading_key(text)
    announced = ANNOUNCED_LABELS.get(key)
    if announced in _ANNOUNCED_KINDS:
        return 1 + _ANNOUNCED_KINDS.index(announced)
    if len(text) < _MAX_HEADING_CHARACTERS and ABSTRACT_WORD.match(text):
        return 1
    if "affiliation" in key or "author" in key:
        return _PEOPLE_HEADING
    if announced is None and is_article_heading(text):
        return _SECTION_HEADING if is_abstract_section(text) else _BODY_HEADING
    return _OTHER_HEADING if tagged else _NO_HEADING

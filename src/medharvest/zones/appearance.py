"""Features of a zone by itself: its tag, its length, its words and how it is written."""

from __future__ import annotations

import functools
import itertools
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING, names_country, names_institution
from medharvest.records import Zone
from medharvest.zones.chain_model import FeatureGroup
from medharvest.zones.wording import (
    ANNOUNCED_LABELS,
    find_names_in_zone,
    fold_letters,
    heading_key,
    heading_rank,
    is_abstract_section,
)

_MAX_CACHED_APPEARANCES = 8192  # distinct combinations whose features are cached
_NO_WORDING = FeatureGroup("", ())
MAX_INSPECTED_CHARACTERS = 300  # of each zone; a longer one is prose whatever follows
_LENGTH_EDGES = (3, 8, 15, 30, 60, 100, 160, 300, 700)  # class boundaries of lengths in characters
_ALPHANUMERIC_WORD = re.compile(r"[^\W_]+")
# Words that show what a zone is about: each list is one feature, set if any of its words occurs.
_SIGN_WORDS = {
    "mail": "email mail at",
    "correspondence": "correspondence corresponding correspond reprint reprints address",
    "history": "received accepted revised published submitted updated online available date",
    "rights": "copyright license licence rights reserved open access",
    "volume": "vol volume issue pages page pp no number",
    "doi": "doi",
    "named": "affiliation affiliations",
    "people": "by author authors editor editors reviewer reviewers reviewed edited",
    "cite": "cite cited citing citation citations",
    "share": "share tweet download login log sign search menu view show hide pdf subscribe google scholar pubmed "
    "metrics export facebook twitter mendeley help home about contact submit browse register alerts",
    "figure": "fig figure table box supplement supplementary additional",
    "etal": "et al",
    "note": "contributed equally present competing supported",
    "we": "we our here this these",
    "small": "the of in with from for using to",
    "article": "research article articles paper review letter original report note",
    "identifier": "orcid record profile find",
}
_SIGN_BY_WORD = {word: name for name, words in _SIGN_WORDS.items() for word in words.split()}
_ALL_SIGN_WORDS = frozenset(_SIGN_BY_WORD)
_YEAR_NUMBER = re.compile(r"\b(?:19|20)\d\d\b")
_LEADING_MARKER = re.compile(r"(?:\d{1,2}|[a-z]|[*†‡§¶#∥])[).\]:]?\s*(?=[A-Z])|\(\w\)|\[\w\]")
_SENTENCE_BREAK = re.compile(r"[a-z)\d]{2}\. [A-Z]")
_ABSTRACT_LEAD = re.compile(
    r"(?:abstract|summary|background|objectives?|purpose|aims?|introduction|context)\b", re.IGNORECASE
)
_SIGNAL_NAMES = ("country", "year", "s=mail", "semicolon", "prose", "lead", "hidden")
_NO_SIGNS: frozenset[str] = frozenset()
_WHOLE_TAGS = (("a", "+a"), ("b", "+b"))  # inline tags that are a feature if they enclose the whole zone


class ZoneAppearance(NamedTuple):
    """What a zone shows: features that its neighbours see too, and features of its wording."""

    told: tuple[str, ...]
    wording: FeatureGroup
    names: float  # share of its parts that read like names, -1 if it cannot list names
    institution: bool
    heading: str  # what it announces as a heading; empty for other zones


def inspect_zone(zone: Zone, tab: str, *, mute: bool = False) -> ZoneAppearance:
    """Inspect a zone; `tab` is the folded text of TITLE. The wording of a `mute` zone is skipped."""
    text = zone.text[:MAX_INSPECTED_CHARACTERS]
    length = len(zone.text)
    names, listed = find_names_in_zone(zone)
    institution = names_institution(text)
    if names > 0.6 and not institution:  # noqa: PLR2004  (what sites print between names is noise)
        text = listed[:MAX_INSPECTED_CHARACTERS]
    heading = _announcement_of_heading(zone) if length <= MAX_INSPECTED_CHARACTERS else ""
    basics = (zone.tag, bisect_right(_LENGTH_EDGES, length), round(3 * names), institution, heading)
    told = _make_told_features(*basics, *_describe_marks(zone, text), *_compare_with_tab(zone, tab))
    wording = _NO_WORDING if mute else _describe_wording(text, names=names, institution=institution, hidden=zone.hidden)
    return ZoneAppearance(told, wording, names, institution, heading)


def _announcement_of_heading(zone: Zone) -> str:
    key = heading_key(zone.text)
    if key in ANNOUNCED_LABELS:
        return ANNOUNCED_LABELS[key]
    if "affiliation" in key or key.startswith("author"):
        return "people"
    if is_abstract_section(zone.text):
        return "section"
    if key and (BODY_HEADING.fullmatch(key) or ABSTRACT_OR_BODY_HEADING.fullmatch(key)):
        return "body"
    return "other" if heading_rank(zone) else ""


# Zones show a few thousand combinations: the features of each are written once.
@functools.lru_cache(maxsize=_MAX_CACHED_APPEARANCES)
def _make_told_features(  # the arguments are those of one appearance
    tag: str,
    length: int,
    names: int,
    institution: bool,  # noqa: FBT001
    heading: str,
    *more: str,
) -> tuple[str, ...]:
    told = [f"t={tag}", f"L={length}", f"N={names},{institution:d}"]
    return (*told, *([f"H={heading}"] if heading else []), *more)


def _describe_marks(zone: Zone, text: str) -> list[str]:
    """Return features of raised parts, markers, links and bold type."""
    found = []
    raised = [mark.start for mark in zone.marks if mark.tag == "sup"] if zone.marks else ()
    if raised:
        found.append(f"+sup={min(len(raised), 3)},{not min(raised)}")
    if _LEADING_MARKER.match(text):
        found.append("+marker")
    if zone.marks:
        length = len(zone.text)
        whole = {mark.tag for mark in zone.marks if mark.end - mark.start == length}
        found += [name for tag, name in _WHOLE_TAGS if tag in whole]
    if zone.size:
        found.append(f"+size={class_index_of(zone.size, (10, 12, 14, 18, 24))}")
    return found


def _compare_with_tab(zone: Zone, tab: str) -> tuple[str, ...]:
    """Return how a zone agrees with TITLE: most pages put the article's title and the site's name there."""
    if not tab or not 8 < len(zone.text) < 2 * MAX_INSPECTED_CHARACTERS or zone.tag == "title":  # noqa: PLR2004  (shorter ones agree by chance)
        return ()
    key = fold_letters(zone.text)
    if key and key in tab:
        share = class_index_of(len(key) / len(tab), (0.2, 0.5, 0.8, 0.99))
        return (f"G=in,{share}", "G=most") if share > 1 else (f"G=in,{share}",)
    if tab[:40] in key:
        return (f"G=around,{class_index_of(len(key) / len(tab), (1.2, 1.6, 2.5))}",)
    return ()


def _describe_wording(text: str, *, names: float, institution: bool, hidden: bool) -> FeatureGroup:
    words = _ALPHANUMERIC_WORD.findall(text)
    count = len(words)
    capitals = round(4 * sum([word[0].isupper() for word in words]) / count) if count else 0
    signs = tuple(_ALL_SIGN_WORDS.intersection(" ".join(words).lower().split()))
    signals = (
        names_country(text, words),
        ("19" in text or "20" in text) and _YEAR_NUMBER.search(text) is not None,
        "@" in text,
        ";" in text,
        ". " in text and _SENTENCE_BREAK.search(text) is not None,
        _ABSTRACT_LEAD.match(text) is not None,
        hidden,
    )
    return _make_wording_group(
        frozenset(map(_SIGN_BY_WORD.__getitem__, signs)) if signs else _NO_SIGNS,
        min(count, 8),
        capitals,
        min(text.count(","), 4),
        round(3 * names) if names > 0 else -1,
        bisect_right(_LENGTH_EDGES, len(text)) if institution else -1,
        "" if text[-1].isalnum() else text[-1] if text[-1] in ".,;:?)" else "-",
        signals,
    )


@functools.lru_cache(maxsize=_MAX_CACHED_APPEARANCES)
def _make_wording_group(  # noqa: PLR0913, PLR0917  (one argument per observation)
    signs: frozenset[str],
    count: int,
    capitals: int,
    commas: int,
    names: int,
    institution: int,
    end: str,
    signals: tuple[bool, ...],
) -> FeatureGroup:
    """Return the features of a wording; `names` and `institution` are -1 if there are none."""
    found = [f"s={sign}" for sign in sorted(signs)]
    found += [f"n={count}", f"C={capitals}", f"C={capitals},{count // 2}", f"comma={commas}"]
    if names >= 0:
        found.append(f"names={names},{count},{'share' in signs},{'small' in signs}")
    if institution >= 0:
        found.append(f"I={institution},{signals[0]}")
    if end:
        found.append(f"end={end}")
    return FeatureGroup("", ("bias", *found, *itertools.compress(_SIGNAL_NAMES, signals)))


def inspect_zone_length(zone: Zone) -> ZoneAppearance:
    """Inspect only the tag and length of a zone that cannot be a core field."""
    told = _make_told_features(zone.tag, bisect_right(_LENGTH_EDGES, len(zone.text)), -3, False, "")  # noqa: FBT003
    return ZoneAppearance(told, _NO_WORDING, -1.0, institution=False, heading="")


def inspect_zone_heading(zone: Zone) -> ZoneAppearance:
    """Inspect only the heading in a zone that names no people and is not near a zone with features."""
    return ZoneAppearance(
        (),
        _NO_WORDING,
        -1.0,
        institution=False,
        heading=_announcement_of_heading(zone) if len(zone.text) <= MAX_INSPECTED_CHARACTERS else "",
    )


def class_index_of(value: float, edges: Sequence[float]) -> int:
    """Return the index of the class that a value falls in."""
    return bisect_right(edges, value)

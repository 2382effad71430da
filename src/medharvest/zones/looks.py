"""What a zone shows by itself: its tag, its length, the words it uses, how it is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from medharvest.pages.headings import BODY, SHARED
from medharvest.pages.places import COUNTRY, INSTITUTION
from medharvest.records import Zone
from medharvest.zones.wording import ANNOUNCED, fold, heading_key, is_section, names_in, rank

LOOK = 300  # characters of a zone that are looked at; a longer one is prose whatever follows
_LENGTHS = (3, 8, 15, 30, 60, 100, 160, 300, 700)  # edges of the classes of length, in characters
_WORD = re.compile(r"[^\W_]+")
# Words that tell what a zone is about, each list a feature where one of its words is used.
_WORDS = {
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
_SIGNS = {word: name for name, words in _WORDS.items() for word in words.split()}
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MARKER = re.compile(r"(?:\d{1,2}|[a-z]|[*†‡§¶#∥])[).\]:]?\s*(?=[A-Z])|\(\w\)|\[\w\]")
_SENTENCE = re.compile(r"[a-z)\d]{2}\. [A-Z]")
_LEAD = re.compile(r"(?:abstract|summary|background|objectives?|purpose|aims?|introduction|context)\b", re.IGNORECASE)


class Look(NamedTuple):
    """What a zone shows: features its neighbours are told of, features of its wording, and what others ask for."""

    told: tuple[str, ...]
    wording: tuple[str, ...]
    names: float  # share of its parts that read like names, -1 for none
    institution: bool
    heading: str  # what it announces as a heading; empty for other zones


def glance_at(zone: Zone) -> Look:
    """Little more than the length of a zone, for those that can hold no core field."""
    told = (f"t={zone.tag}", f"L={class_of(len(zone.text), _LENGTHS)}", "N=-3,0")
    return Look(told, (), -1.0, institution=False, heading="")


def look_at(zone: Zone, tab: str, *, mute: bool = False) -> Look:
    """See a zone; `tab` is what the browser's tab shows, folded. A `mute` one is not asked for its wording."""
    text = zone.text[:LOOK]
    short = len(zone.text) <= LOOK
    names, listed = names_in(zone)
    institution = bool(INSTITUTION.search(text))
    if names > 0.6 and not institution:  # noqa: PLR2004  (what sites print between names says nothing)
        text = listed[:LOOK]
    heading = _heading(zone) if short else ""
    told = [f"t={zone.tag}", f"L={class_of(len(zone.text), _LENGTHS)}", f"N={round(3 * names)},{institution:d}"]
    if heading:
        told.append(f"H={heading}")
    told += _marks(zone, text)
    told += _agreement_with_tab(zone, tab)
    wording = [] if mute else _wording(text, names=names, institution=institution)
    if zone.hidden:
        wording.append("hidden")
    return Look(tuple(told), ("bias", *wording), names, institution, heading)


def _heading(zone: Zone) -> str:
    key = heading_key(zone.text)
    if key in ANNOUNCED:
        return ANNOUNCED[key]
    if "affiliation" in key or key.startswith("author"):
        return "people"
    if is_section(zone.text):
        return "section"
    if key and (BODY.fullmatch(key) or SHARED.fullmatch(key)):
        return "body"
    return "other" if rank(zone) else ""


def _wording(text: str, *, names: float, institution: bool) -> list[str]:
    words = _WORD.findall(text)
    count = len(words)
    signs = set(map(_SIGNS.get, " ".join(words).lower().split())) - {None}
    capitals = round(4 * sum([word[0].isupper() for word in words]) / count) if count else 0
    country = bool(COUNTRY.search(text))
    found = [f"s={sign}" for sign in sorted(signs)]  # type: ignore[type-var]  # None is taken out
    found += [
        f"n={min(count, 8)}",
        f"C={capitals}",
        f"C={capitals},{min(count, 8) // 2}",
        f"comma={min(text.count(','), 4)}",
    ]
    if names > 0:
        found.append(f"names={round(3 * names)},{min(count, 8)},{'share' in signs},{'small' in signs}")
    if institution:
        found.append(f"I={class_of(len(text), _LENGTHS)},{country}")
    if not text[-1].isalnum():
        found.append(f"end={text[-1] if text[-1] in '.,;:?)' else '-'}")
    signals = (
        (country, "country"),
        (("19" in text or "20" in text) and _YEAR.search(text), "year"),
        ("@" in text, "s=mail"),
        (";" in text, "semicolon"),
        (". " in text and _SENTENCE.search(text), "prose"),
        (_LEAD.match(text), "lead"),
    )
    return found + [name for shown, name in signals if shown]


def _marks(zone: Zone, text: str) -> Iterator[str]:
    """Raised parts, markers, links, bold type."""
    raised = [mark.start for mark in zone.marks if mark.tag == "sup"]
    if raised:
        yield f"+sup={min(len(raised), 3)},{not min(raised)}"
    if _MARKER.match(text):
        yield "+marker"
    whole = {mark.tag for mark in zone.marks if mark.end - mark.start == len(zone.text)}
    yield from (f"+{tag}" for tag in sorted(whole & {"a", "b"}))
    if zone.size:
        yield f"+size={class_of(zone.size, (10, 12, 14, 18, 24))}"


def _agreement_with_tab(zone: Zone, tab: str) -> Iterator[str]:
    """How a zone agrees with TITLE, which most pages fill with the article's title and the site's name."""
    if zone.tag == "title" or not tab or not 8 < len(zone.text) < 2 * LOOK:  # noqa: PLR2004  (shorter ones by chance)
        return
    key = fold(zone.text)
    if key and key in tab:
        share = class_of(len(key) / len(tab), (0.2, 0.5, 0.8, 0.99))
        yield f"G=in,{share}"
        if share > 1:
            yield "G=most"
    elif tab[:40] in key:
        yield f"G=around,{class_of(len(key) / len(tab), (1.2, 1.6, 2.5))}"


def class_of(value: float, edges: Sequence[float]) -> int:
    """The number of the class a value falls in."""
    return bisect_right(edges, value)

"""Affiliations as printed: cut at their markers, labels and e-mail addresses off, those that stand in another split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.citations.listed import glued, raised
from medharvest.pages.places import COUNTRY, INSTITUTION
from medharvest.records import Mark, Zone

_NUMBERED = re.compile(r"\(?(\d{1,2}|[*†‡§¶#]|[a-z](?=[.)\]]| [A-Z]|[A-Z][a-z]))[\s.):\]]*(?=[^\W\d])")
_BARE = re.compile(r"[(\[]?(\d{1,2}|[a-z]|[*†‡§¶#])[)\].:]?")
_LEAD = re.compile(r"\s*(?:authors?['’]?s? )?affiliations?\b\s*:?\s*", re.IGNORECASE)
_TAIL = re.compile(
    r"[\s,;.]*(?:\b(?:e-?mails?|correspond\w*|search for|orcid|tel|phone|fax)\b.*|\S+@\S+\.\w+.*|https?://\S+.*)$",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND_COUNTRY = re.compile(rf"(, (?:{COUNTRY.pattern})(?: of America)?)(?:,|;|\.| and| &)\s+(?=[A-Z])")
_NOTE = re.compile(r"\W*(?:present|current) address|\W*now at\b", re.IGNORECASE)  # where somebody went later
_END = re.compile(r"(?:[\s;,.]|[;,] and$)+$")
_LONGEST = 2_000  # characters; no affiliation is longer
_MOST = 20_000  # characters of a zone that are looked at
_PARTS = 50  # affiliations of one line
_SHORTEST_PART = 12  # folded letters of an affiliation that may split another


class Place(NamedTuple):
    """An affiliation and the marker in front of it, empty where there is none."""

    marker: str
    text: str


def places_of(zone: Zone, before: str = "") -> list[Place]:
    """The affiliations of a zone; `before` is the text of the zone in front, which may be its marker alone."""
    if len(zone.text) > _MOST:
        inside = tuple(mark for mark in zone.marks if mark.end <= _MOST)
        zone = replace(zone, text=zone.text[:_MOST], marks=inside)
    places = [Place(marker, text) for marker, raw in _cut(zone) for part in _by_country(raw) if (text := clean(part))]
    bare = _BARE.fullmatch(before.strip())
    if bare and places and not places[0].marker:
        places[0] = Place(bare.group(1), places[0].text)
    return places


def clean(text: str) -> str:
    """An affiliation without label, e-mail address and closing signs."""
    lead = _LEAD.match(text)
    text = _TAIL.sub("", text[lead.end() if lead else 0 :][:_LONGEST])
    text = "" if _NOTE.match(text) else _END.sub("", text).strip()
    return text if any(map(str.isalpha, text)) else ""


def _cut(zone: Zone) -> Iterator[tuple[str, str]]:
    """Each affiliation with its marker; one begins at each raised marker of the first one's kind."""
    marks = raised(zone)
    if not marks or marks[0].start > 0:
        yield from _cut_line(_spaced(zone))
        return
    kind = _kind(zone, marks[0])
    cuts = [mark for mark in marks if _kind(zone, mark) == kind]
    ends = [*(mark.start for mark in cuts[1:]), len(zone.text)]
    for mark, end in zip(cuts, ends, strict=True):
        text = zone.text[mark.end : end].strip(" ;,")
        if text:
            yield zone.text[mark.start : mark.end].strip(" .,()"), text


def _cut_line(text: str) -> Iterator[tuple[str, str]]:
    """A line without raised markers: numbered on the line, or several between semicolons."""
    found = _NUMBERED.match(text)
    if found:
        yield found.group(1), text[found.end() :]
        return
    parts = [part for part in re.split(r";\s+(?!and\b)", text) if part.strip()]
    several = len(parts) > 1 and all("," in part for part in parts)
    yield from (("", part) for part in (parts if several else [text]))


def _by_country(text: str) -> list[str]:
    """Cut behind a country where another institution with its own country follows."""
    parts: list[str] = []
    while len(parts) < _PARTS and (cut := next(filter(_goes_on, _BEHIND_COUNTRY.finditer(text)), None)):
        parts.append(text[: cut.end(1)])
        text = text[cut.end() :]
    return [*parts, text]


def _goes_on(cut: re.Match[str]) -> bool:
    rest = cut.string[cut.end() : cut.end() + _LONGEST]
    return bool(COUNTRY.search(rest) and INSTITUTION.search(rest))


def _spaced(zone: Zone) -> str:
    """The text with a comma where two inline parts touch."""
    text = zone.text
    for place in reversed(glued(zone)):
        text = f"{text[:place]}, {text[place:]}"
    return text


def _kind(zone: Zone, mark: Mark) -> str:
    text = zone.text[mark.start : mark.end].strip(" .,")
    return "number" if text.isdigit() else "letter" if text.isalpha() else "sign"


def split_known(texts: Sequence[str]) -> list[list[str]]:
    """Split each text that begins or ends with another one of the list: two affiliations in one card."""
    known = sorted({text for text in texts if len(text) > _SHORTEST_PART}, key=lambda text: (-len(text), text))
    return [_split_one(text, known) for text in texts]


def _split_one(text: str, known: Sequence[str]) -> list[str]:
    for other in known:
        if len(other) >= len(text):
            continue
        if text.startswith(other):
            rest = text[len(other) :]
            joined = re.match(r"[\s,;.]*(?:and\b|[,;.])\s*", rest)
            if joined and len(rest) - joined.end() > _SHORTEST_PART:
                return [other, *_split_one(rest[joined.end() :], known)]
        elif text.endswith(other):
            rest = text[: -len(other)]
            joined = re.search(r"(?:[,;.]\s*(?:and\s+)?|\s+and\s+)$", rest)
            if joined and joined.start() > _SHORTEST_PART:
                return [*_split_one(rest[: joined.start()], known), other]
    return [text]

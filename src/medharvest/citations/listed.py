"""The names of a zone that lists authors, each with its raised markers; what sites write between names is off."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from medharvest.citations.names import GROUP, is_tail, name_spans
from medharvest.citations.surnames import PARTICLES
from medharvest.pages.places import COUNTRY, INSTITUTION
from medharvest.records import Mark, Zone

_LEAD = re.compile(r"\s*(?:by|authors?)\b\s*:?|authors?:", re.IGNORECASE)
_MARKER = re.compile(r"\w+|[*†‡§¶#∥⁎✉]")
# Markers that stand on the line: `Berg1,2`, `Cole*†`.
_ON_LINE = re.compile(
    r"(?<=[^\W\d_A-Z.])[\s\u200b]{0,3}(\d{1,2}(?:\s?,\s?\d{1,2})*)(?=\s*(?:[,;*†‡§¶#]|and\b|&|$))|([*†‡§¶#∥]+)"
)
# Words of the links and labels beside names: nobody is called so.
_JUNK = re.compile(
    r"\b(?:orcid|profile|e-?mails?|mail|mailto|author|authors|corresponding|correspondence|view|show|hide|search|links?|panel|"
    r"more|less|full|list|click|contact|about|info|information|affiliations?|equal|contributors?|contributed|overlay|open|"
    r"article|articles|pubmed|scholar|google|academic|available|https?|www|doi|present address|deceased|see|all|this|"
    r"professor|lecturer|fellow|director|student|manager|consultant|editor|reviewer|registrar|statistician|"
    r"epidemiologist|biostatistician)\b|@|://|\[\w+\]",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:[\s,;]|\b(?:and|und|et|y)\b|&)+$")  # what stands before the next item of a list
_AND_OTHERS = re.compile(r"\bet al\b\.?|\[\s*…\s*\]|…|\.\.\.")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_MOST_WORDS = 9  # of a name with its degrees
_GLUED = frozenset({"a", "span", "b", "i"})  # inline tags whose texts pages set side by side without a blank


class Listed(NamedTuple):
    """A name as printed, and its markers."""

    name: str
    markers: tuple[str, ...]


def listed_names(zone: Zone) -> Iterator[Listed]:
    """Each name with its markers: those raised behind it, or before it where the line begins with one."""
    text, markers = lowered(zone)
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    spans = [(start + begin, end + begin) for start, end in name_spans(text[begin:])]
    starts = [start for start, _ in spans]
    before = bool(markers and starts) and markers[0][0] <= starts[0]
    owned: dict[int, list[str]] = {}
    for position, found in markers:
        owner = bisect_left(starts, position) if before else bisect_right(starts, position) - 1
        owned.setdefault(owner, []).extend(found)
    last = -1
    out: list[Listed] = []
    for number, (start, end) in enumerate(spans):
        name = _without_labels(text[start:end])
        if name and is_name(name):
            out.append(Listed(name, tuple(owned.get(number, ()))))
            last = number
        elif out and number == last + 1:  # markers behind a role or a label belong to the name before it
            out[-1] = Listed(out[-1].name, (*out[-1].markers, *owned.get(number, ())))
            last = number
    yield from out


def _without_labels(piece: str) -> str:
    """A piece of a list without the site's labels before and behind the name; empty where only labels are left."""
    found = list(_JUNK.finditer(piece))
    if not found or GROUP.search(piece):
        return piece
    parts = (piece[: found[0].start()].strip(), piece[found[-1].end() :].strip())
    return next((part for part in parts if len(part.split()) > 1), "")


def is_name(text: str) -> bool:
    """Whether a piece of a list can be a name: no role, no place, no sentence."""
    words = text.split()
    if is_tail(text, name="Anna Berg") and not (len(words) == 1 and words[0].istitle()):  # degrees alone
        return False
    begins = words[0][0].isupper() or words[0].lower() in {*PARTICLES, "for"} or not words[0].isascii()
    if GROUP.search(text):
        return begins
    return (
        begins
        and "$" not in text
        and len(words) <= _MOST_WORDS
        and not INSTITUTION.search(text)
        and not COUNTRY.fullmatch(text)
    )


def lowered(zone: Zone) -> tuple[str, list[tuple[int, list[str]]]]:
    """The text with a blank for each raised part, and at which places the markers stood."""
    pieces: list[str] = []
    markers: list[tuple[int, list[str]]] = []
    cuts = [(mark.start, mark.end, True) for mark in raised(zone)]
    cuts += [(place, place, False) for place in glued(zone)]
    cuts += [(*found.span(), True) for found in _ON_LINE.finditer(zone.text)]
    at = length = 0
    for start, end, is_marker in sorted(cuts, key=lambda cut: cut[0]):  # of those that begin alike, raised ones first
        if start < at:
            continue
        pieces += [_INVISIBLE.sub(" ", zone.text[at:start]), " " if is_marker else ";"]
        length += start - at
        if is_marker:
            markers.append((length, _MARKER.findall(zone.text[start:end])))
        length += 1
        at = end
    whole = "".join([*pieces, _INVISIBLE.sub(" ", zone.text[at:])])
    return _DANGLING.sub("", _AND_OTHERS.sub(lambda found: ";" * len(found.group()), whole)), markers


def glued(zone: Zone) -> list[int]:
    """Where two words of different inline tags touch: `Anna Berg` and `E-mail` in `Anna BergE-mail`."""
    text = zone.text
    places = {place for mark in zone.marks if mark.tag in _GLUED for place in (mark.start, mark.end)}
    return sorted(
        place
        for place in places
        if 0 < place < len(text) and text[place].isupper() and (text[place - 1].islower() or text[place - 1] in ").")
    )


def raised(zone: Zone) -> list[Mark]:
    """The raised parts in order, those inside another left out."""
    out: list[Mark] = []
    for mark in sorted((m for m in zone.marks if m.tag == "sup"), key=lambda m: (m.start, -m.end)):
        if mark.start < mark.end and (not out or mark.start >= out[-1].end):
            out.append(mark)
    return out


def is_cut_short(zones: Sequence[Zone]) -> bool:
    """Whether a list of authors says that there are more of them than it shows."""
    return any(re.search(r"\bet al\b|…|\.\.\.|\bmore\b|\ball authors\b", zone.text, re.IGNORECASE) for zone in zones)

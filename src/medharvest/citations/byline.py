"""Authors and affiliations as printed, joined by their raised markers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from medharvest.citations.names import is_natural, name_spans, parse_listed, parse_name
from medharvest.citations.visible import labelled
from medharvest.records import Author, LabelledZone, Mark, Zone

_LEAD = re.compile(r"\s*(?:by|authors?)\b:?", re.IGNORECASE)
_MARKER = re.compile(r"\w+|[*†‡§¶]")
_NUMBERED = re.compile(r"(\d{1,2}|[*†‡§¶])[\s.):]*(?=[^\W\d])")


class Byline(NamedTuple):
    """Authors and affiliations with the zones they stand in."""

    authors: tuple[Author, ...]
    affiliations: tuple[str, ...]
    author_zones: tuple[LabelledZone, ...]
    affiliation_zones: tuple[LabelledZone, ...]


def read_byline(zones: Sequence[LabelledZone]) -> Byline:
    """Authors and affiliations of a page; a single affiliation that no marker points at is everyone's."""
    author_zones = tuple(labelled(zones, "author"))
    affiliation_zones = tuple(labelled(zones, "affiliation"))
    places = [place for zone in affiliation_zones for place in _places(zone.zone)]
    named = [name for zone in author_zones for name in _names(zone.zone)]
    parse = parse_listed if is_natural([name for name, _ in named]) else parse_name
    numbers: dict[str, int] = {}
    for number, (marker, _) in enumerate(places):
        numbers.setdefault(marker, number)
    authors = tuple(
        replace(author, affiliations=tuple(dict.fromkeys(numbers[m] for m in markers if m in numbers)))
        for name, markers in named
        if (author := parse(name)) is not None
    )
    if len(places) == 1 and not any(author.affiliations for author in authors):
        authors = tuple(replace(author, affiliations=(0,)) for author in authors)
    return Byline(authors, tuple(text for _, text in places), author_zones, affiliation_zones)


def _names(zone: Zone) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each name with its markers: those raised behind it, or before it where the line begins with one."""
    text, markers = _lowered(zone)
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    spans = [(start + begin, end + begin) for start, end in name_spans(text[begin:])]
    starts = [start for start, _ in spans]
    before = bool(markers and starts) and markers[0][0] <= starts[0]
    owned: dict[int, list[str]] = {}
    for position, found in markers:
        owner = bisect_left(starts, position) if before else bisect_right(starts, position) - 1
        owned.setdefault(owner, []).extend(found)
    for number, (start, end) in enumerate(spans):
        yield text[start:end], tuple(owned.get(number, ()))


def _lowered(zone: Zone) -> tuple[str, list[tuple[int, list[str]]]]:
    """The text with one blank for each raised part, and at which places the markers stood."""
    pieces: list[str] = []
    markers: list[tuple[int, list[str]]] = []
    at = length = 0
    for mark in _raised(zone):
        pieces += [zone.text[at : mark.start], " "]
        length += mark.start - at
        markers.append((length, _MARKER.findall(zone.text[mark.start : mark.end])))
        length += 1
        at = mark.end
    return "".join([*pieces, zone.text[at:]]), markers


def _places(zone: Zone) -> Iterator[tuple[str, str]]:
    """The affiliations of a zone with their markers; one begins at each raised marker of the first one's kind."""
    raised = _raised(zone)
    if not raised or raised[0].start > 0:
        found = _NUMBERED.match(zone.text)
        yield (found.group(1), zone.text[found.end() :]) if found else ("", zone.text)
        return
    kind = _kind(zone, raised[0])
    cuts = [mark for mark in raised if _kind(zone, mark) == kind]
    ends = [*(mark.start for mark in cuts[1:]), len(zone.text)]
    for mark, end in zip(cuts, ends, strict=True):
        text = zone.text[mark.end : end].strip(" ;,")
        if text:
            yield zone.text[mark.start : mark.end].strip(" .,"), text


def _raised(zone: Zone) -> list[Mark]:
    """The raised parts in order, those inside another left out."""
    out: list[Mark] = []
    for mark in sorted((m for m in zone.marks if m.tag == "sup"), key=lambda m: (m.start, -m.end)):
        if mark.start < mark.end and (not out or mark.start >= out[-1].end):
            out.append(mark)
    return out


def _kind(zone: Zone, mark: Mark) -> str:
    text = zone.text[mark.start : mark.end].strip(" .,")
    return "number" if text.isdigit() else "letter" if text.isalpha() else "sign"

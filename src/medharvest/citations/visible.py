"""Labelled zones to fields: what stands on the page for everyone to see."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.citations.dates import parse_date
from medharvest.citations.embedded import find_doi
from medharvest.citations.names import parse_name, split_names
from medharvest.records import Author, LabelledZone, Mark, NamedDate, Section, Zone

_SECTION_HEAD = re.compile(r"([^\W\d_][\w ,&/-]{2,60}?)\s*[:.—]\s*")
_LEADING_WORD = re.compile(r"^(?:abstract|summary)\b[\s:.—-]*(?=[^\s])", re.IGNORECASE)
# "Northmoor Med Q 2010;23(3):201–208", as running heads and citation lines print it
_CITATION_LINE = re.compile(
    r"(?P<journal>[^\W\d][\w .&:'-]{2,80}?)[\s.,(]+"
    r"(?P<date>(?:1[5-9]|20)\d\d(?: [A-Z][a-z]{2}(?: \d{1,2})?)?)\)?\s*[;,]\s*"
    r"(?:vol\.?\s*)?(?P<volume>\d{1,4})\s*(?:\((?P<issue>[\w/. -]{1,12})\))?"
    r"\s*[:,]\s*(?:pp?\.?\s*)?(?P<first>[A-Za-z]?\d+)(?:\s*[-–]\s*(?P<last>[A-Za-z]?\d+))?"
)
_ISSUE_LINE = re.compile(
    r"\bvol(?:ume|\.)?\s*(?P<volume>\d{1,4})\s*[,;:·|–-]?\s*(?:(?:number|issue|no\.?|iss\.?|n)\s*(?P<issue>[\d/]{1,7}))?",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(received|accepted|revised|published(?: online)?|first published)\b[:\s]*(?:on\s+|in revised form\s+)?"
    r"([^\W_][\w ,./-]{5,30})",
    re.IGNORECASE,
)
_HISTORY_NAMES = {"published online": "epublish", "first published": "epublish"}


class Line(NamedTuple):
    """A value found in a zone, with its character range there."""

    text: str
    zone: LabelledZone
    start: int
    end: int


def labelled(zones: Iterable[LabelledZone], label: str) -> Iterator[LabelledZone]:
    """The zones that carry a label, in document order."""
    return (zone for zone in zones if zone.verdict.label == label)


def title(zones: Iterable[LabelledZone]) -> Line | None:
    """The title as printed."""
    zone = next(labelled(zones, "title"), None)
    return Line(zone.zone.text.rstrip(), zone, 0, len(zone.zone.text)) if zone else None


def inline_html(zone: Zone) -> str:
    """The text of a zone with its italics, bold, raised and lowered parts as tags; empty where it has none."""
    marks = [
        mark for mark in zone.marks if (mark.start, mark.end) != (0, len(zone.text)) or mark.tag in {"i", "sub", "sup"}
    ]
    if not marks:
        return ""
    opens, closes = _by_position(marks)
    out = []
    for position, character in enumerate([*zone.text, ""]):
        out += [f"</{tag}>" for tag in closes.get(position, ())]
        out += [f"<{tag}>" for tag in opens.get(position, ())]
        out.append(html.escape(character, quote=False))
    return "".join(out)


def _by_position(marks: Sequence[Mark]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    opens: dict[int, list[str]] = {}
    closes: dict[int, list[str]] = {}
    for mark in sorted(marks, key=lambda m: (m.start, -m.end)):
        opens.setdefault(mark.start, []).append(mark.tag)
        closes.setdefault(mark.end, []).insert(0, mark.tag)
    return opens, closes


def abstract(zones: Sequence[LabelledZone]) -> tuple[str, tuple[Section, ...], tuple[LabelledZone, ...]]:
    """The abstract, its sections where it has labels, and the zones it stands in."""
    parts: list[Section] = []
    used: list[LabelledZone] = []
    label, inside = "", False
    for zone in zones:
        if zone.verdict.label == "abstract":
            inside = True
            head, text = _section_of(zone.zone)
            parts.append(Section(head or label, text))
            used.append(zone)
            label = ""
        elif zone.verdict.label == "heading" and zone.verdict.method == "section":
            label = zone.zone.text.rstrip(" :.")
        elif inside and zone.verdict.label == "heading":
            break
    sections = _joined(parts)
    if not any(section.label for section in sections):
        return " ".join(section.text for section in sections), (), tuple(used)
    return " ".join(f"{s.label}: {s.text}" if s.label else s.text for s in sections), sections, tuple(used)


def _section_of(zone: Zone) -> tuple[str, str]:
    """A bold or italic beginning such as `Background:` is the section's label."""
    text = zone.text
    lead = next((m for m in zone.marks if m.start == 0 and m.tag in {"b", "i"} and m.end < len(text)), None)
    if lead is None:
        return "", _LEADING_WORD.sub("", text)
    head = text[: lead.end].strip()
    found = _SECTION_HEAD.fullmatch(f"{head}: " if not head.endswith((":", ".", "—")) else f"{head} ")
    rest = text[lead.end :].lstrip(" :.—-")
    if found and len(head.split()) <= 6 and rest[:1].isupper() | rest[:1].isdigit():  # noqa: PLR2004
        return ("", rest) if head.rstrip(":. ").lower() in {"abstract", "summary"} else (found.group(1), rest)
    return "", text


def _joined(parts: list[Section]) -> tuple[Section, ...]:
    """Paragraphs without a label of their own belong to the section above."""
    out: list[Section] = []
    for part in parts:
        if out and not part.label:
            out[-1] = Section(out[-1].label, f"{out[-1].text} {part.text}")
        else:
            out.append(part)
    return tuple(out)


def byline(
    zones: Sequence[LabelledZone],
) -> tuple[tuple[Author, ...], tuple[str, ...], tuple[LabelledZone, ...]]:
    """Authors and affiliations, joined by their raised markers; one affiliation without marker is everyone's."""
    names = [(zone, name, marks) for zone in labelled(zones, "author") for name, marks in _names(zone.zone)]
    places = [(zone, *_place(zone.zone)) for zone in labelled(zones, "affiliation")]
    indexes = {marker: i for i, (_, marker, _) in enumerate(places) if marker}
    everyone = tuple(range(len(places))) if len(places) == 1 else ()
    people = tuple(
        Author(
            family=author.family,
            given=author.given,
            suffix=author.suffix,
            collective=author.collective,
            affiliations=tuple(indexes[m] for m in marks if m in indexes) or everyone,
        )
        for _, name, marks in names
        if (author := parse_name(name)) is not None
    )
    used = dict.fromkeys(zone for zone, *_ in names)
    return people, tuple(text for _, _, text in places), tuple(used)


def _names(zone: Zone) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each name with the markers raised behind it."""
    text, markers = zone.text, []
    for mark in sorted((m for m in zone.marks if m.tag == "sup"), key=lambda m: -m.start):
        markers.append(tuple(re.findall(r"\w+|[*†‡§¶]", text[mark.start : mark.end])))
        text = f"{text[: mark.start]}\x00{len(markers) - 1}\x00{text[mark.end :]}"
    for piece in split_names(re.sub(r"^(?:by|authors?)\b:?\s*", "", text, flags=re.IGNORECASE)):
        found = [markers[int(number)] for number in re.findall(r"\x00(\d+)\x00", piece)]
        yield re.sub(r"\x00\d+\x00", " ", piece), tuple(marker for group in found for marker in group)


def _place(zone: Zone) -> tuple[str, str]:
    """An affiliation's marker and its text."""
    lead = next((m for m in zone.marks if m.tag == "sup" and m.start == 0), None)
    if lead is not None:
        return zone.text[: lead.end].strip(" .,"), zone.text[lead.end :].strip()
    found = re.match(r"(\d{1,2}|[*†‡§¶])[\s.):]*(?=[^\W\d])", zone.text)
    return (found.group(1), zone.text[found.end() :]) if found else ("", zone.text)


def lines(zones: Sequence[LabelledZone]) -> dict[str, Line]:
    """Journal, date, volume, issue and pages from a printed citation line or issue line."""
    out: dict[str, Line] = {}
    for zone in zones:
        if zone.verdict.label in {"reference", "abstract"} or len(zone.zone.text) > 400:  # noqa: PLR2004
            continue
        found = _CITATION_LINE.search(zone.zone.text) or _ISSUE_LINE.search(zone.zone.text)
        if not found:
            continue
        for name, value in found.groupdict().items():
            if value:
                out.setdefault(name, Line(value.strip(), zone, *found.span(name)))
        date = parse_date(zone.zone.text[found.start() :])
        if date and "date" not in found.groupdict():
            out.setdefault("date", Line(date, zone, found.start(), len(zone.zone.text)))
        if "first" in out:
            break
    return out


def doi(zones: Iterable[LabelledZone]) -> Line | None:
    """The first DOI printed outside the references."""
    for zone in zones:
        value = "" if zone.verdict.label in {"reference", "abstract"} else find_doi(zone.zone.text)
        if value:
            start = zone.zone.text.find(value)
            return Line(value, zone, start, start + len(value))
    return None


def history(zones: Iterable[LabelledZone]) -> tuple[NamedDate, ...]:
    """Received, accepted, revised and published dates as printed."""
    out: dict[str, str] = {}
    for zone in zones:
        if zone.verdict.label in {"reference", "abstract"} or len(zone.zone.text) > 600:  # noqa: PLR2004
            continue
        for word, rest in _HISTORY.findall(zone.zone.text):
            name, date = _HISTORY_NAMES.get(word.lower(), word.lower()), parse_date(rest)
            if date:
                out.setdefault(name, date)
    return tuple(NamedDate(name, date) for name, date in out.items())

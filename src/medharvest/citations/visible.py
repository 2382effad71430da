"""Labelled zones to fields: what stands on the page for everyone to see."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.citations.dates import parse_date
from medharvest.citations.identifiers import find_doi, find_issns
from medharvest.pages.headings import RUN_IN
from medharvest.records import LabelledZone, Mark, Section, Zone

_SECTION_HEAD = re.compile(r"([^\W\d_][\w ,&/-]{2,60}?)\s*[:.—]?")
_ANNOUNCING = re.compile(r"(?:abstract|summary)\b[\s:.—-]*(?=\S)", re.IGNORECASE)
# "Northmoor Med Q 2010;23(3):201–208", as running heads and citation lines print it; the journal stands before.
_CITATION_LINE = re.compile(
    r"(?<!\d)(?P<date>(?:1[5-9]|20)\d\d(?: [A-Z][a-z]{2}(?: \d{1,2})?)?)\)?\s*[;,]\s*"
    r"(?:vol\.?\s*)?(?P<volume>\d{1,4})\s*(?:\((?P<issue>[\w/. -]{1,12})\))?"
    r"\s*[:,]\s*(?:pp?\.?\s*)?(?P<first_page>[A-Za-z]?\d+)(?:\s*[-–]\s*(?P<last_page>[A-Za-z]?\d+))?"
)
_JOURNAL = re.compile(r"[^\W\d][\w .&:'-]{2,80}$")
_ISSUE_LINE = re.compile(
    r"\bvol(?:ume|\.)?\s*(?P<volume>\d{1,4})\s*[,;:·|–-]?\s*(?:(?:number|issue|no\.?|iss\.?|n)\s*(?P<issue>[\d/]{1,7}))?",
    re.IGNORECASE,
)
_HISTORY = re.compile(r"\b(received|accepted|revised|published(?: online)?|first published)\b", re.IGNORECASE)
_HISTORY_WORDS = ("received", "accepted", "revised", "published")
_HISTORY_NAMES = {"published online": "epublish", "first published": "epublish"}
_HISTORY_REACH = 45  # characters behind such a word in which its date stands: "in revised form on 28 September 2010"
_LINE_LENGTH = 400  # a longer text is no running head
_NOT_FRONT = frozenset({"reference", "abstract"})
_INLINE = frozenset({"b", "i", "sub", "sup"})


class Line(NamedTuple):
    """A value found in a zone, with its character range there."""

    text: str
    zone: LabelledZone
    start: int
    end: int


def whole(zone: LabelledZone) -> Line:
    """All of a zone."""
    return Line(zone.zone.text, zone, 0, len(zone.zone.text))


def announced(zone: LabelledZone) -> Line:
    """All of a zone but the words that announce it on its line, such as `Key words:`."""
    text = zone.zone.text
    found = RUN_IN.match(text) if zone.verdict.method == "run-in" else None
    start = found.end() if found else 0
    return Line(text[start:], zone, start, len(text))


def labelled(zones: Iterable[LabelledZone], label: str) -> Iterator[LabelledZone]:
    """The zones that carry a label, in document order."""
    return (zone for zone in zones if zone.verdict.label == label)


def title(zones: Iterable[LabelledZone]) -> Line | None:
    """The title as printed."""
    return next(map(whole, labelled(zones, "title")), None)


def inline_html(zone: Zone) -> str:
    """The text of a zone with its italics, bold, raised and lowered parts as tags; empty where it has none."""
    marks = [mark for mark in zone.marks if _is_inline(mark, len(zone.text))]
    out: list[str] = []
    opened: list[Mark] = []
    at = 0
    for mark in [*sorted(marks, key=lambda m: (m.start, -m.end)), Mark(len(zone.text), len(zone.text), "")]:
        while opened and opened[-1].end <= mark.start:
            last = opened.pop()
            out += [html.escape(zone.text[at : last.end], quote=False), f"</{last.tag}>"]
            at = last.end
        out.append(html.escape(zone.text[at : mark.start], quote=False))
        at = mark.start
        if mark.tag and not (opened and mark.end > opened[-1].end):  # one that crosses another is left out
            out.append(f"<{mark.tag}>")
            opened.append(mark)
    return "".join(out) if marks else ""


def _is_inline(mark: Mark, length: int) -> bool:
    """Whether a mark is worth a tag: a title that is bold throughout is printed so, not written so."""
    inside = 0 <= mark.start < mark.end <= length and mark.tag in _INLINE
    return inside and (mark.tag != "b" or mark.end - mark.start < length)


def abstract(zones: Sequence[LabelledZone]) -> tuple[str, tuple[Section, ...], tuple[LabelledZone, ...]]:
    """The abstract, its sections where it has labels, and the zones it stands in."""
    parts: list[Section] = []
    used: list[LabelledZone] = []
    label = ""
    for zone in zones:
        if zone.verdict.label == "abstract":
            head, text = _section_of(zone.zone)
            parts.append(Section(head or label, text))
            used.append(zone)
            label = ""
        elif zone.verdict.label == "heading":
            is_section = zone.verdict.method == "section"
            if used and not is_section:
                break
            label = zone.zone.text.rstrip(" :.") if is_section else ""
    sections = _joined(parts)
    text = " ".join(f"{section.label}: {section.text}" if section.label else section.text for section in sections)
    return text, sections if any(section.label for section in sections) else (), tuple(used)


def _section_of(zone: Zone) -> tuple[str, str]:
    """A bold or italic beginning such as `Background:` is the section's label."""
    text = zone.text
    lead = next((m for m in zone.marks if m.start == 0 and m.tag in {"b", "i"} and m.end < len(text)), None)
    if lead is not None:
        head, rest = text[: lead.end].strip(), text[lead.end :].lstrip(" :.—-")
        found = _SECTION_HEAD.fullmatch(head)
        if found and len(head.split()) <= 6 and (rest[:1].isupper() or rest[:1].isdigit()):  # noqa: PLR2004
            label = found.group(1)
            return "" if label.lower() in {"abstract", "summary"} else label, rest
    announcing = _ANNOUNCING.match(text)
    return "", text[announcing.end() :] if announcing else text


def _joined(parts: Iterable[Section]) -> tuple[Section, ...]:
    """Paragraphs without a label of their own belong to the section above."""
    texts: list[tuple[str, list[str]]] = []
    for part in parts:
        if texts and not part.label:
            texts[-1][1].append(part.text)
        else:
            texts.append((part.label, [part.text]))
    return tuple(Section(label, " ".join(paragraphs)) for label, paragraphs in texts)


def lines(zones: Iterable[LabelledZone]) -> dict[str, Line]:
    """Journal, date, volume, issue and pages from a printed citation line or issue line."""
    out: dict[str, Line] = {}
    for zone in _front(zones):
        for field, line in _line_of(zone):
            out.setdefault(field, line)
        if "first_page" in out:
            break
    return out


def _line_of(zone: LabelledZone) -> Iterator[tuple[str, Line]]:
    text = zone.zone.text
    found = _CITATION_LINE.search(text) or ("vol" in text.lower() and _ISSUE_LINE.search(text))
    if not found:
        return
    for field in found.groupdict().keys() - {"date"}:
        if found.group(field):
            yield field, Line(found.group(field).strip(), zone, *found.span(field))
    start, end = found.span("date") if "date" in found.groupdict() else (found.start(), len(text))
    date = parse_date(text[start:end])
    if date:
        yield "date", Line(date, zone, start, end)
    if "date" in found.groupdict():
        before = text[: found.start()].rstrip(" .,(")
        begin = max(0, len(before) - 82)
        journal = _JOURNAL.search(before[begin:])
        if journal:
            yield "journal", Line(journal.group(), zone, begin + journal.start(), len(before))


def doi(zones: Iterable[LabelledZone]) -> Line | None:
    """The first DOI printed outside the references."""
    for zone in zones:
        value = "" if zone.verdict.label in _NOT_FRONT else find_doi(zone.zone.text)
        if value:
            start = zone.zone.text.find(value)
            return Line(value, zone, start, start + len(value))
    return None


def issns(zones: Iterable[LabelledZone]) -> tuple[tuple[str, ...], tuple[Line, ...]]:
    """The ISSNs of the first zone that prints some and calls them so."""
    for zone in _front(zones):
        found = find_issns(zone.zone.text) if "issn" in zone.zone.text.lower() else ()
        if found:
            return found, (whole(zone),)
    return (), ()


def history(zones: Iterable[LabelledZone]) -> dict[str, Line]:
    """Received, accepted, revised and published dates as printed."""
    out: dict[str, Line] = {}
    for zone in _front(zones):
        for name, line in _history_of(zone):
            out.setdefault(_HISTORY_NAMES.get(name, name), line)
    return out


def _history_of(zone: LabelledZone) -> Iterator[tuple[str, Line]]:
    """Each word of the history with the date between it and the next such word."""
    text = zone.zone.text
    if not any(word in text.lower() for word in _HISTORY_WORDS):  # most zones: this is quicker than the pattern
        return
    words = list(_HISTORY.finditer(text))
    ends = [*(word.start() for word in words), len(text)][1:]
    for word, end in zip(words, ends, strict=True):
        start, stop = word.end(), min(end, word.end() + _HISTORY_REACH)
        date = parse_date(text[start:stop])
        if date:
            yield word.group().lower(), Line(date, zone, start, stop)


def _front(zones: Iterable[LabelledZone]) -> Iterator[LabelledZone]:
    """Short zones that are neither references nor abstract: the only ones that speak of the article itself."""
    return (zone for zone in zones if zone.verdict.label not in _NOT_FRONT and len(zone.zone.text) <= _LINE_LENGTH)

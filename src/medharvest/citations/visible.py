"""Labelled zones to fields: what stands on the page for everyone to see."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from medharvest.pages.headings import RUN_IN
from medharvest.records import LabelledZone, Mark, Section, Zone

_SECTION_HEAD = re.compile(r"([^\W\d_][\w ,&/-]{2,60}?)\s*[:.—]?")
_ANNOUNCING = re.compile(r"(?:abstract|summary)\b[\s:.—-]*(?=\S)", re.IGNORECASE)
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

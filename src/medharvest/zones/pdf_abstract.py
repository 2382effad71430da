"""The abstract of a PDF: under its heading, behind its word, by its section labels, or by its place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from medharvest.pages.headings import BODY
from medharvest.records import Verdict
from medharvest.zones.pdf_sheet import OTHER_SIZE, Sheets
from medharvest.zones.pdf_words import (
    ANNOUNCED,
    FRONT_MATTER,
    FRONT_SIGN,
    announcing,
    heading_key,
    is_prose,
    is_section,
    section_lead,
)

_FAR = 60  # zones behind the heading in which the abstract begins; a second language may stand between
_PARAGRAPH = 30  # words; a shorter text without heading is no abstract
_LINE = 4  # words that the last line of an abstract has at least
_BESIDE = 50.0  # points by which the next column stands farther right
_LEAD = re.compile(r"(?:abstract|ABSTRACT|Abstract|SUMMARY|Summary)\b\W{0,3}(?=\w)")
_ENDED = re.compile(r"[.!?:;)\]][\W\d]{0,6}$")
_Labels = dict[int, Verdict]
_Found = tuple[int, str] | None


def label_abstract(sheets: Sheets, title: int, labels: _Labels) -> None:
    """Label the abstract on the sheet of the title or the next, the surest sign first."""
    here = sheets.spots[title].sheet
    near = [i for i, spot in enumerate(sheets.spots) if spot.sheet in {here, here + 1} and i not in labels]
    below = [i for i in near if i > title]
    found = (
        _under_heading(sheets, near, labels)
        or _behind_word(sheets, near)
        or _with_sections(sheets, below)
        or _by_place(sheets, below, labels)
    )
    if found is None:
        return
    first, method = found
    for i in _going_on(sheets, first, labels):
        section = is_section(sheets.text(i))
        labels[i] = Verdict("heading", 0.7, "section") if section else Verdict("abstract", 0.7, method)


def _under_heading(sheets: Sheets, near: list[int], labels: _Labels) -> _Found:
    for i in near:
        if ANNOUNCED.get(heading_key(sheets.text(i))) == "abstract":
            below = next((j for j in near if i < j < i + _FAR and _may_begin(sheets, j)), None)
            if below is not None:
                labels[i] = Verdict("heading", 0.9, "announced")
                return below, "under-heading"
    return None


def _may_begin(sheets: Sheets, i: int) -> bool:
    """Whether a zone may be the first of an abstract: prose or a section that no other heading announces."""
    zone = sheets.zones[i]
    told = is_prose(zone.text) or is_section(zone.text) or section_lead(zone)
    other = ANNOUNCED.get(heading_key(sheets.text(i - 1)), "abstract") != "abstract"
    return bool(told) and not other and not FRONT_MATTER.match(zone.text)


def _behind_word(sheets: Sheets, near: list[int]) -> _Found:
    lead = (i for i in near if _LEAD.match(sheets.text(i)) and is_prose(sheets.text(i)))
    return next(((i, "run-in") for i in lead), None)


def _with_sections(sheets: Sheets, below: list[int]) -> _Found:
    lead = (i for i in below if section_lead(sheets.zones[i]) and is_prose(sheets.text(i)))
    return next(((i, "section-labels") for i in lead), None)


def _by_place(sheets: Sheets, below: list[int], labels: _Labels) -> _Found:
    """The first paragraph below the byline, where it is set apart from the text or an introduction follows."""
    first = next((i for i in below if is_prose(sheets.text(i), _PARAGRAPH) and not _is_front(sheets.text(i))), None)
    if first is None:
        return None
    apart = abs(sheets.zones[first].size - sheets.body) > OTHER_SIZE or sheets.spots[first].bold
    after = max(_going_on(sheets, first, labels)) + 1
    follows = after < len(sheets.zones) and _is_first_heading(sheets.text(after))
    return (first, "by-place") if apart or follows else None


def _is_front(text: str) -> bool:
    return bool(FRONT_MATTER.match(text) or FRONT_SIGN.search(text[:200]))


def _is_first_heading(text: str) -> bool:
    key = heading_key(text)
    return key == "introduction" or "keywords" in {ANNOUNCED.get(key), announcing(text)}


def _going_on(sheets: Sheets, first: int, labels: _Labels) -> Iterator[int]:
    """The zones of an abstract from its first on; a sentence that breaks off goes on in the next column."""
    size = 0.0
    last = first
    for i in range(first, len(sheets.zones)):
        if i > first and (
            i in labels or _ends(sheets, i, size) or sheets.spots[i].sheet > sheets.spots[first].sheet + 1
        ):
            break
        size = size or (0.0 if is_section(sheets.text(i)) else sheets.zones[i].size)
        last = i
        yield i
    if size and is_prose(sheets.text(last)) and not _ENDED.search(sheets.text(last)):
        yield from _next_column(sheets, last, labels)


def _ends(sheets: Sheets, i: int, size: float) -> bool:
    """Whether an abstract set in a size ends before a zone: at a heading, front matter or another size."""
    text = sheets.text(i)
    key = heading_key(text)
    if key in ANNOUNCED or announcing(text) or key == "introduction" or BODY.fullmatch(key):
        return True
    heading = is_section(text)
    told = sheets.zones[i + 1 : i + 2] if heading else sheets.zones[i : i + 1]
    other = bool(size) and any(abs(zone.size - size) > OTHER_SIZE for zone in told)
    if heading:  # it begins a section of the abstract where the text below is set like the abstract
        return other
    told_so = is_prose(text, _LINE) or bool(section_lead(sheets.zones[i]))
    return other or bool(FRONT_MATTER.match(text)) or not told_so


def _next_column(sheets: Sheets, last: int, labels: _Labels) -> Iterator[int]:
    """What a broken sentence goes on with in the column at the right: what begins small, else what stands highest."""
    fit = [i for i in range(len(sheets.zones)) if i not in labels and _may_go_on(sheets, last, i)]
    first = max(fit, key=lambda i: (not sheets.text(i)[0].isupper(), sheets.spots[i].top), default=None)
    if first is None or announcing(sheets.text(first)):
        return
    yield first
    for i in range(first + 1, len(sheets.zones)):
        if i in labels or not sheets.together(i, first) or _ends(sheets, i, sheets.zones[first].size):
            return
        yield i


def _may_go_on(sheets: Sheets, last: int, i: int) -> bool:
    right = sheets.together(i, last) and sheets.spots[i].left > sheets.spots[last].left + _BESIDE
    same = right and sheets.zones[i].tag == "p" and 2 * abs(sheets.zones[i].size - sheets.zones[last].size) < OTHER_SIZE
    text = sheets.text(i)
    return same and is_prose(text, _LINE) and (text[0].isalnum() or text[0] in "([“‘")

"""Label a page made from a PDF: title, names, affiliations and abstract by font size, position and order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from medharvest.pages.word_lists import BODY_HEADING
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.pdf_zones import (
    FRONT_MATTER,
    FRONT_SIGN,
    OTHER_FONT_POINTS,
    PDF_ANNOUNCED,
    Sheets,
    ZoneSpot,
    count_pdf_names,
    find_place_method,
    is_pdf_prose,
    is_pdf_section,
    is_place_like,
    is_title_like,
    pdf_heading_key,
    pdf_section_lead,
    read_announcement,
    read_pdf_sheets,
    split_places,
)

_PAGE_NUMBER_SCORE = 0.8
_PdfLabels = dict[int, Verdict]
_FoundAbstract = tuple[int, str] | None  # the first zone and the method

# Title.
_MAX_TITLE_SHEETS = 3  # sheets searched for the title: there may be cover sheets before it
_MIN_TITLE_SCALE = 1.15  # a title after a cover is larger than the text by this factor
_MAX_TITLE_CANDIDATES = 20  # largest zones of a sheet that are tried
_MAX_MASTHEAD_WORDS = 8  # of a journal's name
# A journal's name is followed by its volume: "Quarterly of Medicine, Volume 14", "Quarterly of Medicine 14 (2001)".
_PDF_VOLUME = re.compile(r"\W{0,4}(?:vol(?:ume)?\W*)?\d", re.IGNORECASE)

# Names and affiliations.
_MAX_BYLINE_ZONES, _MAX_ZONES_ABOVE = 14, 3  # zones below and above the title that are searched for the byline
_MIN_BODY_WORDS = 30  # the byline ends before a paragraph this long
_MAX_PLACE_ZONES = 12  # zones below the names that may be affiliations if no abstract ends them

# Abstract.
_MAX_ABSTRACT_DISTANCE = 60  # zones from the heading to the abstract: one in another language may come between
_MIN_ABSTRACT_WORDS = 30  # a shorter text without a heading is not an abstract
_MIN_LINE_WORDS = 4  # of the last line of an abstract
_COLUMN_DISTANCE = 50.0  # points; the next column is farther to the right than this
_PDF_ABSTRACT_LEAD = re.compile(r"(?:abstract|ABSTRACT|Abstract|SUMMARY|Summary)\b\W{0,3}(?=\w)")
_ENDED_SENTENCE = re.compile(r"[.!?:;)\]][\W\d]{0,6}$")

# Other headings.
_MAX_PDF_ZONES_UNDER_HEADING = {"keywords": 1, "conflict": 4, "funding": 6}
_MAX_PDF_HEADING_CHARACTERS = 60
_IMPRINT = re.compile(r"^\W{0,3}©|\bISSN\b")


class RuledPdf(NamedTuple):
    """The zones of a PDF with the labels that rules give, their spots, printed page numbers, the text's font size."""

    zones: tuple[LabelledZone, ...]
    spots: tuple[ZoneSpot, ...]
    page_numbers: tuple[LabelledZone, ...]
    body: float


def label_pdf(page: Page) -> tuple[LabelledZone, ...]:
    """Label every zone of a converted PDF by rules alone; a zone without a label is `unidentified`."""
    ruled = rule_pdf(page)
    return (*ruled.zones, *ruled.page_numbers)


def rule_pdf(page: Page) -> RuledPdf:
    """Label the zones of a converted PDF by rules; affiliations on one line are separate zones."""
    sheets = read_pdf_sheets(page)
    labels: _PdfLabels = {}
    title = _find_pdf_title(sheets)
    if title is not None:
        labels[title] = Verdict("title", 0.7, "largest-font")
        names = _find_pdf_names(sheets, title)
        labels.update((i, Verdict("author", 0.7, "names-below-title")) for i in names)
        _label_pdf_abstract(sheets, title, labels)
        _label_pdf_affiliations(sheets, title, names, labels)
    _label_pdf_announced(sheets, labels)
    nothing = Verdict("unidentified", 0.5, "none")
    labelled = (LabelledZone(zone, labels.get(i, nothing)) for i, zone in enumerate(sheets.zones))
    shown = (pair for pair in zip(labelled, sheets.spots, strict=True) if pair[0].zone.tag != "footer")
    split = [(part, spot) for zone, spot in shown for part in _split_place_zone(zone)]
    numbers = _label_page_numbers(sheets, 1 if title is None else sheets.spots[title].sheet)
    return RuledPdf(tuple(zone for zone, _ in split), tuple(spot for _, spot in split), tuple(numbers), sheets.body)


def _label_page_numbers(sheets: Sheets, first: int) -> Iterator[LabelledZone]:
    """Yield the number of the article's first page, which is on sheet `first`, and of its last page.

    Numbers that begin with 1 count the pages of the file and say nothing.
    """
    feet = [(zone, spot) for zone, spot in zip(sheets.zones, sheets.spots, strict=True) if zone.tag == "footer"]
    for label, (zone, spot) in zip(("first_page", "last_page"), feet, strict=False):
        number = int(zone.text) - (spot.sheet - first if label == "first_page" else 0)
        if number <= 1:
            return
        yield LabelledZone(replace(zone, text=str(number)), Verdict(label, _PAGE_NUMBER_SCORE, "page-number"))


def _find_pdf_title(sheets: Sheets) -> int | None:
    """Return the largest text of the first sheet, or of a later one if the sheets before are covers that repeat it."""
    best = [_find_largest_text(sheets, number) for number in range(1, _MAX_TITLE_SHEETS + 1)]
    for number in range(_MAX_TITLE_SHEETS, 1, -1):
        found = best[number - 1]
        if found is not None and _is_behind_cover(sheets, found, number):
            return found
    return next((found for found in best if found is not None), None)


def _find_largest_text(sheets: Sheets, number: int) -> int | None:
    here = (i for i, spot in enumerate(sheets.spots) if spot.sheet == number and sheets.zones[i].tag == "p")
    fit = sorted(
        (i for i in here if is_title_like(sheets.text(i))),
        key=lambda i: (-sheets.zones[i].size, not sheets.spots[i].bold, i),
    )
    first = fit[:_MAX_TITLE_CANDIDATES]
    return next((i for i in first if not _is_pdf_masthead(sheets, i) and not _is_pdf_byline(sheets.zones[i])), None)


def _is_pdf_masthead(sheets: Sheets, i: int) -> bool:
    """Whether a zone is the journal's name: by its words, or because another zone adds the volume to it."""
    text = sheets.text(i).lower()
    if len(text.split()) <= _MAX_MASTHEAD_WORDS and re.search(r"\bjournal\b", text):
        return True
    others = (zone.text for zone in sheets.zones if zone.text[: len(text)].lower() == text)
    return any(_PDF_VOLUME.match(other, len(text)) for other in others)


def _is_pdf_byline(zone: Zone) -> bool:
    """Whether a zone lists names separated by markers or commas; two words alone may be a title."""
    names = count_pdf_names(zone)
    return names > 1 or (names == 1 and any(mark.tag == "sup" for mark in zone.marks))


def _is_behind_cover(sheets: Sheets, found: int, number: int) -> bool:
    """Whether a later sheet has a large title with names below it, and the sheets before repeat most of both."""
    names = _find_names_below(sheets, found)
    if (
        sheets.zones[found].size < _MIN_TITLE_SCALE * sheets.body
        or not names
        or not _is_pdf_byline(sheets.zones[names[0]])
    ):
        return False
    before = (zone.text for zone, spot in zip(sheets.zones, sheets.spots, strict=True) if spot.sheet < number)
    said = _long_words_of(" ".join(before))
    return all(2 * len(words & said) > len(words) for words in map(_long_words_of, map(sheets.text, (found, names[0]))))


def _long_words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.lower()))


def _find_pdf_names(sheets: Sheets, title: int) -> Sequence[int]:
    """Return the zones that list the authors: soon after the title, else just above it."""
    below = _find_names_below(sheets, title)
    above = range(title - 1, max(-1, title - 1 - _MAX_ZONES_ABOVE), -1)
    return below or [i for i in above if sheets.together(i, title) and count_pdf_names(sheets.zones[i])][:1]


def _find_names_below(sheets: Sheets, title: int) -> list[int]:
    """Return the zones soon after the title that list names; a line of two words counts only if no other does."""
    near: list[int] = []
    for i in range(title + 1, min(len(sheets.zones), title + 1 + _MAX_BYLINE_ZONES)):
        text = sheets.text(i)
        if not sheets.together(i, title) or pdf_heading_key(text) in PDF_ANNOUNCED:
            break
        if count_pdf_names(sheets.zones[i]):
            near.append(i)
        elif is_pdf_prose(text, _MIN_BODY_WORDS) and not FRONT_MATTER.match(text):
            break
    first = next((i for i in near if _is_pdf_byline(sheets.zones[i])), near[0] if near else 0)
    return [i for i in near if i >= first and sheets.alike(i, first)]


def _label_pdf_abstract(sheets: Sheets, title: int, labels: _PdfLabels) -> None:
    """Label the abstract on the sheet of the title or the next; the most reliable sign is tried first."""
    here = sheets.spots[title].sheet
    near = [i for i, spot in enumerate(sheets.spots) if spot.sheet in {here, here + 1} and i not in labels]
    below = [i for i in near if i > title]
    found = (
        _find_under_heading(sheets, near, labels)
        or _find_behind_word(sheets, near)
        or _find_with_sections(sheets, below)
        or _find_by_position(sheets, below, labels)
    )
    if found is None:
        return
    first, method = found
    for i in _continue_abstract(sheets, first, labels):
        section = is_pdf_section(sheets.text(i))
        labels[i] = Verdict("heading", 0.7, "section") if section else Verdict("abstract", 0.7, method)


def _find_under_heading(sheets: Sheets, near: list[int], labels: _PdfLabels) -> _FoundAbstract:
    for i in near:
        if PDF_ANNOUNCED.get(pdf_heading_key(sheets.text(i))) == "abstract":
            below = next(
                (j for j in near if i < j < i + _MAX_ABSTRACT_DISTANCE and _may_begin_abstract(sheets, j)), None
            )
            if below is not None:
                labels[i] = Verdict("heading", 0.9, "announced")
                return below, "under-heading"
    return None


def _may_begin_abstract(sheets: Sheets, i: int) -> bool:
    """Whether a zone may begin an abstract: prose or a section that is not under another heading."""
    zone = sheets.zones[i]
    told = is_pdf_prose(zone.text) or is_pdf_section(zone.text) or pdf_section_lead(zone)
    other = PDF_ANNOUNCED.get(pdf_heading_key(sheets.text(i - 1)), "abstract") != "abstract"
    return bool(told) and not other and not FRONT_MATTER.match(zone.text)


def _find_behind_word(sheets: Sheets, near: list[int]) -> _FoundAbstract:
    lead = (i for i in near if _PDF_ABSTRACT_LEAD.match(sheets.text(i)) and is_pdf_prose(sheets.text(i)))
    return next(((i, "run-in") for i in lead), None)


def _find_with_sections(sheets: Sheets, below: list[int]) -> _FoundAbstract:
    lead = (i for i in below if pdf_section_lead(sheets.zones[i]) and is_pdf_prose(sheets.text(i)))
    return next(((i, "section-labels") for i in lead), None)


def _find_by_position(sheets: Sheets, below: list[int], labels: _PdfLabels) -> _FoundAbstract:
    """Return the first paragraph after the byline if its font differs from the text or an introduction follows."""
    first = next(
        (
            i
            for i in below
            if is_pdf_prose(sheets.text(i), _MIN_ABSTRACT_WORDS) and not _is_front_matter(sheets.text(i))
        ),
        None,
    )
    if first is None:
        return None
    apart = abs(sheets.zones[first].size - sheets.body) > OTHER_FONT_POINTS or sheets.spots[first].bold
    after = max(_continue_abstract(sheets, first, labels)) + 1
    follows = after < len(sheets.zones) and _is_heading_after_abstract(sheets.text(after))
    return (first, "by-place") if apart or follows else None


def _is_front_matter(text: str) -> bool:
    return bool(FRONT_MATTER.match(text) or FRONT_SIGN.search(text[:200]))


def _is_heading_after_abstract(text: str) -> bool:
    key = pdf_heading_key(text)
    return key == "introduction" or "keywords" in {PDF_ANNOUNCED.get(key), read_announcement(text)}


def _continue_abstract(sheets: Sheets, first: int, labels: _PdfLabels) -> Iterator[int]:
    """Yield the zones of an abstract from its first; an unfinished sentence continues in the next column."""
    size = 0.0
    last = first
    for i in range(first, len(sheets.zones)):
        if i > first and (
            i in labels or _ends_pdf_abstract(sheets, i, size) or sheets.spots[i].sheet > sheets.spots[first].sheet + 1
        ):
            break
        size = size or (0.0 if is_pdf_section(sheets.text(i)) else sheets.zones[i].size)
        last = i
        yield i
    if size and is_pdf_prose(sheets.text(last)) and not _ENDED_SENTENCE.search(sheets.text(last)):
        yield from _continue_in_next_column(sheets, last, labels)


def _ends_pdf_abstract(sheets: Sheets, i: int, size: float) -> bool:
    """Whether an abstract in this font size ends before a zone: at a heading, front matter or another size."""
    text = sheets.text(i)
    key = pdf_heading_key(text)
    if key in PDF_ANNOUNCED or read_announcement(text) or key == "introduction" or BODY_HEADING.fullmatch(key):
        return True
    heading = is_pdf_section(text)
    told = sheets.zones[i + 1 : i + 2] if heading else sheets.zones[i : i + 1]
    other = bool(size) and any(abs(zone.size - size) > OTHER_FONT_POINTS for zone in told)
    if heading:  # a section of the abstract, if the text below has the same font size
        return other
    told_so = is_pdf_prose(text, _MIN_LINE_WORDS) or bool(pdf_section_lead(sheets.zones[i]))
    return other or bool(FRONT_MATTER.match(text)) or not told_so


def _continue_in_next_column(sheets: Sheets, last: int, labels: _PdfLabels) -> Iterator[int]:
    """Yield the rest of a sentence in the column to the right: a zone that begins in lower case, else the highest."""
    fit = [i for i in range(len(sheets.zones)) if i not in labels and _may_continue_abstract(sheets, last, i)]
    first = max(fit, key=lambda i: (not sheets.text(i)[0].isupper(), sheets.spots[i].top), default=None)
    if first is None or read_announcement(sheets.text(first)):
        return
    yield first
    for i in range(first + 1, len(sheets.zones)):
        if i in labels or not sheets.together(i, first) or _ends_pdf_abstract(sheets, i, sheets.zones[first].size):
            return
        yield i


def _may_continue_abstract(sheets: Sheets, last: int, i: int) -> bool:
    right = sheets.together(i, last) and sheets.spots[i].left > sheets.spots[last].left + _COLUMN_DISTANCE
    same = (
        right
        and sheets.zones[i].tag == "p"
        and 2 * abs(sheets.zones[i].size - sheets.zones[last].size) < OTHER_FONT_POINTS
    )
    text = sheets.text(i)
    return same and is_pdf_prose(text, _MIN_LINE_WORDS) and (text[0].isalnum() or text[0] in "([“‘")


def _label_pdf_affiliations(sheets: Sheets, title: int, names: Sequence[int], labels: _PdfLabels) -> None:
    """Label the affiliations: under their own heading, else on the sheet of the title."""
    if _label_under_own_heading(sheets, labels):
        return
    start = max(names, default=title)
    abstract = min(
        (i for i, verdict in labels.items() if verdict.label == "abstract"), default=start + _MAX_PLACE_ZONES
    )
    for i, zone in enumerate(sheets.zones):
        if sheets.together(i, title) and i not in labels:
            method = find_place_method(zone, between=start < i < abstract)
            if not method and names and i == start + 1 and is_place_like(zone):
                method = "below-names"
            if method:
                labels[i] = Verdict("affiliation", 0.6, method)


def _label_under_own_heading(sheets: Sheets, labels: _PdfLabels) -> bool:
    """Label the zones under `Author details` or `Affiliations`, which may be on the last sheet."""
    under = False
    for i, zone in enumerate(sheets.zones):
        if PDF_ANNOUNCED.get(pdf_heading_key(zone.text)) == "affiliation":
            labels[i] = Verdict("heading", 0.8, "announced")
            under = True
        elif under and i not in labels and find_place_method(zone, between=True):
            labels[i] = Verdict("affiliation", 0.8, "under-heading")
        else:
            under = False
    return any(verdict.label == "affiliation" for verdict in labels.values())


def _label_pdf_announced(sheets: Sheets, labels: _PdfLabels) -> None:
    """Label the zones under each other announcing heading, and those that begin with one."""
    label, left = "", 0
    for i, zone in enumerate(sheets.zones):
        known, run_in = PDF_ANNOUNCED.get(pdf_heading_key(zone.text), ""), read_announcement(zone.text)
        if i in labels:
            label = ""
        elif known:
            labels[i] = Verdict("heading", 0.8, "announced")
            label, left = (
                ("" if known == "abstract" else known),
                _MAX_PDF_ZONES_UNDER_HEADING.get(known, len(sheets.zones)),
            )
        elif run_in and run_in not in {"abstract", "reference"}:
            labels[i] = Verdict(run_in, 0.7, "run-in")
            label = ""
        elif label == "reference" and _IMPRINT.search(zone.text):
            continue  # a page footer among the references
        elif label and left and (label == "reference" or not _is_pdf_heading(sheets, i)):
            labels[i] = Verdict(label, 0.7, "under-heading")
            left -= 1
        else:
            label = ""


def _is_pdf_heading(sheets: Sheets, i: int) -> bool:
    text = sheets.text(i)
    large = sheets.spots[i].bold or sheets.zones[i].size > sheets.body
    return is_pdf_section(text) or (len(text) < _MAX_PDF_HEADING_CHARACTERS and large)


def _split_place_zone(labelled: LabelledZone) -> Iterator[LabelledZone]:
    """Split affiliations on one line into separate zones; yield another zone as it is."""
    if labelled.verdict.label == "affiliation":
        yield from (LabelledZone(place, labelled.verdict) for place in split_places(labelled.zone))
    else:
        yield labelled

"""Labels for a page made from a PDF: by font size, place and order on the sheet that carries the title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from medharvest.records import LabelledZone, Page, Verdict
from medharvest.zones.pdf_abstract import label_abstract
from medharvest.zones.pdf_front import find_names, find_title
from medharvest.zones.pdf_places import is_place_like, place_method, places_in
from medharvest.zones.pdf_sheet import Sheets, read_sheets
from medharvest.zones.pdf_words import ANNOUNCED, announcing, heading_key, is_section

_MOST = {"keywords": 1, "conflict": 4, "funding": 6}  # zones under one heading
_NEAR = 12  # zones below the names that may hold places where no abstract ends them
_SHORT = 60  # characters of a heading
_IMPRINT = re.compile(r"^\W{0,3}©|\bISSN\b")
_Labels = dict[int, Verdict]


def label_pdf(page: Page) -> tuple[LabelledZone, ...]:
    """Label every zone of a converted PDF; what nothing tells is `unidentified`."""
    sheets = read_sheets(page)
    labels: _Labels = {}
    title = find_title(sheets)
    if title is not None:
        labels[title] = Verdict("title", 0.7, "largest-font")
        names = find_names(sheets, title)
        labels.update((i, Verdict("author", 0.7, "names-below-title")) for i in names)
        label_abstract(sheets, title, labels)
        _affiliations(sheets, title, names, labels)
    _announced(sheets, labels)
    nothing = Verdict("unidentified", 0.5, "none")
    return tuple(_cut_places(LabelledZone(zone, labels.get(i, nothing)) for i, zone in enumerate(sheets.zones)))


def _affiliations(sheets: Sheets, title: int, names: Sequence[int], labels: _Labels) -> None:
    """Label the places: under a heading of their own, else on the sheet of the title."""
    if _under_own_heading(sheets, labels):
        return
    start = max(names, default=title)
    abstract = min((i for i, verdict in labels.items() if verdict.label == "abstract"), default=start + _NEAR)
    for i, zone in enumerate(sheets.zones):
        if sheets.together(i, title) and i not in labels:
            method = place_method(zone, between=start < i < abstract)
            if not method and names and i == start + 1 and is_place_like(zone):
                method = "below-names"
            if method:
                labels[i] = Verdict("affiliation", 0.6, method)


def _under_own_heading(sheets: Sheets, labels: _Labels) -> bool:
    """Label what stands under `Author details` or `Affiliations`, which may be on the last sheet."""
    under = False
    for i, zone in enumerate(sheets.zones):
        if ANNOUNCED.get(heading_key(zone.text)) == "affiliation":
            labels[i] = Verdict("heading", 0.8, "announced")
            under = True
        elif under and i not in labels and place_method(zone, between=True):
            labels[i] = Verdict("affiliation", 0.8, "under-heading")
        else:
            under = False
    return any(verdict.label == "affiliation" for verdict in labels.values())


def _announced(sheets: Sheets, labels: _Labels) -> None:
    """Label what stands under each other announcing heading, and what begins with one."""
    label, left = "", 0
    for i, zone in enumerate(sheets.zones):
        known, run_in = ANNOUNCED.get(heading_key(zone.text), ""), announcing(zone.text)
        if i in labels:
            label = ""
        elif known:
            labels[i] = Verdict("heading", 0.8, "announced")
            label, left = ("" if known == "abstract" else known), _MOST.get(known, len(sheets.zones))
        elif run_in and run_in not in {"abstract", "reference"}:
            labels[i] = Verdict(run_in, 0.7, "run-in")
            label = ""
        elif label == "reference" and _IMPRINT.search(zone.text):
            continue  # a foot of the sheet stands among them
        elif label and left and (label == "reference" or not _is_heading(sheets, i)):
            labels[i] = Verdict(label, 0.7, "under-heading")
            left -= 1
        else:
            label = ""


def _is_heading(sheets: Sheets, i: int) -> bool:
    text = sheets.text(i)
    large = sheets.spots[i].bold or sheets.zones[i].size > sheets.body
    return is_section(text) or (len(text) < _SHORT and large)


def _cut_places(zones: Iterable[LabelledZone]) -> Iterator[LabelledZone]:
    """Each affiliation of a line as a zone of its own."""
    for labelled in zones:
        if labelled.verdict.label == "affiliation":
            yield from (LabelledZone(place, labelled.verdict) for place in places_in(labelled.zone))
        else:
            yield labelled

"""What the review app asks of a page, answered in a worker process.

Show it, draw it, read it again, relabel it, learn from it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import build_citation, calibrate_citation, normalise_citation
from medharvest.codec import encode_record, from_json, to_json
from medharvest.fields import CORE_FIELDS, take_field, tie_authors, with_affiliations
from medharvest.journals.article_reader import Lesson, label_page, read_page, read_taught_page, teach_pages
from medharvest.pages import parse_page
from medharvest.pages.pdf import draw_page
from medharvest.records import Citation, LabelledZone, Page, Verdict
from medharvest.zones.known_values import known_values_of
from medharvest.zones.layout_templates import prints_known_values
from medharvest.zones.safe_html import render_safe_html
from medharvest.zones.segmentation import segment_with_hidden

HAND_LABEL_METHOD = "operator"  # method of a label that a person gave
_PDF_BOX = re.compile(r'<(?:p|header) data-page="(\d+)" data-box="(-?\d+) (-?\d+) (-?\d+) (-?\d+)"')
_FIELDS_BY_LABEL = {label: field for field, label in CORE_FIELDS.items()}

PageLessons = Sequence[Lesson]


def answer_review_task(task: str, job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """Carry out a task on a page; the answer is plain JSON."""
    return _REVIEW_TASKS[task](job, body, lessons)


def _show_page(job: Mapping[str, Any], body: bytes, _lessons: PageLessons) -> dict[str, Any]:
    """The page to look at; of a PDF the boxes of its blocks instead, which lie over pictures."""
    page = _parse_review_page(job, body)
    if page.media_type != "application/pdf":
        return {"html": render_safe_html(page)}
    return {"boxes": find_pdf_boxes(page.text)}


def find_pdf_boxes(text: str) -> list[tuple[int, str, tuple[int, ...]]]:
    """Page, path and place (left, bottom, right, top) of every block of a converted PDF."""
    counts: dict[str, int] = {}
    boxes = []
    for match in _PDF_BOX.finditer(text):
        tag = match[0][1 : match[0].index(" ")]
        counts[tag] = counts.get(tag, 0) + 1
        box = tuple(int(match[n]) for n in range(2, 6))
        boxes.append((int(match[1]), f"html[1]/body[1]/{tag}[{counts[tag]}]", box))
    return boxes


def _draw_pdf_page(job: Mapping[str, Any], body: bytes, _lessons: PageLessons) -> dict[str, Any]:
    picture = draw_page(body, int(job["number"]), name=job["name"])
    png = base64.b64encode(picture.png).decode("ascii")
    return {"png": png, "width": picture.width, "height": picture.height}


def _reread_page(job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """The page read again, by what the journal was taught."""
    page = _parse_review_page(job, body)
    citation = read_taught_page(page, lessons) if lessons else read_page(page)
    return {"citation": to_json(citation)}


def _relabel_record(job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """The record with the fields that zones labelled by hand give, read from what is printed in them."""
    page = _parse_review_page(job, body)
    known = from_json(Citation, job["citation"])
    return {"citation": to_json(apply_hand_labels(page, known, job["labels"], lessons))}


def apply_hand_labels(page: Page, known: Citation, labels: Mapping[str, str], lessons: PageLessons = ()) -> Citation:
    """A record in which the fields of zones that a person labelled are what those zones print."""
    zones = tuple(_relabel_zone(zone, labels) for zone in label_page(page, lessons))
    reading = normalise_citation(calibrate_citation(build_citation(page, kind=known.kind, items=(), zones=zones)))
    touched = {_FIELDS_BY_LABEL[label] for label in labels.values() if label in _FIELDS_BY_LABEL}
    for field in (field for field in CORE_FIELDS if field in touched):
        known = take_field(known, reading, field)
    if known.affiliations == reading.affiliations and touched & {"authors", "affiliations"}:
        return tie_authors(known, reading)
    if "authors" in touched and reading.authors:  # their ties are to the places of the reading
        return replace(known, authors=with_affiliations(reading, known.affiliations).authors)
    return known


def _relabel_zone(zone: LabelledZone, labels: Mapping[str, str]) -> LabelledZone:
    """A zone with the label a person gave it; other zones lose a label that was given to one by hand."""
    by_hand = labels.get(zone.zone.path)
    if by_hand is not None:
        return LabelledZone(zone.zone, Verdict(by_hand, 1.0, HAND_LABEL_METHOD))
    if zone.verdict.label in _SINGLE_ZONE_LABELS & set(labels.values()):
        return LabelledZone(zone.zone, Verdict("unidentified", 1.0, HAND_LABEL_METHOD))
    return zone


_SINGLE_ZONE_LABELS = frozenset({"title"})  # labels of one zone alone


def _teach_page(job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """What a page teaches whose record a person corrected."""
    page = _parse_review_page(job, body)
    known = known_values_of(from_json(Citation, job["citation"]))
    (lesson,) = teach_pages([(page, known)], before=[one.layout for one in lessons if one.layout.page != page.digest])
    return {"page": page.digest, "lesson": encode_record(lesson)}


def _find_printed_value(job: Mapping[str, Any], body: bytes, _lessons: PageLessons) -> dict[str, Any]:
    """Whether a page prints what a record holds in the field of a label."""
    known = known_values_of(from_json(Citation, job["citation"]))
    return {"found": prints_known_values(segment_with_hidden(_parse_review_page(job, body)), known, job["label"])}


def _parse_review_page(job: Mapping[str, Any], body: bytes) -> Page:
    return parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )


_REVIEW_TASKS: Mapping[str, Callable[[Mapping[str, Any], bytes, PageLessons], dict[str, Any]]] = {
    "show": _show_page,
    "draw": _draw_pdf_page,
    "reread": _reread_page,
    "relabel": _relabel_record,
    "teach": _teach_page,
    "find": _find_printed_value,
}

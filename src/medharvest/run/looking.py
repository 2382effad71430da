"""What the review app asks of a page, each answered in a process of its own: pages are hostile there too."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import build_citation, calibrate, reformat
from medharvest.fields import CORE, take_field, tie_authors, with_affiliations
from medharvest.json_text import dump
from medharvest.pages import parse_page
from medharvest.pages.pdf_image import draw_page
from medharvest.records import Citation, LabelledZone, Page, Verdict, from_json, to_json
from medharvest.run.lessons import label_page
from medharvest.run.read import read_page
from medharvest.run.taught import Lesson, read_taught, teach_pages
from medharvest.zones.known import known_of
from medharvest.zones.modern import prints
from medharvest.zones.segment import segment_all
from medharvest.zones.shown import shown

BY_HAND = "operator"  # method of a label that a person gave
_BOX = re.compile(r'<(?:p|header) data-page="(\d+)" data-box="(-?\d+) (-?\d+) (-?\d+) (-?\d+)"')
_LABELS = {label: field for field, label in CORE.items()}

Lessons = Sequence[Lesson]


def look(task: str, job: Mapping[str, Any], body: bytes, lessons: Lessons) -> dict[str, Any]:
    """Carry out a task on a page; the answer is plain JSON."""
    return _TASKS[task](job, body, lessons)


def _show(job: Mapping[str, Any], body: bytes, _lessons: Lessons) -> dict[str, Any]:
    """The page to look at; of a PDF the boxes of its blocks instead, which lie over pictures."""
    page = _page(job, body)
    if page.media_type != "application/pdf":
        return {"html": shown(page)}
    return {"boxes": pdf_boxes(page.text)}


def pdf_boxes(text: str) -> list[tuple[int, str, tuple[int, ...]]]:
    """Page, path and place (left, bottom, right, top) of every block of a converted PDF."""
    counts: dict[str, int] = {}
    boxes = []
    for match in _BOX.finditer(text):
        tag = match[0][1 : match[0].index(" ")]
        counts[tag] = counts.get(tag, 0) + 1
        box = tuple(int(match[n]) for n in range(2, 6))
        boxes.append((int(match[1]), f"html[1]/body[1]/{tag}[{counts[tag]}]", box))
    return boxes


def _draw(job: Mapping[str, Any], body: bytes, _lessons: Lessons) -> dict[str, Any]:
    picture = draw_page(body, int(job["number"]), name=job["name"])
    png = base64.b64encode(picture.png).decode("ascii")
    return {"png": png, "width": picture.width, "height": picture.height}


def _read(job: Mapping[str, Any], body: bytes, lessons: Lessons) -> dict[str, Any]:
    """The page read again, by what the journal was taught."""
    page = _page(job, body)
    citation = read_taught(page, lessons) if lessons else read_page(page)
    return {"citation": to_json(citation)}


def _relabel(job: Mapping[str, Any], body: bytes, lessons: Lessons) -> dict[str, Any]:
    """The record with the fields that zones labelled by hand give, read from what is printed in them."""
    page = _page(job, body)
    known = from_json(Citation, job["citation"])
    return {"citation": to_json(relabelled(page, known, job["labels"], lessons))}


def relabelled(page: Page, known: Citation, labels: Mapping[str, str], lessons: Lessons = ()) -> Citation:
    """A record in which the fields of zones that a person labelled are what those zones print."""
    zones = tuple(_labelled(zone, labels) for zone in label_page(page, lessons))
    reading = reformat(calibrate(build_citation(page, kind=known.kind, items=(), zones=zones)))
    touched = {_LABELS[label] for label in labels.values() if label in _LABELS}
    for field in (field for field in CORE if field in touched):
        known = take_field(known, reading, field)
    if known.affiliations == reading.affiliations and touched & {"authors", "affiliations"}:
        return tie_authors(known, reading)
    if "authors" in touched and reading.authors:  # their ties are to the places of the reading
        return replace(known, authors=with_affiliations(reading, known.affiliations).authors)
    return known


def _labelled(zone: LabelledZone, labels: Mapping[str, str]) -> LabelledZone:
    """A zone with the label a person gave it; other zones lose a label that was given to one by hand."""
    by_hand = labels.get(zone.zone.path)
    if by_hand is not None:
        return LabelledZone(zone.zone, Verdict(by_hand, 1.0, BY_HAND))
    if zone.verdict.label in _ONLY & set(labels.values()):
        return LabelledZone(zone.zone, Verdict("unidentified", 1.0, BY_HAND))
    return zone


_ONLY = frozenset({"title"})  # labels of one zone alone


def _teach(job: Mapping[str, Any], body: bytes, lessons: Lessons) -> dict[str, Any]:
    """What a page teaches whose record a person corrected."""
    page = _page(job, body)
    known = known_of(from_json(Citation, job["citation"]))
    (lesson,) = teach_pages([(page, known)], before=[one.layout for one in lessons if one.layout.page != page.digest])
    return {"page": page.digest, "lesson": dump(lesson)}


def _find(job: Mapping[str, Any], body: bytes, _lessons: Lessons) -> dict[str, Any]:
    """Whether a page prints what a record holds in the field of a label."""
    known = known_of(from_json(Citation, job["citation"]))
    return {"found": prints(segment_all(_page(job, body)), known, job["label"])}


def _page(job: Mapping[str, Any], body: bytes) -> Page:
    return parse_page(
        body, url=job["url"], charset=job["charset"], name=job["name"], max_pdf_pages=job["max_pdf_pages"]
    )


_TASKS: Mapping[str, Callable[[Mapping[str, Any], bytes, Lessons], dict[str, Any]]] = {
    "show": _show,
    "draw": _draw,
    "reread": _read,
    "relabel": _relabel,
    "teach": _teach,
    "find": _find,
}

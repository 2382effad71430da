"""The tasks of the review app that a worker process carries out on a page.

A page is shown, drawn, read again, relabelled, learnt from, or searched for a value. It is shown as safe HTML, in which
nothing runs or loads: every tag comes from a fixed list, every text is escaped, and of the page's attributes only the
spans of table cells and the texts of images are kept.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from medharvest.citations import build_citation, calibrate_citation, normalise_citation
from medharvest.codec import encode_record, from_json, to_json
from medharvest.fields import CORE_FIELDS, take_field, tie_authors, with_affiliations
from medharvest.harvest.worker_pool import parse_job_page
from medharvest.journals.article_reader import Lesson, label_page, read_page, read_taught_page, teach_pages
from medharvest.pages import tree
from medharvest.pages.pdf import draw_page
from medharvest.records import Citation, LabelledZone, Page, Verdict
from medharvest.zones.known_values import known_values_of
from medharvest.zones.layout_templates import prints_known_values
from medharvest.zones.segmentation import INLINE_TAGS, MAX_PATH_LEVELS, SILENT_TAGS, is_hidden_tag, segment_with_hidden

HAND_LABEL_METHOD = "operator"  # method of a label given by a person
_PDF_BOX = re.compile(r'<(?:p|header) data-page="(\d+)" data-box="(-?\d+) (-?\d+) (-?\d+) (-?\d+)"')
_FIELDS_BY_LABEL = {label: field for field, label in CORE_FIELDS.items()}
_SINGLE_ZONE_LABELS = frozenset({"title"})  # labels that only one zone of a page has

PageLessons = Sequence[Lesson]
_KEPT_TAGS = frozenset(
    """article aside blockquote caption dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol
    p pre section table tbody td tfoot th thead tr ul abbr b bdi bdo cite code dfn em i kbd mark q s samp small span
    strong sub sup u var""".split()
)
_EMPTY_TAGS = frozenset({"br", "hr", "wbr", "img", "input", "link", "meta"})
_SPAN_ATTRIBUTES = ("colspan", "rowspan")
_MAX_CELL_SPAN = 50


def answer_review_task(task: str, job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """Carry out a task on a page; return the answer as plain JSON."""
    return _REVIEW_TASKS[task](job, body, lessons)


def _show_page(job: Mapping[str, Any], body: bytes, _lessons: PageLessons) -> dict[str, Any]:
    """Return the page as safe HTML; for a PDF, the boxes of its blocks, to lay over the drawn pages."""
    page = parse_job_page(job, body)
    if page.media_type != "application/pdf":
        return {"html": render_safe_html(page)}
    return {"boxes": find_pdf_boxes(page.text)}


def find_pdf_boxes(text: str) -> list[tuple[int, str, tuple[int, ...]]]:
    """Return page, path and box (left, bottom, right, top) of every block of a converted PDF."""
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
    """Read the page again, with the lessons of its journal."""
    page = parse_job_page(job, body)
    citation = read_taught_page(page, lessons) if lessons else read_page(page)
    return {"citation": to_json(citation)}


def _relabel_record(job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """Return the record with the fields that zones labelled by hand print."""
    page = parse_job_page(job, body)
    known = from_json(Citation, job["citation"])
    return {"citation": to_json(apply_hand_labels(page, known, job["labels"], lessons))}


def apply_hand_labels(page: Page, known: Citation, labels: Mapping[str, str], lessons: PageLessons = ()) -> Citation:
    """Return a record in which the fields of zones labelled by hand are what those zones print."""
    zones = tuple(_relabel_zone(zone, labels) for zone in label_page(page, lessons))
    reading = normalise_citation(calibrate_citation(build_citation(page, kind=known.kind, items=(), zones=zones)))
    touched = {_FIELDS_BY_LABEL[label] for label in labels.values() if label in _FIELDS_BY_LABEL}
    for field in (field for field in CORE_FIELDS if field in touched):
        known = take_field(known, reading, field)
    if known.affiliations == reading.affiliations and touched & {"authors", "affiliations"}:
        return tie_authors(known, reading)
    if "authors" in touched and reading.authors:  # they are tied to the affiliations of the reading
        return replace(known, authors=with_affiliations(reading, known.affiliations).authors)
    return known


def _relabel_zone(zone: LabelledZone, labels: Mapping[str, str]) -> LabelledZone:
    """Give a zone its label by hand; other zones lose a single-zone label that was given by hand."""
    by_hand = labels.get(zone.zone.path)
    if by_hand is not None:
        return LabelledZone(zone.zone, Verdict(by_hand, 1.0, HAND_LABEL_METHOD))
    if zone.verdict.label in _SINGLE_ZONE_LABELS & set(labels.values()):
        return LabelledZone(zone.zone, Verdict("unidentified", 1.0, HAND_LABEL_METHOD))
    return zone


def _teach_page(job: Mapping[str, Any], body: bytes, lessons: PageLessons) -> dict[str, Any]:
    """Return the lesson of a page whose record a person corrected."""
    page = parse_job_page(job, body)
    known = known_values_of(from_json(Citation, job["citation"]))
    (lesson,) = teach_pages([(page, known)], before=[one.layout for one in lessons if one.layout.page != page.digest])
    return {"page": page.digest, "lesson": encode_record(lesson)}


def _find_printed_value(job: Mapping[str, Any], body: bytes, _lessons: PageLessons) -> dict[str, Any]:
    """Say whether a page prints the value a record has in the field of a label."""
    known = known_values_of(from_json(Citation, job["citation"]))
    return {"found": prints_known_values(segment_with_hidden(parse_job_page(job, body)), known, job["label"])}


_REVIEW_TASKS: Mapping[str, Callable[[Mapping[str, Any], bytes, PageLessons], dict[str, Any]]] = {
    "show": _show_page,
    "draw": _draw_pdf_page,
    "reread": _reread_page,
    "relabel": _relabel_record,
    "teach": _teach_page,
    "find": _find_printed_value,
}


def render_safe_html(page: Page) -> str:
    """Return the body of a page as safe HTML; each block has its path as `data-zone`."""
    writer = _SafeHtmlWriter()
    tree.visit_tags(page.text, writer)
    return "".join(writer.pieces)


class _SafeHtmlWriter:
    """Writes safe HTML while the page is parsed."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.paths = [""]  # of the open blocks, outermost first
        self.counts: list[dict[str, int]] = [{}]
        self.inside = False  # whether the body has opened

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        del level
        if tag in SILENT_TAGS or (tag in INLINE_TAGS and is_hidden_tag(attributes)):
            return False
        self.inside = self.inside or tag == "body"
        zone = "" if tag in INLINE_TAGS else self._descend(tag)
        if self.inside:
            self._write(tag, attributes, zone)
        return True

    def _descend(self, tag: str) -> str:
        counts = self.counts[-1]
        counts[tag] = counts.get(tag, 0) + 1
        path = self.paths[-1]
        if len(self.paths) <= MAX_PATH_LEVELS:
            path = f"{path}/{tag}[{counts[tag]}]".lstrip("/")
        self.paths.append(path)
        self.counts.append({})
        return path

    def _write(self, tag: str, attributes: dict[str, str | None], zone: str) -> None:
        if tag in {"br", "hr"}:
            self.pieces.append(f"<{tag}>")
        elif tag == "img":
            self.pieces.append(f"<span class=picture>{html.escape((attributes.get('alt') or '')[:200])}</span>")
        elif tag not in _EMPTY_TAGS:
            name = f' data-zone="{html.escape(zone)}"' if zone else ""
            hidden = " class=folded" if zone and is_hidden_tag(attributes) else ""
            self.pieces.append(f"<{_safe_tag_for(tag)}{name}{hidden}{_write_cell_spans(tag, attributes)}>")

    def close(self, tag: str, level: int) -> None:
        del level
        if self.inside and tag not in _EMPTY_TAGS and tag != "br":
            self.pieces.append(f"</{_safe_tag_for(tag)}>")
        if tag not in INLINE_TAGS:
            self.paths.pop()
            self.counts.pop()
        self.inside = self.inside and tag != "body"

    def text(self, text: str) -> None:
        if self.inside:
            self.pieces.append(html.escape(text))


def _safe_tag_for(tag: str) -> str:
    """Return the safe tag for a tag of the page."""
    return tag if tag in _KEPT_TAGS else "span" if tag in INLINE_TAGS else "div"


def _write_cell_spans(tag: str, attributes: dict[str, str | None]) -> str:
    if tag not in {"td", "th"}:
        return ""
    values = [(name, attributes.get(name) or "") for name in _SPAN_ATTRIBUTES]
    return "".join(
        f" {name}={value}"
        for name, value in values
        if value.isascii() and value.isdecimal() and int(value) < _MAX_CELL_SPAN
    )

"""The page of one record: its fields, and the archived pages they were read from."""

from __future__ import annotations

import base64
import functools
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import HTMLResponse, Response

from medharvest.errors import MedharvestError
from medharvest.fields import CORE_FIELDS, Field
from medharvest.formats.citation_rules import Finding, check_citation, repair_citation_field
from medharvest.library.review import page_choices
from medharvest.records import Citation
from medharvest.store.people import Role
from medharvest.store.rows import Article
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import SHOWN_FIELD_BY_NAME, SHOWN_FIELDS, editable_text
from medharvest.web.request_checks import frame_content_policy, new_nonce
from medharvest.web.responses import read_static_text
from medharvest.web.views.issues import doubt_of_record, score_fields, weigh_score

LEASE_SECONDS = 600.0  # seconds a record is held after the last sign of life
_ALWAYS_SHOWN = frozenset(
    {"title", "authors", "affiliations", "abstract", "journal", "volume", "issue", "first_page", "date", "doi"}
)

_SHOWN_UNDER: Mapping[str, str] = {"pages": "first_page", "sections": "abstract", "dates": "date"}
MAX_SHEETS = 6
SheetImage = tuple[bytes, float, float]  # PNG, width and height in points


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownField:
    """A field as the record page shows it."""

    field: Field
    text: str
    score: float | None
    doubt: float  # the score, nearer to 1 for fields that matter less
    state: str
    evidence: tuple[str, ...]  # paths of its zones
    page: str  # digest of the page most of them are on
    findings: tuple[Finding, ...]
    mendable: bool  # whether the press of a button changes it
    alternatives: tuple[tuple[str, float], ...]
    sources: tuple[str, ...]


def show_record(ask: ViewRequest) -> Response:
    """A record, taken for the person who opens it."""
    number = ask.number()
    corrected = ask.text("act")
    article = ask.desk.store.article(number)
    held = (
        ""
        if not ask.person.may(Role.OPERATOR)
        else ask.desk.store.people.take(number, ask.person.name, seconds=LEASE_SECONDS)
    )
    may_edit = ask.person.may(Role.OPERATOR) and not held
    pages = page_choices(ask.desk.reviewing.pages_of(number, article.citation))
    return ask.render(
        "record.html",
        article=article,
        issue=article.issue,
        fields=list_shown_fields(article),
        others=list_other_findings(article.citation),
        pages=pages,
        digest=ask.text("page") or (pages[0][0] if pages else ""),
        notes=ask.desk.store.people.notes(number),
        doubt=doubt_of_record(article.citation, article.states),
        held=held,
        offer=lesson_offer_url(number, ask.text("field"), int(corrected)) if may_edit and corrected.isdecimal() else "",
        may_edit=may_edit,
    )


def lesson_offer_url(number: int, field: str, act: int) -> str:
    """Where the page asks what a correction may teach; empty where the field teaches nothing, or none was corrected."""
    return f"/records/{number}/fields/{field}/lesson?act={act}" if field in CORE_FIELDS and act else ""


def list_shown_fields(article: Article) -> list[ShownField]:
    """The fields of a record that hold something, are wanted, or have something wrong with them."""
    scores, findings = score_fields(article.citation), _find_problems(article.citation)
    found = [_build_shown_field(article, field, scores.get(field.name), findings) for field in SHOWN_FIELDS]
    return [one for one in found if one.text or one.findings or one.field.name in _ALWAYS_SHOWN]


def _build_shown_field(article: Article, field: Field, score: float | None, findings: Sequence[Finding]) -> ShownField:
    citation = article.citation
    proofs = [proof for proof in citation.evidence if proof.field == field.name]
    printed = [proof for proof in proofs if proof.source == "zone" and proof.page]
    own = tuple(one for one in findings if _field_of_finding(one) == field.name)
    return ShownField(
        field=field,
        text=editable_text(citation, field),
        score=score,
        doubt=weigh_score(field.name, score),
        state=str(article.states.get(field.name, "proposed")),
        evidence=tuple(dict.fromkeys(proof.path for proof in printed)),
        page=printed[0].page if printed else "",
        findings=own,
        mendable=bool(own) and repair_citation_field(citation, field.name) != citation,
        alternatives=tuple((one.value, one.score) for one in citation.alternatives if one.field == field.name)[:5],
        sources=tuple(dict.fromkeys(_source_label(proof.source, proof.method) for proof in proofs))[:4],
    )


def _source_label(source: str, method: str) -> str:
    return f"{method}'s word" if source == "operator" else source


def list_other_findings(citation: Citation) -> tuple[Finding, ...]:
    """What is wrong with a record and belongs to no field that is shown."""
    return tuple(one for one in _find_problems(citation) if _field_of_finding(one) not in SHOWN_FIELD_BY_NAME)


@functools.lru_cache(maxsize=2000)
def _find_problems(citation: Citation) -> tuple[Finding, ...]:
    """What is wrong with a record; it is looked at again and again while a person goes from field to field."""
    return tuple(check_citation(citation))


def _field_of_finding(finding: Finding) -> str:
    """The field of the app that a finding is about: `authors[2].orcid` is about authors."""
    return _SHOWN_UNDER.get(name := finding.field.partition("[")[0].partition(".")[0], name)


def show_evidence(ask: ViewRequest) -> Response:
    """The frame with an archived page of the record."""
    number, digest = ask.number(), ask.request.path_params["digest"]
    reviewing = ask.desk.reviewing
    try:
        shown = reviewing.show(number, digest)
        boxes = shown.get("boxes", ())
        sheets = (
            [reviewing.draw(number, digest, sheet) for sheet in range(1, count_shown_sheets(boxes) + 1)]
            if boxes
            else []
        )
    except MedharvestError as error:
        return ask.render("unshown.html", error=error)
    return render_evidence_frame(shown, sheets)


def keep_lease(ask: ViewRequest) -> Response:
    """Go on holding a record."""
    held = ask.desk.store.people.take(ask.number(), ask.person.name, seconds=LEASE_SECONDS)
    return Response(status_code=409 if held else 204)


ROUTES = (
    ViewRoute("/records/{number:int}", show_record),
    ViewRoute("/evidence/{number:int}/{digest}", show_evidence),
    post_route("/records/{number:int}/lease", keep_lease),
)


def render_evidence_frame(shown: dict[str, Any], sheets: Sequence[SheetImage] = ()) -> Response:
    """The document of the frame: the page's own HTML, or the sheets of a PDF with the boxes of its blocks."""
    nonce = new_nonce()
    body = (
        shown["html"]
        if "html" in shown
        else "".join(_draw_evidence_sheet(n, one, shown["boxes"]) for n, one in enumerate(sheets, 1))
    )
    text = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Archived page</title>'
        f'<style nonce="{nonce}">{read_static_text("frame.css")}</style></head><body>{body}'
        f'<script nonce="{nonce}" type="module">{read_static_text("frame.js")}</script></body></html>'
    )
    return HTMLResponse(text, headers={"Content-Security-Policy": frame_content_policy(nonce)})


def count_shown_sheets(boxes: Sequence[Any]) -> int:
    """How many sheets of a PDF are shown: the first ones, which bear the record."""
    return min(MAX_SHEETS, max((page for page, _, _ in boxes), default=1))


def _draw_evidence_sheet(number: int, sheet: SheetImage, boxes: Sequence[Any]) -> str:
    """A sheet as a picture with a box over every block; the blocks' places count from below."""
    png, width, height = sheet
    rects = "".join(
        f'<rect data-zone="{html.escape(path)}" x="{left}" y="{height - top:.0f}" width="{max(1, right - left)}" '
        f'height="{max(1, top - bottom)}"/>'
        for page, path, (left, bottom, right, top) in boxes
        if page == number
    )
    data = base64.b64encode(png).decode("ascii")
    image = f'<image href="data:image/png;base64,{data}" width="{width:.0f}" height="{height:.0f}"/>'
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}" aria-label="Page {number}">{image}{rects}</svg>'

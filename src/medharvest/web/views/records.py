"""The pages of records: one record with its fields and the archived pages they were read from; a search."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from medharvest.errors import ConflictError, InputError, MedharvestError
from medharvest.fields import CORE_FIELDS, Field, Shape, spoken_name
from medharvest.formats.citation_rules import Finding, repair_citation_field
from medharvest.journals.catalogue import find_journal_title
from medharvest.library.collection_search import SearchQuestion, records_of_hits, search_collection
from medharvest.library.export import with_journal_title
from medharvest.library.review import OTHER_PAGES_METHODS, page_choices
from medharvest.records import Citation, Evidence
from medharvest.search import render_query
from medharvest.store import HIT_MARKS, Status, Store
from medharvest.store.people import Role
from medharvest.store.rows import Article
from medharvest.topics.text_concepts import REACHES
from medharvest.vocabularies import embedded_vocabulary
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import SHOWN_FIELD_BY_NAME, SHOWN_FIELDS, editable_text
from medharvest.web.request_checks import frame_content_policy, new_nonce
from medharvest.web.responses import describe_problem, read_static_text, redirect_browser
from medharvest.web.views.issues import RecordDoubt, doubt_of_record, find_problems, neighbours_of

LEASE_SECONDS = 600.0  # that a record stays reserved after the last activity
HANDED_SECONDS = 8 * 3600.0  # that a record is reserved for the person it was handed to: a working day
_MAX_CARDS, _MAX_CARD_TEXT = 6, 300  # sources of a field that are shown, characters of each
_MAX_LIT_TEXT = 2000  # characters of a value that is looked for in its zone
_MAX_HANDED_NOTE = 500  # characters
_ALWAYS_SHOWN = frozenset(
    {"title", "authors", "affiliations", "abstract", "journal", "volume", "issue", "first_page", "date", "doi"}
)

_SHOWN_UNDER: Mapping[str, str] = {"pages": "first_page", "sections": "abstract"}
MAX_SHEETS = 6
_HITS_PER_PAGE = 20
_MAX_QUERY_LENGTH = 2000  # characters
_MAX_SEARCH_PAGE = 50  # highest page number
_SEARCHED_KINDS = ("", "citation", "page")
SheetImage = tuple[bytes, float, float]  # PNG, width and height in points


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A source of a value that no zone shows: where it stands, such as a tag of the metadata, and what it says."""

    place: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownField:
    """A field as the record page shows it."""

    field: Field
    text: str
    score: float | None
    harm: float  # to be expected of it
    asked: bool  # whether it needs a look
    reason: str  # why, beside its score
    state: str
    evidence: Mapping[str, Mapping[str, tuple[str, ...]]]  # by page, by the path of a zone: what it prints there
    values: tuple[str, ...]  # single values to be found in these zones, if the evidence has only the whole text
    cards: tuple[SourceCard, ...]  # what says the same or something else without printing it
    findings: tuple[Finding, ...]
    mendable: bool  # whether the Repair button would change it
    alternatives: tuple[tuple[str, float], ...]
    leaving: str  # the value that is delivered, if it is another one: that of the list of journals
    shown: bool  # among the fields; else among those that are empty

    @property
    def zone_label(self) -> str:
        """The label of its zones; empty if zones of the page are not labelled with this field."""
        return CORE_FIELDS.get(self.field.name, "")


def show_record(ask: ViewRequest) -> Response:
    """Show a record; looking at it does not reserve it."""
    number = ask.number()
    corrected = ask.form_number("act")
    article = ask.desk.store.records.get(number)
    holder = ask.desk.store.people.leases([number]).get(number, "")
    held = "" if holder == ask.person.name else holder
    may_edit = ask.person.may(Role.OPERATOR) and not held
    pages = page_choices(ask.desk.page_review.pages_of(number, article.citation))
    return ask.render(
        "record.html",
        article=article,
        issue=article.issue,
        fields=list_shown_fields(article, ask.desk.store),
        others=list_other_findings(article.citation),
        pages=pages,
        digest=ask.text("page") or (pages[0][0] if pages else ""),
        notes=ask.desk.store.people.notes(number),
        held=held,
        mine=bool(holder and not held),
        colleagues=_list_colleagues(ask) if may_edit else (),
        offer=lesson_offer_url(number, ask.text("field"), corrected) if may_edit and corrected else "",
        may_edit=may_edit,
    )


def _list_colleagues(ask: ViewRequest) -> list[str]:
    """Return the other people who correct records."""
    return [one.name for one in ask.desk.store.people.all() if one.may(Role.OPERATOR) and one.name != ask.person.name]


def lesson_offer_url(number: int, field: str, act: int) -> str:
    """Return the address of what a correction can teach; empty if the field teaches nothing or was not corrected."""
    return f"/records/{number}/fields/{field}/lesson?act={act}" if field in CORE_FIELDS and act else ""


def list_shown_fields(article: Article, store: Store) -> list[ShownField]:
    """Return all fields of a record; those without value, findings and importance are not among the `shown` ones."""
    citation = article.citation
    leaving = with_journal_title(citation, find_journal_title(store, citation.journal, citation.issn))
    others = [one.citation for one in neighbours_of(store, article)]
    doubt = doubt_of_record(citation, article.states, others)
    if article.status == Status.ACCEPTED:  # as it is, with whatever it lacks
        doubt = replace(doubt, harms={}, reasons={})
    return [_build_shown_field(article, field, doubt, leaving) for field in SHOWN_FIELDS]


def _build_shown_field(article: Article, field: Field, doubt: RecordDoubt, leaving: Citation) -> ShownField:
    citation, findings = article.citation, find_problems(article.citation)
    text, delivered = editable_text(citation, field), editable_text(leaving, field)
    proofs = [proof for proof in citation.evidence if proof.field == field.name]
    own = tuple(one for one in findings if _field_of_finding(one) == field.name)
    return ShownField(
        field=field,
        text=text,
        score=doubt.scores.get(field.name),
        harm=doubt.harms.get(field.name, 0.0),
        asked=field.name in doubt.asked,
        reason=doubt.reasons.get(field.name, ""),
        state=str(article.states.get(field.name, "proposed")),
        evidence=_group_printed(proofs),
        values=tuple(map(spoken_name, citation.authors)) if field.shape is Shape.AUTHORS else (),
        cards=_describe_sources(proofs),
        findings=own,
        mendable=bool(own) and repair_citation_field(citation, field.name) != citation,
        alternatives=tuple((one.value, one.score) for one in citation.alternatives if one.field == field.name)[:5],
        leaving=delivered if delivered != text else "",
        shown=bool(text or own or delivered or field.name in _ALWAYS_SHOWN),
    )


def _group_printed(proofs: Sequence[Evidence]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Group what zones print by page and by zone."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for proof in proofs:
        if proof.source == "zone" and proof.page:
            zones = found.setdefault(proof.page, {})
            text = proof.text.strip()[:_MAX_LIT_TEXT]
            zones[proof.path] = tuple(dict.fromkeys((*zones.get(proof.path, ()), text)))
    return found


def _describe_sources(proofs: Sequence[Evidence]) -> tuple[SourceCard, ...]:
    """Say where a value comes from that is not printed: metadata, a person, another page, a computation."""
    found = (_describe_source(proof) for proof in proofs if proof.source != "zone")
    return tuple(dict.fromkeys(found))[:_MAX_CARDS]


def _describe_source(proof: Evidence) -> SourceCard:
    text = proof.text.strip()[:_MAX_CARD_TEXT]
    if proof.source == "operator":
        return SourceCard(f"entered by {proof.method}", "")
    if proof.method in OTHER_PAGES_METHODS:
        return SourceCard("contents page of the issue", text)
    if proof.source == "text":
        return SourceCard(f"computed from the {proof.path}", text)
    return SourceCard(f"{proof.source} {proof.path}" if proof.path != proof.source else proof.source, text)


def list_other_findings(citation: Citation) -> tuple[Finding, ...]:
    """Return the findings that belong to no field on the page."""
    return tuple(one for one in find_problems(citation) if _field_of_finding(one) not in SHOWN_FIELD_BY_NAME)


def _field_of_finding(finding: Finding) -> str:
    """Return the field that shows a finding: `authors` for `authors[2].orcid`."""
    return _SHOWN_UNDER.get(name := finding.field.partition("[")[0].partition(".")[0], name)


def show_evidence(ask: ViewRequest) -> Response:
    """Show the frame with an archived page of the record."""
    number, digest = ask.number(), ask.request.path_params["digest"]
    review = ask.desk.page_review
    try:
        shown = review.show(number, digest)
        boxes = shown.get("boxes", ())
        sheets = (
            [review.draw(number, digest, sheet) for sheet in range(1, count_shown_sheets(boxes) + 1)] if boxes else []
        )
    except MedharvestError as error:
        message, hint = describe_problem(error)
        return ask.render("unshown.html", message=message, hint=hint)
    return render_evidence_frame(shown, sheets)


def claim_record(ask: ViewRequest) -> None:
    """Reserve a record for the person who changes it; raise `ConflictError` if someone else has it."""
    held = ask.desk.store.people.take(ask.number(), ask.person.name, seconds=LEASE_SECONDS)
    if held:
        hint = "wait until they leave it, or let a reviewer take it over"
        raise ConflictError(f"{held} is working on this record", article=ask.number(), hint=hint)


def keep_lease(ask: ViewRequest) -> Response:
    """Begin or extend the reservation of a record; 409 with the name of whoever else has it."""
    held = ask.desk.store.people.take(ask.number(), ask.person.name, seconds=LEASE_SECONDS)
    return PlainTextResponse(held, 409) if held else Response(status_code=204)


def end_lease(ask: ViewRequest) -> Response:
    """Give a record back when its page is left."""
    ask.desk.store.people.give_back(ask.number(), ask.person.name)
    return Response(status_code=204)


def take_over_record(ask: ViewRequest) -> Response:
    """Take a record from whoever works on it; their page says so when it next extends the reservation."""
    before = ask.desk.store.people.take_over(ask.number(), ask.person.name, seconds=LEASE_SECONDS)
    say = f"Taken over from {before}, who is told." if before else "The record is yours."
    return redirect_browser(ask.request, f"/records/{ask.number()}", say=say)


def hand_over_record(ask: ViewRequest) -> Response:
    """Give a record to another person, with a note for them, until the end of their working day."""
    claim_record(ask)
    people, number, name = ask.desk.store.people, ask.number(), ask.text("person")
    receiver = people.get(name)
    if receiver is None or not receiver.may(Role.OPERATOR):
        raise InputError("nobody of this name corrects records", name="person", hint="choose one of the list")
    people.take_over(number, name, seconds=HANDED_SECONDS)
    note = " ".join(part for part in (f"for {name}", ask.text("text").strip()[:_MAX_HANDED_NOTE]) if part)
    people.say(number, ask.person.name, note, flag=True)
    issue = ask.desk.store.overview.issue_of(number)
    return redirect_browser(ask.request, f"/issues/{issue}", say=f"Handed over to {name}.")


def render_evidence_frame(shown: dict[str, Any], sheets: Sequence[SheetImage] = ()) -> Response:
    """Render the document of the frame: the HTML of the page, or the sheets of a PDF with boxes over its blocks."""
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
    """Return how many sheets of a PDF are shown: the first ones, where the record is."""
    return min(MAX_SHEETS, max((page for page, _, _ in boxes), default=1))


def _draw_evidence_sheet(number: int, sheet: SheetImage, boxes: Sequence[Any]) -> str:
    """Draw a sheet as an image with a box over every block; block positions count from the bottom."""
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


def show_search(ask: ViewRequest) -> Response:
    """Show the hits of a query, best first; without a query, how to write one."""
    words, reach, kind = ask.text("q").strip()[:_MAX_QUERY_LENGTH], ask.text("reach"), ask.text("kind")
    known: dict[str, Any] = {"q": words, "reaches": REACHES, "reach": reach, "kinds": _SEARCHED_KINDS, "kind": kind}
    if not words:
        return ask.render("search.html", answer=None, **known)
    text = f"({words}) AND kind:{kind}" if kind in _SEARCHED_KINDS[1:] else words
    number = min(_MAX_SEARCH_PAGE, ask.form_number("page") or 0)
    question = SearchQuestion(text=text, reach=reach if reach in REACHES else "")
    answer = search_collection(
        question, ask.desk.store, embedded_vocabulary(), limit=_HITS_PER_PAGE, offset=number * _HITS_PER_PAGE
    )
    return ask.render(
        "search.html",
        answer=answer,
        hits=records_of_hits(answer.found.hits, ask.desk.store),
        groups=[(group.lines[0], group.lines[1:]) for group in answer.strategy.groups],
        marked=mark_hits_in_html,
        written=render_query,
        number=number,
        more=(number + 1) * _HITS_PER_PAGE < answer.found.ranked and number < _MAX_SEARCH_PAGE,
        **known,
    )


def mark_hits_in_html(text: str) -> Markup:
    """Write a text of the index as HTML, with the matches marked."""
    return Markup(escape(text).replace(HIT_MARKS[0], Markup("<mark>")).replace(HIT_MARKS[1], Markup("</mark>")))  # noqa: S704


ROUTES = (
    ViewRoute("/search", show_search),
    ViewRoute("/records/{number:row}", show_record),
    ViewRoute("/evidence/{number:row}/{digest}", show_evidence),
    post_route("/records/{number:row}/lease", keep_lease),
    post_route("/records/{number:row}/lease/end", end_lease),
    post_route("/records/{number:row}/lease/take", take_over_record, Role.REVIEWER),
    post_route("/records/{number:row}/lease/hand", hand_over_record),
)

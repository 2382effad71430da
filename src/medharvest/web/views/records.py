"""The record: its evidence beside its fields."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from medharvest.citations.validation import check_citation, repaired
from medharvest.citations.validation.findings import Finding
from medharvest.errors import MedharvestError
from medharvest.fields import CORE
from medharvest.records import Citation
from medharvest.run.review import kinds
from medharvest.store.people import Role
from medharvest.store.rows import Article
from medharvest.web.asking import Ask, Page, act
from medharvest.web.evidence import frame, sheets_of
from medharvest.web.fields import BY_NAME, FIELDS, Field, as_text
from medharvest.web.queue import doubt_of, scores_of, weighted

LEASE = 600.0  # seconds a record is held after the last sign of life
_USUAL = frozenset(
    {"title", "authors", "affiliations", "abstract", "journal", "volume", "issue", "first_page", "date", "doi"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
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


def show_record(ask: Ask) -> Response:
    """A record, taken for the person who opens it."""
    number = ask.number()
    corrected = ask.text("act")
    article = ask.desk.store.article(number)
    held = (
        "" if not ask.person.may(Role.OPERATOR) else ask.desk.store.people.take(number, ask.person.name, seconds=LEASE)
    )
    may_edit = ask.person.may(Role.OPERATOR) and not held
    pages = kinds(ask.desk.reviewing.pages_of(number, article.citation))
    return ask.render(
        "record.html",
        article=article,
        issue=article.issue,
        fields=shown_fields(article),
        others=findings_apart(article.citation),
        pages=pages,
        digest=ask.text("page") or (pages[0][0] if pages else ""),
        notes=ask.desk.store.people.notes(number),
        doubt=doubt_of(article.citation, article.states),
        held=held,
        offer=offer_of(number, ask.text("field"), int(corrected)) if may_edit and corrected.isdecimal() else "",
        may_edit=may_edit,
    )


def offer_of(number: int, field: str, act: int) -> str:
    """Where the page asks what a correction may teach; empty where the field teaches nothing, or none was corrected."""
    return f"/records/{number}/fields/{field}/lesson?act={act}" if field in CORE and act else ""


def shown_fields(article: Article) -> list[Shown]:
    """The fields of a record that hold something, are wanted, or have something wrong with them."""
    scores, findings = scores_of(article.citation), _findings(article.citation)
    found = [_shown_field(article, field, scores.get(field.name), findings) for field in FIELDS]
    return [one for one in found if one.text or one.findings or one.field.name in _USUAL]


def _shown_field(article: Article, field: Field, score: float | None, findings: Sequence[Finding]) -> Shown:
    citation = article.citation
    proofs = [proof for proof in citation.evidence if proof.field == field.name]
    printed = [proof for proof in proofs if proof.source == "zone" and proof.page]
    own = tuple(one for one in findings if _field_of(one) == field.name)
    return Shown(
        field=field,
        text=as_text(citation, field),
        score=score,
        doubt=weighted(field.name, score),
        state=str(article.states.get(field.name, "proposed")),
        evidence=tuple(dict.fromkeys(proof.path for proof in printed)),
        page=printed[0].page if printed else "",
        findings=own,
        mendable=bool(own) and repaired(citation, field.name) != citation,
        alternatives=tuple((one.value, one.score) for one in citation.alternatives if one.field == field.name)[:5],
        sources=tuple(dict.fromkeys(_source(proof.source, proof.method) for proof in proofs))[:4],
    )


def _source(source: str, method: str) -> str:
    return f"{method}'s word" if source == "operator" else source


def findings_apart(citation: Citation) -> tuple[Finding, ...]:
    """What is wrong with a record and belongs to no field that is shown."""
    return tuple(one for one in _findings(citation) if _field_of(one) not in BY_NAME)


@functools.lru_cache(maxsize=2000)
def _findings(citation: Citation) -> tuple[Finding, ...]:
    """What is wrong with a record; it is looked at again and again while a person goes from field to field."""
    return tuple(check_citation(citation))


def _field_of(finding: Finding) -> str:
    """The field of the app that a finding is about: `authors[2].orcid` is about authors."""
    return _SHOWN_AS.get(name := finding.field.partition("[")[0].partition(".")[0], name)


_SHOWN_AS: Mapping[str, str] = {"pages": "first_page", "sections": "abstract", "dates": "date"}


def show_evidence(ask: Ask) -> Response:
    """The frame with an archived page of the record."""
    number, digest = ask.number(), ask.request.path_params["digest"]
    reviewing = ask.desk.reviewing
    try:
        shown = reviewing.show(number, digest)
        boxes = shown.get("boxes", ())
        sheets = [reviewing.draw(number, digest, sheet) for sheet in range(1, sheets_of(boxes) + 1)] if boxes else []
    except MedharvestError as error:
        return ask.render("unshown.html", error=error)
    return frame(shown, sheets)


def keep_lease(ask: Ask) -> Response:
    """Go on holding a record."""
    held = ask.desk.store.people.take(ask.number(), ask.person.name, seconds=LEASE)
    return Response(status_code=409 if held else 204)


ROUTES = (
    Page("/records/{number:int}", show_record),
    Page("/evidence/{number:int}/{digest}", show_evidence),
    act("/records/{number:int}/lease", keep_lease),
)

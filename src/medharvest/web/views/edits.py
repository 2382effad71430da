"""Correct or accept fields and records, and preview and apply what a correction teaches the journal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.responses import Response

from medharvest.errors import ConflictError, InputError
from medharvest.fields import CORE_FIELDS, Field, Shape
from medharvest.formats.citation_rules import repair_citation_field
from medharvest.library.review import TaughtRecord, page_choices
from medharvest.records import Citation
from medharvest.store.people import Role
from medharvest.web.context import ViewRequest, ViewRoute, post_route, replace_surrogates
from medharvest.web.field_texts import (
    SHOWN_FIELD_BY_NAME,
    editable_text,
    edited_values,
    with_author_rows,
    with_edited_text,
    with_pasted_byline,
)
from medharvest.web.responses import describe_problem, redirect_browser
from medharvest.web.views.issues import find_next_record
from medharvest.web.views.records import claim_record, lesson_offer_url, list_shown_fields

_MAX_FIELD_TEXT = 200_000  # characters of a field
_FIELD_OF_ZONES = {label: SHOWN_FIELD_BY_NAME[name] for name, label in CORE_FIELDS.items()}
_FIELD_BY_LABEL = {label: field for field, label in CORE_FIELDS.items()}  # by the label of their zones
_MAX_BYLINE = 50_000  # characters of a byline that is pasted
_MAX_LABELLED_PATH = 20_000


def correct_field(ask: ViewRequest) -> Response:
    """Correct a field."""
    field = field_of_request(ask)
    return _save_and_render(ask, field, with_edited_text(_stored_citation(ask), field, value_of_request(ask, field)))


def correct_authors(ask: ViewRequest) -> Response:
    """Correct the authors by their list, and the affiliations beside it."""
    field = SHOWN_FIELD_BY_NAME["authors"]
    return _save_and_render(ask, field, with_authors_of_request(ask, _stored_citation(ask)), also=("affiliations",))


def with_authors_of_request(ask: ViewRequest, known: Citation) -> Citation:
    """Return a record with the authors and affiliations of the list that was sent."""
    names = ("row", "family", "given", "suffix", "collective", "orcid", "email", "places")
    columns = {name: ask.texts(name) for name in names}
    marked = {name: set(ask.texts(name)) for name in ("corresponding", "equal")}
    if len({len(texts) for texts in columns.values()}) > 1:
        raise InputError("the list of authors is incomplete", name="authors", hint="reload the page and try again")
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for row in rows:
        row |= {name: "1" if row["row"] in having else "" for name, having in marked.items()}
    return with_author_rows(known, rows, ask.texts("place") or known.affiliations)


def read_pasted_byline(ask: ViewRequest) -> Response:
    """Read a byline that was pasted into rows of authors; nothing is saved."""
    article = ask.desk.store.records.get(ask.number())
    read = with_pasted_byline(article.citation, ask.text("text")[:_MAX_BYLINE])
    if not read.authors:
        raise InputError("no names were found", name="text", hint="paste the names first, each affiliation on a line")
    article = replace(article, citation=read)
    fields = [one for one in list_shown_fields(article, ask.desk.store) if one.field.name == "authors"]
    return ask.render("fields.html", article=article, fields=fields, may_edit=True, offer="")


def take_selected(ask: ViewRequest) -> Response:
    """Put text selected on the page into a field: alone, or added to what is there."""
    label = ask.text("label")
    field = _FIELD_OF_ZONES.get(label) or SHOWN_FIELD_BY_NAME.get(label)
    text = ask.text("text").strip()
    if field is None or not text or len(text) > _MAX_FIELD_TEXT:
        raise InputError("no text is selected", name="text", hint="select text on the page and choose its label")
    known = _stored_citation(ask)
    whole = _add_to_field(known, field, text) if ask.text("mode") == "add" else with_edited_text(known, field, text)
    act = _store_correction(ask, field, whole)
    return redirect_browser(
        ask.request, f"/records/{ask.number()}?field={field.name}&act={act}", say=f"{field.label} taken from the page."
    )


def _add_to_field(known: Citation, field: Field, text: str) -> Citation:
    """Add a text to a field: to a list as its last entry, to prose behind it; known authors stay as they are."""
    if field.shape is Shape.AUTHORS:
        return replace(known, authors=known.authors + with_edited_text(Citation(), field, text).authors)
    between = "\n\n" if field.shape is Shape.SECTIONS and known.sections else "\n"
    return with_edited_text(known, field, f"{editable_text(known, field)}{between}{text}".strip())


def take_alternative(ask: ViewRequest) -> Response:
    """Replace the value of a field by one of its alternatives."""
    field = field_of_request(ask)
    return _save_and_render(ask, field, with_edited_text(_stored_citation(ask), field, value_of_request(ask, field)))


def repair_field(ask: ViewRequest) -> Response:
    """Repair what a message complains about."""
    field = field_of_request(ask)
    return _save_and_render(ask, field, repair_citation_field(_stored_citation(ask), field.name))


def accept_field(ask: ViewRequest) -> Response:
    """Accept a field as it is."""
    field = field_of_request(ask)
    claim_record(ask)
    names = [name for name, value in edited_values(_stored_citation(ask), field).items() if value] or [field.name]
    ask.desk.store.accept(ask.number(), names, who=ask.person.name, version=_version_of_request(ask))
    return _render_record_fields(ask, f"{field.label} accepted.")


def accept_record(ask: ViewRequest) -> Response:
    """Accept the whole record, release it, and go to the next one."""
    number = ask.number()
    claim_record(ask)
    ask.desk.store.review.finish(number, who=ask.person.name, version=_version_of_request(ask))
    issue = ask.desk.store.overview.issue_of(number)
    following = find_next_record(ask, issue, number)
    if following:
        return redirect_browser(ask.request, f"/records/{following}", say="Accepted; here is the next.")
    return redirect_browser(ask.request, f"/issues/{issue}", say="Accepted; that was the last open record.")


def skip_record(ask: ViewRequest) -> Response:
    """Open the next open record without accepting this one; after the last one, the queue."""
    number = ask.number()
    issue = ask.desk.store.overview.issue_of(number)
    following = find_next_record(ask, issue, number)
    return redirect_browser(ask.request, f"/records/{following}" if following else f"/issues/{issue}")


def delete_record(ask: ViewRequest) -> Response:
    """Delete a record that is not an article; undo restores it."""
    claim_record(ask)
    ask.desk.store.review.delete(ask.number(), who=ask.person.name, version=_version_of_request(ask))
    return redirect_browser(
        ask.request,
        f"/issues/{ask.desk.store.overview.issue_of(ask.number())}",
        say="Deleted; undo it in the history of the record.",
    )


def _save_and_render(ask: ViewRequest, field: Field, citation: Citation, *, also: Sequence[str] = ()) -> Response:
    act = _store_correction(ask, field, citation, also=also)
    if not act:
        return _render_record_fields(ask, f"{field.label} is unchanged.")
    return _render_record_fields(
        ask, f"{field.label} corrected.", offer=lesson_offer_url(ask.number(), field.name, act)
    )


def _store_correction(ask: ViewRequest, field: Field, citation: Citation, *, also: Sequence[str] = ()) -> int:
    """Save a correction and return the number of its act; 0 if it changes nothing."""
    before = _stored_citation(ask)
    given = edited_values(citation, field) | {name: getattr(citation, name) for name in also}
    changed = {name: value for name, value in given.items() if value != getattr(before, name)}
    if not changed:
        return 0
    claim_record(ask)
    return ask.desk.store.review.set_values(
        ask.number(), changed, who=ask.person.name, version=_version_of_request(ask)
    )


def _render_record_fields(ask: ViewRequest, say: str, *, offer: str = "") -> Response:
    """Render all fields again: the correction of one changes the version, and maybe messages, of all.

    `offer` is the address where the page asks what the correction can teach; that takes longer than saving it.
    """
    article = ask.desk.store.records.get(ask.number())
    fields = list_shown_fields(article, ask.desk.store)
    return ask.render("fields.html", say=say, article=article, fields=fields, may_edit=True, offer=offer)


def field_of_request(ask: ViewRequest) -> Field:
    """Return the field in the address."""
    found = SHOWN_FIELD_BY_NAME.get(ask.request.path_params.get("field", ""))
    if found is None:
        raise InputError("no such field", name="field", hint="the record page shows the fields")
    return found


def value_of_request(ask: ViewRequest, field: Field) -> str:
    """Return the text of a field that was sent."""
    text = ask.text("value")
    if len(text) > _MAX_FIELD_TEXT:
        raise InputError(f"{field.label} is too long", name=field.name, hint=f"at most {_MAX_FIELD_TEXT} characters")
    return text


def _stored_citation(ask: ViewRequest) -> Citation:
    return ask.desk.store.citation(ask.number())


def _version_of_request(ask: ViewRequest) -> int:
    """Return the version of the record that the person saw; raise without one, so that no one overwrites others."""
    seen = ask.form_number("version")
    if seen is None:
        raise ConflictError("the form does not say which version it is about", article=ask.number(), hint="reload")
    return seen


@dataclass(frozen=True, slots=True)
class LessonForm:
    """The form for what a correction teaches: its address and its hidden values."""

    action: str
    values: Mapping[str, str]


def preview_labels(ask: ViewRequest) -> Response:
    """Preview what a label would change, in this record and in the others of its journal."""
    number, labels = ask.number(), _labels_of_request(ask)
    fields = [SHOWN_FIELD_BY_NAME[_FIELD_BY_LABEL[label]] for label in dict.fromkeys(labels.values())]
    names = [name for field in fields for name in edited_values(Citation(), field)]
    taught = ask.desk.page_review.preview_labels(number, ask.text("digest"), labels, names)
    before = ask.desk.store.citation(number)
    own = [(field, editable_text(before, field), editable_text(taught.record, field)) for field in fields]
    return _show_lesson(ask, taught, form=_make_label_form(ask, labels), own=own)


def apply_labels(ask: ViewRequest) -> Response:
    """Apply a label: the record, the journal's template and the other records change as previewed."""
    labels = _labels_of_request(ask)
    reason = f"labelled {', '.join(dict.fromkeys(labels.values()))}"
    return _apply_lesson(ask, form=_make_label_form(ask, labels), reason=reason, say="Corrected")


def offer_lesson(ask: ViewRequest) -> Response:
    """Offer to teach the journal by a corrected field, if an archived page prints its value."""
    field = _core_field_of_request(ask)
    why = "no archived page of the record prints this value"
    try:
        found = ask.desk.page_review.find_page(ask.number(), field.name)
    except InputError as error:
        found, why = None, "; ".join(describe_problem(error))
    if found is None:
        say = f"{field.label} corrected. The journal learns nothing from it."
        return ask.render("offer.html", say=say, field=field, form=None, why=why)
    ((digest, name),) = page_choices([found])
    say = f"{field.label} corrected. The journal can learn from it."
    return ask.render("offer.html", say=say, field=field, form=_make_typed_form(ask, digest), name=name)


def preview_correction(ask: ViewRequest) -> Response:
    """Preview what a typed correction would change in the other records of the journal."""
    number, field, digest = ask.number(), _core_field_of_request(ask), ask.text("digest")
    taught = ask.desk.page_review.preview_correction(number, field.name, ask.form_number("act") or 0, digest)
    return _show_lesson(ask, taught, form=_make_typed_form(ask, digest), own=())


def apply_correction(ask: ViewRequest) -> Response:
    """Teach the journal by a typed correction: its template and the other records change as previewed."""
    return _apply_lesson(ask, form=_make_typed_form(ask, ask.text("digest")), reason="", say="The journal learnt it")


def _show_lesson(ask: ViewRequest, taught: TaughtRecord, *, form: LessonForm, own: object) -> Response:
    others = [
        (one.number, field, editable_text(one.before, field), editable_text(one.after, field))
        for one in taught.others
        for field in [SHOWN_FIELD_BY_NAME[one.field]]
    ]
    return ask.render(
        "teach.html",
        word=ask.desk.page_review.keep(taught, who=ask.person.name),
        form=form,
        own=own,
        others=others,
        journal=taught.teaching.lesson.journal,
        printed=[SHOWN_FIELD_BY_NAME[name].label for name in taught.printed],
        missing=[SHOWN_FIELD_BY_NAME[name].label for name in taught.missing],
    )


def _apply_lesson(ask: ViewRequest, *, form: LessonForm, reason: str, say: str) -> Response:
    number = ask.number()
    claim_record(ask)
    try:
        many = ask.desk.page_review.apply(number, ask.text("word"), who=ask.person.name, reason=reason)
    except ConflictError as error:
        return ask.render("stale.html", status=409, error=error, form=form)
    others = f"; {many} other records changed too" if many else ""
    return redirect_browser(ask.request, f"/records/{number}", say=f"{say}{others}.")


def _make_label_form(ask: ViewRequest, labels: Mapping[str, str]) -> LessonForm:
    return LessonForm(f"/records/{ask.number()}/label", {"labels": json.dumps(labels), "digest": ask.text("digest")})


def _make_typed_form(ask: ViewRequest, digest: str) -> LessonForm:
    action = f"/records/{ask.number()}/fields/{_core_field_of_request(ask).name}/lesson"
    return LessonForm(action, {"act": ask.text("act"), "digest": digest})


def _core_field_of_request(ask: ViewRequest) -> Field:
    name = ask.request.path_params["field"]
    if name not in CORE_FIELDS:
        raise InputError(
            "this field cannot teach the journal", name=name, hint=f"fields that can are {', '.join(CORE_FIELDS)}"
        )
    return SHOWN_FIELD_BY_NAME[name]


def _labels_of_request(ask: ViewRequest) -> dict[str, str]:
    """Return the labels by zone: those chosen before, and the one just chosen."""
    try:
        given = json.loads(ask.text("labels", "{}") or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise InputError("the labels cannot be read", name="labels", hint="choose the zone again")
    if ask.text("path"):
        given = {**given, ask.text("path"): ask.text("label")}
    labels = {
        replace_surrogates(str(path)): str(label)
        for path, label in given.items()
        if len(str(path)) <= _MAX_LABELLED_PATH
    }
    if not labels or not set(labels.values()) <= set(_FIELD_BY_LABEL):
        raise InputError("no such label", name="label", hint=f"labels are {', '.join(_FIELD_BY_LABEL)}")
    return labels


ROUTES = (
    post_route("/records/{number:row}/fields/authors/table", correct_authors),
    post_route("/records/{number:row}/fields/authors/byline", read_pasted_byline),
    post_route("/records/{number:row}/fields/{field}", correct_field),
    post_route("/records/{number:row}/fields/{field}/alternative", take_alternative),
    post_route("/records/{number:row}/fields/{field}/repair", repair_field),
    post_route("/records/{number:row}/fields/{field}/accept", accept_field),
    post_route("/records/{number:row}/selected", take_selected),
    post_route("/records/{number:row}/accept", accept_record),
    post_route("/records/{number:row}/delete", delete_record, Role.REVIEWER),
    post_route("/records/{number:row}/label", preview_labels),
    post_route("/records/{number:row}/label/apply", apply_labels),
    ViewRoute("/records/{number:row}/next", skip_record),
    ViewRoute("/records/{number:row}/fields/{field}/lesson", offer_lesson, Role.OPERATOR),
    post_route("/records/{number:row}/fields/{field}/lesson", preview_correction),
    post_route("/records/{number:row}/fields/{field}/lesson/apply", apply_correction),
)

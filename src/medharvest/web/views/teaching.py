"""What a correction teaches the journal: zones labelled by hand, fields typed; shown first, then applied as shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from medharvest.errors import ConflictError, InputError
from medharvest.fields import CORE
from medharvest.records import Citation
from medharvest.run.review import Taught, kinds
from medharvest.store.people import Role
from medharvest.web.asking import Ask, Page, act
from medharvest.web.fields import BY_NAME, Field, as_text, values_of
from medharvest.web.rendering import go

_FIELDS = {label: field for field, label in CORE.items()}  # by the label of their zones
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Form:
    """A form that shows what a correction teaches: where it goes, and what it carries."""

    action: str
    values: Mapping[str, str]


def preview_labels(ask: Ask) -> Response:
    """What a label would do: to this record, and to the others of its journal."""
    number, labels = ask.number(), _labels(ask)
    fields = [BY_NAME[_FIELDS[label]] for label in dict.fromkeys(labels.values())]
    names = [name for field in fields for name in values_of(Citation(), field)]
    taught = ask.desk.reviewing.preview_labels(number, ask.text("digest"), labels, names)
    before = ask.desk.store.citation(number)
    own = [(field, as_text(before, field), as_text(taught.record, field)) for field in fields]
    return _show(ask, taught, form=_label_form(ask, labels), own=own)


def apply_labels(ask: Ask) -> Response:
    """Keep the label: the record, the journal's template and the other records change as they were shown."""
    labels = _labels(ask)
    reason = f"labelled {', '.join(dict.fromkeys(labels.values()))}"
    return _apply(ask, form=_label_form(ask, labels), reason=reason, say="Corrected")


def offer(ask: Ask) -> Response:
    """Whether the journal can learn from a field that was corrected: where an archived page prints its value."""
    field = _core_field(ask)
    why = "no archived page of the record prints this value"
    try:
        found = ask.desk.reviewing.find_page(ask.number(), field.name)
    except InputError as error:
        found, why = None, f"{error.message}; {error.hint}"
    if found is None:
        say = f"{field.label} corrected. The journal learns nothing from it."
        return ask.render("offer.html", say=say, field=field, form=None, why=why)
    ((digest, name),) = kinds([found])
    say = f"{field.label} corrected. The journal can learn from it."
    return ask.render("offer.html", say=say, field=field, form=_typed_form(ask, digest), name=name)


def preview_correction(ask: Ask) -> Response:
    """What a typed correction would teach: what it changes in the other records of the journal."""
    number, field, digest = ask.number(), _core_field(ask), ask.text("digest")
    taught = ask.desk.reviewing.preview_correction(number, field.name, _number(ask.text("act")), digest)
    return _show(ask, taught, form=_typed_form(ask, digest), own=())


def apply_correction(ask: Ask) -> Response:
    """Teach the journal by a typed correction: its template and the other records change as they were shown."""
    return _apply(ask, form=_typed_form(ask, ask.text("digest")), reason="", say="The journal learnt it")


def _show(ask: Ask, taught: Taught, *, form: Form, own: object) -> Response:
    others = [
        (one.number, field, as_text(one.before, field), as_text(one.after, field))
        for one in taught.others
        for field in [BY_NAME[one.field]]
    ]
    return ask.render(
        "teach.html",
        word=ask.desk.reviewing.keep(taught, who=ask.person.name),
        form=form,
        own=own,
        others=others,
        journal=taught.teaching.lesson.journal,
        printed=[BY_NAME[name].label for name in taught.printed],
        missing=[BY_NAME[name].label for name in taught.missing],
    )


def _apply(ask: Ask, *, form: Form, reason: str, say: str) -> Response:
    number = ask.number()
    try:
        many = ask.desk.reviewing.apply(number, ask.text("word"), who=ask.person.name, reason=reason)
    except ConflictError as error:
        return ask.render("stale.html", status=409, error=error, form=form)
    others = f"; {many} other records changed with it" if many else ""
    return go(ask.request, f"/records/{number}", say=f"{say}{others}.")


def _label_form(ask: Ask, labels: Mapping[str, str]) -> Form:
    return Form(f"/records/{ask.number()}/label", {"labels": json.dumps(labels), "digest": ask.text("digest")})


def _typed_form(ask: Ask, digest: str) -> Form:
    action = f"/records/{ask.number()}/fields/{_core_field(ask).name}/lesson"
    return Form(action, {"act": ask.text("act"), "digest": digest})


def _core_field(ask: Ask) -> Field:
    name = ask.request.path_params["field"]
    if name not in CORE:
        raise InputError("the field teaches nothing", name=name, hint=f"fields that do are {', '.join(CORE)}")
    return BY_NAME[name]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _labels(ask: Ask) -> dict[str, str]:
    """The zones and their labels: one that was just chosen, and those chosen before it."""
    try:
        given = json.loads(ask.text("labels", "{}") or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError("labels cannot be read", name="labels", hint="choose the zone again")
    if ask.text("path"):
        given = {**given, ask.text("path"): ask.text("label")}
    labels = {str(path): str(label) for path, label in given.items() if len(str(path)) <= _LONGEST}
    if not labels or not set(labels.values()) <= set(_FIELDS):
        raise InputError("no such label", name="label", hint=f"labels are {', '.join(_FIELDS)}")
    return labels


ROUTES = (
    act("/records/{number:int}/label", preview_labels),
    act("/records/{number:int}/label/apply", apply_labels),
    Page("/records/{number:int}/fields/{field}/lesson", offer, Role.OPERATOR),
    act("/records/{number:int}/fields/{field}/lesson", preview_correction),
    act("/records/{number:int}/fields/{field}/lesson/apply", apply_correction),
)

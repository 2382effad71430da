"""Zones labelled by hand: what it makes of the record, what it would change on other pages, and that it is so."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.run.review import LABELLED, Taught
from medharvest.run.taught import CORE
from medharvest.web.asking import Ask, act
from medharvest.web.fields import BY_NAME, as_text, values_of
from medharvest.web.rendering import go

_FIELDS = {label: field for field, label in CORE.items()}  # by the label of their zones
_LONGEST = 20_000


def preview(ask: Ask) -> Response:
    """What a label would do: to this record, and to the others of its journal."""
    number = ask.number()
    labels = _labels(ask)
    before = ask.desk.store.article(number)
    taught = _taught(ask, labels)
    fields = [BY_NAME[_FIELDS[label]] for label in dict.fromkeys(labels.values())]
    own = [(field, as_text(before.citation, field), as_text(taught.record, field)) for field in fields]
    others = [
        (
            one.number,
            BY_NAME[one.field],
            as_text(one.before, BY_NAME[one.field]),
            as_text(one.after, BY_NAME[one.field]),
        )
        for one in taught.others
    ]
    return ask.render(
        "teach.html", article=before, labels=json.dumps(labels), digest=ask.text("digest"), own=own, others=others
    )


def apply(ask: Ask) -> Response:
    """Keep the label: the record, the journal's template and, unless they are left out, the other records change."""
    number = ask.number()
    labels = _labels(ask)
    taught = _taught(ask, labels)
    before = ask.desk.store.citation(number)
    changed: dict[str, Any] = {}
    for label in labels.values():
        values = values_of(taught.record, BY_NAME[_FIELDS[label]])
        changed |= {name: value for name, value in values.items() if value != getattr(before, name)}
    if not changed:
        raise InputError("the label changes nothing", name="label", hint="the record has that value already")
    version = int(ask.text("version")) if ask.text("version").isdecimal() else None
    digest = ask.text("digest")
    reason = f"{LABELLED}{', '.join(dict.fromkeys(labels.values()))} on {digest}"
    batch = ask.desk.store.set_values(number, changed, who=ask.person.name, reason=reason, version=version)
    many = ask.desk.reviewing.apply(taught, who=ask.person.name, reason=f"taught by {batch}")
    others = f"; {many} other records changed with it" if many else ""
    return go(ask.request, f"/records/{number}", say=f"Corrected{others}.")


def _taught(ask: Ask, labels: dict[str, str]) -> Taught:
    number, digest = ask.number(), ask.text("digest")
    record = ask.desk.reviewing.relabel(number, digest, labels)
    return ask.desk.reviewing.teach(number, digest, record)


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
    act("/records/{number:int}/label", preview),
    act("/records/{number:int}/label/apply", apply),
)

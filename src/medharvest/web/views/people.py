"""Several people: accounts, records keyed apart, how far they agree, and who decides."""

from __future__ import annotations

import itertools
from dataclasses import replace

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.records import Citation
from medharvest.store.people import Person, Role
from medharvest.web.agreement import agreements, conflicts
from medharvest.web.asking import Ask, Page, act
from medharvest.web.fields import BY_NAME, Field, values_of
from medharvest.web.rendering import go
from medharvest.web.sessions import secret_of

_LONGEST_NAME = 60


def list_people(ask: Ask) -> Response:
    """Everybody who may log in."""
    return ask.render("people.html", people=ask.desk.store.people.all(), roles=list(Role))


def save_person(ask: Ask) -> Response:
    """Add a person, give a new password, another role, or shut one out."""
    name = ask.text("name").strip()
    if not name.isprintable() or not 0 < len(name) <= _LONGEST_NAME:
        raise InputError("no name for a person", name="name", hint=f"at most {_LONGEST_NAME} characters")
    known = ask.desk.store.people.get(name)
    disabled = ask.text("disabled") == "1"
    if disabled and name == ask.person.name:
        raise InputError("you cannot shut yourself out", name="name", hint="ask another admin")
    role = ask.text("role", "operator")
    if role not in set(Role):
        raise InputError("no such role", name="role", hint=", ".join(Role))
    ask.desk.store.people.add(Person(name=name, role=Role(role), secret=_secret(ask, known), disabled=disabled))
    return go(ask.request, "/people", say="Kept.")


def _secret(ask: Ask, known: Person | None) -> str:
    password = ask.text("password")
    if not password and known is not None:
        return known.secret
    return secret_of(password)


def key_record(ask: Ask) -> Response:
    """Keep the record as this person has it now, beside what others keyed."""
    ask.desk.store.people.key(ask.number(), ask.person.name, ask.desk.store.citation(ask.number()))
    return go(ask.request, f"/records/{ask.number()}", say="Kept as your keying of this record.")


def show_agreement(ask: Ask) -> Response:
    """How far people agree on records that were keyed twice, and where they do not."""
    keyed = [(number, by) for number, by in ask.desk.store.people.keyings() if len(by) > 1]
    pairs = [pair for _, by in keyed for pair in itertools.combinations(by.values(), 2)]
    open_ones = [(number, *found) for number, by in keyed for found in _conflicts(by)]
    table = agreements(pairs)
    shares = [(one.field.label, one.share) for one in table]
    return ask.render("agreement.html", table=table, shares=shares, conflicts=open_ones, records=len(keyed))


def _conflicts(by: dict[str, Citation]) -> list[tuple[str, str, Field, str, str]]:
    found = []
    for (one, first), (two, second) in itertools.combinations(by.items(), 2):
        found += [(one, two, field, text, other) for field, text, other in conflicts(first, second)]
    return found


def adjudicate(ask: Ask) -> Response:
    """Decide a field on which two people differ: one of them is right."""
    number, field, who = ask.number(), BY_NAME.get(ask.text("field")), ask.text("who")
    keyed = dict(ask.desk.store.people.keyings()).get(number, {})
    if field is None or who not in keyed:
        raise InputError("nothing to decide", name="field", hint="choose one of the two values")
    values = values_of(keyed[who], field)
    ask.desk.store.set_values(number, values, who=ask.person.name, reason=f"adjudicated: {who}")
    decided = ask.desk.store.citation(number)
    for name in keyed:  # both have the decided value from now on
        ask.desk.store.people.key(number, name, _with(keyed[name], decided, field.name))
    return go(ask.request, "/agreement", say=f"{field.label} is {who}'s.")


def _with(one: Citation, decided: Citation, name: str) -> Citation:
    return replace(one, **values_of(decided, BY_NAME[name]))


ROUTES = (
    Page("/people", list_people, Role.ADMIN),
    act("/people", save_person, Role.ADMIN),
    Page("/agreement", show_agreement),
    act("/records/{number:int}/key", key_record),
    act("/records/{number:int}/adjudicate", adjudicate, Role.REVIEWER),
)

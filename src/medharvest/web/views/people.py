"""People and their roles, agreement on records keyed twice, and a person's shortcuts and colours."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.fields import Field
from medharvest.records import Citation
from medharvest.store.people import Person, Role
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import SHOWN_FIELD_BY_NAME, SHOWN_FIELDS, editable_text, edited_values
from medharvest.web.responses import SHORTCUTS, check_shortcuts, redirect_browser
from medharvest.web.sessions import hash_new_password

_MAX_PERSON_NAME = 60
_THEMES = ("", "light", "dark")


def list_people(ask: ViewRequest) -> Response:
    """Show everyone who may log in."""
    return ask.render("people.html", people=ask.desk.store.people.all(), roles=list(Role))


def save_person(ask: ViewRequest) -> Response:
    """Add a person, change password or role, or disable the login."""
    name = ask.text("name").strip()
    if not name.isprintable() or not 0 < len(name) <= _MAX_PERSON_NAME:
        raise InputError("not a valid name", name="name", hint=f"at most {_MAX_PERSON_NAME} characters")
    known = ask.desk.store.people.get(name)
    disabled = ask.text("disabled") == "1"
    if disabled and name == ask.person.name:
        raise InputError("you cannot disable your own login", name="name", hint="ask another admin")
    role = ask.text("role", "operator")
    if role not in set(Role):
        raise InputError("no such role", name="role", hint=", ".join(Role))
    ask.desk.store.people.add(
        Person(name=name, role=Role(role), secret=_hash_given_password(ask, known), disabled=disabled)
    )
    return redirect_browser(ask.request, "/people", say="Saved.")


def _hash_given_password(ask: ViewRequest, known: Person | None) -> str:
    password = ask.text("password")
    if not password and known is not None:
        return known.secret
    return hash_new_password(password)


def save_keying(ask: ViewRequest) -> Response:
    """Save the record as this person has keyed it, to compare it with what others keyed."""
    ask.desk.store.people.key(ask.number(), ask.person.name, ask.desk.store.citation(ask.number()))
    return redirect_browser(ask.request, f"/records/{ask.number()}", say="Saved as your keying of this record.")


def show_agreement(ask: ViewRequest) -> Response:
    """Show how far people agree on records that were keyed twice, and where they differ."""
    keyed = [(number, by) for number, by in ask.desk.store.people.keyings() if len(by) > 1]
    pairs = [pair for _, by in keyed for pair in itertools.combinations(by.values(), 2)]
    open_ones = [(number, *found) for number, by in keyed for found in _list_conflicts(by)]
    table = measure_agreement(pairs)
    shares = [(one.field.label, one.share) for one in table]
    return ask.render("agreement.html", table=table, shares=shares, conflicts=open_ones, records=len(keyed))


def _list_conflicts(by: dict[str, Citation]) -> list[tuple[str, str, Field, str, str]]:
    found = []
    for (one, first), (two, second) in itertools.combinations(by.items(), 2):
        found += [(one, two, field, text, other) for field, text, other in find_conflicting_fields(first, second)]
    return found


def adjudicate_field(ask: ViewRequest) -> Response:
    """Decide which of two people is right about a field."""
    number, field, who = ask.number(), SHOWN_FIELD_BY_NAME.get(ask.text("field")), ask.text("who")
    keyed = dict(ask.desk.store.people.keyings()).get(number, {})
    if field is None or who not in keyed:
        raise InputError("nothing to decide", name="field", hint="choose one of the two values")
    values = edited_values(keyed[who], field)
    ask.desk.store.review.set_values(number, values, who=ask.person.name, reason=f"adjudicated: {who}")
    decided = ask.desk.store.citation(number)
    for name in keyed:  # both get the decided value, so that they no longer differ
        ask.desk.store.people.key(number, name, _with_decided_field(keyed[name], decided, field.name))
    return redirect_browser(ask.request, "/agreement", say=f"{field.label}: the value of {who} was chosen.")


def _with_decided_field(one: Citation, decided: Citation, name: str) -> Citation:
    return replace(one, **edited_values(decided, SHOWN_FIELD_BY_NAME[name]))


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """The agreement on a field: pairs, equal pairs, and Cohen's kappa if the field has few values."""

    field: Field
    pairs: int
    same: int
    kappa: float | None

    @property
    def share(self) -> float:
        """The share of pairs that agree."""
        return self.same / self.pairs if self.pairs else 1.0


def measure_agreement(pairs: Iterable[tuple[Citation, Citation]]) -> list[FieldAgreement]:
    """Measure the agreement on each field that has a value."""
    known = list(pairs)
    found = []
    for field in SHOWN_FIELDS:
        texts = [(editable_text(one, field), editable_text(two, field)) for one, two in known]
        filled = [pair for pair in texts if any(pair)]
        if filled:
            same = sum(one == two for one, two in filled)
            chance = cohen_kappa(filled) if field.few else None
            found.append(FieldAgreement(field, len(filled), same, chance))
    return found


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Compute Cohen's kappa of two people's values; None if chance alone would always agree."""
    count = len(pairs)
    observed = sum(one == two for one, two in pairs) / count
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(first[value] * second[value] for value in first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def find_conflicting_fields(one: Citation, two: Citation) -> list[tuple[Field, str, str]]:
    """Return the fields in which two people's records differ."""
    texts = [(field, editable_text(one, field), editable_text(two, field)) for field in SHOWN_FIELDS]
    return [(field, first, second) for field, first, second in texts if first != second]


def show_settings(ask: ViewRequest) -> Response:
    """Show the choice of keys and colours."""
    return ask.render("settings.html", settings=ask.desk.settings, store=ask.desk.store.url if ask.desk.local else "")


def save_keys(ask: ViewRequest) -> Response:
    """Save the choice of keys, or turn them off."""
    people, name = ask.desk.store.people, ask.person.name
    people.prefer(name, "keymap", check_shortcuts({key.action: ask.text(key.action, key.key) for key in SHORTCUTS}))
    people.prefer(name, "keys", "off" if ask.text("off") else "on")
    return redirect_browser(ask.request, "/settings", say="Keys saved.")


def save_theme(ask: ViewRequest) -> Response:
    """Save the theme: light, dark, or that of the system."""
    theme = ask.text("theme")
    if theme not in _THEMES:
        raise InputError("no such theme", name="theme", hint="light, dark, or as the system")
    ask.desk.store.people.prefer(ask.person.name, "theme", theme)
    return redirect_browser(ask.request, "/settings", say="Saved.")


def show_help(ask: ViewRequest) -> Response:
    """Show what the app does, and its keys."""
    return ask.render("help.html")


ROUTES = (
    ViewRoute("/people", list_people, Role.ADMIN),
    post_route("/people", save_person, Role.ADMIN),
    ViewRoute("/agreement", show_agreement),
    post_route("/records/{number:row}/key", save_keying),
    post_route("/records/{number:row}/adjudicate", adjudicate_field, Role.REVIEWER),
    ViewRoute("/settings", show_settings),
    post_route("/settings/keys", save_keys),
    post_route("/settings/theme", save_theme),
    ViewRoute("/help", show_help),
)

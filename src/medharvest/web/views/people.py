"""People and their roles, agreement on records keyed twice, and a person's shortcuts and colours."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import Response

from medharvest.codec import from_json
from medharvest.errors import InputError
from medharvest.fields import Field, drop_loose_ties, with_affiliations
from medharvest.formats.citation_rules import repair_citation_field
from medharvest.library.review import page_choices
from medharvest.records import Citation
from medharvest.store import Status
from medharvest.store.changes import JUDGED_STATES
from medharvest.store.people import Keying, Person, Role
from medharvest.store.rows import FieldState
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import (
    SHOWN_FIELD_BY_NAME,
    SHOWN_FIELDS,
    editable_text,
    edited_values,
    with_edited_text,
)
from medharvest.web.request_checks import hash_new_password
from medharvest.web.responses import SHORTCUTS, check_shortcuts, redirect_browser
from medharvest.web.views.edits import (
    field_of_request,
    read_pasted_byline,
    value_of_request,
    with_authors_of_request,
)
from medharvest.web.views.records import list_shown_fields

_KEYINGS_WANTED = 2  # people who key a record without being asked to; a third one decides where they differ
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


def start_keying(ask: ViewRequest) -> Response:
    """Begin to key a record blind: from its first reading, apart from the record and from what others keyed."""
    return _open_new_keying(ask, ask.number())


def _open_new_keying(ask: ViewRequest, number: int) -> Response:
    known = _own_keying(ask, number)
    if known is not None and known.done:
        raise InputError("you have keyed this record", name=str(number), hint="others can key it too")
    if known is None:
        ask.desk.store.people.key(number, ask.person.name, Keying(citation=_first_reading(ask, number)))
    return redirect_browser(ask.request, f"/records/{number}/keying")


def start_next_keying(ask: ViewRequest) -> Response:
    """Begin with the next record of an issue that the person has not keyed; those keyed by one other person first."""
    issue = ask.number()
    numbers = ask.desk.store.overview.numbers(issue)
    keyed = ask.desk.store.people.keyings(numbers)
    open_ones = [number for number in numbers if _is_to_be_keyed(keyed.get(number, {}), ask.person.name)]
    if not open_ones:
        raise InputError("you have keyed all records of this issue", name=str(issue), hint="Agreement compares them")
    begun = {number: (ask.person.name in keyed.get(number, {}), len(keyed.get(number, {}))) for number in open_ones}
    chosen = max(open_ones, key=lambda number: begun[number])
    return _open_new_keying(ask, chosen)


def _is_to_be_keyed(by: Mapping[str, Keying], name: str) -> bool:
    return not by[name].done if name in by else len(by) < _KEYINGS_WANTED


def show_keying(ask: ViewRequest) -> Response:
    """Show the person's own keying of a record beside its page, and nothing of what anyone else did."""
    keyed = _own_keying(ask, ask.number())
    if keyed is None or keyed.done:
        return redirect_browser(ask.request, f"/records/{ask.number()}")
    pages = page_choices(ask.desk.page_review.pages_of(ask.number(), keyed.citation))
    digest = ask.text("page") or (pages[0][0] if pages else "")
    return ask.render("keying.html", pages=pages, digest=digest, **_shown_keying(ask, keyed))


def _shown_keying(ask: ViewRequest, keyed: Keying) -> dict[str, Any]:
    """Return what the fields of a keying are rendered from: those looked at count as accepted."""
    stored = ask.desk.store.records.get(ask.number())
    states = dict.fromkeys(keyed.looked, FieldState.ACCEPTED)
    article = replace(stored, citation=keyed.citation, states=states, status=Status.PROPOSED, version=0)
    fields = list_shown_fields(article, ask.desk.store)
    base = f"/records/{ask.number()}/keying"
    return {"article": article, "fields": fields, "base": base, "may_edit": True, "offer": ""}


def key_field(ask: ViewRequest) -> Response:
    """Correct a field of the person's keying."""
    field = field_of_request(ask)
    known = _open_keying(ask)
    return _save_keying(ask, with_edited_text(known.citation, field, value_of_request(ask, field)), field)


def key_authors(ask: ViewRequest) -> Response:
    """Correct the authors of the person's keying by their table."""
    known = _open_keying(ask)
    keyed = with_authors_of_request(ask, known.citation)
    fields = [SHOWN_FIELD_BY_NAME["authors"]]
    if keyed.affiliations != known.citation.affiliations:
        fields.append(SHOWN_FIELD_BY_NAME["affiliations"])
    return _save_keying(ask, keyed, *fields)


def key_repaired_field(ask: ViewRequest) -> Response:
    """Repair what a message complains about in the person's keying."""
    field = field_of_request(ask)
    return _save_keying(ask, repair_citation_field(_open_keying(ask).citation, field.name), field)


def look_at_field(ask: ViewRequest) -> Response:
    """Say that a field of the person's keying is right as it is."""
    return _save_keying(ask, _open_keying(ask).citation, field_of_request(ask))


def _save_keying(ask: ViewRequest, citation: Citation, *fields: Field) -> Response:
    known = _open_keying(ask)
    keyed = replace(known, citation=citation, looked=known.looked | {field.name for field in fields})
    ask.desk.store.people.key(ask.number(), ask.person.name, keyed)
    label = fields[0].label
    say = f"{label} keyed." if citation != known.citation else f"{label} looked at."
    return ask.render("fields.html", say=say, **_shown_keying(ask, keyed))


def finish_keying(ask: ViewRequest) -> Response:
    """Finish a keying; fields that two people keyed alike are then written to the record."""
    number, people = ask.number(), ask.desk.store.people
    mine = replace(_open_keying(ask), done=True)
    if not mine.looked:
        raise InputError("no field was looked at", name=str(number), hint="accept or correct the fields you looked at")
    people.key(number, ask.person.name, mine)
    say = _settle_equal_fields(ask, mine)
    issue = ask.desk.store.overview.issue_of(number)
    return redirect_browser(ask.request, f"/issues/{issue}", say=say)


def _settle_equal_fields(ask: ViewRequest, mine: Keying) -> str:
    """Write the fields that this person and another one keyed alike, unless someone judged them in the record."""
    number, people = ask.number(), ask.desk.store.people
    others = {who: one for who, one in people.keyings([number])[number].items() if one.done and who != ask.person.name}
    if not others:
        return "Finished; another person can key it now."
    alike = [field for field in SHOWN_FIELDS if any(_is_keyed_alike(mine, one, field) for one in others.values())]
    article = ask.desk.store.records.get(number)
    stored = article.citation
    open_ones = [field for field in alike if article.states.get(field.name) not in JUDGED_STATES]
    decided = stored
    for field in open_ones:
        decided = _with_keyed_field(decided, mine.citation, field)
    names = [name for field in open_ones for name in edited_values(decided, field)]
    values = {name: getattr(decided, name) for name in names if getattr(decided, name) != getattr(stored, name)}
    same = [field.name for field in open_ones if field.name not in values]
    if values or same:
        reason = f"keyed alike by {ask.person.name} and {', '.join(others)}"
        ask.desk.store.review.settle(number, values, same, who=ask.person.name, reason=reason)
    for who, one in {**others, ask.person.name: mine}.items():
        people.key(number, who, replace(one, decided=one.decided | {field.name for field in alike} & one.looked))
    left = {field.name for one in others.values() for field, *_ in find_conflicting_fields(mine, one)}
    return f"Finished; {len(alike)} fields were keyed alike, {len(left)} differ and are to be decided."


def _is_keyed_alike(one: Keying, two: Keying, field: Field) -> bool:
    return field.name in one.looked & two.looked and _keyed_text(one, field) == _keyed_text(two, field)


def _keyed_text(keyed: Keying, field: Field) -> str:
    return editable_text(keyed.citation, field)


def _with_keyed_field(known: Citation, keyed: Citation, field: Field) -> Citation:
    """Take a field from a keying; authors whose affiliations the record does not have lose their ties."""
    if field.name == "affiliations":
        return with_affiliations(known, keyed.affiliations)
    taken = replace(known, **edited_values(keyed, field))
    return taken if known.affiliations == keyed.affiliations else drop_loose_ties(taken)


def _own_keying(ask: ViewRequest, number: int) -> Keying | None:
    return ask.desk.store.people.keyings([number]).get(number, {}).get(ask.person.name)


def _open_keying(ask: ViewRequest) -> Keying:
    known = _own_keying(ask, ask.number())
    if known is None or known.done:
        raise InputError("you are not keying this record", name=str(ask.number()), hint="start from its issue")
    return known


def _first_reading(ask: ViewRequest, number: int) -> Citation:
    """Return the record as it was first read, before anyone changed it."""
    whole = next(change for change in ask.desk.store.changes(number) if change.field == "")
    return from_json(Citation, json.loads(whole.after))


def show_agreement(ask: ViewRequest) -> Response:
    """Show how far people agree on the fields that both looked at, and where they differ; not while one still keys."""
    keyed = {number: _finished_keyings(by) for number, by in _visible_keyings(ask)}
    keyed = {number: by for number, by in keyed.items() if len(by) > 1}
    pairs = [pair for by in keyed.values() for pair in itertools.combinations(by.values(), 2)]
    open_ones = [(number, *found) for number, by in keyed.items() for found in _list_conflicts(by)]
    table = measure_agreement(pairs)
    shares = [(one.field.label, one.share) for one in table]
    return ask.render("agreement.html", table=table, shares=shares, conflicts=open_ones, records=len(keyed))


def _visible_keyings(ask: ViewRequest) -> Iterator[tuple[int, Mapping[str, Keying]]]:
    for number, by in ask.desk.store.people.keyings().items():
        if ask.person.name not in by or by[ask.person.name].done:
            yield number, by


def _finished_keyings(by: Mapping[str, Keying]) -> dict[str, Keying]:
    return {who: one for who, one in by.items() if one.done}


def _list_conflicts(by: Mapping[str, Keying]) -> list[tuple[str, str, Field, str, str]]:
    found = []
    for (one, first), (two, second) in itertools.combinations(by.items(), 2):
        found += [(one, two, field, text, other) for field, text, other in find_conflicting_fields(first, second)]
    return found


def adjudicate_field(ask: ViewRequest) -> Response:
    """Decide which of two people is right about a field; nobody decides about their own keying."""
    number, field, who = ask.number(), SHOWN_FIELD_BY_NAME.get(ask.text("field")), ask.text("who")
    keyed = _finished_keyings(dict(_visible_keyings(ask)).get(number, {}))
    if field is None or who not in keyed or field.name not in keyed[who].looked:
        raise InputError("nothing to decide", name="field", hint="choose one of the two values")
    if ask.person.name in keyed:
        raise InputError("you keyed this record yourself", name=str(number), hint="let somebody else decide")
    stored = ask.desk.store.citation(number)
    wanted = edited_values(_with_keyed_field(stored, keyed[who].citation, field), field)
    values = {name: value for name, value in wanted.items() if value != getattr(stored, name)}
    same = [] if field.name in values else [field.name]
    ask.desk.store.review.settle(number, values, same, who=ask.person.name, reason=f"adjudicated: {who}")
    for name, one in keyed.items():
        ask.desk.store.people.key(number, name, replace(one, decided=one.decided | {field.name}))
    return redirect_browser(ask.request, "/agreement", say=f"{field.label}: the value of {who} was chosen.")


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


def measure_agreement(pairs: Iterable[tuple[Keying, Keying]]) -> list[FieldAgreement]:
    """Measure the agreement on each field that both people of a pair looked at."""
    known = list(pairs)
    found = []
    for field in SHOWN_FIELDS:
        looked = [pair for pair in known if all(field.name in one.looked for one in pair)]
        texts = [(_keyed_text(one, field), _keyed_text(two, field)) for one, two in looked]
        if texts:
            same = sum(one == two for one, two in texts)
            chance = cohen_kappa(texts) if field.few else None
            found.append(FieldAgreement(field, len(texts), same, chance))
    return found


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Compute Cohen's kappa of two people's values; None if chance alone would always agree."""
    count = len(pairs)
    observed = sum(one == two for one, two in pairs) / count
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(first[value] * second[value] for value in first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def find_conflicting_fields(one: Keying, two: Keying) -> list[tuple[Field, str, str]]:
    """Return the fields that both people looked at, in which they differ, and which nobody has decided."""
    open_ones = (one.looked & two.looked) - one.decided - two.decided
    texts = [(field, _keyed_text(one, field), _keyed_text(two, field)) for field in SHOWN_FIELDS]
    return [(field, first, second) for field, first, second in texts if field.name in open_ones and first != second]


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
    post_route("/issues/{number:row}/keying", start_next_keying),
    post_route("/records/{number:row}/keying", start_keying),
    ViewRoute("/records/{number:row}/keying", show_keying, Role.OPERATOR),
    post_route("/records/{number:row}/keying/fields/authors/table", key_authors),
    post_route("/records/{number:row}/keying/fields/authors/byline", read_pasted_byline),
    post_route("/records/{number:row}/keying/fields/{field}", key_field),
    post_route("/records/{number:row}/keying/fields/{field}/alternative", key_field),
    post_route("/records/{number:row}/keying/fields/{field}/repair", key_repaired_field),
    post_route("/records/{number:row}/keying/fields/{field}/accept", look_at_field),
    post_route("/records/{number:row}/keying/finish", finish_keying),
    post_route("/records/{number:row}/adjudicate", adjudicate_field),
    ViewRoute("/settings", show_settings),
    post_route("/settings/keys", save_keys),
    post_route("/settings/theme", save_theme),
    ViewRoute("/help", show_help),
)

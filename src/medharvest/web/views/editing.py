"""What people do to a record: correct a field, accept it, take an alternative, accept the record."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from medharvest.citations.validation import repaired
from medharvest.errors import ConflictError, InputError
from medharvest.fields import CORE
from medharvest.records import Citation
from medharvest.store.people import Role
from medharvest.web.asking import Ask, act
from medharvest.web.fields import BY_NAME, Field, Shape, as_text, values_of, with_authors, with_text
from medharvest.web.rendering import go
from medharvest.web.views.issues import next_record
from medharvest.web.views.records import offer_of, shown_fields

_LONGEST = 200_000  # characters of a field


def set_field(ask: Ask) -> Response:
    """Correct a field."""
    field = _field(ask)
    text = ask.text("value")
    if len(text) > _LONGEST:
        raise InputError(f"{field.label} is too long", name=field.name, hint=f"at most {_LONGEST} characters")
    return _save(ask, field, with_text(_known(ask), field, text))


def set_authors(ask: Ask) -> Response:
    """Correct the authors by their table."""
    names = ("row", "family", "given", "suffix", "collective", "orcid", "email")
    columns = {name: ask.texts(name) for name in names}
    marked = {name: set(ask.texts(name)) for name in ("corresponding", "equal")}
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for row in rows:
        row |= {name: "1" if row["row"] in having else "" for name, having in marked.items()}
    links = [(row, int(n)) for row, _, n in (link.rpartition(":") for link in ask.texts("link")) if n.isdecimal()]
    return _save(ask, BY_NAME["authors"], with_authors(_known(ask), rows, links))


def take_selected(ask: Ask) -> Response:
    """Put a text that was selected on the page into a field; lists get it as a further entry."""
    field = BY_NAME.get({label: name for name, label in CORE.items()}.get(ask.text("label"), ""))
    text = ask.text("text").strip()
    if field is None or not text or len(text) > _LONGEST:
        raise InputError("nothing was selected", name="text", hint="select a text on the page and say what it is")
    act = _correct(ask, field, _with_more(_known(ask), field, text))
    return go(
        ask.request, f"/records/{ask.number()}?field={field.name}&act={act}", say=f"{field.label} taken from the page."
    )


def _with_more(known: Citation, field: Field, text: str) -> Citation:
    """A record with a text in a field, after the others where it is a list; authors keep all that is known of them."""
    if field.shape is Shape.AUTHORS:
        return replace(known, authors=known.authors + with_text(Citation(), field, text).authors)
    return with_text(known, field, f"{as_text(known, field)}\n{text}" if field.shape is Shape.LINES else text)


def take_alternative(ask: Ask) -> Response:
    """Put a value that lost in place of the one in force."""
    field = _field(ask)
    return _save(ask, field, with_text(_known(ask), field, ask.text("value")))


def repair(ask: Ask) -> Response:
    """Mend what a message complains of."""
    field = _field(ask)
    return _save(ask, field, repaired(_known(ask), field.name))


def accept_field(ask: Ask) -> Response:
    """Accept a field as it is."""
    field = _field(ask)
    names = [name for name, value in values_of(_known(ask), field).items() if value] or [field.name]
    ask.desk.store.accept(ask.number(), names, who=ask.person.name, version=_version(ask))
    return _answer(ask, f"{field.label} accepted.")


def accept_record(ask: Ask) -> Response:
    """Accept the whole record, give it back, and go to the next one."""
    number = ask.number()
    ask.desk.store.finish(number, who=ask.person.name, version=_version(ask))
    issue = ask.desk.store.overview.issue_of(number)
    following = next_record(ask, issue, number)
    if following:
        return go(ask.request, f"/records/{following}", say="Accepted; here is the next.")
    return go(ask.request, f"/issues/{issue}", say="Accepted; that was the last open record.")


def delete_record(ask: Ask) -> Response:
    """Hide a record that is none; undo brings it back."""
    ask.desk.store.delete(ask.number(), who=ask.person.name, version=_version(ask))
    return go(
        ask.request,
        f"/issues/{ask.desk.store.overview.issue_of(ask.number())}",
        say="Deleted; its history can undo it.",
    )


def _save(ask: Ask, field: Field, citation: Citation) -> Response:
    act = _correct(ask, field, citation)
    if not act:
        return _answer(ask, f"{field.label} stays as it is.")
    return _answer(ask, f"{field.label} corrected.", offer=offer_of(ask.number(), field.name, act))


def _correct(ask: Ask, field: Field, citation: Citation) -> int:
    """Keep a correction; its act, 0 where it changes nothing."""
    before = _known(ask)
    changed = {name: value for name, value in values_of(citation, field).items() if value != getattr(before, name)}
    if not changed:
        return 0
    return ask.desk.store.set_values(ask.number(), changed, who=ask.person.name, version=_version(ask))


def _answer(ask: Ask, say: str, *, offer: str = "") -> Response:
    """The fields anew: a correction of one changes the version, and the messages, of all.

    `offer` is where the page asks what the correction may teach: that takes longer than to keep it.
    """
    article = ask.desk.store.article(ask.number())
    fields = shown_fields(article)
    return ask.render("fields.html", say=say, article=article, fields=fields, may_edit=True, offer=offer)


def _field(ask: Ask) -> Field:
    found = BY_NAME.get(ask.request.path_params.get("field", ""))
    if found is None:
        raise InputError("no such field", name="field", hint="the record page shows which there are")
    return found


def _known(ask: Ask) -> Citation:
    return ask.desk.store.citation(ask.number())


def _version(ask: Ask) -> int:
    """The version of the record that the person saw; without one nobody may overwrite what others did."""
    text = ask.text("version")
    if not text.isdecimal():
        raise ConflictError("the form does not say which version it is about", article=ask.number(), hint="reload")
    return int(text)


ROUTES = (
    act("/records/{number:int}/fields/authors/table", set_authors),
    act("/records/{number:int}/fields/{field}", set_field),
    act("/records/{number:int}/fields/{field}/alternative", take_alternative),
    act("/records/{number:int}/fields/{field}/repair", repair),
    act("/records/{number:int}/fields/{field}/accept", accept_field),
    act("/records/{number:int}/selected", take_selected),
    act("/records/{number:int}/accept", accept_record),
    act("/records/{number:int}/delete", delete_record, Role.REVIEWER),
)

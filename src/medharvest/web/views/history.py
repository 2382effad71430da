"""The history of a record: who changed what and when, undo, comparison, notes, conflicts and duplicates."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from medharvest.citations.record_differences import find_differences
from medharvest.codec import from_json
from medharvest.errors import ConflictError, InputError
from medharvest.fields import Field
from medharvest.library.record_import import find_stored_duplicates, merge_stored_records, undo_pair_decision
from medharvest.records import Citation
from medharvest.store.changes import find_undone_acts
from medharvest.store.duplicates import DuplicatePair
from medharvest.store.people import Role
from medharvest.store.rows import Article, Change
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import SHOWN_FIELD_BY_NAME, editable_text
from medharvest.web.responses import redirect_browser
from medharvest.web.views.records import claim_record

_MAX_LOG_VALUE = 160
_MAX_LISTED_FIELDS = 8  # of an act that accepted many
_PAIRS_SHOWN = 20  # pairs on the page of duplicates; a decided one makes room for the next
_DECIDED_PAIRS_SHOWN = 50  # the last decisions
_MAX_PAIR_VALUE = 240  # characters of a value; an abstract is longer
_PAIR_FIELDS = (
    *("title", "vernacular_title", "authors", "journal", "date", "volume", "issue", "first_page", "last_page"),
    *("article_number", "doi", "pmid", "pii", "language", "abstract"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAct:
    """Changes that one person made at one time."""

    batch: int
    at: str
    who: str
    reason: str
    undoes: int
    taught: bool
    changes: tuple[Change, ...]


def show_history(ask: ViewRequest) -> Response:
    """Show every act on a record, the newest first."""
    number = ask.number()
    return ask.render(
        "history.html",
        number=number,
        article=ask.desk.store.records.get(number),
        acts=list_acts(ask, number),
        told=describe_changes,
    )


def list_acts(ask: ViewRequest, number: int) -> list[LoggedAct]:
    """Return the acts on a record, the newest first."""
    by_batch: dict[int, list[Change]] = {}
    for change in ask.desk.store.changes(number):
        by_batch.setdefault(change.batch, []).append(change)
    return [_build_logged_act(batch, lines) for batch, lines in sorted(by_batch.items(), reverse=True)]


def _build_logged_act(batch: int, lines: Sequence[Change]) -> LoggedAct:
    first = lines[0]
    return LoggedAct(
        batch=batch,
        at=first.at,
        who=first.who,
        reason=first.reason,
        undoes=first.undoes,
        taught=bool(first.page),
        changes=tuple(lines),
    )


def show_conflict(ask: ViewRequest, error: ConflictError) -> Response:
    """Show what others changed since the person opened the record, beside what the person sent; nothing was saved."""
    seen, number = ask.form_number("version"), error.article
    since = 0 if seen is None else ask.desk.store.records.get(number).version - seen
    field = SHOWN_FIELD_BY_NAME.get(ask.request.path_params.get("field", ""))
    acts = list_acts(ask, number)[: max(0, since)]
    mine = ask.text("value")
    return ask.render(
        "conflict.html",
        status=409,
        error=error,
        number=number,
        acts=acts,
        field=field,
        mine=mine,
        told=describe_changes,
    )


def undo_act(ask: ViewRequest) -> Response:
    """Undo the named act, or the last act on a record that was not undone."""
    number = ask.number()
    named = ask.form_number("batch")
    claim_record(ask)
    batch = _find_last_act(ask, number) if named is None else named
    ask.desk.page_review.undo(batch, who=ask.person.name)
    return redirect_browser(ask.request, f"/records/{number}", say="Undone.")


def _find_last_act(ask: ViewRequest, number: int) -> int:
    """Return the last act on a record that was not undone and is not an undo itself."""
    acts = list_acts(ask, number)
    gone = find_undone_acts({act.batch: act.undoes for act in acts if act.undoes})
    for one in acts:
        made = any(change.before is None for change in one.changes)
        if one.batch not in gone and not one.undoes and not made:
            return one.batch
    raise InputError("nothing is left to undo on this record", name=str(number), hint="its history shows all acts")


def show_difference(ask: ViewRequest) -> Response:
    """Compare the record with its other versions: as it was first read, and as imports had it."""
    number = ask.number()
    article = ask.desk.store.records.get(number)
    others = [(f"{one.who}, {one.at}", _record_made_by(one)) for one in reversed(list_acts(ask, number))]
    known = [(name, citation) for name, citation in others if citation is not None]
    tables = [(name, find_differences(citation, article.citation)) for name, citation in known]
    return ask.render(
        "difference.html",
        number=number,
        article=article,
        tables=tables,
        alternatives=_list_alternatives(article.citation),
    )


def _record_made_by(one: LoggedAct) -> Citation | None:
    """Return the record that an act created or replaced as a whole, if it did."""
    whole = next((change for change in one.changes if change.field == ""), None)
    return from_json(Citation, json.loads(whole.after)) if whole else None


def _list_alternatives(citation: Citation) -> list[tuple[str, str, str, float]]:
    """Return the alternatives: field, its label, the value, its score."""
    return [
        (one.field, SHOWN_FIELD_BY_NAME[one.field].label, one.value, one.score)
        for one in citation.alternatives
        if one.field in SHOWN_FIELD_BY_NAME and one.value != editable_text(citation, SHOWN_FIELD_BY_NAME[one.field])
    ]


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A change in words: what was changed, what happened to it, and the value before and after."""

    what: str
    word: str = ""
    before: str = ""
    after: str = ""


def describe_changes(changes: Sequence[Change]) -> list[ShownChange]:
    """Say in words what an act changed: values first, then what was accepted, all fields of a state together."""
    found: list[ShownChange] = []
    states: dict[str, list[str]] = {}
    for change in changes:
        name, _, part = change.field.partition(".")
        if part == "state":
            states.setdefault(str(_parse_log_value(change.after)), []).append(_field_label(name))
        elif not change.field:
            found.append(ShownChange("record", "read for the first time" if change.before is None else "read again"))
        elif name == "status":
            found.append(ShownChange("record", str(_parse_log_value(change.after))))
        elif not part:
            texts = (_write_log_value(name, text) for text in (change.before, change.after))
            found.append(ShownChange(_field_label(name), "", *map(_clip_value, texts)))
    return found + [ShownChange(_list_words(labels), word) for word, labels in states.items()]


def _field_label(name: str) -> str:
    return SHOWN_FIELD_BY_NAME[name].label if name in SHOWN_FIELD_BY_NAME else name.replace("_", " ")


def _list_words(words: Sequence[str]) -> str:
    shown = list(dict.fromkeys(words))
    return ", ".join(shown[:_MAX_LISTED_FIELDS]) + (
        f" and {more} more" if (more := len(shown) - _MAX_LISTED_FIELDS) > 0 else ""
    )


def _write_log_value(name: str, text: str | None) -> str:
    """Write a value of the log as the record page shows it; what it cannot show, as plain words."""
    value = _parse_log_value(text)
    if name in SHOWN_FIELD_BY_NAME and value:
        try:
            return editable_text(from_json(Citation, {name: value}), SHOWN_FIELD_BY_NAME[name]).replace("\n", "; ")
        except (TypeError, KeyError, ValueError, AttributeError):
            pass
    return _say_value(value)


def _say_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_say_value(one)}" for key, one in value.items() if one not in ("", [], None))
    if isinstance(value, list):
        return "; ".join(map(_say_value, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _parse_log_value(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def _clip_value(text: str) -> str:
    return text if len(text) <= _MAX_LOG_VALUE else f"{text[:_MAX_LOG_VALUE]} …"


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two records that may be one article, side by side: a label, both values and whether they differ."""

    pair: DuplicatePair
    articles: tuple[Article, Article]
    rows: tuple[tuple[str, str, str, bool], ...]


def show_duplicates(ask: ViewRequest) -> Response:
    """Show the pairs of records that wait for a decision, and the last decisions."""
    store = ask.desk.store
    decided = sorted(store.duplicates.decided_pairs(), key=lambda pair: pair.at, reverse=True)[:_DECIDED_PAIRS_SHOWN]
    records = store.records.citations_of({number for pair in decided for number in (pair.one, pair.two)})
    return ask.render(
        "duplicates.html",
        count=store.duplicates.count_open(),
        pairs=[_build_shown_pair(ask, pair) for pair in itertools.islice(store.duplicates.open_pairs(), _PAIRS_SHOWN)],
        decided=[(pair, records[pair.one], records[pair.two]) for pair in decided],
        jobs=[job for job in ask.desk.jobs.all() if job.what == _FIND_DUPLICATES],
    )


_FIND_DUPLICATES = "comparison of all records"


def _build_shown_pair(ask: ViewRequest, pair: DuplicatePair) -> ShownPair:
    one, two = (ask.desk.store.records.get(number) for number in (pair.one, pair.two))
    differing = {found.field for found in find_differences(one.citation, two.citation)}
    fields = [SHOWN_FIELD_BY_NAME[name] for name in _PAIR_FIELDS if name in SHOWN_FIELD_BY_NAME]
    texts = ((field, _pair_text(one.citation, field), _pair_text(two.citation, field)) for field in fields)
    rows = tuple(
        (field.label, first, second, field.name in differing or not second)
        for field, first, second in texts
        if first or second
    )
    return ShownPair(pair, (one, two), rows)


def _pair_text(citation: Citation, field: Field) -> str:
    text = editable_text(citation, field)
    return text if len(text) <= _MAX_PAIR_VALUE else f"{' '.join(text[:_MAX_PAIR_VALUE].split())} …"


def find_duplicates(ask: ViewRequest) -> Response:
    """Compare all records of the store in the background."""
    store, rules = ask.desk.store, ask.desk.settings.match
    ask.desk.jobs.start(
        _FIND_DUPLICATES, ask.person.name, lambda _: f"{find_stored_duplicates(store, rules)} new pairs"
    )
    return redirect_browser(ask.request, "/duplicates", say="All records are being compared.")


def merge_pair(ask: ViewRequest) -> Response:
    """Merge the records of a pair, if nobody changed them since they were shown."""
    one, two, keep = ask.number("one"), ask.number("two"), ask.form_number("keep") or 0
    given = {one: ask.form_number("version_one"), two: ask.form_number("version_two")}
    versions = {number: version for number, version in given.items() if version is not None}
    merge_stored_records(ask.desk.store, one, two, who=ask.person.name, keep=keep, versions=versions)
    return redirect_browser(ask.request, "/duplicates", say=f"Merged into record {keep}.")


def keep_pair(ask: ViewRequest) -> Response:
    """Say that the records of a pair are of two articles."""
    ask.desk.store.duplicates.keep_both(ask.number("one"), ask.number("two"), who=ask.person.name)
    return redirect_browser(ask.request, "/duplicates", say="Both records are kept.")


def undo_pair(ask: ViewRequest) -> Response:
    """Take back the decision on a pair."""
    undo_pair_decision(ask.desk.store, ask.number("one"), ask.number("two"), who=ask.person.name)
    return redirect_browser(ask.request, "/duplicates", say="Undone.")


def add_note(ask: ViewRequest) -> Response:
    """Write a note on a record, or flag it."""
    text = ask.text("text").strip()[:2000]
    flag = bool(ask.text("flag"))
    if not text and not flag:
        raise InputError("the note is empty", name="text", hint="write what should be looked at")
    ask.desk.store.people.say(ask.number(), ask.person.name, text, flag=flag)
    return redirect_browser(ask.request, f"/records/{ask.number()}", say="Flagged." if flag and not text else "Noted.")


def settle_note(ask: ViewRequest) -> Response:
    """Mark a note as done."""
    ask.desk.store.people.settle(ask.number("note"))
    return redirect_browser(ask.request, f"/records/{ask.number()}", say="Done.")


ROUTES = (
    ViewRoute("/duplicates", show_duplicates),
    post_route("/duplicates/find", find_duplicates, Role.REVIEWER),
    post_route("/duplicates/{one:row}/{two:row}/merge", merge_pair, Role.REVIEWER),
    post_route("/duplicates/{one:row}/{two:row}/keep", keep_pair, Role.REVIEWER),
    post_route("/duplicates/{one:row}/{two:row}/undo", undo_pair, Role.REVIEWER),
    ViewRoute("/records/{number:row}/history", show_history),
    ViewRoute("/records/{number:row}/difference", show_difference),
    post_route("/records/{number:row}/undo", undo_act),
    post_route("/records/{number:row}/notes", add_note, Role.OPERATOR),
    post_route("/records/{number:row}/notes/{note:row}/settle", settle_note),
)

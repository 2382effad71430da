"""The pages that list issues and their queues of records to review."""

from __future__ import annotations

import functools
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from starlette.responses import Response

from medharvest.errors import ConflictError, InputError
from medharvest.fields import Field, Shape, full_name, sorted_name, spoken_name
from medharvest.formats import FORMATS, find_format
from medharvest.formats.citation_rules import Finding, Level, check_citation
from medharvest.journals.policy import PermittedRecord
from medharvest.library.export import DraftHandling, OmittedRecord, open_exporter, prepare_file
from medharvest.records import Citation
from medharvest.store import Store
from medharvest.store.people import Role
from medharvest.store.rows import Article, FieldState
from medharvest.web.context import ViewRequest, ViewRoute, parse_number, post_route
from medharvest.web.field_texts import (
    SHOWN_FIELD_BY_NAME,
    SHOWN_FIELDS,
    editable_text,
    edited_values,
    with_edited_text,
)
from medharvest.web.responses import redirect_browser

_ISSUES_PER_PAGE, _MAX_ISSUES_PAGE = 50, 100_000  # issues per page, highest page number
_RECORDS_PER_PAGE = 200  # few issues have more, but 100,000 records may be in no issue
_MIN_BULK_THRESHOLD, _DEFAULT_BULK_THRESHOLD = 0.5, 0.995  # thresholds for accepting in bulk
_SETTLED_STATES = frozenset({"accepted", "corrected", "auto-accepted"})
_SCORE_OF_UNSCORED = 0.5  # of a value without evidence

_LABELS = {field.name: field.label for field in SHOWN_FIELDS}
_FIELD_WEIGHTS = {field.name: field.weight for field in SHOWN_FIELDS}
# Markup goes with its text.
_SCORED_FIELDS = tuple(field.name for field in SHOWN_FIELDS if field.shape is not Shape.HTML)
_MAX_FIELD_WEIGHT = max(_FIELD_WEIGHTS.values())

_ASKED_HARM = 0.04  # expected harm from which a field needs a look: a title that is right in 96 of 100 cases

# The probability that an empty field should have a value: letters and news have no abstract, many pages no pages.
_MISSING_CHANCES: Mapping[str, float] = {
    "title": 0.95,
    "authors": 0.7,
    "affiliations": 0.6,
    "abstract": 0.35,
    "journal": 0.9,
    "date": 0.9,
    "volume": 0.2,
    "first_page": 0.1,
    "doi": 0.1,
}
# Records whose findings are kept, each with the record itself: some 40 KB, much more for a hostile page.
_MAX_CHECKED_RECORDS = 100
_RARE_FIELDS = ("volume", "first_page", "doi")  # which whole journals lack
_MIN_NEIGHBOURS = 3  # other records of an issue that make a comparison worth something
_MAX_NEIGHBOURS = 40  # others that a record is compared with
_USUAL_SHARE = 0.75  # of the other records, from which a value counts as that of the issue
_ISSUE_WIDE = ("journal", "volume", "issue")
_RIVALS_COUNT = frozenset({"title", "authors", "abstract", "date", "doi", "volume", "issue", "first_page"})
_STRONG_RIVAL = 0.8  # score of another source from which its value counts
_MIN_AFFILIATION, _MAX_AFFILIATION = 12, 400  # usual lengths in characters
_MIN_ABSTRACT = 150  # characters
_SAMPLED_WEIGHT = 1.0  # of a field that is worth a place in the sample of a bulk acceptance
_OWN_FIELDS = ("title", "authors", "affiliations", "abstract")  # in which the records of an issue should differ
_MIN_REPETITIONS, _REPEATED_SHARE = 3, 0.5  # records, and share of them, with one value, from which it is suspicious
_MAX_REPEATED_SHOWN = 5
_PAGE_SLACK = 200  # pages by which an issue may be longer than its records so far say
_MAX_PAGE_DIGITS = 6
_ODD_IN_NAME = re.compile(r"[\d@:/|?!]")
_MAX_NAME_WORDS = 6
_DATE_IN_NAME = re.compile(r"\b(?:1[89]|20)\d\d\b|^\W*\d+\W*$|\b(?:vol|volume|issue|no)\b\.?\s*\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A record of the queue."""

    article: Article
    doubt: RecordDoubt
    held: str  # who else is working on it
    mine: bool  # whether it is reserved for the person who looks
    flagged: bool


def list_issues(ask: ViewRequest) -> Response:
    """Show the first page: the issues and their progress."""
    number = min(ask.form_number("page") or 0, _MAX_ISSUES_PAGE)
    issues = ask.desk.store.overview.issues(first=number * _ISSUES_PER_PAGE, most=_ISSUES_PER_PAGE + 1)
    more = len([one for one in issues if one.number]) > _ISSUES_PER_PAGE
    jobs = [one for one in ask.desk.jobs.all() if not one.ended]
    shown = [one for one in (issues[:-1] if more else issues) if one.records]
    return ask.render("issues.html", issues=shown, jobs=jobs, number=number, more=more)


def show_queue(ask: ViewRequest) -> Response:
    """Show a page of the records of an issue, those with the greatest expected harm first."""
    number = ask.number()
    issue = ask.desk.store.overview.issue(number)
    if issue is None:
        return ask.render("missing.html", status=404)
    last = max(0, issue.records - 1) // _RECORDS_PER_PAGE
    page = min(ask.form_number("page") or 0, last)
    in_order = ask.text("order") == "page"
    rows = build_queue(ask, number, page=page, in_order=in_order)
    scores = [score for row in rows for score in row.doubt.scores.values()]
    below = _parse_float(ask.text("below"), 1.0)
    return ask.render(
        "queue.html",
        issue=issue,
        rows=[row for row in rows if below >= 1 or row.doubt.lowest < below],
        first=page * _RECORDS_PER_PAGE + 1,
        per_page=_RECORDS_PER_PAGE,
        page=page,
        last=last,
        scores=scores,
        order="page" if in_order else "",
        below=below,
        usual=_DEFAULT_BULK_THRESHOLD,
        batch=ask.form_number("batch") or "",
        saved=ask.desk.store.overview.saved_touches([row.article.number for row in rows]),
        formats=FORMATS.values(),
        labels=_LABELS,
        faulty={row.article.number for row in rows if _has_errors(row.article.citation)},
        repeated=find_repeated_values([row.article for row in rows]),
    )


def build_queue(ask: ViewRequest, number: int, *, page: int = 0, in_order: bool = False) -> list[QueueRow]:
    """Return records of an issue in the order of review: open ones first, by the harm to be expected of them."""
    overview, people = ask.desk.store.overview, ask.desk.store.people
    read = overview.articles if in_order else overview.waiting
    articles = read(number, first=page * _RECORDS_PER_PAGE, most=_RECORDS_PER_PAGE)
    numbers = [article.number for article in articles]
    held, flagged = people.leases(numbers), people.flagged(numbers)
    known = [article.citation for article in articles[: _MAX_NEIGHBOURS + 1]]
    rows = [
        QueueRow(
            article,
            doubt_of_record(article.citation, article.states, [one for one in known if one is not article.citation]),
            "" if held.get(article.number) == ask.person.name else held.get(article.number, ""),
            held.get(article.number) == ask.person.name,
            article.number in flagged,
        )
        for article in articles
    ]
    if in_order:
        return rows
    return sorted(rows, key=lambda row: (row.article.status == "accepted", -row.doubt.harm, row.article.number))


def neighbours_of(store: Store, article: Article) -> list[Article]:
    """Return other records of the issue of a record, to compare it with; none for a record in no issue."""
    if not article.issue:
        return []
    found = store.overview.articles(article.issue, first=0, most=_MAX_NEIGHBOURS + 1)
    return [one for one in found if one.number != article.number][:_MAX_NEIGHBOURS]


def find_next_record(ask: ViewRequest, number: int, after: int) -> int:
    """Return the open record of an issue that comes next in its queue, and that no one else is working on; 0 if none.

    After the last one in the queue, the first one comes again.
    """
    rows = build_queue(ask, number)
    open_ones = [row.article.number for row in rows if row.article.status != "accepted" and not row.held]
    at = open_ones.index(after) + 1 if after in open_ones else 0
    return next((one for one in open_ones[at:] + open_ones[:at] if one != after), 0)


@dataclass(frozen=True, slots=True)
class RepeatedValue:
    """A value that so many records of an issue have in a field that it may be no value but a part of the site."""

    field: Field
    value: str
    articles: tuple[Article, ...]


def find_repeated_values(articles: Sequence[Article]) -> list[RepeatedValue]:
    """Find the values that most records of an issue share in a field that should differ, the most frequent first."""
    having: dict[tuple[str, str], list[Article]] = {}
    for article in articles:
        for name in (name for name in _OWN_FIELDS if article.states.get(name, "") not in _SETTLED_STATES):
            for value in dict.fromkeys(_single_values(article.citation, name)):
                having.setdefault((name, value), []).append(article)
    least = max(_MIN_REPETITIONS, _REPEATED_SHARE * len(articles))
    found = [
        RepeatedValue(SHOWN_FIELD_BY_NAME[name], value, tuple(own))
        for (name, value), own in having.items()
        if len(own) >= least
    ]
    return sorted(found, key=lambda one: -len(one.articles))[:_MAX_REPEATED_SHOWN]


def _single_values(citation: Citation, name: str) -> Iterable[str]:
    if name == "authors":
        return [sorted_name(author) for author in citation.authors]
    value = getattr(citation, name)
    return value if isinstance(value, tuple) else [value] * bool(value)


def preview_repair(ask: ViewRequest) -> Response:
    """Preview what removing or replacing a value in all records of an issue changes."""
    field, value, other = _repair_of_request(ask)
    rows = [
        (article, editable_text(article.citation, field), editable_text(wanted, field))
        for article, wanted in _list_repairs(ask, field, value, other)
    ]
    return ask.render("repair.html", issue=ask.number(), field=field, value=value, other=other, rows=rows)


def apply_repair(ask: ViewRequest) -> Response:
    """Remove or replace a value in the records of the preview, as one act; nothing if one of them changed since."""
    field, value, other = _repair_of_request(ask)
    repairs = _list_repairs(ask, field, value, other)
    if not repairs or {article.number: article.version for article, _ in repairs} != _seen_versions(ask):
        raise ConflictError(
            "records changed since the preview", article=repairs[0][0].number if repairs else 0, hint="look at it again"
        )
    values = {article.number: edited_values(citation, field) for article, citation in repairs}
    known = {article.number: article.version for article, _ in repairs}
    reason = f"{field.label} of {len(values)} records at once"
    batch = ask.desk.store.review.set_values_each(values, who=ask.person.name, reason=reason, versions=known)
    say = f"{field.label} of {len(values)} records corrected; one undo reverts all of it."
    return redirect_browser(ask.request, f"/issues/{ask.number()}?batch={batch}", say=say)


def _repair_of_request(ask: ViewRequest) -> tuple[Field, str, str]:
    if ask.text("field") not in _OWN_FIELDS or not ask.text("value"):
        raise InputError("no such value", name="value", hint="the queue lists the values that can be repaired at once")
    return SHOWN_FIELD_BY_NAME[ask.text("field")], ask.text("value"), " ".join(ask.text("other").split())


def _list_repairs(ask: ViewRequest, field: Field, value: str, other: str) -> list[tuple[Article, Citation]]:
    """Return the open records that have the value, each with the record without it, or with another in its place."""
    rows = build_queue(ask, ask.number())
    having = [row.article for row in rows if not row.held and value in _single_values(row.article.citation, field.name)]
    open_ones = [article for article in having if article.states.get(field.name, "") not in _SETTLED_STATES]
    return [(article, _without_value(article.citation, field, value, other)) for article in open_ones]


def _without_value(citation: Citation, field: Field, value: str, other: str) -> Citation:
    if field.name == "authors":
        left = tuple(author for author in citation.authors if sorted_name(author) != value)
        more = with_edited_text(Citation(), field, other).authors if other else ()
        return replace(citation, authors=left + more)
    parts = [other if one == value else one for one in _single_values(citation, field.name)]
    return with_edited_text(citation, field, "\n".join(part for part in parts if part))


def preview_bulk(ask: ViewRequest) -> Response:
    """Preview accepting all fields above a threshold, with a random sample."""
    records = _list_bulk_records(ask)
    seed = random.SystemRandom().randrange(10**9)
    bulk, chosen = collect_bulk_fields(_contents_of(records), _threshold_of_request(ask), seed=seed)
    numbers = {number for number, _ in chosen}
    seen = [f"{one.number}:{one.version}" for one in records if one.number in numbers]
    return ask.render(
        "bulk.html", bulk=bulk, threshold=_threshold_of_request(ask), issue=ask.number(), seen=seen, labels=_LABELS
    )


def apply_bulk(ask: ViewRequest) -> Response:
    """Accept the fields of the preview, as one act that one undo reverts; nothing if one of the records changed."""
    versions = _seen_versions(ask)
    records = [one for one in _list_bulk_records(ask) if one.number in versions]
    bulk, chosen = collect_bulk_fields(_contents_of(records), _threshold_of_request(ask), seed=0)
    if not chosen:
        raise InputError(
            "no field passes the threshold", name="threshold", hint="lower it, or review the records one by one"
        )
    if {one.number: one.version for one in records} != versions:
        raise ConflictError("records changed since the preview", article=chosen[0][0], hint="look at it again")
    by_record: dict[int, list[str]] = {}
    for number, name in chosen:
        by_record.setdefault(number, []).append(name)
    reason = f"above {_threshold_of_request(ask):g}"
    batch = ask.desk.store.review.accept_each(
        by_record, who=ask.person.name, reason=reason, state=FieldState.AUTO_ACCEPTED
    )
    say = f"{bulk.fields} fields of {bulk.records} records accepted without review; undo reverts all of it."
    return redirect_browser(ask.request, f"/issues/{ask.number()}?batch={batch}", say=say)


def _seen_versions(ask: ViewRequest) -> dict[int, int]:
    """Return the versions of the records that a preview showed."""
    pairs = (line.partition(":") for line in ask.texts("seen"))
    parsed = ((parse_number(number), parse_number(version)) for number, _, version in pairs)
    return {number: version for number, version in parsed if number is not None and version is not None}


def undo_bulk(ask: ViewRequest) -> Response:
    """Undo a bulk acceptance."""
    batch = ask.form_number("batch")
    if batch is None:
        raise InputError("no such act", name="batch", hint="the history of each record shows its acts")
    ask.desk.store.undo(batch, who=ask.person.name)
    return redirect_browser(ask.request, f"/issues/{ask.number()}", say="Undone.")


def export_issue(ask: ViewRequest) -> Response:
    """Download the records of an issue as a file; X-Left-Out counts those that are left out."""
    form = find_format(ask.request.path_params["form"])
    store, number = ask.desk.store, ask.number()
    left: list[OmittedRecord | PermittedRecord] = []
    records = open_exporter(store).release(
        lambda: (one.citation for one in store.overview.articles(number)),
        lambda found: left.append(found) if found.withheld else None,
        empty="the issue has no records",
    )
    text = "".join(prepare_file(records, form, draft=DraftHandling.REFUSED, tell=left.append).pieces)
    name = f"issue-{number}{form.suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Left-Out": str(len(left))}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def _list_bulk_records(ask: ViewRequest) -> list[Article]:
    """Return the open records of an issue that nobody flagged or works on."""
    store, name = ask.desk.store, ask.person.name
    articles = [one for one in store.overview.articles(ask.number()) if one.status != "accepted"]
    numbers = [one.number for one in articles]
    held, flagged = store.people.leases(numbers), store.people.flagged(numbers)
    return [one for one in articles if one.number not in flagged and held.get(one.number, name) == name]


def _contents_of(articles: Iterable[Article]) -> Iterator[tuple[int, Citation, Mapping[str, str]]]:
    return ((one.number, one.citation, one.states) for one in articles)


def _threshold_of_request(ask: ViewRequest) -> float:
    value = _parse_float(ask.text("threshold", str(_DEFAULT_BULK_THRESHOLD)), -1.0)
    if not _MIN_BULK_THRESHOLD <= value <= 1:
        raise InputError("not a valid threshold", name="threshold", hint=f"a number from {_MIN_BULK_THRESHOLD} to 1")
    return value


def _parse_float(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDoubt:
    """What of a record needs a look: the score of each field, the harm to be expected of it, and why.

    The harm is the probability that the field is wrong, times what that costs, from 0 to 1. Fields that a person or a
    threshold accepted have none.
    """

    scores: Mapping[str, float]
    harms: Mapping[str, float]
    reasons: Mapping[str, str]

    @property
    def field(self) -> str:
        """The field with the greatest expected harm; empty if there is none."""
        return max(self.harms, key=lambda name: self.harms[name], default="")

    @property
    def harm(self) -> float:
        """The expected harm of the record: that of all its fields."""
        return sum(self.harms.values())

    @property
    def lowest(self) -> float:
        """The score of the field with the greatest expected harm."""
        return self.scores.get(self.field, 1.0)

    @property
    def asked(self) -> tuple[str, ...]:
        """The fields that need a look, the most harmful first."""
        known = sorted(self.harms, key=lambda name: -self.harms[name])
        return tuple(name for name in known if self.harms[name] >= _ASKED_HARM)


def doubt_of_record(citation: Citation, states: Mapping[str, str], others: Sequence[Citation] = ()) -> RecordDoubt:
    """Say what of a record needs a look; `others` are records of the same issue to compare it with."""
    scores = score_fields(citation)
    chances = {name: 1 - score for name, score in scores.items()}
    reasons: dict[str, str] = {}
    for name, chance, why in _find_suspicions(citation, others):
        if chance > chances.get(name, 0.0) or name not in reasons:
            reasons[name] = why
        chances[name] = max(chance, chances.get(name, 0.0))
    chances |= dict.fromkeys(_usually_missing(citation, others), 0.0)
    harms = {
        name: chance * _FIELD_WEIGHTS[name] / _MAX_FIELD_WEIGHT
        for name, chance in chances.items()
        if states.get(name, "") not in _SETTLED_STATES
    }
    return RecordDoubt(scores=scores, harms=harms, reasons=reasons)


def score_fields(citation: Citation) -> dict[str, float]:
    """Return the probability of each field with a value, or that should have one: the best score of its evidence."""
    found: dict[str, float] = {}
    for proof in citation.evidence:
        found[proof.field] = max(found.get(proof.field, 0.0), proof.score)
    filled = {field.name: bool(editable_text(citation, field)) for field in SHOWN_FIELDS}
    return {
        name: found.get(name, _SCORE_OF_UNSCORED) if filled[name] else 1 - _chance_of_missing(citation, name)
        for name in _SCORED_FIELDS
        if filled[name] or name in _MISSING_CHANCES
    }


def _chance_of_missing(citation: Citation, name: str) -> float:
    """Return the probability that an empty field should have a value; without authors, nobody has an affiliation."""
    return 0.0 if name == "affiliations" and not citation.authors else _MISSING_CHANCES[name]


@functools.lru_cache(maxsize=_MAX_CHECKED_RECORDS)
def find_problems(citation: Citation) -> tuple[Finding, ...]:
    """Check a record; cached, because every edit shows all findings again, and a queue checks all records."""
    return check_citation(citation)


def _has_errors(citation: Citation) -> bool:
    return any(finding.level == Level.ERROR for finding in find_problems(citation))


def _usually_missing(citation: Citation, others: Sequence[Citation]) -> list[str]:
    """Return the empty fields that no record of the issue has, such as the DOI in a journal without any."""
    if len(others) < _MIN_NEIGHBOURS:
        return []
    return [name for name in _RARE_FIELDS if not any(getattr(one, name) for one in (citation, *others))]


Suspicion = tuple[str, float, str]  # field, probability that it is wrong, and why


def _find_suspicions(citation: Citation, others: Sequence[Citation]) -> Iterator[Suspicion]:
    yield from _suspect_missing(citation)
    yield from _suspect_people(citation)
    yield from _suspect_values(citation)
    if len(others) >= _MIN_NEIGHBOURS:
        yield from _suspect_strangers(citation, others)


def _suspect_missing(citation: Citation) -> Iterator[Suspicion]:
    for name in _MISSING_CHANCES:
        chance = _chance_of_missing(citation, name)
        if chance and not getattr(citation, name):
            yield name, chance, "nothing was found; look whether the page has it"


def _suspect_people(citation: Citation) -> Iterator[Suspicion]:
    people = [author for author in citation.authors if not author.collective]  # a group hardly ever has one
    without = sum(not author.affiliations for author in people)
    if citation.affiliations and 0 < without < len(people):
        yield "affiliations", 0.4, f"{without} of {len(people)} authors have none"
    used = {number for author in citation.authors for number in author.affiliations}
    if used and len(used) < len(citation.affiliations):
        yield "affiliations", 0.4, f"{len(citation.affiliations) - len(used)} of them belong to no author"
    odd = next((name for name in map(spoken_name, people) if _is_odd_name(name)), "")
    if odd:
        yield "authors", 0.6, f"“{odd[:60]}” does not look like a name"
    twice = [name for name, count in Counter(map(spoken_name, people)).items() if count > 1]
    if twice:
        yield "authors", 0.6, f"“{twice[0][:60]}” is there twice"


def _is_odd_name(name: str) -> bool:
    return bool(_ODD_IN_NAME.search(name)) or len(name.split()) > _MAX_NAME_WORDS


def _suspect_values(citation: Citation) -> Iterator[Suspicion]:
    for finding in find_problems(citation):
        if finding.level == Level.ERROR:
            yield finding.field.partition("[")[0].partition(".")[0], 0.8, finding.message
    if _DATE_IN_NAME.search(citation.journal):
        yield "journal", 0.6, "it contains a date or a number"
    for place in citation.affiliations:
        if not _MIN_AFFILIATION <= len(place) <= _MAX_AFFILIATION:
            size = "short" if len(place) < _MIN_AFFILIATION else "long"
            yield "affiliations", 0.5, f"“{place[:60]}” is unusually {size}"
    if citation.abstract and len(citation.abstract) < _MIN_ABSTRACT:
        yield "abstract", 0.5, "it is unusually short"
    if citation.title and citation.title in {citation.journal, citation.abstract}:
        yield "title", 0.9, "it is the same as another field"
    for other in citation.alternatives:
        if other.field in _RIVALS_COUNT and other.score >= _STRONG_RIVAL:
            yield other.field, 0.3, f"another source has: {other.value[:80]}"


def _suspect_strangers(citation: Citation, others: Sequence[Citation]) -> Iterator[Suspicion]:
    """Compare a record with the others of its issue."""
    for name in _ISSUE_WIDE:
        (usual, count), *_ = Counter(getattr(one, name) for one in others).most_common(1)
        if usual and getattr(citation, name) != usual and count >= _USUAL_SHARE * len(others):
            yield name, 0.6, f"{count} other records of the issue have {usual}"
    if citation.title and any(one.title == citation.title for one in others):
        yield "title", 0.6, "another record of the issue has the same"
    if citation.abstract and any(one.abstract == citation.abstract for one in others):
        yield "abstract", 0.9, "another record of the issue has the same"
    for place in citation.affiliations:
        count = sum(place in one.affiliations for one in others)
        if count >= _USUAL_SHARE * len(others):
            yield "affiliations", 0.5, f"{count} other records of the issue have “{place[:60]}”, too"
    pages = sorted(int(one.first_page) for one in others if _is_page_number(one.first_page))
    if _is_page_number(citation.first_page) and len(pages) >= _MIN_NEIGHBOURS:
        slack = max(_PAGE_SLACK, pages[-1] - pages[0])
        if not pages[0] - slack <= int(citation.first_page) <= pages[-1] + slack:
            yield "first_page", 0.6, f"the other records of the issue begin on {pages[0]} to {pages[-1]}"


def _is_page_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_PAGE_DIGITS


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """What accepting above a threshold would do: the number of fields and records, and a sample."""

    fields: int
    records: int
    sample: tuple[tuple[int, str, str, float], ...]  # number of the article, field, text, score


def collect_bulk_fields(
    records: Iterable[tuple[int, Citation, Mapping[str, str]]], threshold: float, *, seed: int, most: int = 10
) -> tuple[BulkPreview, tuple[tuple[int, str], ...]]:
    """Collect the proposed fields that pass a threshold, and a random sample of them."""
    passing: list[tuple[int, str, str, float]] = []
    for number, citation, states in records:
        passing += _fields_above_threshold(number, citation, states, threshold)
    telling = [one for one in passing if _FIELD_WEIGHTS[one[1]] >= _SAMPLED_WEIGHT] or passing
    sample = random.Random(seed).sample(telling, min(most, len(telling)))  # noqa: S311  (a sample, no secret)
    chosen = tuple((number, name) for number, name, _, _ in passing)
    return BulkPreview(len(chosen), len({number for number, _ in chosen}), tuple(sample)), chosen


def _fields_above_threshold(
    number: int, citation: Citation, states: Mapping[str, str], threshold: float
) -> Sequence[tuple[int, str, str, float]]:
    texts = {field.name: editable_text(citation, field) for field in SHOWN_FIELDS}
    texts["authors"] = ", ".join(map(full_name, citation.authors))
    return [
        (number, name, texts[name], score)
        for name, score in score_fields(citation).items()
        if score >= threshold and texts[name] and states.get(name, "proposed") == "proposed"
    ]


ROUTES = (
    ViewRoute("/", list_issues),
    ViewRoute("/issues/{number:row}", show_queue),
    post_route("/issues/{number:row}/repair", preview_repair, Role.REVIEWER),
    post_route("/issues/{number:row}/repair/apply", apply_repair, Role.REVIEWER),
    post_route("/issues/{number:row}/bulk", preview_bulk, Role.REVIEWER),
    post_route("/issues/{number:row}/bulk/apply", apply_bulk, Role.REVIEWER),
    post_route("/issues/{number:row}/bulk/undo", undo_bulk, Role.REVIEWER),
    ViewRoute("/issues/{number:row}/export/{form}", export_issue),
)

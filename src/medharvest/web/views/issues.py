"""The pages that list issues and their queues of records to review."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.formats import FORMATS, find_format
from medharvest.journals.policy import PermittedRecord
from medharvest.library.export import DraftHandling, OmittedRecord, open_exporter, prepare_file
from medharvest.records import Citation
from medharvest.store.people import Role
from medharvest.store.rows import Article, FieldState
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.field_texts import SHOWN_FIELDS, editable_text
from medharvest.web.responses import redirect_browser

_ISSUES_PER_PAGE, _MAX_ISSUES_PAGE = 50, 100_000  # issues per page, highest page number
_RECORDS_PER_PAGE = 200  # few issues have more, but 100,000 records may be in no issue
_MIN_BULK_THRESHOLD, _DEFAULT_BULK_THRESHOLD = 0.5, 0.995  # thresholds for accepting in bulk
_SETTLED_STATES = frozenset({"accepted", "corrected", "auto-accepted"})
_SCORE_OF_UNSCORED = 0.5  # of a value without evidence
_SCORE_OF_EMPTY = 0.9  # of an empty field: most records rightly lack some

_FIELD_WEIGHTS = {field.name: field.weight for field in SHOWN_FIELDS}
_MAX_FIELD_WEIGHT = max(_FIELD_WEIGHTS.values())

_EXPECTED_FIELDS = frozenset({"title", "authors", "affiliations", "abstract", "journal", "date"})


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
    """Show a page of the records of an issue, the least certain first."""
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
    )


def build_queue(ask: ViewRequest, number: int, *, page: int = 0, in_order: bool = False) -> list[QueueRow]:
    """Return records of an issue in the order of review: open ones first, by their least certain field."""
    overview, people = ask.desk.store.overview, ask.desk.store.people
    read = overview.articles if in_order else overview.waiting
    articles = read(number, first=page * _RECORDS_PER_PAGE, most=_RECORDS_PER_PAGE)
    numbers = [article.number for article in articles]
    held, flagged = people.leases(numbers), people.flagged(numbers)
    rows = [
        QueueRow(
            article,
            doubt_of_record(article.citation, article.states),
            "" if held.get(article.number) == ask.person.name else held.get(article.number, ""),
            held.get(article.number) == ask.person.name,
            article.number in flagged,
        )
        for article in articles
    ]
    if in_order:
        return rows
    return sorted(rows, key=lambda row: (row.article.status == "accepted", row.doubt.least, row.article.number))


def find_next_record(ask: ViewRequest, number: int, after: int) -> int:
    """Return the open record of an issue that comes next in its queue, and that no one else is working on; 0 if none.

    After the last one in the queue, the first one comes again.
    """
    rows = build_queue(ask, number)
    open_ones = [row.article.number for row in rows if row.article.status != "accepted" and not row.held]
    at = open_ones.index(after) + 1 if after in open_ones else 0
    return next((one for one in open_ones[at:] + open_ones[:at] if one != after), 0)


def preview_bulk(ask: ViewRequest) -> Response:
    """Preview accepting all fields above a threshold, with a random sample."""
    seed = random.SystemRandom().randrange(10**9)
    bulk, _ = collect_bulk_fields(_list_open_records(ask), _threshold_of_request(ask), seed=seed)
    return ask.render("bulk.html", bulk=bulk, threshold=_threshold_of_request(ask), issue=ask.number())


def apply_bulk(ask: ViewRequest) -> Response:
    """Accept all fields that pass the threshold, as one act that one undo reverts."""
    bulk, chosen = collect_bulk_fields(_list_open_records(ask), _threshold_of_request(ask), seed=0)
    if not chosen:
        raise InputError(
            "no field passes the threshold", name="threshold", hint="lower it, or review the records one by one"
        )
    by_record: dict[int, list[str]] = {}
    for number, name in chosen:
        by_record.setdefault(number, []).append(name)
    reason = f"above {_threshold_of_request(ask):g}"
    batch = ask.desk.store.review.accept_each(
        by_record, who=ask.person.name, reason=reason, state=FieldState.AUTO_ACCEPTED
    )
    say = f"{bulk.fields} fields of {bulk.records} records accepted without review; undo reverts all of it."
    return redirect_browser(ask.request, f"/issues/{ask.number()}?batch={batch}", say=say)


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


def _list_open_records(ask: ViewRequest) -> list[tuple[int, Citation, Mapping[str, str]]]:
    articles = ask.desk.store.overview.articles(ask.number())
    return [(one.number, one.citation, one.states) for one in articles if one.status != "accepted"]


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
    """How certain the fields of a record are: their scores, and the lowest weighted score."""

    scores: Mapping[str, float]
    least: float
    field: str  # with the lowest weighted score; empty if nothing is in doubt

    @property
    def lowest(self) -> float:
        """The unweighted score of that field."""
        return self.scores.get(self.field, 1.0)


def doubt_of_record(citation: Citation, states: Mapping[str, str]) -> RecordDoubt:
    """Find the least certain field of a record; accepted and corrected fields are not in doubt."""
    scores = score_fields(citation)
    open_ones = {name: score for name, score in scores.items() if states.get(name, "") not in _SETTLED_STATES}
    doubts = {name: weigh_score(name, score) for name, score in open_ones.items()}
    field = min(doubts, key=lambda name: doubts[name], default="")
    return RecordDoubt(scores=scores, least=doubts.get(field, 1.0), field=field)


def weigh_score(name: str, score: float | None) -> float:
    """Weigh a score: the less the field matters, the nearer to 1; 1 if there is no score."""
    return 1.0 if score is None else 1 - (1 - score) * _FIELD_WEIGHTS[name] / _MAX_FIELD_WEIGHT


def score_fields(citation: Citation) -> dict[str, float]:
    """Return the probability of each field: the best score of its evidence."""
    found: dict[str, float] = {}
    for proof in citation.evidence:
        found[proof.field] = max(found.get(proof.field, 0.0), proof.score)
    filled = {field.name: bool(editable_text(citation, field)) for field in SHOWN_FIELDS}
    return {
        name: found.get(name, _SCORE_OF_UNSCORED) if filled[name] else _SCORE_OF_EMPTY
        for name in _FIELD_WEIGHTS
        if filled[name] or name in _EXPECTED_FIELDS
    }


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
    sample = random.Random(seed).sample(passing, min(most, len(passing)))  # noqa: S311  (a sample, no secret)
    chosen = tuple((number, name) for number, name, _, _ in passing)
    return BulkPreview(len(chosen), len({number for number, _ in chosen}), tuple(sample)), chosen


def _fields_above_threshold(
    number: int, citation: Citation, states: Mapping[str, str], threshold: float
) -> Sequence[tuple[int, str, str, float]]:
    texts = {field.name: editable_text(citation, field) for field in SHOWN_FIELDS}
    return [
        (number, name, texts[name], score)
        for name, score in score_fields(citation).items()
        if score >= threshold and texts[name] and states.get(name, "proposed") == "proposed"
    ]


ROUTES = (
    ViewRoute("/", list_issues),
    ViewRoute("/issues/{number:row}", show_queue),
    post_route("/issues/{number:row}/bulk", preview_bulk, Role.REVIEWER),
    post_route("/issues/{number:row}/bulk/apply", apply_bulk, Role.REVIEWER),
    post_route("/issues/{number:row}/bulk/undo", undo_bulk, Role.REVIEWER),
    ViewRoute("/issues/{number:row}/export/{form}", export_issue),
)

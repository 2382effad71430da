"""Issues with their progress, and the queue of one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from medharvest.citations import FORMATS, find_format
from medharvest.errors import InputError
from medharvest.records import Citation
from medharvest.run.export import Draft, Left, open_outlet, prepare_file
from medharvest.run.policy import Permitted
from medharvest.store.people import Role
from medharvest.store.rows import Article, FieldState
from medharvest.web.asking import Ask, Page, act
from medharvest.web.queue import Doubt, bulk_of, doubt_of
from medharvest.web.rendering import go

_SHOWN, _LAST = 50, 100_000  # issues on a page, pages that can be turned
_ROWS = 200  # records on a page: hardly an issue has more, what stands in none may be a hundred thousand
_LEAST, _USUAL = 0.5, 0.995  # thresholds for accepting in bulk


@dataclass(frozen=True, slots=True)
class Row:
    """A record of the queue."""

    article: Article
    doubt: Doubt
    held: str  # who works on it, if somebody else does
    flagged: bool


def list_issues(ask: Ask) -> Response:
    """The first page: what there is to do."""
    number = min(int(ask.text("page")), _LAST) if ask.text("page").isdecimal() else 0
    issues = ask.desk.store.overview.issues(first=number * _SHOWN, most=_SHOWN + 1)
    more = len([one for one in issues if one.number]) > _SHOWN
    works = [one for one in ask.desk.doing.all() if not one.ended]
    shown = [one for one in (issues[:-1] if more else issues) if one.records]
    return ask.render("issues.html", issues=shown, works=works, number=number, more=more)


def show_queue(ask: Ask) -> Response:
    """The records of an issue, the least certain first; of a great many only some."""
    number = ask.number()
    issue = ask.desk.store.overview.issue(number)
    if issue is None:
        return ask.render("missing.html", status=404)
    last = (issue.records - 1) // _ROWS
    page = min(int(ask.text("page")), last) if ask.text("page").isdecimal() else 0
    in_order = ask.text("order") == "page"
    rows = queue_of(ask, number, page=page, in_order=in_order)
    scores = [score for row in rows for score in row.doubt.scores.values()]
    below = _number(ask.text("below"), 1.0)
    batch = ask.text("batch")
    return ask.render(
        "queue.html",
        issue=issue,
        rows=[row for row in rows if below >= 1 or row.doubt.lowest < below],
        first=page * _ROWS + 1,
        per_page=_ROWS,
        page=page,
        last=last,
        scores=scores,
        order="page" if in_order else "",
        below=below,
        usual=_USUAL,
        batch=batch if batch.isdecimal() else "",
        saved=ask.desk.store.overview.saved_touches([row.article.number for row in rows]),
        formats=FORMATS.values(),
    )


def queue_of(ask: Ask, number: int, *, page: int = 0, in_order: bool = False) -> list[Row]:
    """Records of an issue in the order they should be looked at: open ones first, by their least sure field."""
    overview, people = ask.desk.store.overview, ask.desk.store.people
    read = overview.articles if in_order else overview.waiting
    articles = read(number, first=page * _ROWS, most=_ROWS)
    numbers = [article.number for article in articles]
    held, flagged = people.leases(numbers), people.flagged(numbers)
    rows = [
        Row(
            article,
            doubt_of(article.citation, article.states),
            held.get(article.number, "").removeprefix(ask.person.name) and held[article.number],
            article.number in flagged,
        )
        for article in articles
    ]
    if in_order:
        return rows
    return sorted(rows, key=lambda row: (row.article.status == "accepted", row.doubt.least, row.article.number))


def next_record(ask: Ask, number: int, after: int) -> int:
    """The next record of an issue that nobody settled and nobody else holds; 0 where there is none."""
    open_ones = [
        row.article.number for row in queue_of(ask, number) if row.article.status != "accepted" and not row.held
    ]
    return next((one for one in open_ones if one != after), 0)


def preview_bulk(ask: Ask) -> Response:
    """What accepting above a threshold would do, with a sample to look at."""
    seed = random.SystemRandom().randrange(10**9)
    bulk, _ = bulk_of(_records(ask), _threshold(ask), seed=seed)
    return ask.render("bulk.html", bulk=bulk, threshold=_threshold(ask), issue=ask.number())


def apply_bulk(ask: Ask) -> Response:
    """Accept all that passes the threshold, as one act that one undo takes back."""
    bulk, chosen = bulk_of(_records(ask), _threshold(ask), seed=0)
    if not chosen:
        raise InputError("no field passes the threshold", name="threshold", hint="lower it, or look at the records")
    by_record: dict[int, list[str]] = {}
    for number, name in chosen:
        by_record.setdefault(number, []).append(name)
    reason = f"above {_threshold(ask):g}"
    batch = ask.desk.store.accept_each(by_record, who=ask.person.name, reason=reason, state=FieldState.AUTO_ACCEPTED)
    say = f"{bulk.fields} fields of {bulk.records} records accepted unseen; undo takes all of it back."
    return go(ask.request, f"/issues/{ask.number()}?batch={batch}", say=say)


def undo_bulk(ask: Ask) -> Response:
    """Take back what was accepted in bulk."""
    batch = ask.text("batch")
    if not batch.isdecimal():
        raise InputError("no such act", name="batch", hint="the history of each record shows what was done")
    ask.desk.store.undo(int(batch), who=ask.person.name)
    return go(ask.request, f"/issues/{ask.number()}", say="Taken back.")


def export(ask: Ask) -> Response:
    """The records of an issue as a file; those that the format refuses are left out and told."""
    form = find_format(ask.request.path_params["form"])
    store, number = ask.desk.store, ask.number()
    left: list[Left | Permitted] = []
    records = open_outlet(store).release(
        lambda: (one.citation for one in store.overview.articles(number)),
        lambda found: left.append(found) if found.withheld else None,
        empty="the issue has no records",
    )
    text = "".join(prepare_file(records, form, draft=Draft.REFUSED, tell=left.append).pieces)
    name = f"issue-{number}{form.suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Left-Out": str(len(left))}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def _records(ask: Ask) -> list[tuple[int, Citation, Mapping[str, str]]]:
    articles = ask.desk.store.overview.articles(ask.number())
    return [(one.number, one.citation, one.states) for one in articles if one.status != "accepted"]


def _threshold(ask: Ask) -> float:
    value = _number(ask.text("threshold", str(_USUAL)), -1.0)
    if not _LEAST <= value <= 1:
        raise InputError("no threshold", name="threshold", hint=f"a number from {_LEAST} to 1")
    return value


def _number(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default


ROUTES = (
    Page("/", list_issues),
    Page("/issues/{number:int}", show_queue),
    act("/issues/{number:int}/bulk", preview_bulk, Role.REVIEWER),
    act("/issues/{number:int}/bulk/apply", apply_bulk, Role.REVIEWER),
    act("/issues/{number:int}/bulk/undo", undo_bulk, Role.REVIEWER),
    Page("/issues/{number:int}/export/{form}", export),
)

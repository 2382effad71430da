"""Delivery: the targets that the settings name, what would go, and what went."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

from starlette.responses import Response

from medharvest.deliver import (
    TARGET_KINDS,
    DeliveryState,
    RetryPolicy,
    TargetAddress,
    configured_targets,
    open_target,
    parse_target,
)
from medharvest.deliver.target_kinds import OAI_KIND
from medharvest.errors import DeliveryError
from medharvest.library.delivery import Delivery, DeliveryResult
from medharvest.library.export import RecordSelection, open_exporter, select_records
from medharvest.store import OutgoingArticle, Status
from medharvest.store.people import Role
from medharvest.web.context import BackgroundJob, ReviewDesk, ViewRequest, ViewRoute, post_route
from medharvest.web.responses import redirect_browser

_MAX_TOLD_RECORDS = 500  # records that are told one by one


def show_targets(ask: ViewRequest) -> Response:
    """Every target, how many records stand how there, and the deliveries at work."""
    deliveries = ask.desk.store.deliveries
    rows = [(one.name, one.url, deliveries.states(one.name)) for one in _known_targets(ask.desk).values()]
    works = [one for one in ask.desk.doing.all() if one.what.startswith("delivery")]
    return ask.render("deliver.html", rows=rows, works=works, form=TARGET_KINDS["folder"].form)


def show_dry_run(ask: ViewRequest) -> Response:
    """What would become of each record at a target; nothing is sent."""
    address = _target_of_request(ask)
    with _open_delivery(ask.desk, address) as delivery:
        shown = list(delivery.show(_select_deliverable(ask)))
    told = [one for one in shown if isinstance(one, DeliveryResult)]
    batches = [one for one in shown if not isinstance(one, DeliveryResult)]
    counts = Counter(_dry_run_state(one) for one in told)
    rows = [(one, _dry_run_state(one)) for one in told if one.receipt.state is not DeliveryState.UNCHANGED]
    return ask.render("dry.html", name=address.name, rows=rows[:_MAX_TOLD_RECORDS], counts=counts, batches=batches)


def _dry_run_state(told: DeliveryResult) -> str:
    return "would be sent" if told.receipt.state is DeliveryState.SENT else told.receipt.state.value


def start_delivery(ask: ViewRequest) -> Response:
    """Send what is new or has changed, as a work that is watched."""
    address, desk = _target_of_request(ask), ask.desk
    records = _select_deliverable(ask)

    def do(work: BackgroundJob) -> str:
        with _open_delivery(desk, address) as delivery:
            return _report_delivery(delivery.send(records, patience=_review_retry_policy(desk)), work)

    work = desk.doing.start(f"delivery to {address.name}", ask.person.name, do)
    return redirect_browser(ask.request, f"/deliver#work-{work.number}", say="Sending.")


def _report_delivery(results: Iterable[DeliveryResult], work: BackgroundJob) -> str:
    """What became of each record that was not there already, and how many of each kind."""
    counts: Counter[str] = Counter()
    lines = []
    for told in results:
        one = told.receipt
        counts[one.state.value] += 1
        work.tell(told.citation.title, done=counts.total())
        more = "; ".join(part for part in (one.remote_id, one.detail, told.note) if part)
        if one.state is not DeliveryState.UNCHANGED:
            lines.append(f"{one.state.value}: {told.citation.title or one.article}" + (f" ({more})" if more else ""))
    total = ", ".join(f"{count} {state}" for state, count in counts.items()) or "no records"
    return "\n".join([total, *lines[:_MAX_TOLD_RECORDS]])


def _select_deliverable(ask: ViewRequest) -> Iterator[OutgoingArticle]:
    """The records that are to go: those somebody accepted, unless all are wanted; of one issue where one is named."""
    statuses = () if ask.text("all") == "1" else (Status.ACCEPTED,)
    return select_records(ask.desk.store, RecordSelection(issue=ask.text("issue").strip(), statuses=statuses))


@contextmanager
def _open_delivery(desk: ReviewDesk, address: TargetAddress) -> Iterator[Delivery]:
    with closing(open_target(address, desk.settings, os.environ)) as target:
        yield Delivery(open_exporter(desk.store), address.name, target)


def _review_retry_policy(desk: ReviewDesk) -> RetryPolicy:
    own = desk.settings.deliver
    return RetryPolicy(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff)


def _known_targets(desk: ReviewDesk) -> dict[str, TargetAddress]:
    """The targets of the settings; the app takes no other, so that nobody sends records to an address of their own."""
    known = configured_targets(desk.settings)
    known.setdefault(OAI_KIND, parse_target(f"{OAI_KIND}=oai:"))
    return known


def _target_of_request(ask: ViewRequest) -> TargetAddress:
    name = ask.request.path_params["name"]
    found = _known_targets(ask.desk).get(name)
    if found is None:
        raise DeliveryError("no such target", target=name, hint="targets stand in the settings file under [targets]")
    return found


ROUTES = (
    ViewRoute("/deliver", show_targets),
    post_route("/deliver/{name}/dry", show_dry_run, Role.REVIEWER),
    post_route("/deliver/{name}", start_delivery, Role.REVIEWER),
)

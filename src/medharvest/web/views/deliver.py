"""The delivery page: the targets of the settings, dry runs, and deliveries in the background."""

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
    digest_target_address,
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

_MAX_LISTED_RECORDS = 500  # records listed one by one


def show_targets(ask: ViewRequest) -> Response:
    """Show every target with the number of its records by state, and the deliveries in progress."""
    deliveries = ask.desk.store.deliveries
    rows = [
        (one.name, one.url, deliveries.states(one.name, address=digest_target_address(one)))
        for one in _known_targets(ask.desk).values()
    ]
    jobs = [one for one in ask.desk.jobs.all() if one.what.startswith("delivery")]
    return ask.render("deliver.html", rows=rows, jobs=jobs, form=TARGET_KINDS["folder"].form)


def show_dry_run(ask: ViewRequest) -> Response:
    """Show what would happen to each record at a target; nothing is sent."""
    address = _target_of_request(ask)
    with _open_delivery(ask.desk, address) as delivery:
        moved, shown = delivery.new_address, list(delivery.show(_select_deliverable(ask)))
    results = [one for one in shown if isinstance(one, DeliveryResult)]
    batches = [one for one in shown if not isinstance(one, DeliveryResult)]
    counts = Counter(_dry_run_state(one) for one in results)
    rows = [(one, _dry_run_state(one)) for one in results if one.receipt.state is not DeliveryState.UNCHANGED]
    listed = rows[:_MAX_LISTED_RECORDS]
    return ask.render("dry.html", name=address.name, moved=moved, rows=listed, counts=counts, batches=batches)


def _dry_run_state(result: DeliveryResult) -> str:
    return "would be sent" if result.receipt.state is DeliveryState.SENT else result.receipt.state.value


def start_delivery(ask: ViewRequest) -> Response:
    """Send new and changed records in a background job."""
    address, desk = _target_of_request(ask), ask.desk
    records = _select_deliverable(ask)

    def do(job: BackgroundJob) -> str:
        with _open_delivery(desk, address) as delivery:
            moved = delivery.new_address
            report = _report_delivery(delivery.send(records, patience=_review_retry_policy(desk)), job)
            return f"{moved}\n{report}" if moved else report

    job = desk.jobs.start(f"delivery to {address.name}", ask.person.name, do)
    return redirect_browser(ask.request, f"/deliver#work-{job.number}", say="Sending.")


def _report_delivery(results: Iterable[DeliveryResult], job: BackgroundJob) -> str:
    """Write the number of records by state, and one line per record that is not unchanged."""
    counts: Counter[str] = Counter()
    lines = []
    for result in results:
        one = result.receipt
        counts[one.state.value] += 1
        job.tell(result.citation.title, done=counts.total())
        more = "; ".join(part for part in (one.remote_id, one.detail, result.note) if part)
        if one.state is not DeliveryState.UNCHANGED:
            lines.append(f"{one.state.value}: {result.citation.title or one.article}" + (f" ({more})" if more else ""))
    total = ", ".join(f"{count} {state}" for state, count in counts.items()) or "no records"
    return "\n".join([total, *lines[:_MAX_LISTED_RECORDS]])


def _select_deliverable(ask: ViewRequest) -> Iterator[OutgoingArticle]:
    """Select the records to deliver: the accepted ones, or all if asked for; of one issue if it is named."""
    statuses = () if ask.text("all") == "1" else (Status.ACCEPTED,)
    return select_records(ask.desk.store, RecordSelection(issue=ask.text("issue").strip(), statuses=statuses))


@contextmanager
def _open_delivery(desk: ReviewDesk, address: TargetAddress) -> Iterator[Delivery]:
    with closing(open_target(address, desk.settings, os.environ)) as target:
        yield Delivery(open_exporter(desk.store), address.name, target, address=digest_target_address(address))


def _review_retry_policy(desk: ReviewDesk) -> RetryPolicy:
    own = desk.settings.deliver
    return RetryPolicy(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff)


def _known_targets(desk: ReviewDesk) -> dict[str, TargetAddress]:
    """Return the targets of the settings; the app accepts no others, so that no one can send records elsewhere."""
    known = configured_targets(desk.settings)
    known.setdefault(OAI_KIND, parse_target(f"{OAI_KIND}=oai:"))
    return known


def _target_of_request(ask: ViewRequest) -> TargetAddress:
    name = ask.request.path_params["name"]
    found = _known_targets(ask.desk).get(name)
    if found is None:
        raise DeliveryError(
            "no such target", target=name, hint="targets are defined in the settings file under [targets]"
        )
    return found


ROUTES = (
    ViewRoute("/deliver", show_targets),
    post_route("/deliver/{name}/dry", show_dry_run, Role.REVIEWER),
    post_route("/deliver/{name}", start_delivery, Role.REVIEWER),
)

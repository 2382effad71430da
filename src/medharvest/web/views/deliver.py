"""Delivery: the targets that the settings name, what would go, and what went."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

from starlette.responses import Response

from medharvest.deliver import KINDS, Address, Patience, State, addresses, open_target, read_address
from medharvest.deliver.kinds import OAI
from medharvest.errors import DeliveryError
from medharvest.run.deliver import Delivery, Told
from medharvest.run.export import Choice, open_outlet, select_records
from medharvest.store import Outgoing, Status
from medharvest.store.people import Role
from medharvest.web.asking import Ask, Desk, Page, act
from medharvest.web.doing import Work
from medharvest.web.rendering import go

_LINES = 500  # records that are told one by one


def list_targets(ask: Ask) -> Response:
    """Every target, how many records stand how there, and the deliveries at work."""
    deliveries = ask.desk.store.deliveries
    rows = [(one.name, one.url, deliveries.states(one.name)) for one in _known(ask.desk).values()]
    works = [one for one in ask.desk.doing.all() if one.what.startswith("delivery")]
    return ask.render("deliver.html", rows=rows, works=works, form=KINDS["folder"].form)


def dry_run(ask: Ask) -> Response:
    """What would become of each record at a target; nothing is sent."""
    address = _address(ask)
    with _delivery(ask.desk, address) as delivery:
        shown = list(delivery.show(_chosen(ask)))
    told = [one for one in shown if isinstance(one, Told)]
    batches = [one for one in shown if not isinstance(one, Told)]
    counts = Counter(_would(one) for one in told)
    rows = [(one, _would(one)) for one in told if one.receipt.state is not State.UNCHANGED]
    return ask.render("dry.html", name=address.name, rows=rows[:_LINES], counts=counts, batches=batches)


def _would(told: Told) -> str:
    return "would be sent" if told.receipt.state is State.SENT else told.receipt.state.value


def send(ask: Ask) -> Response:
    """Send what is new or has changed, as a work that is watched."""
    address, desk = _address(ask), ask.desk
    records = _chosen(ask)

    def do(work: Work) -> str:
        with _delivery(desk, address) as delivery:
            return _report(delivery.send(records, patience=_patience(desk)), work)

    work = desk.doing.start(f"delivery to {address.name}", ask.person.name, do)
    return go(ask.request, f"/deliver#work-{work.number}", say="Sending.")


def _report(results: Iterable[Told], work: Work) -> str:
    """What became of each record that was not there already, and how many of each kind."""
    counts: Counter[str] = Counter()
    lines = []
    for told in results:
        one = told.receipt
        counts[one.state.value] += 1
        work.tell(told.citation.title, done=counts.total())
        more = "; ".join(part for part in (one.remote_id, one.detail, told.note) if part)
        if one.state is not State.UNCHANGED:
            lines.append(f"{one.state.value}: {told.citation.title or one.article}" + (f" ({more})" if more else ""))
    total = ", ".join(f"{count} {state}" for state, count in counts.items()) or "no records"
    return "\n".join([total, *lines[:_LINES]])


def _chosen(ask: Ask) -> Iterator[Outgoing]:
    """The records that are to go: those somebody accepted, unless all are wanted; of one issue where one is named."""
    statuses = () if ask.text("all") == "1" else (Status.ACCEPTED,)
    return select_records(ask.desk.store, Choice(issue=ask.text("issue").strip(), statuses=statuses))


@contextmanager
def _delivery(desk: Desk, address: Address) -> Iterator[Delivery]:
    with closing(open_target(address, desk.settings, os.environ)) as target:
        yield Delivery(open_outlet(desk.store), address.name, target)


def _patience(desk: Desk) -> Patience:
    own = desk.settings.deliver
    return Patience(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff)


def _known(desk: Desk) -> dict[str, Address]:
    """The targets of the settings; the app takes no other, so that nobody sends records to an address of their own."""
    known = addresses(desk.settings)
    known.setdefault(OAI, read_address(f"{OAI}=oai:"))
    return known


def _address(ask: Ask) -> Address:
    name = ask.request.path_params["name"]
    found = _known(ask.desk).get(name)
    if found is None:
        raise DeliveryError("no such target", target=name, hint="targets stand in the settings file under [targets]")
    return found


ROUTES = (
    Page("/deliver", list_targets),
    act("/deliver/{name}/dry", dry_run, Role.REVIEWER),
    act("/deliver/{name}", send, Role.REVIEWER),
)

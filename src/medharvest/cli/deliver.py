"""`medharvest deliver`: stored records to other databases."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click

from medharvest.cli.options import JSON_OPTION, STORE_OPTION, settings_from
from medharvest.deliver import KINDS, Address, Batch, Patience, State, addresses, open_target, read_address
from medharvest.deliver.kinds import OAI, open_reports
from medharvest.errors import DeliveryError
from medharvest.run.deliver import Delivery, Told
from medharvest.run.export import Choice, open_outlet, select_records
from medharvest.run.inputs import load
from medharvest.run.reports import take_reports
from medharvest.settings import Settings
from medharvest.store import Status, Store, open_store

_WOULD = "would be sent"
_NOT_WELL = (State.REFUSED, State.FAILED)


@click.command("deliver", short_help="Send the stored records to other databases.")
@click.argument("name", metavar="[TARGET]", default="")
@click.option("--target", "given", default="", metavar="NAME=URL", help="A target that the settings do not name.")
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only what this run found.")
@click.option("--status", type=click.Choice(["accepted", "all"]), default="all", help="Only what somebody accepted.")
@click.option("--again", is_flag=True, help="Send what was sent before too, though it has not changed.")
@click.option("--dry-run", is_flag=True, help="Send nothing; say what would go, and why the rest would not.")
@click.option("--show", is_flag=True, help="With --dry-run: print the very bytes that would go.")
@click.option("--report", is_flag=True, help="Read the loader reports of the target and keep the PMIDs.")
@click.option("--report-file", "files", multiple=True, type=click.Path(path_type=Path), help="A report saved by hand.")
@click.option("--serve", is_flag=True, help="Of the target oai: serve the records to harvesters until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --serve: address to listen on.")
@click.option("--port", default=8181, show_default=True, help="With --serve: port to listen on.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter an option)
    *,
    name: str,
    given: str,
    issue: str,
    run: int | None,
    status: str,
    again: bool,
    dry_run: bool,
    show: bool,
    report: bool,
    files: tuple[Path, ...],
    serve: bool,
    host: str,
    port: int,
    store: str | None,
    as_json: bool,
) -> None:
    """Send the stored records to TARGET, a name in the settings; without one, list the targets.

    What was sent before and has not changed is not sent again. Policies of journals are obeyed. A line says what became
    of each record; the exit code is 3 where some were refused or failed, 1 where all were.
    """
    settings = settings_from(store=store)
    if show and not dry_run:
        raise click.UsageError("--show goes with --dry-run")
    with open_store(settings.store) as opened:
        if not name and not given:
            list_targets(opened, settings, as_json=as_json)
            return
        address = find_address(name, given, settings)
        if serve:
            serve_oai(opened, address, settings, host=host, port=port)
        elif report or files:
            tell(take_reports(opened, address.name, _reports(address, settings, files)), address, as_json=as_json)
        else:
            with closing(open_target(address, settings, os.environ)) as target:
                delivery = Delivery(open_outlet(opened), address.name, target, again=again)
                statuses = (Status.ACCEPTED,) if status == "accepted" else ()
                choice = Choice(runs=() if run is None else (run,), issue=issue, statuses=statuses)
                records = select_records(opened, choice)
                if dry_run:
                    tell_dry(delivery.show(records), address, show=show, as_json=as_json)
                else:
                    tell(delivery.send(records, patience=_patience(settings)), address, as_json=as_json)


def find_address(name: str, given: str, settings: Settings) -> Address:
    """The target of a name: the one on the command line, one of the settings, or the OAI-PMH list, always there."""
    known = addresses(settings)
    if given:
        one = read_address(given)
        known[one.name] = one
        name = name or one.name
    known.setdefault(OAI, read_address(f"{OAI}=oai:"))
    if name in known:
        return known[name]
    listed = ", ".join(known)
    hint = f"known are {listed}; name it in the settings file under [targets], or with --target {name}=URL"
    raise DeliveryError(f"no such target: {name}", target=name, hint=hint)


def list_targets(store: Store, settings: Settings, *, as_json: bool) -> None:
    """Print each target with how many records stand how there."""
    known = addresses(settings)
    known.setdefault(OAI, read_address(f"{OAI}=oai:"))
    for name, address in known.items():
        states = store.deliveries.states(name)
        if as_json:
            click.echo(json.dumps({"target": name, "url": address.url, "states": states}, ensure_ascii=False))
        else:
            counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items())) or "nothing sent yet"
            click.echo(f"{name}: {address.url} ({counts})")
    if not as_json and len(known) == 1:
        click.echo("name others in the settings file under [targets], such as library = "
                   f'"{KINDS["folder"].form}"', err=True)  # fmt: skip


def _patience(settings: Settings) -> Patience:
    own = settings.deliver
    return Patience(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff, sleep=_pause)


def _pause(seconds: float) -> None:
    click.echo(f"not all could be sent; trying again in {seconds:.0f} s", err=True)
    time.sleep(seconds)


def _reports(address: Address, settings: Settings, files: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    if files:
        limit = settings.read.max_bytes
        yield from ((path.name, load(path, name=str(path), max_bytes=limit)) for path in files)
    else:
        with closing(open_reports(address, settings, os.environ)) as folder:
            yield from folder.reports()


def tell(results: Iterable[Told], address: Address, *, as_json: bool) -> None:
    """Print what became of each record as it is known, then how many; unchanged ones are only counted."""
    counts: Counter[State] = Counter()
    for told in results:
        counts[told.receipt.state] += 1
        if as_json or told.receipt.state is not State.UNCHANGED:
            click.echo(_line(told, as_json=as_json))
    _finish(counts, address)


def tell_dry(results: Iterable[Told | Batch], address: Address, *, show: bool, as_json: bool) -> None:
    """Print what would become of each record, and the bytes that would go."""
    counts: Counter[State] = Counter()
    for item in results:
        if isinstance(item, Told):
            counts[item.receipt.state] += 1
            if not show and (as_json or item.receipt.state is not State.UNCHANGED):
                click.echo(_line(item, as_json=as_json, dry=True))
        elif show:
            click.echo(f"to {item.name}: {len(item.parcels)} records, {len(item.body):,} bytes", err=True)
            click.echo(item.body, nl=False)
        elif not as_json:
            click.echo(f"would go to {item.name}: {len(item.parcels)} records, {len(item.body):,} bytes", err=True)
    _finish(counts, address, dry=True)


def _line(told: Told, *, as_json: bool, dry: bool = False) -> str:
    one = told.receipt
    state = _WOULD if dry and one.state is State.SENT else one.state.value
    if as_json:
        own = {"article": one.article, "title": told.citation.title, "doi": told.citation.doi}
        said = {"state": state, "detail": one.detail, "remote_id": one.remote_id, "note": told.note}
        return json.dumps(own | said, ensure_ascii=False)
    more = "; ".join(part for part in (one.remote_id, one.detail, told.note) if part)
    return f"{state}: {told.citation.title or told.citation.url or one.article}" + (f" ({more})" if more else "")


def _finish(counts: Counter[State], address: Address, *, dry: bool = False) -> None:
    names = {state: state.value for state in State} | ({State.SENT: _WOULD} if dry else {})
    told = ", ".join(f"{counts[state]:,} {names[state]}" for state in State if counts[state]) or "no records"
    click.echo(f"{address.name}: {told}" + ("; nothing was sent" if dry else ""), err=True)
    wrong = sum(counts[state] for state in _NOT_WELL)
    if wrong:
        raise click.exceptions.Exit(1 if wrong == counts.total() else 3)


def serve_oai(store: Store, address: Address, settings: Settings, *, host: str, port: int) -> None:
    """Serve the OAI-PMH list until the process is told to stop."""
    from medharvest.deliver.oai_server import serving
    from medharvest.run.oai import Collection, about

    if address.kind != OAI:
        hint = f"only OAI-PMH is: medharvest deliver {OAI} --serve"
        raise DeliveryError(f"{address.name} is not served", target=address.name, hint=hint)
    collection = Collection(store)
    collection.refresh()

    def answer(pairs: list[tuple[str, str]], url: str) -> bytes:
        return collection.answer(pairs, about(settings, url))

    with _ending() as stop, serving(host, port, answer) as server:
        click.echo(f"{server.url}?verb=Identify")
        click.echo("serving OAI-PMH; Ctrl-C ends it", err=True)
        stop.wait()


@contextmanager
def _ending() -> Iterator[threading.Event]:
    """What is set when the process is told to end; Ctrl-C ends the block itself, without a word."""
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        with suppress(KeyboardInterrupt):
            yield stop
    finally:
        signal.signal(signal.SIGTERM, before)

"""`medharvest deliver`: send stored records to other databases, take their reports, serve OAI-PMH."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click

from medharvest.cli.options import JOURNAL_OPTION, JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.cli.output_gate import print_bytes
from medharvest.codec import format_json
from medharvest.deliver import (
    TARGET_KINDS,
    Batch,
    DeliveryState,
    RetryPolicy,
    TargetAddress,
    configured_targets,
    digest_target_address,
    open_target,
    parse_target,
)
from medharvest.deliver.target_kinds import OAI_KIND, open_report_folder
from medharvest.errors import DeliveryError
from medharvest.journals.inputs import load_file
from medharvest.library.delivery import Delivery, DeliveryResult, take_loader_reports
from medharvest.library.export import RecordSelection, open_exporter, select_records
from medharvest.settings import Settings
from medharvest.store import Status, Store, open_existing

_WOULD_BE_SENT = "would be sent"
_UNDELIVERED = (DeliveryState.REFUSED, DeliveryState.FAILED)


@click.command("deliver", short_help="Send the stored records to other databases.")
@click.argument("name", metavar="[TARGET]", default="")
@click.option("--target", "given", default="", metavar="NAME=URL", help="A target that is not in the settings.")
@JOURNAL_OPTION
@click.option("--issue", default="", help="Only this issue: its contents page, or volume(number) such as 23(3).")
@click.option("--run", type=int, help="Only records of this run.")
@click.option("--status", type=click.Choice(["accepted", "all"]), default="all", help="Only accepted records, or all.")
@click.option("--again", is_flag=True, help="Send records again that were sent before and have not changed.")
@click.option("--dry-run", is_flag=True, help="Send nothing; show what would be sent, and why the rest would not.")
@click.option("--show", is_flag=True, help="With --dry-run: print the exact bytes that would be sent.")
@click.option("--report", is_flag=True, help="Read the loader reports of the target and keep the PMIDs.")
@click.option(
    "--report-file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A loader report that you saved; repeatable.",
)
@click.option("--serve", is_flag=True, help="Target oai: serve the records to OAI-PMH harvesters until Ctrl-C.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --serve: address to listen on.")
@click.option("--port", default=8181, show_default=True, help="With --serve: port to listen on.")
@STORE_OPTION
@JSON_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    name: str,
    given: str,
    journal: str,
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

    Records that were sent before and have not changed are not sent again. Policies of journals are obeyed. One line per
    record shows the result; the exit code is 3 if some were refused or failed, 1 if all were.
    """
    settings = load_cli_settings(store=store)
    if show and not dry_run:
        raise click.UsageError("--show goes with --dry-run")
    with open_existing(settings.store) as opened:
        if not name and not given:
            print_targets(opened, settings, as_json=as_json)
            return
        address = find_target_address(name, given, settings)
        if serve:
            serve_oai(opened, address, settings, host=host, port=port)
        elif report or files:
            print_deliveries(
                take_loader_reports(
                    opened,
                    address.name,
                    _read_loader_reports(address, settings, files),
                    address=digest_target_address(address),
                ),
                address,
                as_json=as_json,
            )
        else:
            with closing(open_target(address, settings, os.environ)) as target:
                digest = digest_target_address(address)
                delivery = Delivery(open_exporter(opened), address.name, target, address=digest, again=again)
                if delivery.new_address:
                    click.echo(delivery.new_address, err=True)
                statuses = (Status.ACCEPTED,) if status == "accepted" else ()
                runs = () if run is None else (run,)
                choice = RecordSelection(runs=runs, journal=journal, issue=issue, statuses=statuses)
                records = select_records(opened, choice)
                if dry_run:
                    print_dry_run(delivery.show(records), address, show=show, as_json=as_json)
                else:
                    print_deliveries(
                        delivery.send(records, patience=_announced_retry_policy(settings)), address, as_json=as_json
                    )


def find_target_address(name: str, given: str, settings: Settings) -> TargetAddress:
    """Find a target by name: the one on the command line, one of the settings, or `oai`, which always exists."""
    known = configured_targets(settings)
    if given:
        one = parse_target(given)
        known[one.name] = one
        name = name or one.name
    known.setdefault(OAI_KIND, parse_target(f"{OAI_KIND}=oai:"))
    if name in known:
        return known[name]
    listed = ", ".join(known)
    hint = f"targets are {listed}; add it to the settings file under [targets], or give --target {name}=URL"
    raise DeliveryError(f"no such target: {name}", target=name, hint=hint)


def print_targets(store: Store, settings: Settings, *, as_json: bool) -> None:
    """Print each target with the number of its records by state."""
    known = configured_targets(settings)
    known.setdefault(OAI_KIND, parse_target(f"{OAI_KIND}=oai:"))
    for name, address in known.items():
        states = store.deliveries.states(name, address=digest_target_address(address))
        if as_json:
            click.echo(format_json({"target": name, "url": address.url, "states": states}))
        else:
            counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items())) or "nothing sent yet"
            click.echo(f"{name}: {address.url} ({counts})")
    if not as_json and len(known) == 1:
        click.echo("add targets to the settings file under [targets], such as library = "
                   f'"{TARGET_KINDS["folder"].form}"', err=True)  # fmt: skip


def _announced_retry_policy(settings: Settings) -> RetryPolicy:
    own = settings.deliver
    return RetryPolicy(tries=own.tries, backoff=own.backoff, max_backoff=own.max_backoff, sleep=_announce_pause)


def _announce_pause(seconds: float) -> None:
    click.echo(f"not all could be sent; trying again in {seconds:.0f} s", err=True)
    time.sleep(seconds)


def _read_loader_reports(
    address: TargetAddress, settings: Settings, files: tuple[Path, ...]
) -> Iterator[tuple[str, bytes]]:
    if files:
        limit = settings.read.max_bytes
        yield from ((path.name, load_file(path, name=str(path), max_bytes=limit)) for path in files)
    else:
        with closing(open_report_folder(address, settings, os.environ)) as folder:
            yield from folder.reports()


def print_deliveries(results: Iterable[DeliveryResult], address: TargetAddress, *, as_json: bool) -> None:
    """Print the result of each record as soon as it is known, then the counts; unchanged records are only counted."""
    counts: Counter[DeliveryState] = Counter()
    for result in results:
        counts[result.receipt.state] += 1
        if as_json or result.receipt.state is not DeliveryState.UNCHANGED:
            click.echo(_delivery_line(result, as_json=as_json))
    _print_delivery_counts(counts, address)


def print_dry_run(
    results: Iterable[DeliveryResult | Batch], address: TargetAddress, *, show: bool, as_json: bool
) -> None:
    """Print what would happen to each record, and with `show` the bytes that would be sent."""
    counts: Counter[DeliveryState] = Counter()
    for item in results:
        if isinstance(item, DeliveryResult):
            counts[item.receipt.state] += 1
            if not show and (as_json or item.receipt.state is not DeliveryState.UNCHANGED):
                click.echo(_delivery_line(item, as_json=as_json, dry=True))
        elif show:
            click.echo(f"to {item.name}: {len(item.parcels)} records, {len(item.body):,} bytes", err=True)
            print_bytes(item.body)
        elif not as_json:
            click.echo(f"would be sent to {item.name}: {len(item.parcels)} records, {len(item.body):,} bytes", err=True)
    _print_delivery_counts(counts, address, dry=True)


def _delivery_line(result: DeliveryResult, *, as_json: bool, dry: bool = False) -> str:
    one = result.receipt
    state = _WOULD_BE_SENT if dry and one.state is DeliveryState.SENT else one.state.value
    if as_json:
        own = {"article": one.article, "title": result.citation.title, "doi": result.citation.doi}
        said = {"state": state, "detail": one.detail, "remote_id": one.remote_id, "note": result.note}
        return format_json(own | said)
    more = "; ".join(part for part in (one.remote_id, one.detail, result.note) if part)
    return f"{state}: {result.citation.title or result.citation.url or one.article}" + (f" ({more})" if more else "")


def _print_delivery_counts(counts: Counter[DeliveryState], address: TargetAddress, *, dry: bool = False) -> None:
    names = {state: state.value for state in DeliveryState} | ({DeliveryState.SENT: _WOULD_BE_SENT} if dry else {})
    shown = ", ".join(f"{counts[state]:,} {names[state]}" for state in DeliveryState if counts[state]) or "no records"
    click.echo(f"{address.name}: {shown}" + ("; nothing was sent" if dry else ""), err=True)
    wrong = sum(counts[state] for state in _UNDELIVERED)
    if wrong:
        raise click.exceptions.Exit(1 if wrong == counts.total() else 3)


def serve_oai(store: Store, address: TargetAddress, settings: Settings, *, host: str, port: int) -> None:
    """Serve the records to OAI-PMH harvesters until the process is stopped."""
    from medharvest.deliver.oai_server import run_oai_server
    from medharvest.library.delivery import OaiCollection, describe_repository

    if address.kind != OAI_KIND:
        hint = f"only the target {OAI_KIND} can: medharvest deliver {OAI_KIND} --serve"
        raise DeliveryError(f"this target cannot be served: {address.name}", target=address.name, hint=hint)
    collection = OaiCollection(store)
    collection.refresh()

    def answer(pairs: list[tuple[str, str]], url: str) -> bytes:
        return collection.answer(pairs, describe_repository(settings, url))

    with _stop_on_sigterm() as stop, run_oai_server(host, port, answer) as server:
        click.echo(f"{server.url}?verb=Identify")
        click.echo("serving OAI-PMH; Ctrl-C stops it", err=True)
        stop.wait()


@contextmanager
def _stop_on_sigterm() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets; Ctrl-C ends the block itself, without a message."""
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        with suppress(KeyboardInterrupt):
            yield stop
    finally:
        signal.signal(signal.SIGTERM, before)

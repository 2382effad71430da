"""Progress of a harvest: a bar on a terminal, a line a page otherwise; always on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from medharvest.records import Arrived, Asked, Event, Failed


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[Event], None]]:
    """A listener for the events of a run."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as listen:
            yield listen
    else:
        yield _line


def _line(event: Event) -> None:
    if isinstance(event, Arrived):
        click.echo(f"{event.outcome.kind:9} {event.outcome.wish.url}", err=True)
    elif isinstance(event, Failed):
        click.echo(f"failed    {event.outcome.wish.url} ({event.outcome.reason}: {event.outcome.detail})", err=True)


@contextmanager
def _bar() -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("[bold]harvest"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pages  {task.fields[failed]} failed"),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1, failed=0)
        state = {"done": 0, "failed": 0}

        def listen(event: Event) -> None:
            if isinstance(event, Asked):
                bar.update(task, description=event.wish.url[-60:])
            elif isinstance(event, Arrived | Failed):
                state["done"] += 1
                state["failed"] += isinstance(event, Failed)
                total = state["done"] + event.waiting
                bar.update(task, completed=state["done"], total=total, failed=state["failed"])

        yield listen

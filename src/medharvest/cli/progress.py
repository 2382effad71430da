"""Progress of a run: a live display on a terminal, a line a page otherwise; always on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from medharvest.records import Arrived, Event, Failed

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[Event], None]]:
    """A listener for the events of a run."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _display() as listen:
            yield listen
    else:
        yield _line


def _line(event: Event) -> None:
    if isinstance(event, Arrived):
        click.echo(f"{event.outcome.kind:9} {event.outcome.wish.url}", err=True)
    elif isinstance(event, Failed):
        click.echo(f"failed    {event.outcome.wish.url} ({event.outcome.reason}: {event.outcome.detail})", err=True)


class Tally:
    """What the display shows: counts by kind and by reason, the rate and the time left."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.began = clock()
        self.kinds: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.waiting = 1

    def hear(self, event: Event) -> None:
        """Take in one event."""
        if isinstance(event, Arrived):
            self.kinds[str(event.outcome.kind)] += 1
        elif isinstance(event, Failed):
            self.reasons[str(event.outcome.reason)] += 1
        if isinstance(event, Arrived | Failed):
            self.waiting = event.waiting

    @property
    def done(self) -> int:
        """Pages that came or failed."""
        return self.kinds.total() + self.reasons.total()

    def text(self) -> str:
        """One line: rate, queue, kinds, failures, time left."""
        seconds = max(self.clock() - self.began, 0.001)
        rate = self.done / seconds
        left = f"{self.waiting / rate:.0f} s left" if rate and self.waiting else ""
        kinds = " ".join(f"{name} {count}" for name, count in self.kinds.most_common())
        failed = " ".join(f"{name} {count}" for name, count in self.reasons.most_common())
        parts = (f"{rate:.1f}/s", f"{self.waiting} waiting", kinds, f"failed: {failed}" if failed else "", left)
        return " · ".join(part for part in parts if part)


@contextmanager
def _display(console: Console | None = None) -> Iterator[Callable[[Event], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    # Bar and count keep their width; on a narrow terminal the rest is cut off.
    rest = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
    columns = (TextColumn("[bold]pages"), BarColumn(bar_width=16), MofNCompleteColumn(), rest)
    tally = Tally()
    with Progress(*columns, console=console or Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", total=1)

        def listen(event: Event) -> None:
            tally.hear(event)
            bar.update(task, completed=tally.done, total=tally.done + tally.waiting, description=tally.text())

        yield listen

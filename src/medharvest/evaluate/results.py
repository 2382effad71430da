"""What an evaluation gives, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from medharvest.evaluate.counts import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from medharvest.evaluate.labelled import Failure

FOLDS = ("layout", "platform")
# Enough to see where a reader breaks, few enough to read.
WORST = 5


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header; the first column is a name, the others are numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One stage scored on one set of labelled data; the gate compares `figures`, all of them 0 to 1."""

    stage: str
    data: str
    digest: str
    pages: int
    figures: tuple[tuple[str, float], ...]
    tables: tuple[Table, ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name its floor has."""
        return f"{self.stage}/{self.data}"


def render(results: Iterable[Result]) -> str:
    """Print results as plain text, one block a data set."""
    return "\n\n".join(_render_one(result) for result in results)


def fold_table(folds: str, values: Mapping[str, float]) -> Table:
    """Show the macro mean over folds, and the worst of them."""
    worst = sorted(values.items(), key=lambda item: (item[1], item[0]))[:WORST]
    mean = (f"mean of {len(values)}", number(mean_of(list(values.values()))))
    return Table((f"worst by {folds}", "score"), (*((name, number(value)) for name, value in worst), mean))


def fold_note(folds: str) -> str:
    """Say what folds show and what they do not."""
    return f"folds by {folds} group the pages of this table; no page is read by what its own layout taught a model"


def number(value: float) -> str:
    """A figure as tables show it."""
    return f"{value:.3f}"


def _render_one(result: Result) -> str:
    lines = [f"{result.name}  {result.pages} pages"]
    for table in result.tables:
        lines += [*render_table(table), ""]
    lines.append("  ".join(f"{name} {number(value)}" for name, value in result.figures))
    lines += [f"failed: {failure.page}: {failure.message}" for failure in result.failures]
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def render_table(table: Table) -> list[str]:
    """The lines of a table, its columns under each other."""
    grid = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in grid
    ]

"""The results of an evaluation: tables, figures and failures of a stage on one data set, and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FOLDS = ("layout", "platform")
WORST_SHOWN = 5  # rows of a table of the worst pages or groups
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header; the first column is a name, the others are numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The scores of one stage on one data set; the gate compares `figures`, which are between 0 and 1."""

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
        """The name of its floor."""
        return f"{self.stage}/{self.data}"


def render_results(results: Iterable[Result]) -> str:
    """Format results as plain text, one block for each data set."""
    return "\n\n".join(_render_result(result) for result in results)


def fold_table(folds: str, values: Mapping[str, float]) -> Table:
    """Make a table of the worst folds and the mean over all folds."""
    worst = sorted(values.items(), key=lambda item: (item[1], item[0]))[:WORST_SHOWN]
    mean = (f"mean of {len(values)}", format_share(mean_of(list(values.values()))))
    return Table((f"worst by {folds}", "score"), (*((name, format_share(value)) for name, value in worst), mean))


def fold_note(folds: str) -> str:
    """The note below a table with folds."""
    return f"folds by {folds} group the pages of this table; no page is read by what its own layout taught a model"


def format_share(value: float) -> str:
    """Format a figure with three decimal places."""
    return f"{value:.3f}"


def _render_result(result: Result) -> str:
    lines = [f"{result.name}  {result.pages} pages"]
    for table in result.tables:
        lines += [*render_table(table), ""]
    lines.append("  ".join(f"{name} {format_share(value)}" for name, value in result.figures))
    lines += [f"failed: {failure.page}: {failure.message}" for failure in result.failures]
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def render_table(table: Table) -> list[str]:
    """The lines of a table with aligned columns."""
    grid = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in grid
    ]


def add_counts(tallies: Iterable[T], zero: T) -> T:
    """Add records of counts, field by field."""
    total: Any = zero
    names = [item.name for item in fields(total)]
    sums = dict.fromkeys(names, 0)
    for tally in tallies:
        for name in names:
            sums[name] += getattr(tally, name)
    added: T = replace(total, **sums)
    return added


def share_of(part: int, whole: int) -> float:
    """The share of a part in a whole; 0 if the whole is empty."""
    return part / max(1, whole)


def mean_of(values: Sequence[float]) -> float:
    """The mean of values; 0 if there are none."""
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be processed; it is scored as if nothing had been found."""

    page: str
    message: str

"""How records and their differences are printed for people, and the console for tables and progress."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from medharvest.citations.calibration import accepted_fields
from medharvest.citations.record_differences import Difference
from medharvest.cli.output_gate import clean_output, ungated_stream
from medharvest.fields import CORE_FIELDS, full_name
from medharvest.records import Author, Citation

if TYPE_CHECKING:
    from rich.console import Console

_CARD_FIELDS = (*CORE_FIELDS, "journal", "volume", "issue", "first_page", "date", "doi")
_MAX_VALUE_SHOWN = 100  # characters of a value
# The columns of the table of records; 0: as wide as its values.
_COLUMN_RATIOS = MappingProxyType({"title": 6, "authors": 3, "journal": 4, "date": 0, "pages": 0, "check": 0})


def print_citation_table(citations: Sequence[Citation], *, accepted: Container[Citation] = ()) -> None:
    """Print records as a table with what needs a look; without a terminal as lines with tabs between the columns.

    Records that are `accepted` are ready.
    """
    rows = [_table_row(citation, ready=citation in accepted) for citation in citations]
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(" ".join(value.split()) for value in row.values()))
    elif rows:
        _print_rich_table(rows)


def _print_rich_table(rows: Sequence[Mapping[str, str]]) -> None:
    """Print one line per row, as wide as the terminal; a journal that all share stands above them, not in a column."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    journals = {row["journal"] for row in rows}
    shared = journals.pop() if len(journals) == 1 else ""
    table = Table(title=shared or None, title_justify="left", header_style="bold", expand=True, box=SIMPLE_HEAD)
    columns = [(name, ratio) for name, ratio in _COLUMN_RATIOS.items() if not (shared and name == "journal")]
    for name, ratio in columns:
        table.add_column(name, ratio=ratio or None, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*(row[name] for name, _ in columns))
    open_console().print(table)


def _table_row(citation: Citation, *, ready: bool) -> dict[str, str]:
    doubtful = [] if ready else doubtful_fields(citation)
    one = doubtful[0].replace("_", " ") if doubtful else "ready"
    return {
        "title": citation.title,
        "authors": first_author_text(citation.authors),
        "journal": journal_place(citation),
        "date": citation.date,
        "pages": page_range(citation),
        "check": f"{len(doubtful)} fields" if doubtful[1:] else one,
    }


def readiness_line(total: int, waiting: int) -> str:
    """Say how many records are ready, and how to look at the others."""
    if not waiting:
        return f"{total} of {total} ready"
    return f"{total - waiting} of {total} ready; {waiting} need{'s' if waiting == 1 else ''} a look: medharvest review"


def citation_card(citation: Citation) -> str:
    """Write a record as lines of `field: value`; the last ones say what needs a look and what was not found."""
    rows = (
        ("title", citation.title),
        ("authors", "; ".join(full_name(author) for author in citation.authors)),
        ("affiliations", " | ".join(citation.affiliations)),
        ("journal", journal_place(citation)),
        ("date", citation.date),
        ("pages", page_range(citation)),
        ("doi", citation.doi),
        ("keywords", "; ".join(citation.keywords)),
        ("abstract", citation.abstract),
        ("needs a look", ", ".join(doubtful_fields(citation))),
        ("not found", ", ".join(name for name in CORE_FIELDS if not getattr(citation, name))),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)


def doubtful_fields(citation: Citation) -> list[str]:
    """Return the fields of the card whose values are not sure enough to be accepted without review."""
    sure = accepted_fields(citation)
    return [name for name in _CARD_FIELDS if getattr(citation, name) and name not in sure]


def first_author_text(authors: tuple[Author, ...]) -> str:
    """Write the first author and the number of others."""
    if not authors:
        return ""
    first = authors[0].collective or authors[0].family
    return first if len(authors) == 1 else f"{first} and {len(authors) - 1} more"


def journal_place(citation: Citation) -> str:
    """Write journal, volume and issue: `Journal 23(3)`."""
    number = f"({citation.issue})" if citation.issue else ""
    return f"{citation.abbreviation or citation.journal} {citation.volume}{number}".strip()


def page_range(citation: Citation) -> str:
    """Write the pages, `201-208`, or the article number."""
    if not citation.first_page:
        return citation.article_number
    return f"{citation.first_page}-{citation.last_page}" if citation.last_page else citation.first_page


def format_difference(found: Difference, other: str) -> str:
    """Write both values, the second with its source; long ones start shortly before the first difference."""
    before, after = " ".join(found.before.split()), " ".join(found.after.split())
    if not before:
        return f"+ {shorten_value(after)}"
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    start = (
        max(sum(1 for _ in alike) - _MAX_VALUE_SHOWN // 4, 0) if max(len(before), len(after)) > _MAX_VALUE_SHOWN else 0
    )
    lead = "…" if start else ""
    return f"{lead}{shorten_value(before[start:])} | {other}: {lead}{shorten_value(after[start:])}"


def shorten_value(text: str) -> str:
    """Write a text on one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_VALUE_SHOWN else line[: _MAX_VALUE_SHOWN - 1] + "…"


def open_console(*, err: bool = False) -> Console:
    """Open a console as wide as the terminal, or 110 columns without one; what it shows passes the output gate."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class GatedConsole(Console):
        """A console that cleans the texts it shows; its own codes for colours and cursor pass."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else clean_output(text), style, control)

    stream = ungated_stream(err=err)
    return GatedConsole(file=stream, width=None if stream.isatty() else 110, markup=False)

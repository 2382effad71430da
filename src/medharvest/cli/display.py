"""How records and their differences are printed for people, and the console for tables and progress."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from medharvest.citations.calibration import accepted_fields
from medharvest.citations.record_differences import Difference
from medharvest.cli.output_gate import clean_output, ungated_stream
from medharvest.fields import CORE_FIELDS, full_name
from medharvest.records import Author, Citation

if TYPE_CHECKING:
    from rich.console import Console

_CARD_FIELDS = (*CORE_FIELDS, "journal", "volume", "issue", "first_page", "date", "doi")
_MAX_VALUE_SHOWN = 100  # characters of a value


def print_citation_table(citations: Iterable[Citation]) -> None:
    """Print records as a table, as wide as the terminal, or 110 columns without one."""
    from rich.table import Table

    table = Table(show_lines=False, header_style="bold", expand=True)
    for name, ratio in (("title", 6), ("authors", 3), ("journal", 3), ("date", 0), ("pages", 0)):
        table.add_column(name, ratio=ratio or None, no_wrap=not ratio, min_width=9 if not ratio else None)
    for citation in citations:
        table.add_row(
            citation.title,
            first_author_text(citation.authors),
            journal_place(citation),
            citation.date,
            page_range(citation),
        )
    open_console().print(table)


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
        ("needs a look", ", ".join(_doubtful_fields(citation))),
        ("not found", ", ".join(name for name in CORE_FIELDS if not getattr(citation, name))),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)


def _doubtful_fields(citation: Citation) -> list[str]:
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

"""Citations for people: a table of many, a card of one."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from medharvest.fields import full_name
from medharvest.records import Author, Citation


def print_table(citations: Iterable[Citation]) -> None:
    """Print records as a table as wide as the terminal, or as 110 columns where there is none."""
    from rich.console import Console
    from rich.table import Table

    table = Table(show_lines=False, header_style="bold", expand=True)
    for name, ratio in (("title", 6), ("authors", 3), ("journal", 3), ("date", 0), ("pages", 0)):
        table.add_column(name, ratio=ratio or None, no_wrap=not ratio, min_width=9 if not ratio else None)
    for citation in citations:
        table.add_row(citation.title, names(citation.authors), place(citation), citation.date, pages(citation))
    Console(width=None if sys.stdout.isatty() else 110, markup=False).print(table)


def card(citation: Citation) -> str:
    """One record as lines of `field: value`."""
    rows = (
        ("title", citation.title),
        ("authors", "; ".join(full_name(author) for author in citation.authors)),
        ("affiliations", " | ".join(citation.affiliations)),
        ("journal", place(citation)),
        ("date", citation.date),
        ("pages", pages(citation)),
        ("doi", citation.doi),
        ("keywords", "; ".join(citation.keywords)),
        ("abstract", citation.abstract),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)


def names(authors: tuple[Author, ...]) -> str:
    """The first author and how many more."""
    if not authors:
        return ""
    first = authors[0].collective or authors[0].family
    return first if len(authors) == 1 else f"{first} and {len(authors) - 1} more"


def place(citation: Citation) -> str:
    """`Journal 23(3)`."""
    number = f"({citation.issue})" if citation.issue else ""
    return f"{citation.abbreviation or citation.journal} {citation.volume}{number}".strip()


def pages(citation: Citation) -> str:
    """`201-208`, or the article number."""
    if not citation.first_page:
        return citation.article_number
    return f"{citation.first_page}-{citation.last_page}" if citation.last_page else citation.first_page

"""A query's tree back to text, such that reading it gives the same tree."""

from __future__ import annotations

from medharvest.search.fields import FIELDS
from medharvest.search.nodes import FIRST_YEAR, LAST_YEAR, And, Or, Query, Ref, Text, Without, Years


def render_query(query: Query) -> str:
    """The text of a query; weights have none."""
    if isinstance(query, And | Or):
        return f" {'AND' if isinstance(query, And) else 'OR'} ".join(map(_inner, query.parts))
    if isinstance(query, Without):
        return f"{_inner(query.kept)} NOT {_inner(query.dropped)}"
    if isinstance(query, Years):
        return _years(query)
    return f"#{query.number}" if isinstance(query, Ref) else _text(query)


def _inner(query: Query) -> str:
    text = render_query(query)
    return f"({text})" if isinstance(query, And | Or | Without) else text


def _years(years: Years) -> str:
    if years.first == years.last:
        return f"year:{years.first}"
    first = "" if years.first == FIRST_YEAR and years.last != LAST_YEAR else years.first
    last = "" if years.last == LAST_YEAR and first else years.last
    return f"year:{first}-{last}"


def _text(text: Text) -> str:
    star = "*" if text.prefix else ""
    if text.phrase or FIELDS[text.field or "all"].marked:
        shown = f'"{text.text}"{star}'
        return f"{text.field}:{shown}" if text.field else shown
    if not text.field:
        return f"{text.text}{star}"
    # A single word may look like an operator or a field, and a bracket would make it one.
    together = " " in text.text or text.text.startswith("/")
    return f"{text.field}:({text.text}{star})" if together else f"{text.field}:{text.text}{star}"

"""A query as a tree: what is looked for, in which field, and how it hangs together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from medharvest.search.fields import FIELDS
from medharvest.search.words import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words to find in a field: next to one another in a `phrase`, else anywhere in it.

    With `prefix` the last word may go on. `weight` says how much it counts for the order of what is found.
    """

    text: str
    field: str = ""
    phrase: bool = False
    prefix: bool = False
    weight: int = 1


FIRST_YEAR, LAST_YEAR = 1000, 2999  # where a span is open


@dataclass(frozen=True, slots=True)
class Years:
    """Published from one year to another, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Ref:
    """A group of lines of a strategy, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class And:
    """Every part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """What is kept, less what is dropped."""

    kept: Query
    dropped: Query


Leaf = Text | Years | Ref
Query = Leaf | And | Or | Without


def wanted(query: Query) -> Iterator[Leaf]:
    """The leaves that a document may be found by: those of NOT left out."""
    if isinstance(query, Without):
        yield from wanted(query.kept)
    elif isinstance(query, And | Or):
        for part in query.parts:
            yield from wanted(part)
    else:
        yield query


def singles(query: Query) -> Iterator[Text | Years]:
    """What is wanted, word by word where words need not stand together."""
    for leaf in wanted(query):
        assert isinstance(leaf, Text | Years)
        if isinstance(leaf, Years) or leaf.phrase or FIELDS[leaf.field or "all"].marked:
            yield leaf
        else:
            words = [word for word in leaf.text.split() if fold(word)]
            yield from (replace(leaf, text=word, phrase=True) for word in words)

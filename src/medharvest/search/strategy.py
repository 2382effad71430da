"""Search strategies that can be reported, edited and replayed: lines in groups with their hit counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from medharvest.errors import InputError, QueryError
from medharvest.search.query import And, Or, Query, Ref, Text, Without, parse_query, render_query

_STRATEGY_HEADER = "# medharvest search strategy 1"
_STRATEGY_ATTRIBUTES = ("query", "made", "vocabulary", "reach", "searched")
# How much a line of each category counts in the ranking.
CATEGORY_WEIGHTS = {"own": 4, "synonym": 3, "narrower": 2, "near": 1, "wide": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyLine:
    """One line of a group: a query, its category and reason, and its own number of hits, if counted."""

    query: Query
    category: str = "own"
    why: str = ""
    hits: int | None = None


@dataclass(frozen=True, slots=True)
class StrategyGroup:
    """Lines for the same concept; a document has to match one of them."""

    lines: tuple[StrategyLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """Groups, and the query that joins them as `#1`, `#2`; the other fields say how the strategy was made."""

    joined: Query
    groups: tuple[StrategyGroup, ...] = ()
    query: str = ""
    made: str = ""
    vocabulary: str = ""
    reach: str = ""
    searched: str = ""
    hits: int | None = None


def query_of_strategy(strategy: Strategy) -> Query:
    """Return a strategy as one query."""
    return _fill_group_refs(strategy.joined, strategy.groups)


def _fill_group_refs(query: Query, groups: Sequence[StrategyGroup]) -> Query:
    if isinstance(query, Ref):
        parts = tuple(
            _with_term_weight(line.query, CATEGORY_WEIGHTS[line.category]) for line in groups[query.number - 1].lines
        )
        return Or(parts) if len(parts) > 1 else parts[0]
    if isinstance(query, And | Or):
        return type(query)(tuple(_fill_group_refs(part, groups) for part in query.parts))
    if isinstance(query, Without):
        return Without(_fill_group_refs(query.kept, groups), _fill_group_refs(query.dropped, groups))
    return query


def _with_term_weight(query: Query, weight: int) -> Query:
    if isinstance(query, Text):
        return replace(query, weight=weight)
    if isinstance(query, And | Or):
        return type(query)(tuple(_with_term_weight(part, weight) for part in query.parts))
    return query


def strategy_lines(strategy: Strategy) -> list[str]:
    """Return a strategy as lines that people can edit and `read_strategy` reads back."""
    heads = [f"# {name}: {value}" for name in _STRATEGY_ATTRIBUTES if (value := getattr(strategy, name))]
    rows = [
        (f"{number}", _format_hit_count(line.hits), line.category, render_query(line.query), line.why)
        for number, group in enumerate(strategy.groups, 1)
        for line in group.lines
    ]
    last = ("=", _format_hit_count(strategy.hits), "", render_query(strategy.joined), "")
    head = "# group\thits\tcategory\tquery\twhy"
    return [_STRATEGY_HEADER, *heads, head, *("\t".join(row).rstrip("\t") for row in (*rows, last))]


def _format_hit_count(hits: int | None) -> str:
    return "" if hits is None else str(hits)


def read_strategy(text: str, *, name: str) -> Strategy:
    """Read a strategy from its lines; hit counts are dropped, since they are out of date."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != _STRATEGY_HEADER:
        hint = "`medharvest search QUERY --expand --save-strategy FILE` writes one"
        raise InputError(f"not a search strategy: {name}", name=name, hint=hint)
    heads = dict(line[1:].strip().partition(": ")[::2] for line in lines if line.startswith("#"))
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    groups = _parse_strategy_groups([(number, row) for number, row in rows if row[0].strip() != "="], name)
    joins = [(number, row) for number, row in rows if row[0].strip() == "="]
    if len(joins) != 1:
        hint = "one line joins the groups: =, hits, an empty field and #1 AND #2, tab-separated"
        raise InputError(f"{len(joins) or 'no'} lines with = in {name}", name=name, hint=hint)
    joined = _parse_strategy_query(*joins[0], name=name, groups=len(groups))
    query, made, vocabulary, reach, searched = (heads.get(head, "") for head in _STRATEGY_ATTRIBUTES)
    return Strategy(
        joined=joined, groups=groups, query=query, made=made, vocabulary=vocabulary, reach=reach, searched=searched
    )


def _parse_strategy_groups(rows: Iterable[tuple[int, list[str]]], name: str) -> tuple[StrategyGroup, ...]:
    found: dict[int, list[StrategyLine]] = {}
    for number, row in rows:
        if not row[0].strip().isdecimal() or (row[2:3] or [""])[0].strip() not in CATEGORY_WEIGHTS:
            kinds = ", ".join(CATEGORY_WEIGHTS)
            hint = f"write group, hits, category ({kinds}), query and why, tab-separated"
            raise InputError(f"line {number} of {name} is not a strategy line", name=name, hint=hint)
        line = StrategyLine(
            query=_parse_strategy_query(number, row, name=name), category=row[2].strip(), why=" ".join(row[4:]).strip()
        )
        found.setdefault(int(row[0]), []).append(line)
    if sorted(found) != list(range(1, len(found) + 1)):
        raise InputError(f"a group of {name} has no lines", name=name, hint="groups are numbered 1, 2, 3 without a gap")
    return tuple(StrategyGroup(tuple(found[number])) for number in sorted(found))


def _parse_strategy_query(number: int, row: list[str], *, name: str, groups: int = 0) -> Query:
    try:
        return parse_query((row[3:4] or [""])[0], groups=groups)
    except QueryError as error:
        raise InputError(f"line {number} of {name}: {error.message}", name=name, hint=error.hint) from error

"""The query language of `search`: text to a tree, a tree back to text, and strategies of several lines."""

from medharvest.search.query import And, Or, Query, Ref, Text, Without, Years, parse_query, render_query
from medharvest.search.strategy import (
    Strategy,
    StrategyGroup,
    StrategyLine,
    query_of_strategy,
    read_strategy,
    strategy_lines,
)

__all__ = [
    "And",
    "Or",
    "Query",
    "Ref",
    "Strategy",
    "StrategyGroup",
    "StrategyLine",
    "Text",
    "Without",
    "Years",
    "parse_query",
    "query_of_strategy",
    "read_strategy",
    "render_query",
    "strategy_lines",
]

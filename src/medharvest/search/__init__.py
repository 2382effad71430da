"""The query language: parse a query to a tree, render a tree as text, and read and write search strategies.

`parse_query('asthma AND author:smith')` returns the tree, `render_query(tree)` the text.
"""

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

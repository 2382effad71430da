"""The query language of `search`: text to a tree, a tree back to text, and strategies of several lines."""

from medharvest.search.nodes import And, Or, Query, Ref, Text, Without, Years
from medharvest.search.parse import parse_query
from medharvest.search.render import render_query
from medharvest.search.strategy import Group, Line, Strategy, read_strategy, strategy_lines, whole

__all__ = [
    "And",
    "Group",
    "Line",
    "Or",
    "Query",
    "Ref",
    "Strategy",
    "Text",
    "Without",
    "Years",
    "parse_query",
    "read_strategy",
    "render_query",
    "strategy_lines",
    "whole",
]

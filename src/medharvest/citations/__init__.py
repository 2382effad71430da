"""Labelled zones and embedded metadata to a citation with evidence; citations to formats."""

from medharvest.citations.build import build_citation
from medharvest.citations.formats.table import FORMATS, Format, find_format
from medharvest.citations.issue import read_issue
from medharvest.citations.merge import complete_issue, fill, group_articles, merge
from medharvest.citations.reformat import reformat
from medharvest.citations.report import report

__all__ = [
    "FORMATS",
    "Format",
    "build_citation",
    "complete_issue",
    "fill",
    "find_format",
    "group_articles",
    "merge",
    "read_issue",
    "reformat",
    "report",
]

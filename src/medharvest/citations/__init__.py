"""Labelled zones and embedded metadata to a citation with evidence; citations to formats."""

from medharvest.citations.build import build_citation
from medharvest.citations.calibration import calibrate
from medharvest.citations.formats.table import FORMATS, Format, detect_format, find_format
from medharvest.citations.issue import IssueArticles, belongs, read_issue, same_journal, share_in_issue
from medharvest.citations.merge import complete_issue, fill, fill_from_record, group_articles, merge
from medharvest.citations.reformat import reformat
from medharvest.citations.report import report
from medharvest.citations.validation import Finding, check_citation, check_file

__all__ = [
    "FORMATS",
    "Finding",
    "Format",
    "IssueArticles",
    "belongs",
    "build_citation",
    "calibrate",
    "check_citation",
    "check_file",
    "complete_issue",
    "detect_format",
    "fill",
    "fill_from_record",
    "find_format",
    "group_articles",
    "merge",
    "read_issue",
    "reformat",
    "report",
    "same_journal",
    "share_in_issue",
]

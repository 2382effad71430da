"""From labelled zones and embedded metadata to citations, with evidence for every field.

`build_citation` reads one page, `merge` joins several readings of an article, `normalise_citation` cleans the values
and `report` turns the result into JSON.
"""

from medharvest.citations.calibration import calibrate_citation
from medharvest.citations.citation_builder import build_citation
from medharvest.citations.merge import (
    IssueArticles,
    complete_issue,
    fill_from_issue,
    fill_from_record,
    group_articles,
    is_same_journal,
    may_belong_to_issue,
    merge,
    read_issue_fields,
    share_in_issue,
)
from medharvest.citations.normal_form import normalise_citation

__all__ = [
    "IssueArticles",
    "build_citation",
    "calibrate_citation",
    "complete_issue",
    "fill_from_issue",
    "fill_from_record",
    "group_articles",
    "is_same_journal",
    "may_belong_to_issue",
    "merge",
    "normalise_citation",
    "read_issue_fields",
    "share_in_issue",
]

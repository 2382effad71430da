"""Records and files checked before anything leaves: schemas, and the rules that no schema sees."""

from medharvest.citations.validation.check import check_file
from medharvest.citations.validation.findings import Finding, Level
from medharvest.citations.validation.repairs import repaired
from medharvest.citations.validation.rules import RULES, Rule, check_citation, check_demands, check_set

__all__ = [
    "RULES",
    "Finding",
    "Level",
    "Rule",
    "check_citation",
    "check_demands",
    "check_file",
    "check_set",
    "repaired",
]

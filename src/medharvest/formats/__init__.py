"""File formats of citations, one module per format for reading and writing, and their validation.

pieces = find_format("ris").write(citations)
findings = check_citation(citation)
"""

from medharvest.formats.citation_rules import (
    CITATION_RULES,
    CitationRule,
    Finding,
    Level,
    check_citation,
    check_demands,
    check_set,
    repair_citation_field,
)
from medharvest.formats.file_checks import check_file
from medharvest.formats.json_lines import report
from medharvest.formats.registry import FORMATS, INPUT_FORMATS, Format, detect_format, find_format, find_input_format

__all__ = [
    "CITATION_RULES",
    "FORMATS",
    "INPUT_FORMATS",
    "CitationRule",
    "Finding",
    "Format",
    "Level",
    "check_citation",
    "check_demands",
    "check_file",
    "check_set",
    "detect_format",
    "find_format",
    "find_input_format",
    "repair_citation_field",
    "report",
]

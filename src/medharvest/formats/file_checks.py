"""Check a whole file: against its schema, the raw publisher XML, then each record by the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from medharvest.citations.identifiers import find_orcid
from medharvest.errors import FormatError
from medharvest.formats.citation_rules import Finding, Level, check_demands, check_set
from medharvest.formats.medline_values import MONTH_ABBREVIATIONS
from medharvest.formats.reading_notes import ReadingNotes, read_all_records
from medharvest.formats.registry import Format
from medharvest.formats.text_decoding import ENCODING_HINT, DecodedFile, decode_record_file, describe_decoding
from medharvest.formats.xml_elements import text_of_element
from medharvest.formats.xml_schemas import check_schema, parse_xml_file
from medharvest.records import Citation

_MAX_FILE_FINDINGS = 1000  # more findings of one file are not reported
_ESCAPED_RETURN = re.compile(rb"&#(?:x0*[dD]|0*13);")
_INTERNAL_STATUSES = frozenset("pmc pmcr pubmed pubmedr premedline medline medliner".split())

_ElementProblems = Iterator[tuple[str, str, str]]


def check_file(body: bytes, form: Format, *, encoding: str = "") -> tuple[Finding, ...]:
    """Return the problems of a file, errors first, then in the order of the file."""
    found = tuple(islice(_list_file_findings(body, form, encoding), _MAX_FILE_FINDINGS))
    return tuple(sorted(found, key=lambda finding: (finding.level, finding.line, finding.record)))


def _list_file_findings(raw: bytes, form: Format, encoding: str) -> Iterator[Finding]:
    if form.read is None:
        raise FormatError(f"format cannot be read: {form.name}", format=form.name, hint="it can only be written")
    decoded = decode_record_file(raw, encoding=encoding)
    yield from _check_decoding(decoded)
    body = decoded.body
    yield from check_schema(body, form.name)
    lines: tuple[int, ...] = ()
    if form.name == "pubmed" and not isinstance(root := parse_xml_file(body), Finding):
        lines = tuple(article.sourceline or 0 for article in root.iter("Article"))
        yield from _check_publisher_xml(body, root)
    notes = ReadingNotes()
    citations = read_all_records(form.read, body, notes)
    for one in notes.refused:
        yield _make_file_error("readable", one.reason, one.hint, record=one.record, line=one.line)
    lines = lines or tuple(notes.lines)
    for finding in _check_file_records(citations, form) if citations or not notes.refused else ():
        known = 0 < finding.record <= len(lines) == len(citations)
        yield replace(finding, line=lines[finding.record - 1]) if known else finding


def _make_file_error(rule: str, message: str, repair: str, *, record: int = 0, line: int = 0) -> Finding:
    return Finding(level=Level.ERROR, field="file", rule=rule, message=message, repair=repair, record=record, line=line)


def _check_decoding(decoded: DecodedFile) -> Iterator[Finding]:
    """Yield how a file was decoded, if that was a guess or lost text."""
    if decoded.is_certain:
        return
    spot = decoded.spots[0]
    finding = _make_file_error("encoding", describe_decoding(decoded), ENCODING_HINT, line=spot.line)
    yield finding if decoded.lost else replace(finding, level=Level.WARNING)


def _check_file_records(citations: tuple[Citation, ...], form: Format) -> Iterator[Finding]:
    if not citations:
        yield _make_file_error("readable", "no record in the file", "check that it is the right file")
    yield from check_set(citations)
    if form.name == "pubmed":
        for number, citation in enumerate(citations, 1):
            yield from check_demands(citation, record=number)


def _check_publisher_xml(body: bytes, root: Any) -> Iterator[Finding]:
    """Yield problems of the XML itself, with their lines."""
    found = _ESCAPED_RETURN.search(body)
    if found:
        line = body.count(b"\n", 0, found.start()) + 1
        yield _make_xml_error(
            "xml", "line ends", f"a line ends with {found.group().decode()}", "write plain line breaks", line
        )
    for element in root.iter("Month", "Season", "PubDate", "Identifier", "Year"):
        for rule, message, repair in _ELEMENT_CHECKS[element.tag](element):
            yield _make_xml_error(element.tag, rule, message, repair, element.sourceline or 0)


def _make_xml_error(field: str, rule: str, message: str, repair: str, line: int) -> Finding:
    return Finding(level=Level.ERROR, field=field, rule=rule, message=message, repair=repair, line=line)


def _check_month_element(element: Any) -> _ElementProblems:
    text = text_of_element(element)
    number = re.fullmatch(r"0?[1-9]|1[0-2]", text)
    if text and not number and text not in MONTH_ABBREVIATIONS:
        known = next((name for name in MONTH_ABBREVIATIONS if text[:3].title() == name), "")
        yield "months", f"not a month: {text}", known or "1 to 12, or Jan to Dec; a span such as Mar-Apr is a Season"


def _check_season_element(element: Any) -> _ElementProblems:
    if text_of_element(element) and element.getparent().find("Month") is not None:
        yield "months", "a season next to a month", "remove Season"


def _check_year_element(element: Any) -> _ElementProblems:
    if not re.fullmatch(r"[12][0-9]{3}", text_of_element(element)):
        yield "years", f"not a year: {text_of_element(element) or 'empty'}", "write four digits"


def _check_date_status(element: Any) -> _ElementProblems:
    if element.get("PubStatus") in _INTERNAL_STATUSES:
        yield "status", f"PubStatus is reserved for PubMed: {element.get('PubStatus')}", "remove the date"


def _check_identifier_element(element: Any) -> _ElementProblems:
    text = text_of_element(element)
    if element.get("Source", "").upper() == "ORCID" and find_orcid(text) != text:
        yield (
            "check digit",
            f"not a bare ORCID, or its check digit is wrong: {text}",
            find_orcid(text) or "ask the author",
        )


_ELEMENT_CHECKS = {
    "Month": _check_month_element,
    "Season": _check_season_element,
    "PubDate": _check_date_status,
    "Identifier": _check_identifier_element,
    "Year": _check_year_element,
}

"""What publisher XML says in places that a reader mends in silence: months, seasons, ORCIDs, line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from medharvest.citations.formats.dates import MONTHS
from medharvest.citations.formats.xml import text_of
from medharvest.citations.identifiers import find_orcid
from medharvest.citations.validation.findings import Finding, Level

_RETURN = re.compile(rb"&#(?:x0*[dD]|0*13);")
_INTERNAL = frozenset("pmc pmcr pubmed pubmedr premedline medline medliner".split())


def check_raw(body: bytes, root: Any) -> Iterator[Finding]:
    """What is wrong in the file itself, with its line."""
    found = _RETURN.search(body)
    if found:
        line = body.count(b"\n", 0, found.start()) + 1
        yield _error("xml", "line ends", f"a line ends with {found.group().decode()}", "write plain line ends", line)
    for element in root.iter("Month", "Season", "PubDate", "Identifier", "Year"):
        for rule, message, repair in _CHECKS[element.tag](element):
            yield _error(element.tag, rule, message, repair, element.sourceline or 0)


def _error(field: str, rule: str, message: str, repair: str, line: int) -> Finding:
    return Finding(level=Level.ERROR, field=field, rule=rule, message=message, repair=repair, line=line)


Answers = Iterator[tuple[str, str, str]]


def _month(element: Any) -> Answers:
    text = text_of(element)
    number = re.fullmatch(r"0?[1-9]|1[0-2]", text)
    if text and not number and text not in MONTHS:
        known = next((name for name in MONTHS if text[:3].title() == name), "")
        yield "months", f"not a month: {text}", known or "1 to 12, or Jan to Dec; a span such as Mar-Apr is a Season"


def _season(element: Any) -> Answers:
    if text_of(element) and element.getparent().find("Month") is not None:
        yield "months", "a season beside a month", "take Season out"


def _year(element: Any) -> Answers:
    if not re.fullmatch(r"[12][0-9]{3}", text_of(element)):
        yield "years", f"not a year: {text_of(element) or 'empty'}", "four digits"


def _status(element: Any) -> Answers:
    if element.get("PubStatus") in _INTERNAL:
        yield "status", f"PubStatus is PubMed's own: {element.get('PubStatus')}", "take the date out"


def _identifier(element: Any) -> Answers:
    text = text_of(element)
    if element.get("Source", "").upper() == "ORCID" and find_orcid(text) != text:
        yield (
            "check digit",
            f"not a bare ORCID, or its check digit is wrong: {text}",
            find_orcid(text) or "ask the author",
        )


_CHECKS = {"Month": _month, "Season": _season, "PubDate": _status, "Identifier": _identifier, "Year": _year}

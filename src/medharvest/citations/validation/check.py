"""Whole files: the schema of their format first, then the rules, record by record."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from medharvest.citations.formats.table import Format
from medharvest.citations.validation.findings import Finding, Level
from medharvest.citations.validation.raw import check_raw
from medharvest.citations.validation.rules import check_demands, check_set
from medharvest.citations.validation.schemas import check_schema, parse
from medharvest.errors import FormatError, InputError
from medharvest.records import Citation

_MOST = 1000  # findings told of one file


def check_file(body: bytes, form: Format) -> tuple[Finding, ...]:
    """What is wrong with a file of a format: errors first, then in the order of the file."""
    found = tuple(islice(_findings(body, form), _MOST))
    return tuple(sorted(found, key=lambda finding: (finding.level, finding.line, finding.record)))


def _findings(body: bytes, form: Format) -> Iterator[Finding]:
    if form.read is None:
        raise FormatError(f"cannot be read: {form.name}", format=form.name, hint="it is written only")
    yield from check_schema(body, form.name)
    lines: tuple[int, ...] = ()
    if form.name == "pubmed" and not isinstance(root := parse(body), Finding):
        lines = tuple(article.sourceline or 0 for article in root.iter("Article"))
        yield from check_raw(body, root)
    try:
        citations = tuple(form.read(io.BytesIO(body)))
    except InputError as error:
        yield Finding(level=Level.ERROR, field="file", rule="readable", message=error.message, repair=error.hint)
        return
    for finding in _of_records(citations, form):
        known = 0 < finding.record <= len(lines)
        yield replace(finding, line=lines[finding.record - 1]) if known else finding


def _of_records(citations: tuple[Citation, ...], form: Format) -> Iterator[Finding]:
    if not citations:
        hint = "is it the right file"
        yield Finding(level=Level.ERROR, field="file", rule="readable", message="no record in it", repair=hint)
    yield from check_set(citations)
    if form.name == "pubmed":
        for number, citation in enumerate(citations, 1):
            yield from check_demands(citation, record=number)

"""JSON Lines, written and read: one report per line, evidence included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from medharvest.citations.report import citation_from_report, report
from medharvest.errors import InputError
from medharvest.records import Citation


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write one object a line, as `read --json` prints it."""
    for citation in citations:
        line = json.dumps(report(citation), ensure_ascii=False)
        yield line.encode("utf-8", "replace").decode("utf-8") + "\n"  # half a surrogate pair fits no file


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read records line by line; a line that holds none is an error with its number."""
    for number, line in enumerate(file, 1):
        if line.strip():
            yield _read_report_line(line, number)


def _read_report_line(line: bytes, number: int) -> Citation:
    try:
        return citation_from_report(json.loads(line))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise InputError(
            f"line {number}: not a record: {error}",
            name="jsonl",
            hint="each line is one object as `read --json` prints",
        ) from error

"""Files of tagged lines, MEDLINE and RIS: records as lists of tag and value, continued lines joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from medharvest.citations.formats.characters import plain
from medharvest.errors import InputError

Tags = list[tuple[str, str]]
_LONGEST = 2_000_000  # characters of one record; a hundred times the longest


def tagged_records(
    file: BinaryIO, line: re.Pattern[str], ends: Callable[[str, str], bool], name: str
) -> Iterator[Tags]:
    """The records of a file: `line` splits tag and value, `ends` says after which tag or before which line one ends."""
    record: list[tuple[str, list[str]]] = []
    size = 0
    for number, raw in enumerate(file, 1):
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
        if record and ends(record[-1][0], text):
            yield _joined(record)
            record, size = [], 0
        size += len(text)
        if size > _LONGEST:
            raise InputError(f"line {number}: a record without end", name=name, hint="is it a file of this format")
        if found := line.match(text):
            record.append((found[1].strip(), [found[2]]))
        elif record and text.strip():
            record[-1][1].append(text)
    if record:
        yield _joined(record)


def _joined(record: list[tuple[str, list[str]]]) -> Tags:
    return [(tag, plain(" ".join(pieces))) for tag, pieces in record]


def values(record: Tags, *names: str) -> tuple[str, ...]:
    """The values of tags in the order of the file, but for empty ones."""
    return tuple(value for tag, value in record if tag in names and value)


def value(record: Tags, *names: str) -> str:
    """The first value of the first of the tags that has one."""
    return next((found for name in names for found in values(record, name)), "")

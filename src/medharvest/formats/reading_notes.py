"""What a reader of a file leaves out: values without a place in a record, and records it cannot read.

    notes = ReadingNotes()
    records = list(form.read(file, notes))
    notes.dropped["N1"].count

A reader that gets no notes raises an `InputError` for the first record that it cannot read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from medharvest.errors import InputError
from medharvest.records import Citation

_MAX_NAMES = 500  # names of values that are counted; a hostile file invents more
_MAX_REFUSED = 1000  # records that are named; more are counted
_EXAMPLE_CHARACTERS = 60
_TELLING_FIELDS = ("title", "doi", "pmid", "authors", "vernacular_title", "abstract", "journal", "url", "pii")
_EMPTY_HINT = "complete or remove it"
_MAX_LINES = 1_000_000  # record numbers whose line is remembered


@dataclass(slots=True)
class DroppedValue:
    """A kind of value that no record has a place for: how often, the first example, and its record's number."""

    count: int
    example: str
    record: int


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """A record that could not be read: its number and line in the file, counted from 1 or 0 if unknown, and why."""

    record: int
    line: int
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        places = (("record", self.record), ("line", self.line))
        place = ", ".join(f"{word} {number}" for word, number in places if number)
        return f"{place}: {self.reason}" if place else self.reason


@dataclass(slots=True)
class ReadingNotes:
    """Notes of one file: the line of each record, what was dropped, and what was refused."""

    dropped: dict[str, DroppedValue] = field(default_factory=dict)
    refused: list[RefusedRecord] = field(default_factory=list)
    refused_count: int = 0
    records: int = 0
    lines: list[int] = field(default_factory=list)

    def begin_record(self, line: int = 0) -> None:
        """Count a record that begins at a line."""
        self.records += 1
        if len(self.lines) < _MAX_LINES:
            self.lines.append(line)

    def drop(self, name: str, example: str, count: int = 1) -> None:
        """Count a value that has no place in a record."""
        known = self.dropped.get(name)
        if known is not None:
            known.count += count
        elif len(self.dropped) < _MAX_NAMES:
            self.dropped[name] = DroppedValue(count, _shorten(example), self.records)

    def drop_unread(self, values: Iterable[tuple[str, str]], read: frozenset[str]) -> None:
        """Count the values whose name is not among those that are read."""
        for name, value in values:
            if name not in read and value:
                self.drop(name, value)

    def refuse(self, reason: str, *, line: int = 0, hint: str = "") -> None:
        """Count the record that was begun last as one that cannot be read."""
        self.refused_count += 1
        if self.lines:
            self.lines.pop()
        if len(self.refused) < _MAX_REFUSED:
            self.refused.append(RefusedRecord(self.records, line, reason, hint))


def refuse_record(notes: ReadingNotes | None, reason: str, *, line: int, name: str, hint: str = "") -> None:
    """Note a record that cannot be read; without notes, raise it as an `InputError` about the format `name`."""
    if notes is None:
        place = f"line {line}: " if line else ""
        raise InputError(f"{place}{reason}", name=name, hint=hint)
    notes.refuse(reason, line=line, hint=hint)


class Reader(Protocol):
    """The reader of a format: yields the records of a file, and notes what it leaves out."""

    def __call__(self, file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
        """Yield the records one by one."""
        ...


def read_all_records(read: Reader, body: bytes, notes: ReadingNotes) -> tuple[Citation, ...]:
    """Read the records of a file in UTF-8; what cannot be read is noted, and so is a record without any value."""
    records = []
    try:
        for citation in read(io.BytesIO(body), notes):
            if any(getattr(citation, name) for name in _TELLING_FIELDS):
                records.append(citation)
            else:
                notes.refuse(
                    "no title, name or identifier", line=notes.lines[-1] if notes.lines else 0, hint=_EMPTY_HINT
                )
    except InputError as error:
        notes.begin_record()
        notes.refuse(error.message, hint=error.hint)
    return tuple(records)


def count_kept_fields(citations: Iterable[Citation], names: Iterable[str]) -> Mapping[str, int]:
    """Count for each field how many records have a value."""
    counts = dict.fromkeys(names, 0)
    for citation in citations:
        for name in counts:
            if getattr(citation, name):
                counts[name] += 1
    return {name: count for name, count in counts.items() if count}


def _shorten(text: str) -> str:
    line = " ".join(text[: 4 * _EXAMPLE_CHARACTERS].split())
    return line if len(line) <= _EXAMPLE_CHARACTERS else f"{line[: _EXAMPLE_CHARACTERS - 1]}…"

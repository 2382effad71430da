"""Records of a file beside those of the store: what is new, the same or changed; nothing is overwritten unasked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from medharvest.citations import Format, reformat
from medharvest.citations.difference import Difference, Origin, absorb, differences
from medharvest.citations.formats.table import HEAD, detect_format
from medharvest.citations.identifiers import parse_doi
from medharvest.citations.matching import DIFFERENT, SAME, Candidates, match
from medharvest.errors import FormatError, InputError
from medharvest.records import Citation, Verdict, title_key
from medharvest.run.inputs import load
from medharvest.settings import Match, Settings
from medharvest.store import Store


class State(StrEnum):
    """What a record of a file is to the store."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A record of a file: its state, the stored record it matches and how, and what it says otherwise.

    `related` are the titles of records with another DOI and a like title: another version, or a reply.
    """

    citation: Citation
    state: State
    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How records are taken: `prefer_file` lets the file win where both say something; `dry_run` keeps nothing."""

    prefer_file: bool = False
    dry_run: bool = False


def read_records(file: Path, settings: Settings, *, form: Format | None = None) -> tuple[Citation, ...]:
    """The records of a file by the rules of the record; its format is the one named, or the one it shows."""
    body = load(file, name=str(file), max_bytes=settings.read.max_bytes)
    chosen = form or detect_format(body[:HEAD], name=str(file))
    if chosen.read is None:
        raise FormatError(f"{chosen.name} cannot be read", format=chosen.name, hint="it is a format to write only")
    try:
        records = tuple(reformat(citation) for citation in chosen.read(BytesIO(body)))
    except InputError as error:
        raise InputError(f"{error.message}: {file}", name=str(file), hint=error.hint) from error
    if not records:
        raise InputError(f"no record in this file: {file}", name=str(file), hint=f"it was read as {chosen.name}")
    return records


def import_records(
    records: Iterable[Citation], store: Store, *, origin: Origin, rules: Match, choices: Choices
) -> Iterator[Incoming]:
    """Take records in, one by one: new ones as they are, known ones with what they add; tell what became of each.

    They are written some at a time, the last when the iterator ends or is closed.
    """
    known = _Known(store, rules)
    who = f"{origin.source} {origin.path}".strip()
    try:
        for record in records:
            found = known.find(record)
            said = differences(found.record, record) if found.record else ()
            state = State.NEW if found.record is None else State.CHANGED if said else State.SAME
            kept = _kept(found.record, record, origin, prefer_file=choices.prefer_file)
            if kept != found.record:
                known.keep(found, kept)
            if known.waiting >= _BATCH and not choices.dry_run:
                known.write(who)
            yield Incoming(citation=record, state=state, verdict=found.verdict, differences=said, related=found.related)
    finally:
        if not choices.dry_run:
            known.write(who)


def _kept(stored: Citation | None, record: Citation, origin: Origin, *, prefer_file: bool) -> Citation:
    """A new record with its origin as evidence, or the stored one with what the file says besides."""
    if stored is None:
        base = Citation(url=record.url, kind=record.kind, evidence=record.evidence, alternatives=record.alternatives)
        return record if record.evidence else absorb(base, record, origin)
    return absorb(stored, record, origin, prefer_other=prefer_file)


class _Found(NamedTuple):
    """The known record of an article with its number, how it matches, and the titles of related ones."""

    number: int | None
    record: Citation | None
    verdict: Verdict
    related: tuple[str, ...] = ()


_BATCH = 100  # records written at a time: the disk is waited for once
_NONE = Verdict(DIFFERENT, 1.0, "none")


class _Known:
    """The records of the store and of the file so far: found by keys, then by title and surname.

    One of the file that is not written yet has a number below 0; so have all where nothing is written.
    """

    def __init__(self, store: Store, rules: Match) -> None:
        self._store = store
        self._rules = rules
        self._near: Candidates | None = None
        self._waiting: dict[int, Citation] = {}
        self._bases: dict[int, Citation] = {}  # what stored ones were before
        self._keys: dict[str, int] = {}  # of the waiting ones
        self._numbers: dict[int, int] = {}  # of those that were written, by the number they had before
        self._count = 0

    @property
    def waiting(self) -> int:
        """How many records are to be written."""
        return len(self._waiting)

    def find(self, record: Citation) -> _Found:
        """The record of the same article, and the titles of related ones; the user's rules decide, not the keys."""
        for number in self._exact(record):
            verdict = match(record, self._record(number), self._rules)
            if verdict.label == SAME:
                return _Found(number, self._record(number), verdict)
        near = [(self._numbers.get(number, number), verdict) for number, verdict in self._alike(record)]
        related = tuple(self._record(number).title for number, verdict in near if verdict.label != SAME)
        if not near or near[0][1].label != SAME:
            return _Found(None, None, _NONE, related)
        number, verdict = near[0]
        return _Found(number, self._record(number), verdict, related)

    def keep(self, found: _Found, record: Citation) -> None:
        """Know a record in its new form, to be written with the next ones."""
        number = found.number
        if number is None:
            self._count += 1
            number = -self._count
            if self._near is not None:
                self._near.add(number, record)
        elif number > 0 and number not in self._waiting:
            self._bases[number] = found.record or record
        self._waiting[number] = record
        self._keys |= dict.fromkeys(_keys(record), number)

    def write(self, who: str) -> None:
        """Write what waits, all of it or nothing."""
        rows = [(number if number > 0 else None, record) for number, record in self._waiting.items()]
        written = self._store.write(rows, who=who, bases=self._bases) if rows else ()
        self._numbers |= dict(zip(self._waiting, written, strict=True))
        self._waiting.clear()
        self._bases.clear()
        self._keys.clear()

    def _exact(self, record: Citation) -> Iterator[int]:
        """The numbers of records with one of its keys: those that wait, then the stored one."""
        yield from dict.fromkeys(self._keys[key] for key in _keys(record) if key in self._keys)
        stored = self._store.find(record)
        if stored is not None:
            yield stored[0]

    def _alike(self, record: Citation) -> Iterator[tuple[int, Verdict]]:
        if self._near is None:
            new = ((number, waiting) for number, waiting in self._waiting.items() if number < 0)
            self._near = Candidates(chain(self._store.numbered(), new))
        return self._near.find(record, self._rules)

    def _record(self, number: int) -> Citation:
        return self._waiting.get(number) or self._store.citation(number)


def _keys(record: Citation) -> list[str]:
    """What a record may be known by among a few others."""
    return [key for key in (parse_doi(record.doi), record.pmid, title_key(record.title)) if key]

"""Import the records of a file.

They are validated and compared with the store; nothing is overwritten unless asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from medharvest.citations import normalise_citation
from medharvest.citations.identifiers import parse_doi
from medharvest.citations.record_differences import Difference, Origin, absorb_record, find_differences
from medharvest.citations.record_match import DIFFERENT_ARTICLE, SAME_ARTICLE, MatchCandidates, match_records
from medharvest.errors import FormatError, InputError
from medharvest.formats import Format, detect_format
from medharvest.formats.citation_rules import Finding, Level
from medharvest.formats.file_checks import check_file
from medharvest.formats.registry import FORMAT_HEAD_BYTES
from medharvest.journals.inputs import load_file
from medharvest.records import Citation, Verdict, title_key
from medharvest.settings import Match, Read, Settings
from medharvest.store import Store

_IMPORT_BATCH = 100  # records written at a time: the disk is waited for once
_NO_MATCH = Verdict(DIFFERENT_ARTICLE, 1.0, "none")


class ImportState(StrEnum):
    """What a record of a file is to the store."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecord:
    """A record of a file: its state, the stored record it matches and how, and what it says otherwise.

    `related` are the titles of records with another DOI and a like title: another version, or a reply.
    """

    citation: Citation
    state: ImportState
    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    related: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How records are taken: `prefer_file` lets the file win where both say something; `dry_run` keeps nothing."""

    prefer_file: bool = False
    dry_run: bool = False


def read_record_file(file: Path, settings: Settings, *, form: Format | None = None) -> tuple[Citation, ...]:
    """The records of a file by the rules of the record; its format is the one named, or the one it shows."""
    body = load_file(file, name=str(file), max_bytes=settings.read.max_bytes)
    chosen = form or detect_format(body[:FORMAT_HEAD_BYTES], name=str(file))
    if chosen.read is None:
        raise FormatError(f"{chosen.name} cannot be read", format=chosen.name, hint="it is a format to write only")
    try:
        records = tuple(normalise_citation(citation) for citation in chosen.read(BytesIO(body)))
    except InputError as error:
        raise InputError(f"{error.message}: {file}", name=str(file), hint=error.hint) from error
    if not records:
        raise InputError(f"no record in this file: {file}", name=str(file), hint=f"it was read as {chosen.name}")
    return records


def import_records(
    records: Iterable[Citation], store: Store, *, origin: Origin, rules: Match, choices: ImportOptions
) -> Iterator[ImportedRecord]:
    """Take records in, one by one: new ones as they are, known ones with what they add; tell what became of each.

    They are written some at a time, the last when the iterator ends or is closed.
    """
    known = _KnownRecords(store, rules)
    who = f"{origin.source} {origin.path}".strip()
    try:
        for record in records:
            found = known.find(record)
            said = find_differences(found.record, record) if found.record else ()
            state = ImportState.NEW if found.record is None else ImportState.CHANGED if said else ImportState.SAME
            kept = _combine_records(found.record, record, origin, prefer_file=choices.prefer_file)
            if kept != found.record:
                known.keep(found, kept)
            if known.waiting >= _IMPORT_BATCH and not choices.dry_run:
                known.write(who)
            yield ImportedRecord(
                citation=record, state=state, verdict=found.verdict, differences=said, related=found.related
            )
    finally:
        if not choices.dry_run:
            known.write(who)


def _combine_records(stored: Citation | None, record: Citation, origin: Origin, *, prefer_file: bool) -> Citation:
    """A new record with its origin as evidence, or the stored one with what the file says besides."""
    if stored is None:
        base = Citation(url=record.url, kind=record.kind, evidence=record.evidence, alternatives=record.alternatives)
        return record if record.evidence else absorb_record(base, record, origin)
    return absorb_record(stored, record, origin, prefer_other=prefer_file)


class _FoundRecord(NamedTuple):
    """The known record of an article with its number, how it matches, and the titles of related ones."""

    number: int | None
    record: Citation | None
    verdict: Verdict
    related: tuple[str, ...] = ()


class _KnownRecords:
    """The records of the store and of the file so far: found by keys, then by title and surname.

    One of the file that is not written yet has a number below 0; so have all where nothing is written.
    """

    def __init__(self, store: Store, rules: Match) -> None:
        self._store = store
        self._rules = rules
        self._near: MatchCandidates | None = None
        self._waiting: dict[int, Citation] = {}
        self._bases: dict[int, Citation] = {}  # what stored ones were before
        self._keys: dict[str, int] = {}  # of the waiting ones
        self._numbers: dict[int, int] = {}  # of those that were written, by the number they had before
        self._count = 0

    @property
    def waiting(self) -> int:
        """How many records are to be written."""
        return len(self._waiting)

    def find(self, record: Citation) -> _FoundRecord:
        """The record of the same article, and the titles of related ones; the user's rules decide, not the keys."""
        for number in self._exact(record):
            verdict = match_records(record, self._record(number), self._rules)
            if verdict.label == SAME_ARTICLE:
                return _FoundRecord(number, self._record(number), verdict)
        near = [(self._numbers.get(number, number), verdict) for number, verdict in self._alike(record)]
        related = tuple(self._record(number).title for number, verdict in near if verdict.label != SAME_ARTICLE)
        if not near or near[0][1].label != SAME_ARTICLE:
            return _FoundRecord(None, None, _NO_MATCH, related)
        number, verdict = near[0]
        return _FoundRecord(number, self._record(number), verdict, related)

    def keep(self, found: _FoundRecord, record: Citation) -> None:
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
        self._keys |= dict.fromkeys(_record_keys(record), number)

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
        yield from dict.fromkeys(self._keys[key] for key in _record_keys(record) if key in self._keys)
        stored = self._store.find(record)
        if stored is not None:
            yield stored[0]

    def _alike(self, record: Citation) -> Iterator[tuple[int, Verdict]]:
        if self._near is None:
            new = ((number, waiting) for number, waiting in self._waiting.items() if number < 0)
            self._near = MatchCandidates(chain(self._store.numbered(), new))
        return self._near.find(record, self._rules)

    def _record(self, number: int) -> Citation:
        return self._waiting.get(number) or self._store.citation(number)


def _record_keys(record: Citation) -> list[str]:
    """What a record may be known by among a few others."""
    return [key for key in (parse_doi(record.doi), record.pmid, title_key(record.title)) if key]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file, its format and what was found; `valid` where no error was."""

    name: str
    format: str
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing blocks delivery."""
        return not any(finding.level is Level.ERROR for finding in self.findings)


def validate_file(name: str, *, form: Format | None, limits: Read | None = None) -> CheckedFile:
    """Check a file of a format, or of the one it shows; raise where it cannot be read or no format fits."""
    body = load_file(Path(name), name=name, max_bytes=(limits or Read()).max_bytes)
    chosen = form or detect_format(body, name=name)
    return CheckedFile(name, chosen.name, check_file(body, chosen))

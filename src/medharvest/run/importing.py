"""Records of a file beside those of the store: what is new, the same or changed; nothing is overwritten unasked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from medharvest.citations import Format, reformat
from medharvest.citations.difference import Difference, Origin, absorb, differences
from medharvest.citations.formats.table import HEAD, detect_format
from medharvest.citations.matching import DIFFERENT, SAME, Candidates, match
from medharvest.errors import FormatError, InputError
from medharvest.records import Citation, Verdict
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
    """Take records in, one by one: new ones as they are, known ones with what they add; tell what became of each."""
    known = _Known(store, rules)
    for record in records:
        found = known.find(record)
        said = differences(found.record, record) if found.record else ()
        state = State.NEW if found.record is None else State.CHANGED if said else State.SAME
        kept = _kept(found.record, record, origin, prefer_file=choices.prefer_file)
        number = found.number
        if not choices.dry_run and kept != found.record:
            number = store.write([(number, kept)], who=f"{origin.source} {origin.path}".strip())[0]
        known.add(number, kept)
        yield Incoming(citation=record, state=state, verdict=found.verdict, differences=said, related=found.related)


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


_NONE = Verdict(DIFFERENT, 1.0, "none")


class _Known:
    """The records of the store and of the file so far: found by keys, then by title and surname.

    A record that is not kept, because nothing is, has a number below 0.
    """

    def __init__(self, store: Store, rules: Match) -> None:
        self._store = store
        self._rules = rules
        self._near: Candidates | None = None
        self._unsaved: dict[int, Citation] = {}

    def find(self, record: Citation) -> _Found:
        """The record of the same article, and the titles of related ones; the user's rules decide, not the keys."""
        exact = self._store.find(record)
        verdict = match(record, exact[1], self._rules) if exact else _NONE
        if exact and verdict.label == SAME:
            return _Found(exact[0], exact[1], verdict)
        near = list(self._candidates().find(record, self._rules))
        related = tuple(self._record(number).title for number, other in near if other.label != SAME)
        if not near or near[0][1].label != SAME:
            return _Found(None, None, _NONE, related)
        number, verdict = near[0]
        return _Found(number, self._record(number), verdict, related)

    def add(self, number: int | None, record: Citation) -> None:
        """Know a record of the file too, which is not in the store where nothing is kept."""
        number = number or -len(self._unsaved) - 1
        if number < 0:
            self._unsaved[number] = record
        if self._near is not None or number < 0:
            self._candidates().add(number, record)

    def _candidates(self) -> Candidates:
        if self._near is None:
            self._near = Candidates(self._store.numbered())
        return self._near

    def _record(self, number: int) -> Citation:
        return self._unsaved[number] if number < 0 else self._store.citation(number)

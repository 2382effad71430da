"""Import records from a file: match them with the store and add what they know; also validate a file.

Values in the store are overwritten only on request (`ImportOptions.prefer_file`). Records that may be of a stored
article are kept and offered for review; `find_stored_duplicates` looks for such pairs in the store, and
`merge_stored_records` merges one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from medharvest.citations import normalise_citation
from medharvest.citations.identifiers import parse_doi
from medharvest.citations.record_differences import Difference, Origin, absorb_record, find_differences
from medharvest.citations.record_match import (
    DIFFERENT_ARTICLE,
    RELATED_ARTICLE,
    SAME_ARTICLE,
    UNCERTAIN_ARTICLE,
    MatchCandidates,
    find_duplicate_pairs,
    match_records,
)
from medharvest.errors import FormatError, InputError
from medharvest.fields import FIELD_NAMES, take_field_and_ties
from medharvest.formats import Format, detect_format
from medharvest.formats.citation_rules import Finding, Level
from medharvest.formats.file_checks import SCHEMAS, check_file
from medharvest.formats.record_files import (
    DecodedFile,
    DroppedValue,
    ReadingNotes,
    RefusedRecord,
    count_kept_fields,
    decode_record_file,
    describe_decoding,
    read_all_records,
)
from medharvest.formats.registry import FORMAT_HEAD_BYTES
from medharvest.journals.inputs import load_file
from medharvest.records import Citation, Verdict, title_key
from medharvest.settings import Match, Read, Settings
from medharvest.store import Article, Status, Store
from medharvest.store.changes import JUDGED_STATES
from medharvest.store.corrections import NO_VERSIONS, MergedRecord
from medharvest.store.duplicates import DuplicatePair, PairState

_IMPORT_BATCH = 100  # records per transaction: each one waits for the disk
_REPORTED_FIELDS = tuple(
    field.name for field in fields(Citation) if field.name not in {"kind", "evidence", "alternatives"}
)
_MAX_OFFERED_PAIRS = (
    3  # of a record: the abstracts of a supplement, which share one DOI, are not offered each with each
)
_DUPLICATE_SOURCE = "duplicate"  # of evidence that another record of the article says the same
_NO_MATCH = Verdict(DIFFERENT_ARTICLE, 1.0, "none")
_IDENTICAL = Verdict(SAME_ARTICLE, 1.0, "identical")


class ImportState(StrEnum):
    """How a record of a file compares with the store."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecord:
    """A record of a file: its state, how it matches a stored record, and the differences.

    `related` are the titles of records with another DOI and a similar title: another version, or a reply. `uncertain`
    are those of records that may be the same article, and are offered for review.
    """

    citation: Citation
    state: ImportState
    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    related: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to import: with `prefer_file` the file wins where both have a value; `dry_run` saves nothing."""

    prefer_file: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of the contents of a file: how it was decoded, what was kept, dropped and refused.

    `kept` counts the records that have a value, by field. `decoding` is empty for plain UTF-8.
    """

    name: str
    format: str
    encoding: str
    decoding: str
    is_decoding_certain: bool
    records: int
    kept: Mapping[str, int]
    dropped: Mapping[str, DroppedValue]
    refused: tuple[RefusedRecord, ...]
    refused_count: int


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The records of a file in normal form, and the report on it."""

    records: tuple[Citation, ...]
    report: FileReport


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A checked file, its format and encoding, and the findings."""

    name: str
    format: str
    findings: tuple[Finding, ...]
    encoding: str = "utf-8"

    @property
    def by_schema(self) -> bool:
        """Whether the format has a schema that the file was checked against; others are checked by rules only."""
        return self.format in SCHEMAS

    @property
    def valid(self) -> bool:
        """Whether no error prevents delivery."""
        return not any(finding.level is Level.ERROR for finding in self.findings)


def read_record_file(file: Path, settings: Settings, *, form: Format | None = None, encoding: str = "") -> RecordFile:
    """Read and normalise the records of a file, in the format and encoding given or in those detected.

    A record that cannot be read is named in the report; the file is refused if there is no other.
    """
    body = load_file(file, name=str(file), max_bytes=settings.read.max_bytes)
    decoded = decode_record_file(body, encoding=encoding)
    chosen = form or detect_format(decoded.body[:FORMAT_HEAD_BYTES], name=str(file))
    if chosen.read is None:
        raise FormatError(f"{chosen.name} cannot be read", format=chosen.name, hint="this format can only be written")
    notes = ReadingNotes()
    records = tuple(map(normalise_citation, read_all_records(chosen.read, decoded.body, notes)))
    if not records and notes.refused:
        first = notes.refused[0]
        raise InputError(f"{first}: {file}", name=str(file), hint=first.hint)
    if not records:
        raise InputError(f"no record in this file: {file}", name=str(file), hint=f"it was read as {chosen.name}")
    return RecordFile(records, _report_file(str(file), chosen, decoded, notes, records))


def _report_file(
    name: str, form: Format, decoded: DecodedFile, notes: ReadingNotes, records: tuple[Citation, ...]
) -> FileReport:
    return FileReport(
        name=name,
        format=form.name,
        encoding=decoded.encoding,
        decoding=describe_decoding(decoded),
        is_decoding_certain=decoded.is_certain,
        records=len(records),
        kept=count_kept_fields(records, _REPORTED_FIELDS),
        dropped=notes.dropped,
        refused=tuple(notes.refused),
        refused_count=notes.refused_count,
    )


def import_records(
    records: Iterable[Citation], store: Store, *, origin: Origin, rules: Match, choices: ImportOptions
) -> Iterator[ImportedRecord]:
    """Import records one by one, completing known ones with what the file adds; yield what happened to each.

    They are written in batches, the last one when the iterator ends or is closed.
    """
    known = _KnownRecords(store, rules)
    who = f"{origin.source} {origin.path}".strip()
    try:
        for record in records:
            found = known.find(record)
            said = find_differences(found.record, record) if found.record else ()
            state = ImportState.NEW if found.record is None else ImportState.CHANGED if said else ImportState.SAME
            uncertain = tuple(known.title_of(one.number) for one in found.uncertain)
            kept = _combine_records(found.record, record, origin, prefer_file=choices.prefer_file)
            if kept != found.record:
                known.keep(found, kept)
            if known.waiting >= _IMPORT_BATCH and not choices.dry_run:
                known.write(who)
            yield ImportedRecord(
                citation=record,
                state=state,
                verdict=found.verdict,
                differences=said,
                related=found.related,
                uncertain=uncertain,
            )
    finally:
        if not choices.dry_run:
            known.write(who)


def _combine_records(stored: Citation | None, record: Citation, origin: Origin, *, prefer_file: bool) -> Citation:
    """Return a new record with its origin as evidence, or the stored one with what the file adds."""
    if stored is None:
        base = Citation(url=record.url, kind=record.kind, evidence=record.evidence, alternatives=record.alternatives)
        return record if record.evidence else absorb_record(base, record, origin)
    return absorb_record(stored, record, origin, prefer_other=prefer_file)


class _NearRecord(NamedTuple):
    """The number of a known record that may be of the same article, and why."""

    number: int
    verdict: Verdict


class _FoundRecord(NamedTuple):
    """The known record of an article and its number, how it matches, the titles of related records, uncertain ones."""

    number: int | None
    record: Citation | None
    verdict: Verdict
    related: tuple[str, ...] = ()
    uncertain: tuple[_NearRecord, ...] = ()


class _KnownRecords:
    """The records of the store and of the file so far, found by keys, then by title and surname.

    A new record of the file has a negative number until it is written; in a dry run it keeps it.
    """

    def __init__(self, store: Store, rules: Match) -> None:
        self._store = store
        self._rules = rules
        self._near: MatchCandidates | None = None
        self._waiting: dict[int, Citation] = {}
        self._bases: dict[int, Citation] = {}  # stored records before the change
        self._keys: dict[str, int] = {}  # keys of the waiting records
        self._numbers: dict[int, int] = {}  # numbers of written records, by the number they had before
        self._pairs: list[DuplicatePair] = []  # to offer for review with the next batch
        self._count = 0

    @property
    def waiting(self) -> int:
        """How many records wait to be written."""
        return len(self._waiting)

    def find(self, record: Citation) -> _FoundRecord:
        """Find the record of the same article, and related ones; the user's match rules decide, not the keys."""
        for number in self._exact(record):
            known = self._record(number)
            verdict = match_records(record, known, self._rules)
            if verdict.label == SAME_ARTICLE:
                return _FoundRecord(number, known, verdict)
            if _are_identical(record, known):
                return _FoundRecord(number, known, _IDENTICAL)
        near = [_NearRecord(self._numbers.get(number, number), verdict) for number, verdict in self._alike(record)]
        related = tuple(self.title_of(one.number) for one in near if one.verdict.label == RELATED_ARTICLE)
        if near and near[0].verdict.label == SAME_ARTICLE:
            number = near[0].number
            return _FoundRecord(number, self._record(number), near[0].verdict, related)
        uncertain = tuple(one for one in near if one.verdict.label == UNCERTAIN_ARTICLE)
        return _FoundRecord(None, None, _NO_MATCH, related, uncertain[:_MAX_OFFERED_PAIRS])

    def title_of(self, number: int) -> str:
        """Return the title of a known record."""
        return self._record(number).title

    def keep(self, found: _FoundRecord, record: Citation) -> None:
        """Keep a new or changed record, to be written with the next batch."""
        number = found.number
        if number is None:
            self._count += 1
            number = -self._count
            if self._near is not None:
                self._near.add(number, record)
            self._pairs += [
                DuplicatePair(one=one.number, two=number, score=one.verdict.score, method=one.verdict.method)
                for one in found.uncertain
            ]
        elif number > 0 and number not in self._waiting:
            self._bases[number] = found.record or record
        self._waiting[number] = record
        self._keys |= dict.fromkeys(_record_keys(record), number)

    def write(self, who: str) -> None:
        """Write the waiting records, all or nothing; if that fails, they are not tried again."""
        # Whether a commit that failed took place is not known, so a second try could store the records twice.
        waiting, bases, pairs = self._waiting, self._bases, self._pairs
        self._waiting, self._bases, self._pairs = {}, {}, []
        self._keys.clear()
        rows = [(number if number > 0 else None, record) for number, record in waiting.items()]
        new = {number: -n for n, number in enumerate((number for number in waiting if number < 0), 1)}
        offered = [replace(pair, one=new.get(pair.one, pair.one), two=new[pair.two]) for pair in pairs]
        written = self._store.records.write(rows, who=who, bases=bases, pairs=offered) if rows else ()
        self._numbers |= dict(zip(waiting, written, strict=True))

    def _exact(self, record: Citation) -> Iterator[int]:
        """Yield the numbers of records that share a key: waiting ones, then the stored one."""
        yield from dict.fromkeys(self._keys[key] for key in _record_keys(record) if key in self._keys)
        stored = self._store.records.find(record)
        if stored is not None:
            yield stored[0]

    def _alike(self, record: Citation) -> Iterator[tuple[int, Verdict]]:
        if self._near is None:
            new = ((number, waiting) for number, waiting in self._waiting.items() if number < 0)
            self._near = MatchCandidates(chain(self._store.records.numbered(), new))
        return self._near.find(record, self._rules)

    def _record(self, number: int) -> Citation:
        return self._waiting.get(number) or self._store.citation(number)


def _are_identical(one: Citation, two: Citation) -> bool:
    """Whether two records say the same, however little: the match rules want more than a short title."""
    return not find_differences(one, two) and not find_differences(two, one)


def _record_keys(record: Citation) -> list[str]:
    """Return the keys that identify a record among the waiting ones."""
    return [key for key in (parse_doi(record.doi), record.pmid, title_key(record.title)) if key]


def find_stored_duplicates(store: Store, rules: Match | None = None) -> int:
    """Compare all records of the store, offer the pairs that may be one article for review, and count the new ones."""
    found = find_duplicate_pairs(store.records.numbered(), rules)
    pairs = (DuplicatePair(one=one, two=two, score=verdict.score, method=verdict.method) for one, two, verdict in found)
    new = 0
    while batch := tuple(islice(pairs, _IMPORT_BATCH)):
        new += store.duplicates.note(batch)
    return new


def merge_stored_records(
    store: Store, one: int, two: int, *, who: str, keep: int = 0, versions: Mapping[int, int] = NO_VERSIONS
) -> int:
    """Merge two records into the one named by `keep`, or else the better one; return the batch of the act."""
    articles = {number: store.records.get(number) for number in (one, two)}
    kept = keep or choose_kept_record(articles[one], articles[two])
    if one == two or kept not in articles or any(item.status is Status.DELETED for item in articles.values()):
        hint = "name two records that are not deleted, and one of them to keep"
        raise InputError(f"cannot merge: {one} and {two}", name=f"{one} {two}", hint=hint)
    merged = combine_stored_records(articles.pop(kept), *articles.values())
    return store.review.merge(replace(merged, versions=versions), who=who)


def undo_pair_decision(store: Store, one: int, two: int, *, who: str) -> None:
    """Offer a pair again that was merged or said to be two articles; merged records are split."""
    if store.duplicates.get(one, two).state is PairState.MERGED:
        store.review.split(one, two, who=who, state=PairState.OPEN)
    else:
        store.duplicates.reopen(one, two, who=who)


def choose_kept_record(one: Article, two: Article) -> int:
    """Return the number of the better record: the one a person accepted, or judged more of, or that has more fields."""
    return max((one, two), key=_rank_record).number


def _rank_record(article: Article) -> tuple[int, int, int, int]:
    judged = sum(state in JUDGED_STATES for state in article.states.values())
    filled = sum(bool(getattr(article.citation, name)) for name in FIELD_NAMES)
    return int(article.status is Status.ACCEPTED), judged, filled, -article.number


def combine_stored_records(kept: Article, gone: Article) -> MergedRecord:
    """Complete a record with the other one: its gaps are filled, and values that only there a person judged win."""
    origin = Origin(_DUPLICATE_SOURCE, f"record {gone.number}")
    citation = absorb_record(kept.citation, gone.citation, origin)
    judged = {
        name: state
        for name, state in gone.states.items()
        if state in JUDGED_STATES and kept.states.get(name) not in JUDGED_STATES and getattr(gone.citation, name)
    }
    for name in judged:
        citation = take_field_and_ties(citation, gone.citation, name)
    own = {proof.field for proof in gone.citation.evidence}
    added = {proof.field for proof in citation.evidence if proof.source == _DUPLICATE_SOURCE}
    proofs = [proof for proof in citation.evidence if proof.source != _DUPLICATE_SOURCE or proof.field not in own]
    proofs += [proof for proof in gone.citation.evidence if proof.field in added or proof.field in judged]
    fields = list(dict.fromkeys(proof.field for proof in proofs))  # those of a field side by side, each undone apart
    citation = replace(
        citation, evidence=tuple(sorted(dict.fromkeys(proofs), key=lambda proof: fields.index(proof.field)))
    )
    return MergedRecord(kept=kept.number, gone=gone.number, citation=citation, states=judged)


def validate_file(name: str, *, form: Format | None, limits: Read | None = None, encoding: str = "") -> CheckedFile:
    """Check a file in the format `form` or the one detected; raise if it cannot be read or no format matches."""
    body = load_file(Path(name), name=name, max_bytes=(limits or Read()).max_bytes)
    decoded = decode_record_file(body, encoding=encoding)
    chosen = form or detect_format(decoded.body, name=name)
    return CheckedFile(name, chosen.name, check_file(body, chosen, encoding=encoding), decoded.encoding)

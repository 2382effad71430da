"""Export records of a store: select and complete them, check them against policies and formats, write them.

    records = open_exporter(store).select(RecordSelection(), tell=print)
    prepared = prepare_file(records, form, draft=DraftHandling.REFUSED, tell=print)

`write_citations` writes records that are not in a store.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any

from medharvest.atomic_file import write_text_file
from medharvest.errors import FormatError
from medharvest.fields import JOURNAL_FIELDS
from medharvest.formats import Format
from medharvest.formats.citation_rules import Level, check_citation
from medharvest.journals.catalogue import find_journal_title, make_journal_test
from medharvest.journals.policy import JournalPolicies, PermittedRecord, load_policies
from medharvest.records import Citation, JournalTitle
from medharvest.store import OutgoingArticle, Status, Store

_HELD_BACK_HINT = "see the message of each record; `medharvest journals show` prints a journal's policy"
_EMPTY_STORE_HINT = "harvest an issue first"
_NO_SELECTION_HINT = "nothing stored matches --journal, --issue, --run and --status"
_REASONS_SHOWN = 3  # in one message
_MAX_INCOMPLETE_JOURNALS = 20  # named in one message
TellPolicy = Callable[[PermittedRecord], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSelection:
    """Which records to export: of runs, of a journal, of an issue, with a status; all if nothing is named."""

    runs: tuple[int, ...] = ()
    journal: str = ""
    issue: str = ""
    statuses: tuple[Status, ...] = ()


class DraftHandling(Enum):
    """What to do if a journal lacks data that the format demands."""

    REFUSED = "refused"  # nothing is written; an error says what to do
    ALLOWED = "allowed"  # the file is marked as not to be delivered
    WANTED = "wanted"  # the file is always marked, and holds every record


@dataclass(frozen=True, slots=True)
class OmittedRecord:
    """A record that is not written, and why."""

    citation: Citation
    why: str


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """The text of a file in pieces; `draft`, if set, says why it must not be delivered."""

    pieces: Iterator[str]
    draft: str = ""


def open_exporter(store: Store, today: date | None = None) -> Exporter:
    """Open an exporter of a store with the policies of a day, today by default."""
    return Exporter(store, load_policies(store, today or datetime.now(UTC).date()))


class Exporter:
    """Releases the records of a store: each completed with its journal's data, as the journal's policy permits."""

    def __init__(self, store: Store, policies: JournalPolicies) -> None:
        self.store = store
        self.policies = policies
        self._known: dict[tuple[str, tuple[str, ...]], JournalTitle | None] = {}

    def select(self, choice: RecordSelection, tell: TellPolicy, *, empty: str = "") -> ReleasedRecords:
        """Return the selected records; those of a run in the order of its contents page."""
        usual = _EMPTY_STORE_HINT if choice == RecordSelection() else _NO_SELECTION_HINT
        return self.release(lambda: _existing_citations(select_records(self.store, choice)), tell, empty=empty or usual)

    def release(
        self, source: Callable[[], Iterable[Citation]], tell: TellPolicy, *, empty: str = _EMPTY_STORE_HINT
    ) -> ReleasedRecords:
        """Release records from any source; `empty` is the hint if there are none."""
        return ReleasedRecords(source, self.permit, tell, empty=empty)

    def permit(self, citation: Citation) -> PermittedRecord:
        """Return a record as it may leave, or why it may not."""
        key = (citation.journal, citation.issn)
        if key not in self._known:
            self._known[key] = find_journal_title(self.store, *key)
        return self.policies.permit(with_journal_title(citation, self._known[key]))


def select_records(store: Store, choice: RecordSelection) -> Iterator[OutgoingArticle]:
    """Yield the selected records, each once; deleted ones too unless a status is named."""
    runs = choice.runs or (None,)
    several = (store.records.outgoing(run=run, issue=choice.issue, statuses=choice.statuses) for run in runs)
    records: Iterator[OutgoingArticle] = chain.from_iterable(several)
    if len(runs) > 1:
        records = _drop_repeated_records(records)
    if choice.journal:
        is_of_journal = make_journal_test(store, choice.journal)
        return (record for record in records if is_of_journal(record.citation))
    return records


def _drop_repeated_records(records: Iterable[OutgoingArticle]) -> Iterator[OutgoingArticle]:
    seen: set[int] = set()
    for record in records:
        if record.number not in seen:
            seen.add(record.number)
            yield record


def _existing_citations(records: Iterable[OutgoingArticle]) -> Iterator[Citation]:
    return (record.citation for record in records if not record.deleted)


class ReleasedRecords:
    """Records as they may leave, read again on each iteration.

    The first iteration reports what a policy holds back.
    """

    def __init__(
        self,
        source: Callable[[], Iterable[Citation]],
        permit: Callable[[Citation], PermittedRecord],
        tell: TellPolicy,
        *,
        empty: str,
    ) -> None:
        self._source = source
        self._permit = permit
        self._tell: TellPolicy | None = tell
        self._empty = empty
        self.withheld = False  # whether any record was, as far as iterated

    def __iter__(self) -> Iterator[Citation]:
        tell, self._tell = self._tell, None
        for citation in self._source():
            found = self._permit(citation)
            if tell and (found.note or found.withheld):
                tell(found)
            if found.withheld:
                self.withheld = True
            else:
                yield found.citation

    @property
    def hint(self) -> str:
        """What to do if no record was left."""
        return _HELD_BACK_HINT if self.withheld else self._empty


def with_journal_title(citation: Citation, title: JournalTitle | None) -> Citation:
    """Complete a citation with its journal's title, abbreviation, ISSNs and publisher, as far as known.

    What a person entered in the record stays.
    """
    if title is None:
        return citation
    entered = {proof.field for proof in citation.evidence if proof.source == "operator"}
    known = {"abbreviation": title.abbreviation, "issn": title.issn, "publisher": title.publisher}
    values: dict[str, Any] = {name: value for name, value in known.items() if value and name not in entered}
    return replace(citation, journal=citation.journal or title.title, **values)


def release_unstored(citations: Sequence[Citation]) -> ReleasedRecords:
    """Release records that are not in a store: nothing is completed, and no policy applies."""
    return ReleasedRecords(lambda: citations, PermittedRecord, lambda _: None, empty=_EMPTY_STORE_HINT)


def write_citations(citations: Sequence[Citation], form: Format, path: Path) -> tuple[Citation, ...]:
    """Write the records that fit a format; return the others. Raise if none fits."""
    left: list[OmittedRecord] = []
    prepared = prepare_file(release_unstored(citations), form, draft=DraftHandling.ALLOWED, tell=left.append)
    write_text_file(path, prepared.pieces)
    return tuple(one.citation for one in left)


def prepare_file(
    records: ReleasedRecords, form: Format, *, draft: DraftHandling, tell: Callable[[OmittedRecord], None]
) -> PreparedFile:
    """Prepare a file of the records that fit a format; `tell` is called with the others. Raise if none fits."""
    if draft is DraftHandling.WANTED:
        return PreparedFile(_write_draft(records, form))
    allowed = draft is DraftHandling.ALLOWED
    if form.draft is None:
        return PreparedFile(form.write(_require_fit_records(records, form, tell, allowed=allowed)))
    if not allowed:
        _require_journal_data(records, form)
        return PreparedFile(form.write(_require_fit_records(records, form, tell, allowed=False)))
    note = _explain_draft(_fit_records(records, form, lambda _: None, allowed=True), form)
    fit = _require_fit_records(records, form, tell, allowed=True)
    return PreparedFile(form.draft(fit) if note else form.write(fit), note)


def _write_draft(records: ReleasedRecords, form: Format) -> Iterator[str]:
    """Write every record, marked as not to be delivered."""
    if form.draft is None:
        raise FormatError(
            f"no draft of {form.name}", format=form.name, hint="leave out --draft: the format takes every record"
        )
    found = iter(records)
    first = next(found, None)
    if first is None:
        raise _nothing_to_write(records, form, ())
    return form.draft(chain([first], found))


def _require_fit_records(
    records: ReleasedRecords, form: Format, tell: Callable[[OmittedRecord], None], *, allowed: bool
) -> Iterator[Citation]:
    """Return the records that fit; raise if none does."""
    reasons: dict[str, None] = {}

    def keep(left: OmittedRecord) -> None:
        if len(reasons) < _REASONS_SHOWN:
            reasons[left.why] = None
        tell(left)

    fit = _fit_records(records, form, keep, allowed=allowed)
    first = next(fit, None)
    if first is None:
        raise _nothing_to_write(records, form, reasons)
    return chain([first], fit)


def _fit_records(
    citations: Iterable[Citation], form: Format, tell: Callable[[OmittedRecord], None], *, allowed: bool
) -> Iterator[Citation]:
    """Yield the records without errors; a format without demands takes every record."""
    dois: set[str] = set()
    for citation in citations:
        why = why_unfit(citation, form, dois, draft=allowed)
        if why:
            tell(OmittedRecord(citation, why))
        else:
            yield citation


def why_unfit(citation: Citation, form: Format, dois: set[str], *, draft: bool = False) -> str:
    """Return why a record cannot be delivered; empty if it can, or if the format has no demands.

    For a draft, missing data of the journal does not count.
    """
    if form.draft is None:
        return ""
    lacking = [name for name in form.lacks(citation) if not (draft and name in JOURNAL_FIELDS)]
    if lacking:
        return f"lacks {', '.join(lacking)}"
    errors = [found for found in check_citation(citation) if found.level is Level.ERROR]
    if errors:
        return f"{errors[0].message}; hint: {errors[0].repair}"
    doi = citation.doi.lower()
    if doi and doi in dois:
        return f"another record has its DOI: {citation.doi}"
    dois.add(doi)
    return ""


def _nothing_to_write(records: ReleasedRecords, form: Format, reasons: Iterable[str]) -> FormatError:
    """Make the error for a file without records; `reasons` say why records do not fit."""
    told = "; ".join(reasons)
    why = told or ("all are held back" if records.withheld else "there are none")
    hint = "export ris or jsonl, which take every record" if told else records.hint
    return FormatError(f"no record for {form.name}: {why}", format=form.name, hint=hint)


def _require_journal_data(citations: Iterable[Citation], form: Format) -> None:
    """Raise if journals lack what a format demands, and name them all: a delivered file contains no guesses."""
    wanting = _find_incomplete_journals(citations, form)
    if wanting:
        told = "; ".join(_describe_journal_gap(*one, form) for one in wanting)
        hint = "; ".join(_journal_fix_command(*one) for one in wanting)
        raise FormatError(told, format=form.name, hint=hint)


def _explain_draft(citations: Iterable[Citation], form: Format) -> str:
    """Say why a file is a draft and what the user can do about it; empty if it is not a draft."""
    wanting = _find_incomplete_journals(citations, form)
    told = "; ".join(_describe_journal_gap(*one, form) for one in wanting)
    return f"{told}; hint: {'; '.join(_journal_fix_command(*one) for one in wanting)}" if wanting else ""


def _find_incomplete_journals(citations: Iterable[Citation], form: Format) -> list[tuple[Citation, list[str]]]:
    """Return, for each journal that lacks data which a format demands, its first such record and what is missing."""
    wanting: dict[tuple[str, tuple[str, ...]], tuple[Citation, list[str]]] = {}
    for citation in citations:
        lacking = [name for name in JOURNAL_FIELDS if name in form.lacks(citation)]
        if lacking and len(wanting) < _MAX_INCOMPLETE_JOURNALS:
            wanting.setdefault((citation.journal or citation.abbreviation, tuple(lacking)), (citation, lacking))
    return list(wanting.values())


def _describe_journal_gap(citation: Citation, lacking: Sequence[str], form: Format) -> str:
    """Say which data of a journal a format demands."""
    name = citation.journal or citation.abbreviation or "a journal without a name"
    *most, last = lacking
    return f"{form.name} needs the {', '.join(most)}{' and ' if most else ''}{last} of {name}"


def _journal_fix_command(citation: Citation, lacking: Sequence[str]) -> str:
    """Return the command that sets the missing data."""
    name = citation.journal or citation.abbreviation or "JOURNAL"
    return f"medharvest journals set {shlex.quote(name)} {' '.join(f'--{option} …' for option in lacking)}"

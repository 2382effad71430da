"""Send records to a delivery target, or serve them to OAI-PMH harvesters.

Policies are obeyed, unchanged records are left out, and each record gets a receipt.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from medharvest.deliver import (
    Batch,
    DeliveryState,
    DeliveryTarget,
    Parcel,
    Receipt,
    RetryPolicy,
    payload_digest,
    send_parcels,
)
from medharvest.deliver.oai import OaiEntry, OaiListTarget, RepositoryInfo, answer_oai_request
from medharvest.deliver.sftp import LoaderResult, parse_loader_report
from medharvest.formats import Format, find_format
from medharvest.formats.citation_rules import Level
from medharvest.formats.file_checks import check_schema
from medharvest.journals.policy import JournalPolicies, PermittedRecord
from medharvest.library.export import Exporter, open_exporter, why_unfit
from medharvest.records import Citation
from medharvest.settings import Settings
from medharvest.store import DeliveryRow, DeliverySpan, OutgoingArticle, Store, current_store_time

_DELIVERY_BATCH = 1000  # records in memory at a time, and at most in one file
_EMPTY_DIGEST = payload_digest(b"")
_DELETED_DETAIL = "deleted from the collection"
_MAX_REPORTED_RECORDS = 100_000  # records of a target that reports are matched with, the oldest first
_MIN_IDENTIFIER_LENGTH = 4  # characters; shorter identifiers may match a word by chance
OAI_TARGET = "oai"
_SINGLE_TRY = RetryPolicy(tries=1)
_MAX_OAI_BATCH = 1000  # records in one OAI answer
_MAX_SINGLE_UPDATES = 5000  # changed records; with more, the whole list is refreshed


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """What happened to a record at a target; `note` says what was left out of it."""

    receipt: Receipt
    citation: Citation
    note: str = ""


class Delivery:
    """One delivery of a store's records to a target."""

    def __init__(
        self, outlet: Exporter, name: str, target: DeliveryTarget, *, address: str = "", again: bool = False
    ) -> None:
        self._outlet = outlet
        self._kept = outlet.store.deliveries
        self._name = name
        self._address = address  # digest of where the target is, as `digest_target_address` makes it
        self._target = target
        self._again = again  # whether unchanged records are sent too
        self._form = find_format(target.format) if target.format else None
        self._dois: set[str] = set()

    def send(self, records: Iterable[OutgoingArticle], *, patience: RetryPolicy) -> Iterator[DeliveryResult]:
        """Send new and changed records; the receipts of a batch are saved before the next one is sent."""
        self._kept.adopt(self._name, address=self._address)
        for group in _group_records(records):
            prepared = tuple(self._prepare(group))
            yield from self._withdraw([told for told, parcel in prepared if parcel is None])
            told = {parcel.article: told for told, parcel in prepared if parcel is not None}
            parcels = [parcel for _, parcel in prepared if parcel is not None]
            for receipt in send_parcels(parcels, self._target, patience=patience, keep=self._keep):
                yield DeliveryResult(
                    receipt=receipt, citation=told[receipt.article].citation, note=told[receipt.article].note
                )

    @property
    def new_address(self) -> str:
        """What to tell people if the target is no longer where records were sent before; else empty."""
        if not self._kept.has_moved(self._name, address=self._address):
            return ""
        return f"{self._name}: its address has changed; nothing was sent to the new one yet, so every record is new"

    def show(self, records: Iterable[OutgoingArticle]) -> Iterator[DeliveryResult | Batch]:
        """Yield what would be sent, without sending it: the result of each record, and the bytes of each batch."""
        for group in _group_records(records):
            prepared = tuple(self._prepare(group))
            yield from (told for told, _ in prepared)
            yield from self._target.pack([parcel for _, parcel in prepared if parcel is not None])

    def _prepare(self, group: Sequence[OutgoingArticle]) -> Iterator[tuple[DeliveryResult, Parcel | None]]:
        """Yield the result of each record as far as it is known, and a parcel if it is to be sent."""
        before = self._kept.find(self._name, [record.number for record in group], address=self._address)
        for record in group:
            if not record.deleted or record.number in before:
                yield self._prepare_one(record, before.get(record.number))

    def _prepare_one(self, record: OutgoingArticle, before: DeliveryRow | None) -> tuple[DeliveryResult, Parcel | None]:
        found = (
            PermittedRecord(record.citation, withheld=_DELETED_DETAIL)
            if record.deleted
            else self._outlet.permit(record.citation)
        )
        number, citation = record.number, found.citation
        if found.withheld:
            return self._withheld(number, citation, found.withheld, before), None
        body = self._target.encode(number, citation)
        digest, remote = payload_digest(body), before.remote_id if before else ""
        if before and before.state == DeliveryState.SENT and before.digest == digest and not self._again:
            self._dois.add(citation.doi.lower())
            return _make_result(number, DeliveryState.UNCHANGED, citation, before.detail, remote), None
        refused = why_refused(citation, body, self._form, self._dois) if self._form else ""
        if refused:
            return _make_result(number, DeliveryState.REFUSED, citation, refused), None
        parcel = Parcel(
            article=number, citation=citation, body=body, digest=digest, version=record.version, remote_id=remote
        )
        return DeliveryResult(
            receipt=Receipt(article=number, state=DeliveryState.SENT), citation=citation, note=found.note
        ), parcel

    def _withheld(self, number: int, citation: Citation, why: str, before: DeliveryRow | None) -> DeliveryResult:
        if before is None or before.state in {"deleted", "refused", "failed"}:
            return _make_result(number, DeliveryState.WITHHELD, citation, why)
        if self._target.lists:
            return _make_result(number, DeliveryState.DELETED, citation, why)
        return _make_result(
            number, DeliveryState.WITHHELD, citation, f"{why}; it was sent before, delete it there by hand"
        )

    def _withdraw(self, told: Sequence[DeliveryResult]) -> Iterator[DeliveryResult]:
        """Record which records are no longer listed."""
        gone = [one.receipt.article for one in told if one.receipt.state is DeliveryState.DELETED]
        if gone:
            self._kept.keep(self._name, [_make_deletion(number) for number in gone], address=self._address)
        yield from told

    def _keep(self, batch: Batch, receipts: Sequence[Receipt]) -> None:
        digests = {parcel.article: parcel.digest for parcel in batch.parcels}
        rows = [
            DeliveryRow(
                article=one.article,
                digest=digests[one.article],
                state=one.state,
                remote_id=one.remote_id,
                detail=one.detail,
            )
            for one in receipts
        ]
        self._kept.keep(self._name, rows, address=self._address)


def _group_records(records: Iterable[OutgoingArticle]) -> Iterator[tuple[OutgoingArticle, ...]]:
    waiting = iter(records)
    while group := tuple(islice(waiting, _DELIVERY_BATCH)):
        yield group


def why_refused(citation: Citation, body: bytes, form: Format, dois: set[str]) -> str:
    """Return why a record cannot be delivered in a format: a missing field, a broken rule or a schema error."""
    why = why_unfit(citation, form, dois)
    if why or form.draft is None:
        return why
    wrong = next((found for found in check_schema(body, form.name) if found.level is Level.ERROR), None)
    return f"{wrong.field}: {wrong.message}" if wrong else ""


def _make_result(
    number: int, state: DeliveryState, citation: Citation, detail: str, remote: str = ""
) -> DeliveryResult:
    return DeliveryResult(
        receipt=Receipt(article=number, state=state, detail=detail, remote_id=remote), citation=citation
    )


def _make_deletion(number: int) -> DeliveryRow:
    return DeliveryRow(article=number, digest=_EMPTY_DIGEST, state="deleted")


def take_loader_reports(
    store: Store, target: str, reports: Iterable[tuple[str, bytes]], *, address: str = ""
) -> Iterator[DeliveryResult]:
    """Read a target's loader reports; yield each record that one of them mentions once."""
    store.deliveries.adopt(target, address=address)
    rows = store.deliveries.listed(target, DeliverySpan(), limit=_MAX_REPORTED_RECORDS, address=address)
    sent = {one.article: one for one in rows}
    citations = {number: store.citation(number) for number in sent}
    known = _numbers_by_identifier(citations)
    done: set[int] = set()
    for name, body in reports:
        for loaded in parse_loader_report(body.decode("utf-8", "replace"), known):
            if loaded.article not in done:
                done.add(loaded.article)
                row, citation = sent[loaded.article], citations[loaded.article]
                result, kept = _take_loaded_record(store, target, loaded, row, citation, name)
                store.deliveries.keep(target, [kept] if kept else [], address=address)
                yield result


def _numbers_by_identifier(citations: dict[int, Citation]) -> dict[str, int]:
    """Map the DOIs and PIIs of records to their numbers; an identifier that two records share is left out."""
    found: dict[str, int] = {}
    for number, citation in citations.items():
        for text in {citation.doi.lower(), citation.pii.lower()}:
            if len(text) >= _MIN_IDENTIFIER_LENGTH:
                found[text] = number if text not in found else 0
    return {text: number for text, number in found.items() if number}


def _take_loaded_record(
    store: Store, target: str, loaded: LoaderResult, sent: DeliveryRow, citation: Citation, report: str
) -> tuple[DeliveryResult, DeliveryRow | None]:
    """Return what a report says about a record, and the row to keep of it; save a PMID that the record lacks."""
    if loaded.pmid and citation.pmid and citation.pmid != loaded.pmid:
        detail = f"{report} says PMID {loaded.pmid}, the record says {citation.pmid}"
        return _make_result(loaded.article, DeliveryState.REFUSED, citation, detail), None
    if loaded.pmid:
        if not citation.pmid:
            store.records.write([(loaded.article, replace(citation, pmid=loaded.pmid))], who=f"report of {target}")
        result = _make_result(loaded.article, DeliveryState.SENT, citation, report, loaded.pmid)
        return result, replace(sent, remote_id=loaded.pmid, detail=report)
    result = _make_result(loaded.article, DeliveryState.REFUSED, citation, loaded.refused)
    return result, replace(sent, state=DeliveryState.REFUSED, detail=loaded.refused)


def describe_repository(settings: Settings, url: str) -> RepositoryInfo:
    """Describe the collection to OAI harvesters; `url` is its address unless the settings name another."""
    own = settings.deliver
    email = own.oai_email or (settings.fetch.contact if "@" in settings.fetch.contact else "nobody@medharvest.invalid")
    return RepositoryInfo(
        name=own.oai_name,
        url=own.oai_url or url,
        email=email,
        domain=own.oai_domain,
        batch=min(max(own.oai_batch, 1), _MAX_OAI_BATCH),
    )


class OaiCollection:
    """The records of a store as OAI-PMH harvesters see them; each request sees all earlier changes."""

    def __init__(self, store: Store, *, now: Callable[[], str] = current_store_time) -> None:
        self._store = store
        self._kept = store.deliveries
        self._now = now
        self._lock = threading.Lock()
        self._seen = 0  # batch of the last change in the list
        self._outlet = Exporter(store, JournalPolicies((), date.min))
        self._known: tuple[object, ...] = ()  # policies and titles that all entries depend on

    def answer(self, pairs: Sequence[tuple[str, str]], about: RepositoryInfo) -> bytes:
        """Update the list, then answer a request."""
        self.refresh()
        return answer_oai_request(pairs, self, about, now=self._now())

    def refresh(self) -> None:
        """Update the list; all records are checked the first time, and when a policy, a title or the day changed."""
        with self._lock:
            outlet = open_exporter(self._store, date.fromisoformat(self._now()[:10]))
            last, changed = self._kept.changed(self._seen)
            known = (outlet.policies.fingerprint, self._store.journals.title_lists())
            whole = not self._seen or len(changed) > _MAX_SINGLE_UPDATES or known != self._known
            if whole or changed:
                chosen = self._store.records.outgoing() if whole else self._store.records.outgoing(numbers=changed)
                for _ in Delivery(outlet, OAI_TARGET, OaiListTarget()).send(chosen, patience=_SINGLE_TRY):
                    pass
            self._outlet, self._known, self._seen = outlet, known, last

    def entries(self, *, after: int, since: str, until: str, limit: int) -> Sequence[OaiEntry]:
        """Return listed entries, in the order of their changes."""
        found = self._kept.listed(OAI_TARGET, DeliverySpan(after=after, since=since, until=until), limit=limit)
        wanted = self._store.records.outgoing(numbers=[one.article for one in found])
        records = {record.number: record.citation for record in wanted}
        return [self._entry(one, records.get(one.article)) for one in found]

    def count(self, *, since: str, until: str) -> int:
        """Return how many entries are listed."""
        return self._kept.count(OAI_TARGET, DeliverySpan(since=since, until=until))

    def entry(self, article: int) -> OaiEntry | None:
        """Return the entry of an article; None if it is not listed."""
        found = self._kept.find(OAI_TARGET, [article]).get(article)
        return None if found is None else self._entry(found, self._kept.record(article))

    def earliest(self) -> str:
        """Return when the oldest entry was changed; the current time if there is none."""
        return self._kept.earliest(OAI_TARGET) or self._now()

    def _entry(self, item: DeliveryRow, citation: Citation | None) -> OaiEntry:
        """Make an entry as policies permit it."""
        if item.state == "deleted" or citation is None:
            return OaiEntry(item.article, item.n, item.at, None)
        found = self._outlet.permit(citation)
        return OaiEntry(item.article, item.n, item.at, None if found.withheld else found.citation)

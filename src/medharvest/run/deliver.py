"""Stored records to a target: policies obeyed, demands met, what was sent before left out, each with its receipt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from medharvest.citations import Format, find_format
from medharvest.citations.validation.findings import Level
from medharvest.citations.validation.schemas import check_schema
from medharvest.deliver import Batch, Parcel, Patience, Receipt, State, Target, digest_of, send_all
from medharvest.records import Citation
from medharvest.run.export import Outlet, why_unfit
from medharvest.run.policy import Permitted
from medharvest.store import Delivered, Outgoing

_BATCH = 1000  # records in memory at a time; files hold no more
_NOTHING = digest_of(b"")
_GONE = "deleted from the collection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What became of a record at a target; `note` says what was left out of it."""

    receipt: Receipt
    citation: Citation
    note: str = ""


class Delivery:
    """One delivery of a store's records to a target."""

    def __init__(self, outlet: Outlet, name: str, target: Target, *, again: bool = False) -> None:
        self._outlet = outlet
        self._kept = outlet.store.deliveries
        self._name = name
        self._target = target
        self._again = again  # whether what has not changed is sent too
        self._form = find_format(target.format) if target.format else None
        self._dois: set[str] = set()

    def send(self, records: Iterable[Outgoing], *, patience: Patience) -> Iterator[Told]:
        """Send what is new or has changed; each batch is kept before the next one goes."""
        for group in _groups(records):
            prepared = tuple(self._prepare(group))
            yield from self._withdraw([told for told, parcel in prepared if parcel is None])
            told = {parcel.article: told for told, parcel in prepared if parcel is not None}
            parcels = [parcel for _, parcel in prepared if parcel is not None]
            for receipt in send_all(parcels, self._target, patience=patience, keep=self._keep):
                yield Told(receipt=receipt, citation=told[receipt.article].citation, note=told[receipt.article].note)

    def show(self, records: Iterable[Outgoing]) -> Iterator[Told | Batch]:
        """What would be sent, without sending it: what is left out and why, and the very bytes of each batch."""
        for group in _groups(records):
            prepared = tuple(self._prepare(group))
            yield from (told for told, _ in prepared)
            yield from self._target.pack([parcel for _, parcel in prepared if parcel is not None])

    def _prepare(self, group: Sequence[Outgoing]) -> Iterator[tuple[Told, Parcel | None]]:
        """Each record with what is known of its fate; a parcel where it goes out."""
        before = self._kept.find(self._name, [record.number for record in group])
        for record in group:
            if not record.deleted or record.number in before:
                yield self._prepare_one(record, before.get(record.number))

    def _prepare_one(self, record: Outgoing, before: Delivered | None) -> tuple[Told, Parcel | None]:
        found = Permitted(record.citation, withheld=_GONE) if record.deleted else self._outlet.permit(record.citation)
        number, citation = record.number, found.citation
        if found.withheld:
            return self._withheld(number, citation, found.withheld, before), None
        body = self._target.encode(number, citation)
        digest, remote = digest_of(body), before.remote_id if before else ""
        if before and before.state == State.SENT and before.digest == digest and not self._again:
            self._dois.add(citation.doi.lower())
            return _told(number, State.UNCHANGED, citation, before.detail, remote), None
        refused = why_refused(citation, body, self._form, self._dois) if self._form else ""
        if refused:
            return _told(number, State.REFUSED, citation, refused), None
        parcel = Parcel(
            article=number, citation=citation, body=body, digest=digest, version=record.version, remote_id=remote
        )
        return Told(receipt=Receipt(article=number, state=State.SENT), citation=citation, note=found.note), parcel

    def _withheld(self, number: int, citation: Citation, why: str, before: Delivered | None) -> Told:
        if before is None or before.state in {"deleted", "refused", "failed"}:
            return _told(number, State.WITHHELD, citation, why)
        if self._target.lists:
            return _told(number, State.DELETED, citation, why)
        return _told(number, State.WITHHELD, citation, f"{why}; it was sent before, take it out there by hand")

    def _withdraw(self, told: Sequence[Told]) -> Iterator[Told]:
        """Keep that records are no longer shown."""
        gone = [one.receipt.article for one in told if one.receipt.state is State.DELETED]
        if gone:
            self._kept.keep(self._name, [_gone(number) for number in gone])
        yield from told

    def _keep(self, batch: Batch, receipts: Sequence[Receipt]) -> None:
        digests = {parcel.article: parcel.digest for parcel in batch.parcels}
        rows = [
            Delivered(
                article=one.article,
                digest=digests[one.article],
                state=one.state,
                remote_id=one.remote_id,
                detail=one.detail,
            )
            for one in receipts
        ]
        self._kept.keep(self._name, rows)


def _gone(number: int) -> Delivered:
    return Delivered(article=number, digest=_NOTHING, state="deleted")


def _told(number: int, state: State, citation: Citation, detail: str, remote: str = "") -> Told:
    return Told(receipt=Receipt(article=number, state=state, detail=detail, remote_id=remote), citation=citation)


def _groups(records: Iterable[Outgoing]) -> Iterator[tuple[Outgoing, ...]]:
    waiting = iter(records)
    while group := tuple(islice(waiting, _BATCH)):
        yield group


def why_refused(citation: Citation, body: bytes, form: Format, dois: set[str]) -> str:
    """Why a record cannot be delivered in a format: what it lacks, a rule it breaks, or what the schema refuses."""
    why = why_unfit(citation, form, dois)
    if why or form.draft is None:
        return why
    wrong = next((found for found in check_schema(body, form.name) if found.level is Level.ERROR), None)
    return f"{wrong.field}: {wrong.message}" if wrong else ""

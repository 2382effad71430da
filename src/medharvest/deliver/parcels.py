"""Parcels of records and what became of them. Their payload in each form, receipts, and retries."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from medharvest.citations import report
from medharvest.formats.author_forms import author_to_inverted
from medharvest.formats.inline_text import to_plain_line
from medharvest.records import Citation

_MAX_REQUESTED_PAUSE = 3600.0  # seconds that a target's own wish to be left alone is heeded
_LIST_SEPARATOR = " | "
_TEXT_COLUMNS = (
    "title vernacular_title abstract journal abbreviation publisher volume issue first_page last_page article_number "
    "date doi pmid pii language licence conflict url"
).split()
_LIST_COLUMNS = "issn affiliations keywords publication_types".split()
PAYLOAD_COLUMNS = ("id", *_TEXT_COLUMNS, "authors", *_LIST_COLUMNS, "record")
_INTERNAL_FIELDS = ("scores", "evidence", "alternatives")  # how we know; no part of the record itself


class DeliveryState(StrEnum):
    """What became of a record: the closed list.

    `withheld` is held back by the policy of its journal; `deleted` is no longer shown to harvesters.
    """

    SENT = "sent"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    FAILED = "failed"
    WITHHELD = "withheld"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A record on its way: its article, its content in the form the target takes, and the digest of that.

    `version` grows with every change of the record; `remote_id` is what the target called it when it got it before.
    """

    article: int
    citation: Citation = field(repr=False)
    body: bytes = field(repr=False)
    digest: str = ""
    version: int = 0
    remote_id: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Parcels that go together: the name of the file or address, and the very bytes that are sent."""

    name: str
    parcels: tuple[Parcel, ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one parcel; `again` where a further try may help, after `wait` seconds at least."""

    article: int
    state: DeliveryState
    detail: str = ""
    remote_id: str = ""
    again: bool = False
    wait: float = 0.0


class DeliveryTarget(Protocol):
    """Where records go; `format` names the format whose demands a record must meet, empty where there are none.

    One that `lists` shows others what it has, and shows a record as deleted that it must no longer hold.
    """

    format: str
    lists: bool

    def encode(self, article: int, citation: Citation) -> bytes:
        """The content of a record in the form this target takes; the same record gives the same bytes."""
        ...

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Put parcels together as they are sent; nothing is sent yet."""
        ...

    def send(self, batch: Batch) -> Iterable[Receipt]:
        """Send a batch: a receipt for each of its parcels."""
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


def payload_digest(body: bytes) -> str:
    """The digest that tells whether a record was sent before."""
    return hashlib.sha256(body).hexdigest()


def receipts_for_batch(
    batch: Batch, state: DeliveryState, detail: str = "", *, again: bool = False, wait: float = 0.0
) -> tuple[Receipt, ...]:
    """The same receipt for each parcel of a batch; what the target called it before stays."""
    return tuple(
        Receipt(article=one.article, state=state, detail=detail, remote_id=one.remote_id, again=again, wait=wait)
        for one in batch.parcels
    )


def split_parcels(parcels: Sequence[Parcel], most: int) -> Iterator[tuple[Parcel, ...]]:
    """The parcels in order, so many at a time."""
    return (tuple(parcels[start : start + most]) for start in range(0, len(parcels), most))


def batch_each_parcel(parcels: Iterable[Parcel], name: str) -> Iterator[Batch]:
    """Each parcel a batch of its own."""
    return (Batch(name, (parcel,), parcel.body) for parcel in parcels)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often something is tried and how long is waited in between; `sleep` is the clock's."""

    tries: int = 4
    backoff: float = 2.0
    max_backoff: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def pause(self, tried: int, wished: float) -> None:
        """Wait after so many tries, twice as long each time, or as long as the target wishes."""
        doubled: float = min(self.backoff * 2.0 ** min(tried - 1, 60), self.max_backoff)
        self.sleep(max(doubled, min(wished, _MAX_REQUESTED_PAUSE)))


KeepReceipts = Callable[[Batch, Sequence[Receipt]], None]


def send_parcels(
    parcels: Sequence[Parcel], target: DeliveryTarget, *, patience: RetryPolicy, keep: KeepReceipts
) -> Iterator[Receipt]:
    """Send the parcels; `keep` is told of each batch before the next one goes, the receipts come out as they are final.

    After a kill a parcel whose batch was not kept is sent again; targets take the same content twice without harm.
    """
    tried = 0
    while True:
        tried += 1
        last = tried >= patience.tries
        failed: dict[int, Receipt] = {}
        for batch in target.pack(parcels):
            got = tuple(target.send(batch))
            keep(batch, got)
            failed.update({one.article: one for one in got if one.again})
            yield from (one for one in got if last or not one.again)
        parcels = [parcel for parcel in parcels if parcel.article in failed]
        if last or not parcels:
            return
        patience.pause(tried, max(one.wait for one in failed.values()))


def build_flat_row(article: int, citation: Citation) -> dict[str, Any]:
    """A flat row: texts, lists with a bar between their items, and the whole record as JSON."""
    lists = {
        name: _LIST_SEPARATOR.join(filter(None, map(to_plain_line, getattr(citation, name)))) for name in _LIST_COLUMNS
    }
    return {
        "id": article,
        **{name: to_plain_line(getattr(citation, name)) for name in _TEXT_COLUMNS},
        "authors": _LIST_SEPARATOR.join(
            filter(None, (to_plain_line(author_to_inverted(author)) for author in citation.authors))
        ),
        **lists,
        "record": to_json_bytes(build_json_document(article, citation)).decode(),
    }


def build_json_document(article: int, citation: Citation) -> dict[str, Any]:
    """The record as JSON, as `read --json` prints it, without its evidence and with its number."""
    whole = {name: value for name, value in report(citation).items() if name not in _INTERNAL_FIELDS}
    return {"id": article, **whole}


def to_json_bytes(value: Any) -> bytes:
    """JSON bytes on one line, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

"""What a target is sent and what it answers: parcels, batches, receipts, payloads, and sending with retries.

`send_parcels` sends parcels to anything that satisfies `DeliveryTarget`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from medharvest.codec import format_json
from medharvest.formats import report
from medharvest.formats.text_forms import author_to_inverted, to_plain_line
from medharvest.records import Citation

_MAX_REQUESTED_PAUSE = 3600.0  # seconds; a target that asks for a longer pause is tried again after this
_LIST_SEPARATOR = " | "
_TEXT_COLUMNS = (
    "title vernacular_title abstract journal abbreviation publisher volume issue first_page last_page article_number "
    "date doi pmid pii language licence conflict url"
).split()
_LIST_COLUMNS = "issn affiliations keywords publication_types".split()
PAYLOAD_COLUMNS = ("id", *_TEXT_COLUMNS, "authors", *_LIST_COLUMNS, "record")
_INTERNAL_FIELDS = ("scores", "evidence", "alternatives")  # how the record was read; not delivered


class DeliveryState(StrEnum):
    """The result of a delivery: a closed list.

    A `withheld` record is kept back by the policy of its journal; a `deleted` one is no longer shown to harvesters.
    """

    SENT = "sent"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    FAILED = "failed"
    WITHHELD = "withheld"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A record to send: its article, its content in the form of the target, and the digest of that content.

    `version` grows with every change of the record; `remote_id` is the target's identifier from an earlier delivery.
    """

    article: int
    citation: Citation = field(repr=False)
    body: bytes = field(repr=False)
    digest: str = ""
    version: int = 0
    remote_id: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Parcels that are sent together: the name of the file or address, and the exact bytes."""

    name: str
    parcels: tuple[Parcel, ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The result for one parcel; `again` means that a retry may help, after at least `wait` seconds."""

    article: int
    state: DeliveryState
    detail: str = ""
    remote_id: str = ""
    again: bool = False
    wait: float = 0.0


class DeliveryTarget(Protocol):
    """Where records are sent; `format` is the format whose requirements a record must meet, empty if there are none.

    A target that `lists` publishes its records, and publishes as deleted those that it must no longer contain.
    """

    format: str
    lists: bool

    def encode(self, article: int, citation: Citation) -> bytes:
        """Encode a record in the form of this target; the same record gives the same bytes."""
        ...

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Group parcels into batches; nothing is sent yet."""
        ...

    def send(self, batch: Batch) -> Iterable[Receipt]:
        """Send a batch and return a receipt for each of its parcels."""
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a parcel is tried and how long to wait between tries; tests replace `sleep`."""

    tries: int = 4
    backoff: float = 2.0
    max_backoff: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def pause(self, tried: int, wished: float) -> None:
        """Wait after the given number of tries: twice as long each time, or as long as the target asks."""
        doubled: float = min(self.backoff * 2.0 ** min(tried - 1, 60), self.max_backoff)
        self.sleep(max(doubled, min(wished, _MAX_REQUESTED_PAUSE)))


KeepReceipts = Callable[[Batch, Sequence[Receipt]], None]


def send_parcels(
    parcels: Sequence[Parcel], target: DeliveryTarget, *, patience: RetryPolicy, keep: KeepReceipts
) -> Iterator[Receipt]:
    """Send parcels and yield their final receipts; `keep` is called with each batch before the next one is sent.

    After a crash, a parcel whose batch was not kept is sent again; sending the same content twice does no harm.
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


def payload_digest(body: bytes) -> str:
    """Return the digest that shows whether the same content was sent before."""
    return hashlib.sha256(body).hexdigest()


def receipts_for_batch(
    batch: Batch, state: DeliveryState, detail: str = "", *, again: bool = False, wait: float = 0.0
) -> tuple[Receipt, ...]:
    """Make the same receipt for each parcel of a batch; its remote identifier is kept."""
    return tuple(
        Receipt(article=one.article, state=state, detail=detail, remote_id=one.remote_id, again=again, wait=wait)
        for one in batch.parcels
    )


def split_parcels(parcels: Sequence[Parcel], most: int) -> Iterator[tuple[Parcel, ...]]:
    """Split parcels, in order, into groups of at most `most`."""
    return (tuple(parcels[start : start + most]) for start in range(0, len(parcels), most))


def batch_each_parcel(parcels: Iterable[Parcel], name: str) -> Iterator[Batch]:
    """Make one batch per parcel."""
    return (Batch(name, (parcel,), parcel.body) for parcel in parcels)


def build_flat_row(article: int, citation: Citation) -> dict[str, Any]:
    """Build a flat row: texts, lists joined by ` | `, and the whole record as JSON."""
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
    """Build the JSON of a record as `read --json` prints it, with its number and without its evidence."""
    whole = {name: value for name, value in report(citation).items() if name not in _INTERNAL_FIELDS}
    return {"id": article, **whole}


def to_json_bytes(value: Any) -> bytes:
    """Encode a value as JSON on one line; equal values give equal bytes."""
    return format_json(value, separators=(",", ":")).encode("utf-8", "replace")

"""What goes to a target and what comes back: parcels, batches of them, a receipt each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from medharvest.records import Citation


class State(StrEnum):
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
    state: State
    detail: str = ""
    remote_id: str = ""
    again: bool = False
    wait: float = 0.0


class Target(Protocol):
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


def digest_of(body: bytes) -> str:
    """The digest that tells whether a record was sent before."""
    return hashlib.sha256(body).hexdigest()


def receipts(
    batch: Batch, state: State, detail: str = "", *, again: bool = False, wait: float = 0.0
) -> tuple[Receipt, ...]:
    """The same receipt for each parcel of a batch; what the target called it before stays."""
    return tuple(
        Receipt(article=one.article, state=state, detail=detail, remote_id=one.remote_id, again=again, wait=wait)
        for one in batch.parcels
    )


def groups(parcels: Sequence[Parcel], most: int) -> Iterator[tuple[Parcel, ...]]:
    """The parcels in order, so many at a time."""
    return (tuple(parcels[start : start + most]) for start in range(0, len(parcels), most))


def one_by_one(parcels: Iterable[Parcel], name: str) -> Iterator[Batch]:
    """Each parcel a batch of its own."""
    return (Batch(name, (parcel,), parcel.body) for parcel in parcels)

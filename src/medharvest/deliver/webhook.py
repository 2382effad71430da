"""A webhook: a signed POST a record."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Iterator, Sequence

from medharvest.deliver.forms import as_json, document
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, one_by_one, receipts
from medharvest.deliver.web import Site, is_fine
from medharvest.fetch import Sending
from medharvest.records import Citation


class WebhookTarget:
    """The address and the key that signs; the receiver computes the same signature and compares."""

    format = ""
    lists = False

    def __init__(self, site: Site, url: str, secret: str, *, now: Callable[[], float] = time.time) -> None:
        self.close = site.close
        self._site = site
        self._url = url
        self._secret = secret.encode()
        self._now = now

    def encode(self, article: int, citation: Citation) -> bytes:
        """The record as JSON."""
        return as_json(document(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """A request a record."""
        return one_by_one(parcels, self._url)

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Send the record; the receiver knows by its key whether it has it already."""
        at = str(int(self._now()))
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"{batch.parcels[0].article}-{batch.parcels[0].digest[:32]}",
            "X-Medharvest-Timestamp": at,
            "X-Medharvest-Signature": sign(self._secret, at, batch.body),
        }
        answer = self._site.ask(Sending(url=self._url, body=batch.body, headers=headers))
        return receipts(batch, State.SENT) if is_fine(answer) else self._site.trouble(batch, answer)


def sign(secret: bytes, at: str, body: bytes) -> str:
    """The signature of a body sent at a time: `sha256=` and the HMAC of time, dot and body."""
    return "sha256=" + hmac.new(secret, at.encode() + b"." + body, hashlib.sha256).hexdigest()

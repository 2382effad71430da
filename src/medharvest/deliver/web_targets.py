"""Targets on the web: OpenSearch, webhooks, and the site they share: it sends requests and interprets answers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from medharvest.deliver.parcels import (
    Batch,
    DeliveryState,
    Parcel,
    Receipt,
    batch_each_parcel,
    build_json_document,
    receipts_for_batch,
    split_parcels,
    to_json_bytes,
)
from medharvest.errors import DeliveryError
from medharvest.fetch import Sender, SendRequest
from medharvest.fetch.throttle import parse_retry_after
from medharvest.records import Citation, Miss, Reason, Response
from medharvest.settings import Fetch

_MAX_TARGET_ANSWER = 20_000_000  # bytes of an answer
_RETRIED_REASONS = frozenset({Reason.TIMEOUT, Reason.BROKEN_TRANSFER, Reason.NO_ROUTE, Reason.REFUSED})
_LOGIN_REFUSED = frozenset({401, 403})
_TOO_MANY_REQUESTS = 429
_MAX_ANSWER_EXCERPT = 200  # characters of an answer in a message
_DOCUMENTS_PER_REQUEST = 100
_VERSION_CONFLICT, _INDEX_BUSY = 409, 429


class TargetSite:
    """A site that requests are sent to; it connects on first use."""

    def __init__(self, name: str, settings: Fetch, *, hint: str = "") -> None:
        self.name = name
        self._settings = replace(settings, max_bytes=_MAX_TARGET_ANSWER)
        self._hint = hint
        self._runner: asyncio.Runner | None = None
        self._sender = Sender(self._settings)

    def ask(self, sending: SendRequest) -> Response | Miss:
        """Send a request and wait for its answer."""
        if self._runner is None:
            self._runner = asyncio.Runner()
            self._runner.run(self._sender.__aenter__())
        return self._runner.run(self._sender(sending))

    def close(self) -> None:
        """Close the connections."""
        if self._runner is not None:
            self._runner.run(self._sender.__aexit__(None, None, None))
            self._runner.close()
            self._runner = None

    def trouble(self, batch: Batch, answer: Response | Miss) -> tuple[Receipt, ...]:
        """Make the receipts of a batch that was not accepted: failed or refused; raise if the key or login is wrong."""
        if isinstance(answer, Miss):
            if answer.reason is Reason.PRIVATE_ADDRESS:
                raise DeliveryError(
                    f"the address of {self.name} is private: {answer.detail}",
                    target=self.name,
                    hint="name the target in the settings file, under [targets], to allow it",
                )
            detail = f"{answer.reason.value}: {answer.detail}"
            return receipts_for_batch(batch, DeliveryState.FAILED, detail, again=answer.reason in _RETRIED_REASONS)
        detail = f"HTTP {answer.status} {excerpt_of_answer(answer.body)}".strip()
        if answer.status in _LOGIN_REFUSED:
            raise DeliveryError(f"{self.name} refuses the key or login ({detail})", target=self.name, hint=self._hint)
        if answer.status >= 500 or answer.status == _TOO_MANY_REQUESTS:  # noqa: PLR2004
            return receipts_for_batch(batch, DeliveryState.FAILED, detail, again=True, wait=requested_pause(answer))
        if 300 <= answer.status < 400:  # noqa: PLR2004
            return receipts_for_batch(
                batch, DeliveryState.FAILED, f"{detail}: the address redirects; use the address it redirects to"
            )
        return receipts_for_batch(batch, DeliveryState.REFUSED, detail)


def is_accepted_answer(answer: Response | Miss) -> bool:
    """Whether a site accepted a request."""
    return isinstance(answer, Response) and 200 <= answer.status < 300  # noqa: PLR2004


def requested_pause(answer: Response) -> float:
    """Return the seconds that a site asks to wait; 0 if it does not say."""
    headers: Mapping[str, str] = {name.lower(): value for name, value in answer.headers}
    wished = (parse_retry_after(headers.get(name, ""), datetime.now(UTC)) for name in ("retry-after", "backoff"))
    return max((seconds for seconds in wished if seconds), default=0.0)


def excerpt_of_answer(body: bytes) -> str:
    """Return the beginning of an answer, on one line, for a message."""
    return " ".join(body[: 4 * _MAX_ANSWER_EXCERPT].decode("utf-8", "replace").split())[:_MAX_ANSWER_EXCERPT]


class OpenSearchTarget:
    """An OpenSearch index; `_id` is the number of the article, the version that of its last change."""

    format = ""
    lists = False

    def __init__(self, site: TargetSite, server: str, index: str, login: dict[str, str]) -> None:
        self.close = site.close
        self._site = site
        self._url = f"{server.rstrip('/')}/_bulk"
        self._index = index
        self._login = login

    def encode(self, article: int, citation: Citation) -> bytes:
        """Encode the document."""
        return to_json_bytes(build_json_document(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Make the lines of each request: the action, then the document."""
        for some in split_parcels(parcels, _DOCUMENTS_PER_REQUEST):
            yield Batch(self._url, some, b"".join(self._action(one) + b"\n" + one.body + b"\n" for one in some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Send the request and read the result of each document."""
        headers = {"Content-Type": "application/x-ndjson", **self._login}
        answer = self._site.ask(SendRequest(url=self._url, body=batch.body, headers=headers))
        if not is_accepted_answer(answer):
            return self._site.trouble(batch, answer)
        assert isinstance(answer, Response)
        items = _parse_bulk_items(answer.body)
        if len(items) != len(batch.parcels):
            return receipts_for_batch(
                batch, DeliveryState.FAILED, "not the answer to a bulk request; check the address"
            )
        return tuple(_make_bulk_receipt(parcel, item) for parcel, item in zip(batch.parcels, items, strict=True))

    def _action(self, parcel: Parcel) -> bytes:
        # A policy may change what is sent while the version stays the same, so equal versions are accepted.
        own = {"_index": self._index, "_id": str(parcel.article), "version": parcel.version}
        return to_json_bytes({"index": {**own, "version_type": "external_gte"}})


def _parse_bulk_items(body: bytes) -> list[Any]:
    try:
        answer = json.loads(body)
        items = [item["index"] for item in answer["items"]]
    except (ValueError, RecursionError, KeyError, TypeError):
        return []
    return items if all(isinstance(item, dict) for item in items) else []


def _make_bulk_receipt(parcel: Parcel, item: dict[str, Any]) -> Receipt:
    status, error = item.get("status"), item.get("error")
    if isinstance(status, int) and 200 <= status < 300:  # noqa: PLR2004
        return Receipt(article=parcel.article, state=DeliveryState.SENT, remote_id=str(item.get("_id", parcel.article)))
    reason = error.get("reason", "") if isinstance(error, dict) else error
    detail = f"{status}: {reason}"[:300]
    if status == _VERSION_CONFLICT:
        return Receipt(
            article=parcel.article, state=DeliveryState.REFUSED, detail=f"the index has a newer version ({detail})"
        )
    passing = status == _INDEX_BUSY or (isinstance(status, int) and status >= 500)  # noqa: PLR2004
    state = DeliveryState.FAILED if passing else DeliveryState.REFUSED
    return Receipt(article=parcel.article, state=state, detail=detail, again=passing)


class WebhookTarget:
    """An address that receives signed requests; the receiver computes the same signature and compares."""

    format = ""
    lists = False

    def __init__(self, site: TargetSite, url: str, secret: str, *, now: Callable[[], float] = time.time) -> None:
        self.close = site.close
        self._site = site
        self._url = url
        self._secret = secret.encode()
        self._now = now

    def encode(self, article: int, citation: Citation) -> bytes:
        """Encode the record as JSON."""
        return to_json_bytes(build_json_document(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Make one request per record."""
        return batch_each_parcel(parcels, self._url)

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Send the record; its Idempotency-Key tells the receiver whether it has it already."""
        at = str(int(self._now()))
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": f"{batch.parcels[0].article}-{batch.parcels[0].digest[:32]}",
            "X-Medharvest-Timestamp": at,
            "X-Medharvest-Signature": sign_webhook_body(self._secret, at, batch.body),
        }
        answer = self._site.ask(SendRequest(url=self._url, body=batch.body, headers=headers))
        return (
            receipts_for_batch(batch, DeliveryState.SENT)
            if is_accepted_answer(answer)
            else self._site.trouble(batch, answer)
        )


def sign_webhook_body(secret: bytes, at: str, body: bytes) -> str:
    """Sign a body: `sha256=` and the HMAC of time, dot and body."""
    return "sha256=" + hmac.new(secret, at.encode() + b"." + body, hashlib.sha256).hexdigest()

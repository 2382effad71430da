"""OpenSearch and Elasticsearch: documents by `_bulk`, with our version of each, so that no older one wins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from medharvest.deliver.forms import as_json, document
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, groups, receipts
from medharvest.deliver.web import Site, is_fine
from medharvest.fetch import Sending
from medharvest.records import Citation, Response

_DOCUMENTS = 100  # in one request
_CONFLICT, _BUSY = 409, 429


class OpenSearchTarget:
    """An index; `_id` is the number of the article, its version that of the article's last change."""

    format = ""
    lists = False

    def __init__(self, site: Site, server: str, index: str, login: dict[str, str]) -> None:
        self.close = site.close
        self._site = site
        self._url = f"{server.rstrip('/')}/_bulk"
        self._index = index
        self._login = login

    def encode(self, article: int, citation: Citation) -> bytes:
        """The document."""
        return as_json(document(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Lines of one request: what is done, then the document."""
        for some in groups(parcels, _DOCUMENTS):
            yield Batch(self._url, some, b"".join(self._action(one) + b"\n" + one.body + b"\n" for one in some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Send the request and read what became of each document."""
        headers = {"Content-Type": "application/x-ndjson", **self._login}
        answer = self._site.ask(Sending(url=self._url, body=batch.body, headers=headers))
        if not is_fine(answer):
            return self._site.trouble(batch, answer)
        assert isinstance(answer, Response)
        items = _items(answer.body)
        if len(items) != len(batch.parcels):
            return receipts(batch, State.FAILED, "the answer is none of a bulk request; check the address")
        return tuple(_receipt(parcel, item) for parcel, item in zip(batch.parcels, items, strict=True))

    def _action(self, parcel: Parcel) -> bytes:
        # A policy may change a record without a change of its own, so an equal version is taken too.
        own = {"_index": self._index, "_id": str(parcel.article), "version": parcel.version}
        return as_json({"index": {**own, "version_type": "external_gte"}})


def _items(body: bytes) -> list[Any]:
    try:
        answer = json.loads(body)
        items = [item["index"] for item in answer["items"]]
    except (ValueError, RecursionError, KeyError, TypeError):
        return []
    return items if all(isinstance(item, dict) for item in items) else []


def _receipt(parcel: Parcel, item: dict[str, Any]) -> Receipt:
    status, error = item.get("status"), item.get("error")
    if isinstance(status, int) and 200 <= status < 300:  # noqa: PLR2004
        return Receipt(article=parcel.article, state=State.SENT, remote_id=str(item.get("_id", parcel.article)))
    reason = error.get("reason", "") if isinstance(error, dict) else error
    detail = f"{status}: {reason}"[:300]
    if status == _CONFLICT:
        return Receipt(article=parcel.article, state=State.REFUSED, detail=f"the index has a newer version ({detail})")
    passing = status == _BUSY or (isinstance(status, int) and status >= 500)  # noqa: PLR2004
    state = State.FAILED if passing else State.REFUSED
    return Receipt(article=parcel.article, state=state, detail=detail, again=passing)

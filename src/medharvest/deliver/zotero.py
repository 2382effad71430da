"""Zotero's web API, version 3: items written by key, at most fifty at a time, never over somebody's own changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medharvest.deliver.forms import as_json, zotero_item
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, digest_of, groups, receipts
from medharvest.deliver.web import Site, is_fine
from medharvest.fetch import Sending
from medharvest.records import Citation, Response, title_key

SERVER = "https://api.zotero.org"
_MOST = 50
_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"  # those of Zotero's keys
_CHANGED = 412
_THERE = "it is there already and says otherwise; remove it in Zotero to have it sent"


@dataclass(frozen=True, slots=True)
class _Known:
    """What Zotero calls an item, and the version we gave it; 0 where it must not be there yet."""

    key: str
    version: int = 0


class ZoteroTarget:
    """A library, `users/1` or `groups/2`.

    The key of an item is made from what it is about, so that a delivery that broke off finds its own items again.
    """

    format = ""
    lists = False

    def __init__(self, site: Site, library: str, secret: str, *, server: str = SERVER, collection: str = "") -> None:
        self.close = site.close
        self._site = site
        self._url = f"{server.rstrip('/')}/{library}/items"
        self._library = library
        self._collection = collection
        self._headers = {"Zotero-API-Version": "3", "Zotero-API-Key": secret, "Content-Type": "application/json"}

    def encode(self, article: int, citation: Citation) -> bytes:  # noqa: ARG002  (Zotero has numbers of its own)
        """The item."""
        return as_json(zotero_item(citation, self._collection))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """New items apart from known ones: only a request of new ones may carry a token."""
        for known in (False, True):
            same = [parcel for parcel in parcels if bool(parcel.remote_id) is known]
            for some in groups(same, _MOST):
                yield Batch(self._url, some, self._body(some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Write the items; one that is there already, from a delivery that broke off, is compared with ours."""
        answered = self._write(batch)
        lost = [one for one in batch.parcels if not one.remote_id and _is_there(answered[one.article])]
        there = self._items(lost) if lost else {}
        for parcel in lost:
            item = there.get(self._key(parcel))
            if item and _says(item.get("data"), json.loads(parcel.body)):
                known = f"{self._key(parcel)} {item.get('version', 0)}"
                answered[parcel.article] = Receipt(article=parcel.article, state=State.SENT, remote_id=known)
        return tuple(answered.values())

    def _write(self, batch: Batch) -> dict[int, Receipt]:
        headers = dict(self._headers)
        if not any(parcel.remote_id for parcel in batch.parcels):
            headers["Zotero-Write-Token"] = digest_of(batch.body)[:32]
        answer = self._site.ask(Sending(url=self._url, body=batch.body, headers=headers))
        if isinstance(answer, Response) and answer.status == _CHANGED:  # the token was used: all of them are there
            answered = receipts(batch, State.REFUSED, _THERE)
        elif not is_fine(answer):
            answered = self._site.trouble(batch, answer)
        else:
            assert isinstance(answer, Response)
            answered = self._read(batch, answer)
        return {one.article: one for one in answered}

    def _read(self, batch: Batch, answer: Response) -> tuple[Receipt, ...]:
        try:
            said = json.loads(answer.body)
            parts = {name: said.get(name) or {} for name in ("successful", "unchanged", "failed")}
        except (ValueError, RecursionError, AttributeError):
            return receipts(batch, State.FAILED, "the answer is none of Zotero's; check the address")
        version = next((value for name, value in answer.headers if name.lower() == "last-modified-version"), "0")
        return tuple(self._receipt(place, parcel, parts, version) for place, parcel in enumerate(batch.parcels))

    def _receipt(self, place: int, parcel: Parcel, parts: Mapping[str, Any], version: str) -> Receipt:
        index = str(place)
        if index in parts["successful"]:
            return Receipt(article=parcel.article, state=State.SENT, remote_id=f"{self._key(parcel)} {version}")
        if index in parts["unchanged"]:
            return Receipt(
                article=parcel.article, state=State.SENT, remote_id=parcel.remote_id or f"{self._key(parcel)} {version}"
            )
        failed = parts["failed"].get(index, {})
        code, message = (failed.get("code"), failed.get("message")) if isinstance(failed, dict) else (None, failed)
        detail = f"{code}: {message}"[:300]
        if code == _CHANGED:
            detail = "it was changed in Zotero since; it is left as it is" if parcel.remote_id else _THERE
        return Receipt(article=parcel.article, state=State.REFUSED, detail=detail, remote_id=parcel.remote_id)

    def _items(self, parcels: Sequence[Parcel]) -> dict[str, dict[str, Any]]:
        """The items that Zotero has under our keys."""
        keys = ",".join(map(self._key, parcels))
        answer = self._site.ask(Sending(method="GET", url=f"{self._url}?itemKey={keys}", headers=self._headers))
        try:
            found = json.loads(answer.body) if isinstance(answer, Response) and is_fine(answer) else []
        except (ValueError, RecursionError):
            return {}
        return {str(item.get("key")): item for item in found if isinstance(item, dict)}

    def _body(self, parcels: Sequence[Parcel]) -> bytes:
        return as_json([{**json.loads(parcel.body), **self._identity(parcel)} for parcel in parcels])

    def _identity(self, parcel: Parcel) -> dict[str, Any]:
        known = self._known(parcel)
        return {"key": known.key, "version": known.version}

    def _known(self, parcel: Parcel) -> _Known:
        key, _, version = parcel.remote_id.partition(" ")
        return _Known(key, int(version)) if version.isdecimal() else _Known(self._key(parcel))

    def _key(self, parcel: Parcel) -> str:
        """The key that we give an item: eight letters made from the library and what the record is about."""
        one = parcel.citation
        about = one.doi.lower() or f"{parcel.article} {title_key(one.title or one.vernacular_title)}"
        number = int.from_bytes(hashlib.sha256(f"{self._library} {about}".encode()).digest()[:8])
        return "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(8))


def _is_there(receipt: Receipt) -> bool:
    return receipt.state is State.REFUSED and receipt.detail == _THERE


def _says(theirs: Any, ours: dict[str, Any]) -> bool:
    """Whether an item of Zotero's says all that ours does."""
    return isinstance(theirs, dict) and all(theirs.get(name, value) == value for name, value in ours.items())

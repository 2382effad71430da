"""Target for Zotero's web API, version 3: writes items by key, and never overwrites changes made in Zotero."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medharvest.deliver.parcels import (
    Batch,
    DeliveryState,
    Parcel,
    Receipt,
    payload_digest,
    receipts_for_batch,
    split_parcels,
    to_json_bytes,
)
from medharvest.deliver.web_targets import TargetSite, is_accepted_answer
from medharvest.fetch import SendRequest
from medharvest.formats import medline_values
from medharvest.formats.text_forms import to_plain_line
from medharvest.records import Author, Citation, Response, title_key

ZOTERO_SERVER = "https://api.zotero.org"
_MAX_ITEMS_PER_REQUEST = 50
_ZOTERO_KEY_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"  # the letters that Zotero allows in keys
_PRECONDITION_FAILED = 412
_ALREADY_IN_ZOTERO = "Zotero already has this item with other values; remove it there to send it"
_MAX_ZOTERO_TAGS = 100  # more keywords than this are likely the navigation of a page


@dataclass(frozen=True, slots=True)
class _KnownItem:
    """The key of an item in Zotero and its version after our last write; 0 for an item that must be new."""

    key: str
    version: int = 0


class ZoteroTarget:
    """A library, `users/1` or `groups/2`.

    The key of an item is derived from its DOI or title, so that an interrupted delivery finds its own items again.
    """

    format = ""
    lists = False

    def __init__(
        self, site: TargetSite, library: str, secret: str, *, server: str = ZOTERO_SERVER, collection: str = ""
    ) -> None:
        self.close = site.close
        self._site = site
        self._url = f"{server.rstrip('/')}/{library}/items"
        self._library = library
        self._collection = collection
        self._headers = {"Zotero-API-Version": "3", "Zotero-API-Key": secret, "Content-Type": "application/json"}

    def encode(self, article: int, citation: Citation) -> bytes:  # noqa: ARG002  (Zotero has its own keys)
        """Encode the item."""
        return to_json_bytes(_build_zotero_item(citation, self._collection))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Separate new items from known ones: only requests with new items may have a write token."""
        for known in (False, True):
            same = [parcel for parcel in parcels if bool(parcel.remote_id) is known]
            for some in split_parcels(same, _MAX_ITEMS_PER_REQUEST):
                yield Batch(self._url, some, self._body(some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Write the items; one that an interrupted delivery already wrote is compared with ours."""
        answered = self._write(batch)
        lost = [one for one in batch.parcels if not one.remote_id and _is_already_in_zotero(answered[one.article])]
        there = self._items(lost) if lost else {}
        for parcel in lost:
            item = there.get(self._key(parcel))
            if item and _item_agrees_with_ours(item.get("data"), json.loads(parcel.body)):
                known = f"{self._key(parcel)} {item.get('version', 0)}"
                answered[parcel.article] = Receipt(article=parcel.article, state=DeliveryState.SENT, remote_id=known)
        return tuple(answered.values())

    def _write(self, batch: Batch) -> dict[int, Receipt]:
        headers = dict(self._headers)
        if not any(parcel.remote_id for parcel in batch.parcels):
            headers["Zotero-Write-Token"] = payload_digest(batch.body)[:32]
        answer = self._site.ask(SendRequest(url=self._url, body=batch.body, headers=headers))
        if isinstance(answer, Response) and answer.status == _PRECONDITION_FAILED:  # used token: all are written
            answered = receipts_for_batch(batch, DeliveryState.REFUSED, _ALREADY_IN_ZOTERO)
        elif not is_accepted_answer(answer):
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
            return receipts_for_batch(batch, DeliveryState.FAILED, "not an answer of Zotero; check the address")
        version = next((value for name, value in answer.headers if name.lower() == "last-modified-version"), "0")
        return tuple(self._receipt(place, parcel, parts, version) for place, parcel in enumerate(batch.parcels))

    def _receipt(self, place: int, parcel: Parcel, parts: Mapping[str, Any], version: str) -> Receipt:
        index = str(place)
        if index in parts["successful"]:
            return Receipt(article=parcel.article, state=DeliveryState.SENT, remote_id=f"{self._key(parcel)} {version}")
        if index in parts["unchanged"]:
            return Receipt(
                article=parcel.article,
                state=DeliveryState.SENT,
                remote_id=parcel.remote_id or f"{self._key(parcel)} {version}",
            )
        failed = parts["failed"].get(index, {})
        code, message = (failed.get("code"), failed.get("message")) if isinstance(failed, dict) else (None, failed)
        detail = f"{code}: {message}"[:300]
        if code == _PRECONDITION_FAILED:
            detail = (
                "it was changed in Zotero since the last delivery; it is left as it is"
                if parcel.remote_id
                else _ALREADY_IN_ZOTERO
            )
        return Receipt(article=parcel.article, state=DeliveryState.REFUSED, detail=detail, remote_id=parcel.remote_id)

    def _items(self, parcels: Sequence[Parcel]) -> dict[str, dict[str, Any]]:
        """Fetch the items that Zotero has under our keys."""
        keys = ",".join(map(self._key, parcels))
        answer = self._site.ask(SendRequest(method="GET", url=f"{self._url}?itemKey={keys}", headers=self._headers))
        try:
            found = json.loads(answer.body) if isinstance(answer, Response) and is_accepted_answer(answer) else []
        except (ValueError, RecursionError):
            return {}
        return {str(item.get("key")): item for item in found if isinstance(item, dict)}

    def _body(self, parcels: Sequence[Parcel]) -> bytes:
        return to_json_bytes([{**json.loads(parcel.body), **self._identity(parcel)} for parcel in parcels])

    def _identity(self, parcel: Parcel) -> dict[str, Any]:
        known = self._known(parcel)
        return {"key": known.key, "version": known.version}

    def _known(self, parcel: Parcel) -> _KnownItem:
        key, _, version = parcel.remote_id.partition(" ")
        return _KnownItem(key, int(version)) if version.isdecimal() else _KnownItem(self._key(parcel))

    def _key(self, parcel: Parcel) -> str:
        """Derive the key of an item: eight letters from the library and the DOI, or the number and title."""
        one = parcel.citation
        about = one.doi.lower() or f"{parcel.article} {title_key(one.title or one.vernacular_title)}"
        number = int.from_bytes(hashlib.sha256(f"{self._library} {about}".encode()).digest()[:8])
        return "".join(
            _ZOTERO_KEY_LETTERS[number // len(_ZOTERO_KEY_LETTERS) ** place % len(_ZOTERO_KEY_LETTERS)]
            for place in range(8)
        )


def _is_already_in_zotero(receipt: Receipt) -> bool:
    return receipt.state is DeliveryState.REFUSED and receipt.detail == _ALREADY_IN_ZOTERO


def _item_agrees_with_ours(theirs: Any, ours: dict[str, Any]) -> bool:
    """Whether an item in Zotero has all values of ours."""
    return isinstance(theirs, dict) and all(theirs.get(name, value) == value for name, value in ours.items())


def _build_zotero_item(citation: Citation, collection: str = "") -> dict[str, Any]:
    """Build a journal article for Zotero; empty fields are sent too, so that removed values are removed there."""
    first, last = citation.first_page, citation.last_page
    extra = [f"PMID: {citation.pmid}"] if citation.pmid else []
    if citation.vernacular_title:
        extra.append(f"Original title: {to_plain_line(citation.vernacular_title)}")
    extra += medline_values.list_note_lines(citation)
    return {
        "itemType": "journalArticle",
        "title": to_plain_line(citation.title or citation.vernacular_title),
        "creators": [creator for author in citation.authors for creator in _zotero_creators(author)],
        "abstractNote": citation.abstract.strip(),
        "publicationTitle": to_plain_line(citation.journal),
        "journalAbbreviation": to_plain_line(citation.abbreviation),
        "volume": to_plain_line(citation.volume),
        "issue": to_plain_line(citation.issue),
        "pages": to_plain_line(f"{first}-{last}" if first and last else first or citation.article_number),
        "date": to_plain_line(citation.date),
        "DOI": to_plain_line(citation.doi),
        "ISSN": " ".join(map(to_plain_line, citation.issn)),
        "language": to_plain_line(citation.language),
        "rights": to_plain_line(citation.licence),
        "url": to_plain_line(citation.url),
        "extra": "\n".join(extra),
        "tags": [{"tag": to_plain_line(word)} for word in citation.keywords[:_MAX_ZOTERO_TAGS] if to_plain_line(word)],
        "collections": [collection] if collection else [],
        "relations": {},
    }


def _zotero_creators(author: Author) -> Iterator[dict[str, str]]:
    whole = to_plain_line(author.collective)
    if whole or not author.given:
        name = whole or to_plain_line(author.family)
        if name:
            yield {"creatorType": "author", "name": name}
        return
    given = " ".join(part for part in (to_plain_line(author.given), to_plain_line(author.suffix)) if part)
    yield {"creatorType": "author", "firstName": given, "lastName": to_plain_line(author.family)}

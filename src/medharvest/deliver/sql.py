"""Another SQL database: a row a record, written in place of the one there was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sqlalchemy import URL

from medharvest.deliver.forms import COLUMNS, as_json, row
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, groups, receipts
from medharvest.errors import StoreError
from medharvest.records import Citation
from medharvest.store import ForeignTable

_ROWS = 100  # in one transaction


class SqlTarget:
    """A table; it is opened when it is first written to."""

    format = ""
    lists = False

    def __init__(self, url: URL, table: str) -> None:
        self._url = url
        self._name = table
        self._table: ForeignTable | None = None

    def encode(self, article: int, citation: Citation) -> bytes:
        """The row as JSON."""
        return as_json(row(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Rows of one transaction."""
        for some in groups(parcels, _ROWS):
            yield Batch(f"table {self._name}", some, b"\n".join(parcel.body for parcel in some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Write the rows; all of them or none."""
        try:
            if self._table is None:
                self._table = ForeignTable(self._url, self._name, COLUMNS)
            self._table.upsert([json.loads(parcel.body) for parcel in batch.parcels])
        except StoreError as error:
            return receipts(batch, State.FAILED, f"{error.message}; {error.hint}", again=error.passing)
        return tuple(
            Receipt(article=parcel.article, state=State.SENT, remote_id=str(parcel.article)) for parcel in batch.parcels
        )

    def close(self) -> None:
        """Let go of the database."""
        if self._table is not None:
            self._table.close()

"""Targets with one row per record: a table of an SQL database, and a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from medharvest.atomic_file import replace_file
from medharvest.deliver.parcels import (
    PAYLOAD_COLUMNS,
    Batch,
    DeliveryState,
    Parcel,
    Receipt,
    build_flat_row,
    receipts_for_batch,
    split_parcels,
    to_json_bytes,
)
from medharvest.errors import DeliveryError, StoreError
from medharvest.records import Citation
from medharvest.store import ForeignTable

_ROWS_PER_TRANSACTION = 100


class SqlTarget:
    """A table of an SQL database; it is opened on the first write."""

    format = ""
    lists = False

    def __init__(self, url: URL, table: str) -> None:
        self._url = url
        self._name = table
        self._table: ForeignTable | None = None

    def encode(self, article: int, citation: Citation) -> bytes:
        """Encode the row as JSON."""
        return to_json_bytes(build_flat_row(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Group the rows of one transaction."""
        for some in split_parcels(parcels, _ROWS_PER_TRANSACTION):
            yield Batch(f"table {self._name}", some, b"\n".join(parcel.body for parcel in some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Write the rows: all of them or none."""
        try:
            if self._table is None:
                self._table = ForeignTable(self._url, self._name, PAYLOAD_COLUMNS)
            self._table.upsert([json.loads(parcel.body) for parcel in batch.parcels])
        except StoreError as error:
            return receipts_for_batch(
                batch, DeliveryState.FAILED, f"{error.message}; {error.hint}", again=error.passing
            )
        return tuple(
            Receipt(article=parcel.article, state=DeliveryState.SENT, remote_id=str(parcel.article))
            for parcel in batch.parcels
        )

    def close(self) -> None:
        """Close the database."""
        if self._table is not None:
            self._table.close()


class ParquetTarget:
    """A Parquet file; the key of a row is its `id`."""

    format = ""
    lists = False

    def __init__(self, name: str, path: Path) -> None:
        self._name = name
        self._path = path

    def encode(self, article: int, citation: Citation) -> bytes:
        """Encode the row as JSON."""
        return to_json_bytes(build_flat_row(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Put all rows into one batch: each batch rewrites the file."""
        if parcels:
            yield Batch(self._path.name, tuple(parcels), b"\n".join(parcel.body for parcel in parcels))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Rewrite the file: the old rows that are not replaced, then the new ones."""
        arrow = _import_pyarrow(self._name)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(self._path) as temporary:
                self._write(arrow, temporary, [json.loads(parcel.body) for parcel in batch.parcels])
        except OSError as error:
            return receipts_for_batch(batch, DeliveryState.FAILED, error.strerror or str(error), again=True)
        except arrow.lib.ArrowException as error:
            return receipts_for_batch(
                batch, DeliveryState.FAILED, f"{self._path.name} is not a Parquet file of medharvest: {error}"[:300]
            )
        return receipts_for_batch(batch, DeliveryState.SENT, self._path.name)

    def close(self) -> None:
        """Do nothing: the file is closed after each batch."""

    def _write(self, arrow: Any, path: Path, rows: Sequence[dict[str, Any]]) -> None:
        from pyarrow import compute, parquet

        schema = arrow.schema([(name, arrow.int64() if name == "id" else arrow.string()) for name in PAYLOAD_COLUMNS])
        new = arrow.array([one["id"] for one in rows], arrow.int64())
        with parquet.ParquetWriter(path, schema) as writer:
            if self._path.is_file():
                with parquet.ParquetFile(self._path) as old:
                    for group in range(old.num_row_groups):
                        kept = old.read_row_group(group, columns=list(PAYLOAD_COLUMNS)).select(PAYLOAD_COLUMNS)
                        kept = kept.filter(compute.invert(compute.is_in(kept["id"], new)))
                        if kept.num_rows:
                            writer.write_table(kept.cast(schema))
            writer.write_table(arrow.Table.from_pylist(list(rows), schema))


def _import_pyarrow(target: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        hint = "pip install 'medharvest[parquet]'"
        raise DeliveryError("Parquet needs the package pyarrow", target=target, hint=hint) from error
    return pa

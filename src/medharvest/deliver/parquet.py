"""A Parquet file with a row a record: written anew beside the old one, then renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from medharvest.deliver.forms import COLUMNS, as_json, row
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, receipts
from medharvest.errors import DeliveryError
from medharvest.records import Citation
from medharvest.whole_file import replace_file


class ParquetTarget:
    """The file; rows are told apart by `id`."""

    format = ""
    lists = False

    def __init__(self, name: str, path: Path) -> None:
        self._name = name
        self._path = path

    def encode(self, article: int, citation: Citation) -> bytes:
        """The row as JSON."""
        return as_json(row(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """All rows together: each batch costs one writing of the file."""
        if parcels:
            yield Batch(self._path.name, tuple(parcels), b"\n".join(parcel.body for parcel in parcels))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Write the file anew: the old rows but for those that have a new one, then the new ones."""
        arrow = _library(self._name)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(self._path) as temporary:
                self._write(arrow, temporary, [json.loads(parcel.body) for parcel in batch.parcels])
        except OSError as error:
            return receipts(batch, State.FAILED, error.strerror or str(error), again=True)
        except arrow.lib.ArrowException as error:
            return receipts(batch, State.FAILED, f"{self._path.name} is no Parquet file of ours: {error}"[:300])
        return receipts(batch, State.SENT, self._path.name)

    def close(self) -> None:
        """Nothing is open between two batches."""

    def _write(self, arrow: Any, path: Path, rows: Sequence[dict[str, Any]]) -> None:
        from pyarrow import compute, parquet

        schema = arrow.schema([(name, arrow.int64() if name == "id" else arrow.string()) for name in COLUMNS])
        new = arrow.array([one["id"] for one in rows], arrow.int64())
        with parquet.ParquetWriter(path, schema) as writer:
            if self._path.is_file():
                with parquet.ParquetFile(self._path) as old:
                    for group in range(old.num_row_groups):
                        kept = old.read_row_group(group, columns=list(COLUMNS)).select(COLUMNS)
                        kept = kept.filter(compute.invert(compute.is_in(kept["id"], new)))
                        if kept.num_rows:
                            writer.write_table(kept.cast(schema))
            writer.write_table(arrow.Table.from_pylist(list(rows), schema))


def _library(target: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        hint = "pip install 'medharvest[parquet]'"
        raise DeliveryError("Parquet needs the package pyarrow", target=target, hint=hint) from error
    return pa

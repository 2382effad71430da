"""What OAI-PMH harvesters may see: a target that sends nothing, for its list in the store is what is served."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medharvest.deliver.forms import as_json, document
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, groups, receipts
from medharvest.records import Citation

_ROWS = 200  # entered at a time


class ListingTarget:
    """The list; a record that changes gets a new datestamp, one that is taken out is shown as deleted."""

    format = ""
    lists = True

    def encode(self, article: int, citation: Citation) -> bytes:
        """The whole record, for a change of any part of it is a change to a harvester."""
        return as_json(document(article, citation))

    def pack(self, parcels: Sequence[Parcel]) -> Iterator[Batch]:
        """Entries of one transaction."""
        for some in groups(parcels, _ROWS):
            yield Batch("OAI-PMH list", some, b"\n".join(parcel.body for parcel in some))

    def send(self, batch: Batch) -> tuple[Receipt, ...]:
        """Enter them."""
        return receipts(batch, State.SENT)

    def close(self) -> None:
        """Nothing is open."""

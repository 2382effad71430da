"""Records to other databases: files, SFTP, SQL, OAI-PMH, Zotero, OpenSearch, webhooks, Parquet."""

from medharvest.deliver.addresses import Address
from medharvest.deliver.kinds import KINDS, addresses, open_target, read_address
from medharvest.deliver.parcels import Batch, Parcel, Receipt, State, Target, digest_of
from medharvest.deliver.sending import Patience, send_all

__all__ = [
    "KINDS",
    "Address",
    "Batch",
    "Parcel",
    "Patience",
    "Receipt",
    "State",
    "Target",
    "addresses",
    "digest_of",
    "open_target",
    "read_address",
    "send_all",
]

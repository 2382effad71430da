"""Delivery of records to other databases: files, SFTP, SQL, OAI-PMH, Zotero, OpenSearch, webhooks, Parquet.

target = open_target(parse_target("library=folder:/srv/records?format=ris"), settings, os.environ)
"""

from medharvest.deliver.parcels import (
    Batch,
    DeliveryState,
    DeliveryTarget,
    Parcel,
    Receipt,
    RetryPolicy,
    payload_digest,
    send_parcels,
)
from medharvest.deliver.target_kinds import (
    TARGET_KINDS,
    TargetAddress,
    configured_targets,
    digest_target_address,
    open_target,
    parse_target,
)

__all__ = [
    "TARGET_KINDS",
    "Batch",
    "DeliveryState",
    "DeliveryTarget",
    "Parcel",
    "Receipt",
    "RetryPolicy",
    "TargetAddress",
    "configured_targets",
    "digest_target_address",
    "open_target",
    "parse_target",
    "payload_digest",
    "send_parcels",
]

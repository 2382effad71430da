"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.articles import Outgoing
from medharvest.store.backups import backup_store
from medharvest.store.deliveries import Delivered, Deliveries, Span
from medharvest.store.foreign import ForeignTable
from medharvest.store.opening import open_existing, open_store, utc_now
from medharvest.store.rows import (
    MARKS,
    Article,
    Change,
    Changed,
    ConceptCount,
    Copied,
    FieldState,
    Found,
    Hit,
    Journal,
    Migrated,
    PageRow,
    RelevantPage,
    Run,
    RunState,
    Saved,
    Search,
    Status,
)
from medharvest.store.store import Store

__all__ = [
    "MARKS",
    "Article",
    "Change",
    "Changed",
    "ConceptCount",
    "Copied",
    "Delivered",
    "Deliveries",
    "FieldState",
    "ForeignTable",
    "Found",
    "Hit",
    "Journal",
    "Migrated",
    "Outgoing",
    "PageRow",
    "RelevantPage",
    "Run",
    "RunState",
    "Saved",
    "Search",
    "Span",
    "Status",
    "Store",
    "backup_store",
    "open_existing",
    "open_store",
    "utc_now",
]

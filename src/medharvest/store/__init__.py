"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.deliveries import Delivered, Deliveries, Span
from medharvest.store.foreign import ForeignTable
from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import Journal, PageRow, Run, RunState, Saved
from medharvest.store.store import Store

__all__ = [
    "Delivered",
    "Deliveries",
    "ForeignTable",
    "Journal",
    "PageRow",
    "Run",
    "RunState",
    "Saved",
    "Span",
    "Store",
    "open_store",
    "utc_now",
]

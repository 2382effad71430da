"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.deliveries import Delivered, Deliveries, Span
from medharvest.store.foreign import ForeignTable
from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import (
    Article,
    Change,
    Changed,
    ConceptCount,
    FieldState,
    Journal,
    PageRow,
    RelevantPage,
    Run,
    RunState,
    Saved,
    Status,
)
from medharvest.store.store import Store

__all__ = [
    "Article",
    "Change",
    "Changed",
    "ConceptCount",
    "Delivered",
    "Deliveries",
    "FieldState",
    "ForeignTable",
    "Journal",
    "PageRow",
    "RelevantPage",
    "Run",
    "RunState",
    "Saved",
    "Span",
    "Status",
    "Store",
    "open_store",
    "utc_now",
]

"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import (
    Article,
    Change,
    Changed,
    FieldState,
    Journal,
    PageRow,
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
    "FieldState",
    "Journal",
    "PageRow",
    "Run",
    "RunState",
    "Saved",
    "Status",
    "Store",
    "open_store",
    "utc_now",
]

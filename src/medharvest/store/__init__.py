"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import (
    MARKS,
    ConceptCount,
    Found,
    Hit,
    Journal,
    PageRow,
    RelevantPage,
    Run,
    RunState,
    Saved,
    Search,
)
from medharvest.store.store import Store

__all__ = [
    "MARKS",
    "ConceptCount",
    "Found",
    "Hit",
    "Journal",
    "PageRow",
    "RelevantPage",
    "Run",
    "RunState",
    "Saved",
    "Search",
    "Store",
    "open_store",
    "utc_now",
]

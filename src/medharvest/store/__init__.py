"""The store: runs, their nodes, pages and citations, journals, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import ConceptCount, Journal, PageRow, RelevantPage, Run, RunState, Saved
from medharvest.store.store import Store

__all__ = [
    "ConceptCount",
    "Journal",
    "PageRow",
    "RelevantPage",
    "Run",
    "RunState",
    "Saved",
    "Store",
    "open_store",
    "utc_now",
]

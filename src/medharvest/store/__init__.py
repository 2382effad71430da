"""The store: runs, their steps, pages and citations, in SQLite or PostgreSQL; the only package with SQL."""

from medharvest.store.opening import open_store, utc_now
from medharvest.store.rows import Run, RunState, Saved, Step
from medharvest.store.store import Store

__all__ = ["Run", "RunState", "Saved", "Step", "Store", "open_store", "utc_now"]

"""The store: runs, pages, records and journals, in SQLite or PostgreSQL. It is the only package with SQL.

`open_store` opens one; `Store` has a repository for each subject, such as `store.runs` and `store.records`.
"""

from medharvest.store.articles import OutgoingArticle
from medharvest.store.database import backup_store, current_store_time, has_store, open_existing, open_store
from medharvest.store.deliveries import Deliveries, DeliveryRow, DeliverySpan
from medharvest.store.rows import (
    HIT_MARKS,
    Article,
    Change,
    ChangedArticle,
    ConceptCount,
    FieldState,
    Hit,
    Journal,
    LoggedSearch,
    MigrationResult,
    PageRow,
    RelevantPage,
    Run,
    RunState,
    SaveCounts,
    SearchResult,
    Status,
    StoreDigest,
)
from medharvest.store.side_databases import ForeignTable
from medharvest.store.store import Store

__all__ = [
    "HIT_MARKS",
    "Article",
    "Change",
    "ChangedArticle",
    "ConceptCount",
    "Deliveries",
    "DeliveryRow",
    "DeliverySpan",
    "FieldState",
    "ForeignTable",
    "Hit",
    "Journal",
    "LoggedSearch",
    "MigrationResult",
    "OutgoingArticle",
    "PageRow",
    "RelevantPage",
    "Run",
    "RunState",
    "SaveCounts",
    "SearchResult",
    "Status",
    "Store",
    "StoreDigest",
    "backup_store",
    "current_store_time",
    "has_store",
    "open_existing",
    "open_store",
]

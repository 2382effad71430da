"""Let documents be indexed in bulk: no trigger adds them one by one."""

from __future__ import annotations

from alembic import op

from medharvest.store.fts5 import MERGING

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the trigger; only SQLite had it."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("DROP TRIGGER IF EXISTS document_came")
        for statement in MERGING:
            connection.exec_driver_sql(statement)

"""Let documents be indexed in bulk: no trigger adds them one by one."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the trigger; only SQLite had it."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("DROP TRIGGER IF EXISTS document_came")
        for option, value in (("automerge", 8), ("hashsize", 16777216)):
            connection.exec_driver_sql("INSERT INTO search (search, rank) VALUES (?, ?)", (option, value))

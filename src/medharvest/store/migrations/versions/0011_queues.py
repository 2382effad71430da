"""Let the review app count and order the records of issues, and list issues by date, by indexes alone."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the indexes; no date is so long, but PostgreSQL would refuse to index one that was."""
    op.drop_index("ix_article_issue", "article")
    op.create_index("ix_article_issue", "article", ["issue_id", "status", "id"])
    op.execute("UPDATE issue SET date = substr(date, 1, 40) WHERE length(date) > 40")
    op.create_index("ix_issue_date", "issue", ["date", "id"])

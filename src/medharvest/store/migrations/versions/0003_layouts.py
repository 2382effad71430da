"""Add what pages taught of the layouts of their journals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "layout",
        sa.Column("journal", sa.Integer, nullable=False),
        sa.Column("page", sa.Text, nullable=False, comment="digest of the page that taught it"),
        sa.Column("lesson", sa.Text, nullable=False, comment="where its values stand and how it reads best, as JSON"),
        sa.Column("taught", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("journal", "page", name="pk_layout"),
        sa.ForeignKeyConstraint(["journal"], ["journal.id"], name="fk_layout_journal"),
        sa.CheckConstraint("length(taught) = 20", name="ck_layout_times"),
        comment="what pages taught of the layout of their journal",
    )

"""Add what was sent to other databases."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "delivery",
        sa.Column("target", sa.Text, nullable=False, comment="name of the target, as the user calls it"),
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("digest", sa.Text, nullable=False, comment="sha256 of the record in the form the target takes"),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column(
            "remote_id",
            sa.Text,
            nullable=False,
            comment="what the target calls it, such as a PMID; empty where nothing",
        ),
        sa.Column(
            "n", sa.Integer, nullable=False, comment="counts the changes of all rows, in the order they were made"
        ),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False, comment="what the target said"),
        sa.PrimaryKeyConstraint("target", "article", name="pk_delivery"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_delivery_article"),
        sa.CheckConstraint("state IN ('sent', 'refused', 'failed', 'deleted')", name="ck_delivery_state"),
        sa.CheckConstraint("length(target) > 0", name="ck_delivery_target"),
        sa.CheckConstraint("length(digest) = 64", name="ck_delivery_digest"),
        sa.CheckConstraint("length(at) = 20", name="ck_delivery_times"),
        comment="what was last sent of each article to each target",
    )
    op.create_index("ix_delivery_n", "delivery", ["n"], unique=True)
    op.create_index("ix_delivery_article", "delivery", ["article"])

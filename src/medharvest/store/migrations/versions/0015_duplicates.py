"""Note pairs of records that may be one article, and what people said of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; earlier stores have no pairs until somebody looks for them."""
    op.create_table(
        "duplicate",
        sa.Column("one", sa.Integer, nullable=False, autoincrement=False, comment="the smaller number of the two"),
        sa.Column("two", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False, comment="open, different, or merged into `kept`"),
        sa.Column("score", sa.Float, nullable=False, comment="probability that both are one article"),
        sa.Column("method", sa.Text, nullable=False, comment="rule that found the pair"),
        sa.Column("kept", sa.Integer, comment="article that a merge kept; null where there was none"),
        sa.Column("act", sa.Integer, comment="batch of the merge; null where there was none"),
        sa.Column("who", sa.Text, nullable=False, comment="who decided; empty while nobody has"),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("one", "two", name="pk_duplicate"),
        sa.ForeignKeyConstraint(["one"], ["article.id"], name="fk_duplicate_one"),
        sa.ForeignKeyConstraint(["two"], ["article.id"], name="fk_duplicate_two"),
        sa.CheckConstraint("one < two", name="ck_duplicate_order"),
        sa.CheckConstraint("state IN ('open', 'different', 'merged')", name="ck_duplicate_state"),
        sa.CheckConstraint("kept = one OR kept = two", name="ck_duplicate_kept"),
        sa.CheckConstraint("state <> 'merged' OR (kept IS NOT NULL AND act IS NOT NULL)", name="ck_duplicate_merged"),
        sa.CheckConstraint("length(at) = 20", name="ck_duplicate_times"),
        comment="pairs of records that may be one article",
    )
    op.create_index("ix_duplicate_two", "duplicate", ["two"])
    op.create_index("ix_duplicate_state", "duplicate", ["state", "one", "two"])
    op.create_index("ix_duplicate_act", "duplicate", ["act"])

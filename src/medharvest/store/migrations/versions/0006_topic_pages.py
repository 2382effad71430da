"""Add the relevant pages of topical crawls, and which topics each belongs to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "topic_page",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("url", sa.Text, nullable=False, comment="address it was asked for"),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False, comment="its words, those of links too"),
        sa.Column("topic", sa.Text, nullable=False, comment="of the crawl that saw it last"),
        sa.Column("value", sa.Double, nullable=False, comment="how relevant it is by itself, as its crawl measures"),
        sa.Column("concepts", sa.Text, nullable=False, comment="JSON list of id, name, count; the weightiest first"),
        sa.Column("run", sa.Integer, nullable=False, comment="the crawl that saw it last"),
        sa.Column("seen_at", sa.Text, nullable=False, comment="when it was there last"),
        sa.Column("gone_at", sa.Text, comment="when it was found to have vanished; null while it is there"),
        sa.PrimaryKeyConstraint("id", name="pk_topic_page"),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_topic_page_run"),
        sa.CheckConstraint("length(url) > 0", name="ck_topic_page_url"),
        sa.CheckConstraint("length(seen_at) = 20 AND length(gone_at) = 20", name="ck_topic_page_times"),
        comment="relevant pages of topical crawls",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_topic_page_url", "topic_page", ["url"], unique=True)
    op.create_table(
        "page_topic",
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sa.Column("concepts", sa.Text, nullable=False, comment="as of the page, for this topic"),
        sa.Column("run", sa.Integer, nullable=False, comment="the last crawl for this topic that saw it"),
        sa.PrimaryKeyConstraint("page", "topic", name="pk_page_topic"),
        sa.ForeignKeyConstraint(["page"], ["topic_page.id"], name="fk_page_topic_topic_page"),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_page_topic_run"),
        comment="every topic a page is relevant to",
    )
    op.create_index("ix_page_topic_topic", "page_topic", ["topic"])

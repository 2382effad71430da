"""Add the journals and the links that were taught of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.Text, nullable=False, comment="short name the user chose"),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("issn", sa.Text, nullable=False, comment="all of them, blank between"),
        sa.Column("hosts", sa.Text, nullable=False, comment="where its issues are, without `www.`, blank between"),
        sa.Column("policy", sa.Text, nullable=False, comment="rules of its own, as JSON; empty where it has none"),
        sa.Column("created", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_journal"),
        sa.CheckConstraint("length(name) > 0", name="ck_journal_name"),
        sa.CheckConstraint("length(created) = 20", name="ck_journal_times"),
        comment="journals that were taught",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_journal_name", "journal", ["name"], unique=True)
    op.create_table(
        "link_example",
        sa.Column("journal", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="in the order they were taught, from 1"),
        sa.Column("page", sa.Text, nullable=False, comment="address of the page the link stands on, or its digest"),
        sa.Column("digest", sa.Text, nullable=False, comment="of the page; empty where it is not known"),
        sa.Column("example", sa.Text, nullable=False, comment="the link as it was taught, as JSON"),
        sa.Column("taught", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("journal", "n", name="pk_link_example"),
        sa.ForeignKeyConstraint(["journal"], ["journal.id"], name="fk_link_example_journal"),
        sa.CheckConstraint("n > 0", name="ck_link_example_n"),
        sa.CheckConstraint("length(taught) = 20", name="ck_link_example_times"),
        comment="links of a journal that somebody judged",
    )

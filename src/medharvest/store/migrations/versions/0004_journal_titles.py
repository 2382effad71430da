"""Add the titles and abbreviations of journals, and the keys they are found by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "journal_title",
        sa.Column("source", sa.Text, nullable=False, comment="list it was taken from; `user` for what the user set"),
        sa.Column("n", sa.Integer, nullable=False, comment="in the order of the list, from 1"),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("abbreviation", sa.Text, nullable=False, comment="of NLM"),
        sa.Column("iso", sa.Text, nullable=False, comment="abbreviation of ISO 4"),
        sa.Column("issn", sa.Text, nullable=False, comment="all of them with their hyphens, blank between"),
        sa.Column("nlm_id", sa.Text, nullable=False),
        sa.Column("publisher", sa.Text, nullable=False),
        sa.Column("written", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("source", "n", name="pk_journal_title"),
        sa.CheckConstraint("n > 0", name="ck_journal_title_n"),
        sa.CheckConstraint("length(source) > 0", name="ck_journal_title_source"),
        sa.CheckConstraint("length(written) = 20", name="ck_journal_title_times"),
        comment="what libraries and the user know of journals",
    )
    op.create_table(
        "journal_key",
        sa.Column("key", sa.Text, nullable=False, comment="ISSN, or letters and digits of a name, folded"),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("key", "source", "n", name="pk_journal_key"),
        sa.ForeignKeyConstraint(
            ["source", "n"], ["journal_title.source", "journal_title.n"], name="fk_journal_key_journal_title"
        ),
        comment="what each of them may be looked up by",
    )
    op.create_index("ix_journal_key_title", "journal_key", ["source", "n"])

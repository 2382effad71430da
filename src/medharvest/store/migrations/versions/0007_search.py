"""Add what search finds, its index, and the log of searches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from medharvest.store.documents import INDEXES

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables and the index; what is stored already is indexed when the last step is done."""
    untagged = sa.text("vocabulary = ''")
    op.create_table(
        "document",
        sa.Column("id", sa.Integer),
        sa.Column("kind", sa.Text, nullable=False, comment="citation or page"),
        sa.Column("ref", sa.Integer, nullable=False, comment="the article, or the page of a topic, it stands for"),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("year", sa.Text, nullable=False, comment="four digits or nothing"),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False, comment="abstract of a citation, text of a page"),
        sa.Column("subjects", sa.Text, nullable=False, comment="keywords and headings"),
        sa.Column("authors", sa.Text, nullable=False, comment="each name in several forms"),
        sa.Column("journal", sa.Text, nullable=False),
        sa.Column("place", sa.Text, nullable=False, comment="address and affiliations"),
        sa.Column("concepts", sa.Text, nullable=False, comment="concepts found in it, as words of the index"),
        sa.Column("marks", sa.Text, nullable=False, comment="what is compared as a whole, as words of the index"),
        sa.Column(
            "vocabulary",
            sa.Text,
            nullable=False,
            comment="which one its concepts are of; empty before they are looked for",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_document"),
        sa.CheckConstraint("kind IN ('citation', 'page')", name="ck_document_kind"),
        sa.CheckConstraint("length(year) IN (0, 4)", name="ck_document_year"),
        comment="what search finds: derived from articles and pages, and made anew from them at any time",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_ref", "document", ["kind", "ref"], unique=True)
    op.create_index("ix_document_untagged", "document", ["id"], sqlite_where=untagged, postgresql_where=untagged)
    op.create_table(
        "page_waiting",
        sa.Column("page", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("page", name="pk_page_waiting"),
        sa.ForeignKeyConstraint(["page"], ["topic_page.id"], name="fk_page_waiting_topic_page"),
        comment="pages that came, changed or vanished since they were indexed; triggers note them",
    )
    op.create_table(
        "search_log",
        sa.Column("id", sa.Integer),
        sa.Column("query", sa.Text, nullable=False, comment="as it was typed"),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("hits", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_search_log"),
        sa.CheckConstraint("length(at) = 20", name="ck_search_log_times"),
        sa.CheckConstraint("hits >= 0", name="ck_search_log_hits"),
        comment="what users searched for",
        sqlite_autoincrement=True,
    )
    connection = op.get_bind()
    for statement in INDEXES[connection.dialect.name].DDL:
        connection.exec_driver_sql(statement)

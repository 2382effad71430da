"""Add what search finds, its index, and the log of searches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_COLUMNS = "title, text, subjects, authors, journal, place, concepts, marks"
_DIFFERS = "old.title <> new.title OR old.text <> new.text OR (old.gone_at IS NULL) <> (new.gone_at IS NULL)"
_OLD = "old.id, old.title, old.text, old.subjects, old.authors, old.journal, old.place, old.concepts, old.marks"
_NEW = "new.id, new.title, new.text, new.subjects, new.authors, new.journal, new.place, new.concepts, new.marks"
_GONE = f"INSERT INTO search (search, rowid, {_COLUMNS}) VALUES ('delete', {_OLD});"  # noqa: S608  (names of our own)
_CAME = f"INSERT INTO search (rowid, {_COLUMNS}) VALUES ({_NEW});"  # noqa: S608
_WAITS = "INSERT INTO page_waiting SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM page_waiting WHERE page = new.id);"
_KINDS = "asciiword, word, numword, asciihword, hword, numhword, hword_asciipart, hword_part, hword_numpart, int, uint"
# The index and what keeps it in step, by dialect. SQLite adds documents in bulk; step 0010 says how it merges them.
_INDEXES = {
    "sqlite": (
        f"""CREATE VIRTUAL TABLE search USING fts5({_COLUMNS}, content='document', content_rowid='id',
            tokenize='porter unicode61 remove_diacritics 2')""",
        f"CREATE TRIGGER document_gone AFTER DELETE ON document BEGIN {_GONE} END",
        f"CREATE TRIGGER document_changed AFTER UPDATE ON document BEGIN {_GONE} {_CAME} END",
        f"CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page BEGIN {_WAITS} END",
        f"CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page WHEN {_DIFFERS} BEGIN {_WAITS} END",
    ),
    "postgresql": (
        "CREATE TEXT SEARCH DICTIONARY medharvest_stem (TEMPLATE = snowball, LANGUAGE = porter)",
        "CREATE TEXT SEARCH CONFIGURATION medharvest (PARSER = default)",
        f"""ALTER TEXT SEARCH CONFIGURATION medharvest
            ADD MAPPING FOR {_KINDS}, float, sfloat, version WITH medharvest_stem""",
        """CREATE TABLE search (id integer PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
            words tsvector NOT NULL, names tsvector NOT NULL)""",
        "CREATE INDEX ix_search_words ON search USING gin (words)",
        "CREATE INDEX ix_search_names ON search USING gin (names)",
        """CREATE FUNCTION page_waits() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO page_waiting VALUES (NEW.id) ON CONFLICT DO NOTHING; RETURN NULL; END $$""",
        "CREATE TRIGGER topic_page_came AFTER INSERT ON topic_page FOR EACH ROW EXECUTE FUNCTION page_waits()",
        f"""CREATE TRIGGER topic_page_changed AFTER UPDATE ON topic_page FOR EACH ROW WHEN ({_DIFFERS})
            EXECUTE FUNCTION page_waits()""",
    ),
}


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
    for statement in _INDEXES[connection.dialect.name]:
        connection.exec_driver_sql(statement)

"""Create the tables, and the triggers that keep the change table append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KINDS = "abstract fulltext pdf image supplement issue login blocked missing other"
_PLACES = "open flight closed revisited"
_REASONS = (
    "malformed_url no_protocol no_route not_found unknown_host refused forbidden rate_limited "
    "client_error server_error timeout broken_transfer too_large too_many_redirects private_address "
    "robots budget trap login_wall blocked soft_404 unreadable"
)


def upgrade() -> None:
    """Create everything."""
    _create_run()
    _create_node()
    _create_page()
    _create_article()
    _create_article_run()
    _create_change()
    for statement in _GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def _create_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer),
        sa.Column("url", sa.Text, nullable=False, comment="issue page the run began with"),
        sa.Column("folder", sa.Text, nullable=False, comment="where its files are"),
        sa.Column("state", sa.Text, nullable=False, comment="running, also after a kill; finished; stopped"),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text, comment="null while running"),
        sa.Column("options", sa.Text, nullable=False, comment="how to go on with it, as JSON"),
        sa.Column(
            "archive_length", sa.BigInteger, nullable=False, comment="bytes of its archive that belong to its pages"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.CheckConstraint("state IN ('running', 'finished', 'stopped')", name="ck_run_state"),
        sa.CheckConstraint("length(started) = 20 AND length(ended) = 20", name="ck_run_times"),
        sa.CheckConstraint("(state = 'running') = (ended IS NULL)", name="ck_run_ended"),
        sa.CheckConstraint("archive_length >= 0", name="ck_run_archive_length"),
        comment="one harvest",
        sqlite_autoincrement=True,
    )


def _create_node() -> None:
    op.create_table(
        "node",
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="in the order they were found, from 1"),
        sa.Column("url", sa.Text, nullable=False, comment="address to ask for"),
        sa.Column("kind", sa.Text, nullable=False, comment="kind its link promised"),
        sa.Column("parent", sa.Text, nullable=False, comment="address of the page that links to it"),
        sa.Column("depth", sa.Integer, nullable=False, comment="links between the first page and it"),
        sa.Column("article_key", sa.Text, nullable=False, comment="which article of the contents page it belongs to"),
        sa.Column("place", sa.Text, nullable=False, comment="the list it stands on"),
        sa.Column("position", sa.BigInteger, nullable=False, comment="its order on that list, smallest first"),
        sa.Column("flag", sa.Integer, nullable=False, comment="1 on revisited: one more try is due"),
        sa.Column("tries", sa.Integer, nullable=False, comment="how often it was handed out"),
        sa.Column("reason", sa.Text, comment="why nothing came the last time; null when nothing went wrong"),
        sa.Column("detail", sa.Text, nullable=False, comment="more about the reason"),
        sa.PrimaryKeyConstraint("run", "n", name="pk_node"),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_node_run"),
        sa.CheckConstraint("n > 0", name="ck_node_n"),
        sa.CheckConstraint(_one_of("kind", _KINDS), name="ck_node_kind"),
        sa.CheckConstraint(_one_of("place", _PLACES), name="ck_node_place"),
        sa.CheckConstraint("flag IN (0, 1)", name="ck_node_flag"),
        sa.CheckConstraint("depth >= 0 AND tries >= 0", name="ck_node_counts"),
        sa.CheckConstraint(_one_of("reason", _REASONS), name="ck_node_reason"),
        comment="pages of a plan and the lists they stand on: enough to restore it",
        sqlite_with_rowid=False,
    )
    missed = sa.text("place = 'revisited'")
    op.create_index("ix_node_revisited", "node", ["run"], sqlite_where=missed, postgresql_where=missed)


def _create_page() -> None:
    op.create_table(
        "page",
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="the node it arrived for"),
        sa.Column(
            "address", sa.BigInteger, nullable=False, comment="64 bits of the digest of the node's address, to look up"
        ),
        sa.Column("final_url", sa.Text, nullable=False, comment="address after redirects"),
        sa.Column("kind", sa.Text, nullable=False, comment="kind found"),
        sa.Column("status", sa.Integer, nullable=False, comment="of HTTP; 0 when there was none"),
        sa.Column("digest", sa.Text, nullable=False, comment="of the body"),
        sa.Column("size", sa.BigInteger, nullable=False, comment="bytes of the body"),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("arrived_at", sa.Text, nullable=False),
        sa.Column("etag", sa.Text, nullable=False, comment="as the server sent it"),
        sa.Column("last_modified", sa.Text, nullable=False, comment="as the server sent it"),
        sa.PrimaryKeyConstraint("run", "n", name="pk_page"),
        sa.ForeignKeyConstraint(["run", "n"], ["node.run", "node.n"], name="fk_page_node"),
        sa.CheckConstraint(_one_of("kind", _KINDS), name="ck_page_kind"),
        sa.CheckConstraint("size >= 0", name="ck_page_size"),
        comment="pages that arrived",
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_address", "page", ["address"])


def _create_article() -> None:
    op.create_table(
        "article",
        sa.Column("id", sa.Integer),
        sa.Column("doi", sa.Text, nullable=False, comment="lower case, without resolver"),
        sa.Column("pmid", sa.Text, nullable=False),
        sa.Column("pii", sa.Text, nullable=False),
        sa.Column("issn", sa.Text, nullable=False, comment="all of them, blank between"),
        sa.Column("volume", sa.Text, nullable=False),
        sa.Column("issue", sa.Text, nullable=False),
        sa.Column("first_page", sa.Text, nullable=False),
        sa.Column("title_start", sa.Text, nullable=False, comment="first 40 characters of title_key"),
        sa.Column("title_key", sa.Text, nullable=False, comment="letters and digits of the title, folded"),
        sa.Column("journal", sa.Text, nullable=False, comment="letters and digits of its name, folded"),
        sa.Column("url", sa.Text, nullable=False, comment="page it was read from"),
        sa.Column("year", sa.Text, nullable=False, comment="four digits or nothing"),
        sa.Column("citation", sa.Text, nullable=False, comment="the whole record as JSON"),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("updated", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_article"),
        sa.CheckConstraint("title_start = substr(title_key, 1, 40)", name="ck_article_title_start"),
        sa.CheckConstraint("length(year) IN (0, 4)", name="ck_article_year"),
        sa.CheckConstraint("length(created) = 20 AND length(updated) = 20", name="ck_article_times"),
        comment="one row an article: its latest citation, and every key ever seen for it",
        sqlite_autoincrement=True,
    )
    for column in ("doi", "pmid", "pii", "title_start"):
        op.create_index(f"ix_article_{column}", "article", [column])


def _create_article_run() -> None:
    op.create_table(
        "article_run",
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("article", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("run", "article", name="pk_article_run"),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_article_run_run"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_article_run_article"),
        comment="which run saw which article",
    )
    op.create_index("ix_article_run_article", "article_run", ["article"])


def _create_change() -> None:
    op.create_table(
        "change",
        sa.Column("id", sa.Integer),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("before", sa.Text, comment="citation as JSON; null when it is new"),
        sa.Column("after", sa.Text, nullable=False, comment="citation as JSON"),
        sa.PrimaryKeyConstraint("id", name="pk_change"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_change_article"),
        sa.CheckConstraint("length(at) = 20", name="ck_change_times"),
        sa.CheckConstraint("length(who) > 0", name="ck_change_who"),
        comment="every change of an article; triggers refuse to alter or remove a row",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_change_article", "change", ["article"])


def _one_of(column: str, words: str) -> str:
    return " OR ".join(f"{column} = '{word}'" for word in words.split())


_REFUSE = "BEGIN SELECT RAISE(ABORT, 'change is append-only'); END"
_GUARDS = {
    "sqlite": (
        f"CREATE TRIGGER change_no_update BEFORE UPDATE ON change {_REFUSE}",
        f"CREATE TRIGGER change_no_delete BEFORE DELETE ON change {_REFUSE}",
        # INSERT OR REPLACE removes a row without asking the delete trigger.
        """CREATE TRIGGER change_no_replace BEFORE INSERT ON change
            WHEN EXISTS (SELECT 1 FROM change WHERE id = NEW.id)
            BEGIN SELECT RAISE(ABORT, 'change is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION change_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'change is append-only'; END $$""",
        """CREATE TRIGGER change_no_update BEFORE UPDATE OR DELETE OR TRUNCATE ON change
            FOR EACH STATEMENT EXECUTE FUNCTION change_is_append_only()""",
    ),
}

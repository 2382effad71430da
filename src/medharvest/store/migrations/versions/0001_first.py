"""Create the tables, and the triggers that keep the change table append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create everything."""
    _create_run()
    _create_step()
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
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.CheckConstraint("state IN ('running', 'finished', 'stopped')", name="ck_run_state"),
        sa.CheckConstraint("length(started) = 20 AND length(ended) = 20", name="ck_run_times"),
        sa.CheckConstraint("(state = 'running') = (ended IS NULL)", name="ck_run_ended"),
        comment="one harvest",
        sqlite_autoincrement=True,
    )


def _create_step() -> None:
    op.create_table(
        "step",
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="place in the run, from 1"),
        sa.Column("way", sa.Text, nullable=False, comment="handed out by the plan, or fed back to it"),
        sa.Column("url", sa.Text, nullable=False, comment="address of the wish"),
        sa.Column("reason", sa.Text, comment="why nothing came; null when it came or is only wished"),
        sa.Column("body", sa.Text, nullable=False, comment="the wish or the outcome as JSON"),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run", "n", name="pk_step"),
        sa.ForeignKeyConstraint(["run"], ["run.id"], name="fk_step_run"),
        sa.CheckConstraint("n > 0", name="ck_step_n"),
        sa.CheckConstraint("way IN ('handed', 'fed')", name="ck_step_way"),
        sa.CheckConstraint("way = 'fed' OR reason IS NULL", name="ck_step_reason"),
        sa.CheckConstraint("length(at) = 20", name="ck_step_times"),
        comment="what a plan handed out and was fed, in order: enough to restore it",
    )


def _create_page() -> None:
    op.create_table(
        "page",
        sa.Column("run", sa.Integer, nullable=False),
        sa.Column("n", sa.Integer, nullable=False, comment="the step that fed it"),
        sa.Column("url", sa.Text, nullable=False, comment="address asked for"),
        sa.Column("final_url", sa.Text, nullable=False, comment="address after redirects"),
        sa.Column("kind", sa.Text, nullable=False, comment="kind found"),
        sa.Column("digest", sa.Text, nullable=False, comment="of the body"),
        sa.Column("size", sa.BigInteger, nullable=False, comment="bytes of the body"),
        sa.PrimaryKeyConstraint("run", "n", name="pk_page"),
        sa.ForeignKeyConstraint(["run", "n"], ["step.run", "step.n"], name="fk_page_step"),
        sa.CheckConstraint("size >= 0", name="ck_page_size"),
        comment="pages that arrived",
    )


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

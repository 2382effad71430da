"""Add issues, zones, values with their evidence, the status of articles, and changes field by field."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_STATES = "proposed accepted corrected auto-accepted"
_STATUSES = "proposed accepted auto-accepted deleted"
_COPIED = (
    "id, doi, pmid, pii, issn, volume, issue, first_page, title_start, title_key, journal, url, year, citation, "
    "created, updated"
)
_CHANGES = "(SELECT count(*) FROM change WHERE change.article = article.id)"
_LAST = "(SELECT max(change.id) FROM change WHERE change.article = article.id)"


def upgrade() -> None:
    """Create the tables, then widen the two that stand."""
    _create_issue()
    _create_value()
    _create_zone()
    if op.get_bind().dialect.name == "sqlite":
        _rebuild()
    else:
        _alter()
    for column, longest in _LONGEST.items():
        op.execute(f"UPDATE article SET {column} = '' WHERE length({column}) > {longest}")  # noqa: S608
    for statement in _ISSUES:
        op.execute(statement)
    for name, columns in _INDEXES.items():
        op.create_index(name, "change" if name == "ix_change_batch" else "article", columns)


def _create_issue() -> None:
    op.create_table(
        "issue",
        sa.Column("id", sa.Integer),
        sa.Column(
            "journal",
            sa.Text,
            nullable=False,
            comment="letters and digits of its name, folded; its ISSN without one",
        ),
        sa.Column("volume", sa.Text, nullable=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False, comment="name of the journal as its first article has it"),
        sa.Column("date", sa.Text, nullable=False, comment="of its first article, as precise as known"),
        sa.PrimaryKeyConstraint("id", name="pk_issue"),
        sa.CheckConstraint("length(journal) > 0", name="ck_issue_journal"),
        sa.CheckConstraint("length(volume) + length(number) > 0", name="ck_issue_number"),
        comment="issues of journals that articles stand in",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_issue_number", "issue", ["journal", "volume", "number"], unique=True)


def _create_value() -> None:
    op.create_table(
        "value",
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("field", sa.Text, nullable=False, comment="of the record, such as `title`"),
        sa.Column("ord", sa.Integer, nullable=False, comment="0 the value in force, then those that lost"),
        sa.Column("text", sa.Text, comment="of one that lost; null for the value in force, which the citation has"),
        sa.Column("page", sa.Text, nullable=False, comment="digest of the page it was read from"),
        sa.Column("path", sa.Text, nullable=False, comment="the zone or embedded value it stands in"),
        sa.Column("source", sa.Text, nullable=False, comment="zone, meta, import, operator, ..."),
        sa.Column("method", sa.Text, nullable=False, comment="how it was found; for an operator who it was"),
        sa.Column("score", sa.Float, comment="how probable it is; null where nothing says"),
        sa.Column("state", sa.Text, nullable=False, comment="proposed until somebody looked"),
        sa.PrimaryKeyConstraint("article", "field", "ord", name="pk_value"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_value_article"),
        sa.CheckConstraint("ord >= 0", name="ck_value_ord"),
        sa.CheckConstraint(_one_of("state", _STATES), name="ck_value_state"),
        comment="values of fields with their evidence: what the record holds, and what lost",
        sqlite_with_rowid=False,
    )


def _create_zone() -> None:
    op.create_table(
        "zone",
        sa.Column("page", sa.Text, nullable=False, comment="digest of the page"),
        sa.Column("path", sa.Text, nullable=False, comment="its place in the tree, or page and box of a PDF"),
        sa.Column("label", sa.Text, nullable=False, comment="field it holds, or `other`"),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("who", sa.Text, nullable=False, comment="method that labelled it, or the operator"),
        sa.Column("at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("page", "path", name="pk_zone"),
        sa.CheckConstraint("length(who) > 0", name="ck_zone_who"),
        sa.CheckConstraint("length(at) = 20", name="ck_zone_times"),
        comment="zones of pages and what they hold",
        sqlite_with_rowid=False,
    )


def _rebuild() -> None:
    """SQLite adds no column with a check: both tables are made anew, filled from the old ones and renamed."""
    for name in ("doi", "pmid", "pii", "title_start"):
        op.drop_index(f"ix_article_{name}", "article")
    op.drop_index("ix_change_article", "change")
    _create_article("new_article")
    op.execute(
        f"INSERT INTO new_article ({_COPIED}, status, version, changed) "  # noqa: S608  (names of our own)
        f"SELECT {_COPIED}, 'proposed', max(1, {_CHANGES}), coalesce({_LAST}, 0) FROM article"
    )
    _create_change("new_change")
    op.execute(
        "INSERT INTO new_change (id, at, who, article, field, before, after, reason, batch) "
        "SELECT id, at, who, article, '', before, after, '', id FROM change"
    )
    for name in ("article", "change"):
        op.drop_table(name)
        op.rename_table(f"new_{name}", name)
    for column in ("doi", "pmid", "pii"):
        op.create_index(f"ix_article_{column}", "article", [column])
    op.create_index("ix_change_article", "change", ["article"])
    for statement in _GUARDS:
        op.execute(statement)


def _create_article(name: str) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer),
        sa.Column("doi", sa.Text, nullable=False),
        sa.Column("pmid", sa.Text, nullable=False),
        sa.Column("pii", sa.Text, nullable=False),
        sa.Column("issn", sa.Text, nullable=False),
        sa.Column("volume", sa.Text, nullable=False),
        sa.Column("issue", sa.Text, nullable=False),
        sa.Column("first_page", sa.Text, nullable=False),
        sa.Column("title_start", sa.Text, nullable=False),
        sa.Column("title_key", sa.Text, nullable=False),
        sa.Column("journal", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("year", sa.Text, nullable=False),
        sa.Column("citation", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("updated", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("changed", sa.Integer, nullable=False),
        sa.Column("issue_id", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_article"),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_article_issue"),
        sa.CheckConstraint("title_start = substr(title_key, 1, 40)", name="ck_article_title_start"),
        sa.CheckConstraint("length(year) IN (0, 4)", name="ck_article_year"),
        sa.CheckConstraint("length(created) = 20 AND length(updated) = 20", name="ck_article_times"),
        sa.CheckConstraint(_one_of("status", _STATUSES), name="ck_article_status"),
        sa.CheckConstraint("version > 0", name="ck_article_version"),
        sqlite_autoincrement=True,
    )


def _create_change(name: str) -> None:
    op.create_table(
        name,
        sa.Column("id", sa.Integer),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("batch", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_change"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_change_article"),
        sa.CheckConstraint("length(at) = 20", name="ck_change_times"),
        sa.CheckConstraint("length(who) > 0", name="ck_change_who"),
        sa.CheckConstraint("batch > 0", name="ck_change_batch"),
        sqlite_autoincrement=True,
    )


def _alter() -> None:
    op.drop_index("ix_article_title_start", "article")
    for statement in _WIDEN:
        op.execute(statement)
    for (table, column), comment in _COMMENTS.items():
        op.alter_column(table, column, comment=comment, existing_type=sa.Text)


def _one_of(column: str, words: str) -> str:
    return " OR ".join(f"{column} = '{word}'" for word in words.split())


_INDEXES = {
    "ix_article_title": ["title_start", "journal"],
    "ix_article_place": ["title_start", "volume", "first_page"],
    "ix_article_changed": ["changed"],
    "ix_article_issue": ["issue_id"],
    "ix_change_batch": ["batch"],
}
# PostgreSQL refuses long entries of an index.
_LONGEST = {"journal": 300, "volume": 100, "issue": 100, "first_page": 100}
# The name of a journal stands in the JSON of a citation alone; here its folded form has to do.
_ISSUES = (
    """INSERT INTO issue (journal, volume, number, title, date)
        SELECT name, volume, issue, name, min(year) FROM
            (SELECT CASE journal WHEN '' THEN issn ELSE journal END AS name, volume, issue, year FROM article) AS known
        WHERE name <> '' AND volume || issue <> '' GROUP BY name, volume, issue ORDER BY 1, 2, 3""",
    """UPDATE article SET issue_id = (SELECT issue.id FROM issue
        WHERE issue.journal = CASE article.journal WHEN '' THEN article.issn ELSE article.journal END
            AND issue.volume = article.volume AND issue.number = article.issue)""",
)
_WIDEN = (
    "ALTER TABLE article ADD status TEXT NOT NULL DEFAULT 'proposed'",
    "ALTER TABLE article ADD version INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE article ADD changed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE article ADD issue_id INTEGER CONSTRAINT fk_article_issue REFERENCES issue (id)",
    f"UPDATE article SET version = greatest(1, {_CHANGES}), changed = coalesce({_LAST}, 0)",  # noqa: S608
    "ALTER TABLE article ALTER status DROP DEFAULT, ALTER version DROP DEFAULT, ALTER changed DROP DEFAULT",
    f"ALTER TABLE article ADD CONSTRAINT ck_article_status CHECK ({_one_of('status', _STATUSES)})",
    "ALTER TABLE article ADD CONSTRAINT ck_article_version CHECK (version > 0)",
    "ALTER TABLE change DISABLE TRIGGER USER",
    "ALTER TABLE change ADD field TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE change ADD reason TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE change ADD batch INTEGER NOT NULL DEFAULT 0",
    "UPDATE change SET batch = id",
    "ALTER TABLE change ALTER field DROP DEFAULT, ALTER reason DROP DEFAULT, ALTER batch DROP DEFAULT",
    "ALTER TABLE change ADD CONSTRAINT ck_change_batch CHECK (batch > 0)",
    "ALTER TABLE change ENABLE TRIGGER USER",
)
_COMMENTS = {
    ("article", "status"): "how far a person has looked at the record",
    ("article", "version"): "counts the acts that changed it, from 1",
    ("article", "changed"): "batch of its last change",
    ("article", "issue_id"): "null where no issue is known",
    ("change", "field"): "of the record; FIELD.evidence, FIELD.state; status; empty: all",
    ("change", "before"): "as JSON; null when the article is new",
    ("change", "after"): "as JSON",
    ("change", "reason"): "why, where somebody said so",
    ("change", "batch"): "shared by all changes of one act; undone together",
}
_REFUSE = "BEGIN SELECT RAISE(ABORT, 'change is append-only'); END"
_GUARDS = (
    f"CREATE TRIGGER change_no_update BEFORE UPDATE ON change {_REFUSE}",
    f"CREATE TRIGGER change_no_delete BEFORE DELETE ON change {_REFUSE}",
    """CREATE TRIGGER change_no_replace BEFORE INSERT ON change
            WHEN EXISTS (SELECT 1 FROM change WHERE id = NEW.id)
            BEGIN SELECT RAISE(ABORT, 'change is append-only'); END""",
)

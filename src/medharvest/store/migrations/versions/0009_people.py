"""Add the people of the review app: accounts, sessions, leases, notes, preferences, records keyed twice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "person",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column(
            "secret", sa.Text, nullable=False, comment="hash of the password; empty where nobody can log in with one"
        ),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("disabled", sa.Integer, nullable=False, comment="1 where the person may no longer log in"),
        sa.PrimaryKeyConstraint("name", name="pk_person"),
        sa.CheckConstraint("role IN ('reader', 'operator', 'reviewer', 'admin')", name="ck_person_role"),
        sa.CheckConstraint("length(name) > 0", name="ck_person_name"),
        sa.CheckConstraint("disabled IN (0, 1)", name="ck_person_disabled"),
        sa.CheckConstraint("length(created) = 20", name="ck_person_times"),
        comment="who may use the review app",
    )
    op.create_table(
        "session",
        sa.Column("token", sa.Text, nullable=False, comment="digest of what the browser holds"),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("csrf", sa.Text, nullable=False, comment="word that every form of the session carries"),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("until", sa.Text, nullable=False, comment="end, moved on while the person works"),
        sa.PrimaryKeyConstraint("token", name="pk_session"),
        sa.ForeignKeyConstraint(["person"], ["person.name"], name="fk_session_person"),
        sa.CheckConstraint("length(created) = 20 AND length(until) = 20", name="ck_session_times"),
        comment="browsers that are logged in",
    )
    op.create_table(
        "lease",
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("until", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("article", name="pk_lease"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_lease_article"),
        sa.ForeignKeyConstraint(["person"], ["person.name"], name="fk_lease_person"),
        sa.CheckConstraint("length(until) = 20", name="ck_lease_times"),
        comment="who works on a record, so that nobody else does",
    )
    op.create_table(
        "note",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False, comment="empty for a bare flag"),
        sa.Column("flag", sa.Integer, nullable=False, comment="1 where somebody should look at the record again"),
        sa.Column("done", sa.Integer, nullable=False, comment="1 where that happened"),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_note_article"),
        sa.ForeignKeyConstraint(["person"], ["person.name"], name="fk_note_person"),
        sa.CheckConstraint("flag IN (0, 1) AND done IN (0, 1)", name="ck_note_flags"),
        sa.CheckConstraint("length(at) = 20", name="ck_note_times"),
        comment="what people say of a record",
        sqlite_autoincrement=True,
    )
    op.create_index("ix_note_article", "note", ["article"])
    op.create_table(
        "preference",
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("person", "name", name="pk_preference"),
        sa.ForeignKeyConstraint(["person"], ["person.name"], name="fk_preference_person"),
        comment="how a person likes the app, keys and colours",
    )
    op.create_table(
        "keying",
        sa.Column("article", sa.Integer, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("citation", sa.Text, nullable=False, comment="the record as this person has it, as JSON"),
        sa.PrimaryKeyConstraint("article", "person", name="pk_keying"),
        sa.ForeignKeyConstraint(["article"], ["article.id"], name="fk_keying_article"),
        sa.ForeignKeyConstraint(["person"], ["person.name"], name="fk_keying_person"),
        sa.CheckConstraint("length(at) = 20", name="ck_keying_times"),
        comment="records that two people keyed apart, to be compared",
    )

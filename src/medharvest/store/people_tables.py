"""The tables of the review app: who may work, who is at work, and what they say besides the record."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from medharvest.store.tables import metadata

person = Table(
    "person",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("secret", Text, nullable=False, comment="hash of the password; empty where nobody can log in with one"),
    Column("created", Text, nullable=False),
    Column("disabled", Integer, nullable=False, comment="1 where the person may no longer log in"),
    CheckConstraint("role IN ('reader', 'operator', 'reviewer', 'admin')", name="role"),
    CheckConstraint("length(name) > 0", name="name"),
    CheckConstraint("disabled IN (0, 1)", name="disabled"),
    CheckConstraint("length(created) = 20", name="times"),
    comment="who may use the review app",
)

session = Table(
    "session",
    metadata,
    Column("token", Text, primary_key=True, comment="digest of what the browser holds"),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("csrf", Text, nullable=False, comment="word that every form of the session carries"),
    Column("created", Text, nullable=False),
    Column("until", Text, nullable=False, comment="end, moved on while the person works"),
    CheckConstraint("length(created) = 20 AND length(until) = 20", name="times"),
    comment="browsers that are logged in",
)

lease = Table(
    "lease",
    metadata,
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("until", Text, nullable=False),
    CheckConstraint("length(until) = 20", name="times"),
    comment="who works on a record, so that nobody else does",
)

note = Table(
    "note",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("article", Integer, ForeignKey("article.id"), nullable=False),
    Column("person", Text, ForeignKey("person.name"), nullable=False),
    Column("at", Text, nullable=False),
    Column("text", Text, nullable=False, comment="empty for a bare flag"),
    Column("flag", Integer, nullable=False, comment="1 where somebody should look at the record again"),
    Column("done", Integer, nullable=False, comment="1 where that happened"),
    CheckConstraint("flag IN (0, 1) AND done IN (0, 1)", name="flags"),
    CheckConstraint("length(at) = 20", name="times"),
    Index("ix_note_article", "article"),
    comment="what people say of a record",
    sqlite_autoincrement=True,
)

preference = Table(
    "preference",
    metadata,
    Column("person", Text, ForeignKey("person.name"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
    comment="how a person likes the app, keys and colours",
)

keying = Table(
    "keying",
    metadata,
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Column("person", Text, ForeignKey("person.name"), primary_key=True),
    Column("at", Text, nullable=False),
    Column("citation", Text, nullable=False, comment="the record as this person has it, as JSON"),
    CheckConstraint("length(at) = 20", name="times"),
    comment="records that two people keyed apart, to be compared",
)

"""The tables as they are now; `migrations/` leads here step by step. Times are `2026-01-31T12:00:00Z`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, comment="issue page the run began with"),
    Column("folder", Text, nullable=False, comment="where its files are"),
    Column("state", Text, nullable=False, comment="running, also after a kill; finished; stopped"),
    Column("started", Text, nullable=False),
    Column("ended", Text, comment="null while running"),
    CheckConstraint("state IN ('running', 'finished', 'stopped')", name="state"),
    CheckConstraint("length(started) = 20 AND length(ended) = 20", name="times"),
    CheckConstraint("(state = 'running') = (ended IS NULL)", name="ended"),
    comment="one harvest",
    sqlite_autoincrement=True,
)

step = Table(
    "step",
    metadata,
    Column("run", Integer, ForeignKey("run.id"), primary_key=True),
    Column("n", Integer, primary_key=True, comment="place in the run, from 1"),
    Column("way", Text, nullable=False, comment="handed out by the plan, or fed back to it"),
    Column("url", Text, nullable=False, comment="address of the wish"),
    Column("reason", Text, comment="why nothing came; null when it came or is only wished"),
    Column("body", Text, nullable=False, comment="the wish or the outcome as JSON"),
    Column("at", Text, nullable=False),
    CheckConstraint("n > 0", name="n"),
    CheckConstraint("way IN ('handed', 'fed')", name="way"),
    CheckConstraint("way = 'fed' OR reason IS NULL", name="reason"),
    CheckConstraint("length(at) = 20", name="times"),
    comment="what a plan handed out and was fed, in order: enough to restore it",
)

page = Table(
    "page",
    metadata,
    Column("run", Integer, primary_key=True),
    Column("n", Integer, primary_key=True, comment="the step that fed it"),
    Column("url", Text, nullable=False, comment="address asked for"),
    Column("final_url", Text, nullable=False, comment="address after redirects"),
    Column("kind", Text, nullable=False, comment="kind found"),
    Column("digest", Text, nullable=False, comment="of the body"),
    Column("size", BigInteger, nullable=False, comment="bytes of the body"),
    ForeignKeyConstraint(["run", "n"], ["step.run", "step.n"]),
    CheckConstraint("size >= 0", name="size"),
    comment="pages that arrived",
)

article = Table(
    "article",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("doi", Text, nullable=False, comment="lower case, without resolver"),
    Column("pmid", Text, nullable=False),
    Column("pii", Text, nullable=False),
    Column("issn", Text, nullable=False, comment="all of them, blank between"),
    Column("volume", Text, nullable=False),
    Column("issue", Text, nullable=False),
    Column("first_page", Text, nullable=False),
    Column("title_start", Text, nullable=False, comment="first 40 characters of title_key"),
    Column("title_key", Text, nullable=False, comment="letters and digits of the title, folded"),
    Column("journal", Text, nullable=False, comment="letters and digits of its name, folded"),
    Column("url", Text, nullable=False, comment="page it was read from"),
    Column("year", Text, nullable=False, comment="four digits or nothing"),
    Column("citation", Text, nullable=False, comment="the whole record as JSON"),
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
    CheckConstraint("title_start = substr(title_key, 1, 40)", name="title_start"),
    CheckConstraint("length(year) IN (0, 4)", name="year"),
    CheckConstraint("length(created) = 20 AND length(updated) = 20", name="times"),
    Index("ix_article_doi", "doi"),
    Index("ix_article_pmid", "pmid"),
    Index("ix_article_pii", "pii"),
    Index("ix_article_title_start", "title_start"),
    comment="one row an article: its latest citation, and every key ever seen for it",
    sqlite_autoincrement=True,
)

article_run = Table(
    "article_run",
    metadata,
    Column("run", Integer, ForeignKey("run.id"), primary_key=True),
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Index("ix_article_run_article", "article"),
    comment="which run saw which article",
)

change = Table(
    "change",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("article", Integer, ForeignKey("article.id"), nullable=False),
    Column("before", Text, comment="citation as JSON; null when it is new"),
    Column("after", Text, nullable=False, comment="citation as JSON"),
    CheckConstraint("length(at) = 20", name="times"),
    CheckConstraint("length(who) > 0", name="who"),
    Index("ix_change_article", "article"),
    comment="every change of an article; triggers refuse to alter or remove a row",
    sqlite_autoincrement=True,
)

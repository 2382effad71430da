"""The tables of the present schema, but for those in `people`; `people.complete_metadata` has all of them.

`migrations/` leads from older schemas to this one. Times are written as `2026-01-31T12:00:00Z`. The comments of tables
and columns are part of the schema in PostgreSQL, so rewording one would need a migration.
"""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

from medharvest.records import Kind, Place, Reason
from medharvest.store.rows import FieldState, Status

# Every list of runs counts the failures of each run, which are few among its nodes.
_IS_REVISITED = text("place = 'revisited'")
_IS_CORRECTED = text("state = 'corrected'")
# Looked for before every search; there is hardly ever one.
_IS_UNTAGGED = text("vocabulary = ''")

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
    Column("options", Text, nullable=False, comment="how to go on with it, as JSON"),
    Column("archive_length", BigInteger, nullable=False, comment="bytes of its archive that belong to its pages"),
    CheckConstraint("state IN ('running', 'finished', 'stopped')", name="state"),
    CheckConstraint("length(started) = 20 AND length(ended) = 20", name="times"),
    CheckConstraint("(state = 'running') = (ended IS NULL)", name="ended"),
    CheckConstraint("archive_length >= 0", name="archive_length"),
    comment="one harvest",
    sqlite_autoincrement=True,
)

issue = Table(
    "issue",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("journal", Text, nullable=False, comment="letters and digits of its name, folded; its ISSN without one"),
    Column("volume", Text, nullable=False),
    Column("number", Text, nullable=False),
    Column("title", Text, nullable=False, comment="name of the journal as its first article has it"),
    Column("date", Text, nullable=False, comment="of its first article, as precise as known"),
    CheckConstraint("length(journal) > 0", name="journal"),
    CheckConstraint("length(volume) + length(number) > 0", name="number"),
    Index("ix_issue_number", "journal", "volume", "number", unique=True),
    Index("ix_issue_date", "date", "id"),
    comment="issues of journals that articles stand in",
    sqlite_autoincrement=True,
)

zone = Table(
    "zone",
    metadata,
    Column("page", Text, primary_key=True, comment="digest of the page"),
    Column("path", Text, primary_key=True, comment="its place in the tree, or page and box of a PDF"),
    Column("label", Text, nullable=False, comment="field it holds, or `other`"),
    Column("score", Float, nullable=False),
    Column("who", Text, nullable=False, comment="method that labelled it, or the operator"),
    Column("at", Text, nullable=False),
    CheckConstraint("length(who) > 0", name="who"),
    CheckConstraint("length(at) = 20", name="times"),
    comment="zones of pages and what they hold",
    sqlite_with_rowid=False,
)

article_run = Table(
    "article_run",
    metadata,
    Column("run", Integer, ForeignKey("run.id"), primary_key=True),
    Column("article", Integer, ForeignKey("article.id"), primary_key=True),
    Column("n", Integer, nullable=False, server_default="0", comment="place among those of the run, 0 where not noted"),
    Index("ix_article_run_article", "article"),
    Index("ix_article_run_n", "run", "n", "article"),
    comment="which run saw which article",
)

change = Table(
    "change",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("article", Integer, ForeignKey("article.id"), nullable=False),
    Column("field", Text, nullable=False, comment="of the record; FIELD.evidence, FIELD.state; status; empty: all"),
    Column("before", Text, comment="as JSON; null when the article is new"),
    Column("after", Text, nullable=False, comment="as JSON"),
    Column("reason", Text, nullable=False, comment="why, where somebody said so"),
    Column("batch", Integer, nullable=False, comment="shared by all changes of one act; undone together"),
    CheckConstraint("length(at) = 20", name="times"),
    CheckConstraint("length(who) > 0", name="who"),
    CheckConstraint("batch > 0", name="batch"),
    Index("ix_change_article", "article"),
    Index("ix_change_batch", "batch"),
    comment="every change of an article; triggers refuse to alter or remove a row",
    sqlite_autoincrement=True,
)

act = Table(
    "act",
    metadata,
    Column("batch", Integer, primary_key=True, autoincrement=False, comment="that the changes of the act have"),
    Column("caused_by", Integer, comment="batch of the act that taught what this one did to other records"),
    Column("undoes", Integer, comment="batch of the act that this one takes back"),
    Column("page", Text, nullable=False, comment="digest of the page whose lesson the act taught; empty where none"),
    CheckConstraint("batch > 0", name="batch"),
    CheckConstraint("caused_by > 0 AND caused_by < batch", name="caused_by"),
    CheckConstraint("undoes > 0 AND undoes < batch", name="undoes"),
    Index("ix_act_caused_by", "caused_by"),
    Index("ix_act_undoes", "undoes"),
    comment="acts that are tied to other acts or to a page; most are not",
)

duplicate = Table(
    "duplicate",
    metadata,
    Column("one", Integer, primary_key=True, autoincrement=False, comment="the smaller number of the two"),
    Column("two", Integer, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False, comment="open, different, or merged into `kept`"),
    Column("score", Float, nullable=False, comment="probability that both are one article"),
    Column("method", Text, nullable=False, comment="rule that found the pair"),
    Column("kept", Integer, comment="article that a merge kept; null where there was none"),
    Column("act", Integer, comment="batch of the merge; null where there was none"),
    Column("who", Text, nullable=False, comment="who decided; empty while nobody has"),
    Column("at", Text, nullable=False),
    ForeignKeyConstraint(["one"], ["article.id"], name="fk_duplicate_one"),
    ForeignKeyConstraint(["two"], ["article.id"], name="fk_duplicate_two"),
    CheckConstraint("one < two", name="order"),
    CheckConstraint("state IN ('open', 'different', 'merged')", name="state"),
    CheckConstraint("kept = one OR kept = two", name="kept"),
    CheckConstraint("state <> 'merged' OR (kept IS NOT NULL AND act IS NOT NULL)", name="merged"),
    CheckConstraint("length(at) = 20", name="times"),
    Index("ix_duplicate_two", "two"),
    Index("ix_duplicate_state", "state", "one", "two"),
    Index("ix_duplicate_act", "act"),
    comment="pairs of records that may be one article",
)

journal = Table(
    "journal",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, comment="short name the user chose"),
    Column("title", Text, nullable=False),
    Column("issn", Text, nullable=False, comment="all of them, blank between"),
    Column("hosts", Text, nullable=False, comment="where its issues are, without `www.`, blank between"),
    Column("policy", Text, nullable=False, comment="rules of its own, as JSON; empty where it has none"),
    Column("created", Text, nullable=False),
    CheckConstraint("length(name) > 0", name="name"),
    CheckConstraint("length(created) = 20", name="times"),
    Index("ix_journal_name", "name", unique=True),
    comment="journals that were taught",
    sqlite_autoincrement=True,
)

link_example = Table(
    "link_example",
    metadata,
    Column("journal", Integer, ForeignKey("journal.id"), primary_key=True),
    Column("n", Integer, primary_key=True, comment="in the order they were taught, from 1"),
    Column("page", Text, nullable=False, comment="address of the page the link stands on, or its digest"),
    Column("digest", Text, nullable=False, comment="of the page; empty where it is not known"),
    Column("example", Text, nullable=False, comment="the link as it was taught, as JSON"),
    Column("taught", Text, nullable=False),
    CheckConstraint("n > 0", name="n"),
    CheckConstraint("length(taught) = 20", name="times"),
    comment="links of a journal that somebody judged",
)

layout = Table(
    "layout",
    metadata,
    Column("journal", Integer, ForeignKey("journal.id"), primary_key=True),
    Column("page", Text, primary_key=True, comment="digest of the page that taught it"),
    Column("lesson", Text, nullable=False, comment="where its values stand and how it reads best, as JSON"),
    Column("taught", Text, nullable=False),
    Column(
        "earlier",
        Text,
        comment="what the page taught before an act taught it; empty for nothing, null where no act did",
    ),
    CheckConstraint("length(taught) = 20", name="times"),
    comment="what pages taught of the layout of their journal",
)

journal_title = Table(
    "journal_title",
    metadata,
    Column("source", Text, primary_key=True, comment="list it was taken from; `user` for what the user set"),
    Column("n", Integer, primary_key=True, autoincrement=False, comment="in the order of the list, from 1"),
    Column("title", Text, nullable=False),
    Column("abbreviation", Text, nullable=False, comment="of NLM"),
    Column("iso", Text, nullable=False, comment="abbreviation of ISO 4"),
    Column("issn", Text, nullable=False, comment="all of them with their hyphens, blank between"),
    Column("nlm_id", Text, nullable=False),
    Column("publisher", Text, nullable=False),
    Column("written", Text, nullable=False),
    CheckConstraint("n > 0", name="n"),
    CheckConstraint("length(source) > 0", name="source"),
    CheckConstraint("length(written) = 20", name="times"),
    comment="what libraries and the user know of journals",
)

journal_key = Table(
    "journal_key",
    metadata,
    Column("key", Text, primary_key=True, comment="ISSN, or letters and digits of a name, folded"),
    Column("source", Text, primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    ForeignKeyConstraint(["source", "n"], ["journal_title.source", "journal_title.n"]),
    Index("ix_journal_key_title", "source", "n"),
    comment="what each of them may be looked up by",
)

document = Table(
    "document",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False, comment="citation or page"),
    Column("ref", Integer, nullable=False, comment="the article, or the page of a topic, it stands for"),
    Column("url", Text, nullable=False),
    Column("year", Text, nullable=False, comment="four digits or nothing"),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False, comment="abstract of a citation, text of a page"),
    Column("subjects", Text, nullable=False, comment="keywords and headings"),
    Column("authors", Text, nullable=False, comment="each name in several forms"),
    Column("journal", Text, nullable=False),
    Column("place", Text, nullable=False, comment="address and affiliations"),
    Column("concepts", Text, nullable=False, comment="concepts found in it, as words of the index"),
    Column("marks", Text, nullable=False, comment="what is compared as a whole, as words of the index"),
    Column(
        "vocabulary", Text, nullable=False, comment="which one its concepts are of; empty before they are looked for"
    ),
    CheckConstraint("kind IN ('citation', 'page')", name="kind"),
    CheckConstraint("length(year) IN (0, 4)", name="year"),
    Index("ix_document_ref", "kind", "ref", unique=True),
    Index("ix_document_untagged", "id", sqlite_where=_IS_UNTAGGED, postgresql_where=_IS_UNTAGGED),
    comment="what search finds: derived from articles and pages, and made anew from them at any time",
    sqlite_autoincrement=True,
)

page_waiting = Table(
    "page_waiting",
    metadata,
    Column("page", Integer, ForeignKey("topic_page.id"), primary_key=True, autoincrement=False),
    comment="pages that came, changed or vanished since they were indexed; triggers note them",
)

# Tables that are rebuilt from others.
DERIVED_TABLES = (document, page_waiting)

search_log = Table(
    "search_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("query", Text, nullable=False, comment="as it was typed"),
    Column("at", Text, nullable=False),
    Column("hits", Integer, nullable=False),
    CheckConstraint("length(at) = 20", name="times"),
    CheckConstraint("hits >= 0", name="hits"),
    comment="what users searched for",
    sqlite_autoincrement=True,
)

topic_page = Table(
    "topic_page",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False, comment="address it was asked for"),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False, comment="its words, those of links too"),
    Column("topic", Text, nullable=False, comment="of the crawl that saw it last"),
    Column("value", Double, nullable=False, comment="how relevant it is by itself, as its crawl measures"),
    Column("concepts", Text, nullable=False, comment="JSON list of id, name, count; the weightiest first"),
    Column("run", Integer, ForeignKey("run.id"), nullable=False, comment="the crawl that saw it last"),
    Column("seen_at", Text, nullable=False, comment="when it was there last"),
    Column("gone_at", Text, comment="when it was found to have vanished; null while it is there"),
    CheckConstraint("length(url) > 0", name="url"),
    CheckConstraint("length(seen_at) = 20 AND length(gone_at) = 20", name="times"),
    Index("ix_topic_page_url", "url", unique=True),
    comment="relevant pages of topical crawls",
    sqlite_autoincrement=True,
)

page_topic = Table(
    "page_topic",
    metadata,
    Column("page", Integer, ForeignKey("topic_page.id"), primary_key=True),
    Column("topic", Text, primary_key=True),
    Column("value", Double, nullable=False),
    Column("concepts", Text, nullable=False, comment="as of the page, for this topic"),
    Column("run", Integer, ForeignKey("run.id"), nullable=False, comment="the last crawl for this topic that saw it"),
    Index("ix_page_topic_topic", "topic"),
    comment="every topic a page is relevant to",
)

delivery = Table(
    "delivery",
    metadata,
    Column("target", Text, primary_key=True, comment="name of the target, as the user calls it"),
    Column("address", Text, primary_key=True, comment="digest of the address of the target; empty where not known"),
    Column("article", Integer, ForeignKey("article.id"), primary_key=True, autoincrement=False),
    Column("digest", Text, nullable=False, comment="sha256 of the record in the form the target takes"),
    Column("state", Text, nullable=False),
    Column("remote_id", Text, nullable=False, comment="what the target calls it, such as a PMID; empty where nothing"),
    Column("n", Integer, nullable=False, comment="counts the changes of all rows, in the order they were made"),
    Column("at", Text, nullable=False),
    Column("detail", Text, nullable=False, comment="what the target said"),
    CheckConstraint("state IN ('sent', 'refused', 'failed', 'deleted')", name="state"),
    CheckConstraint("length(target) > 0", name="target"),
    CheckConstraint("length(address) = 0 OR length(address) = 64", name="address"),
    CheckConstraint("length(digest) = 64", name="digest"),
    CheckConstraint("length(at) = 20", name="times"),
    Index("ix_delivery_n", "n", unique=True),
    Index("ix_delivery_article", "article"),
    comment="what was last sent of each article to each target",
)
TOPIC_PAGE_DIFFERS = "old.title <> new.title OR old.text <> new.text OR (old.gone_at IS NULL) <> (new.gone_at IS NULL)"


def _one_of_condition(column: str, words: type[StrEnum]) -> str:
    # SQLite builds a temporary table for each IN that it checks; for the rows of a crawl, OR is three times faster.
    return " OR ".join(f"{column} = '{word}'" for word in words)


node = Table(
    "node",
    metadata,
    Column("run", Integer, ForeignKey("run.id"), primary_key=True),
    Column("n", Integer, primary_key=True, comment="in the order they were found, from 1"),
    Column("url", Text, nullable=False, comment="address to ask for"),
    Column("kind", Text, nullable=False, comment="kind its link promised"),
    Column("parent", Text, nullable=False, comment="address of the page that links to it"),
    Column("depth", Integer, nullable=False, comment="links between the first page and it"),
    Column("article_key", Text, nullable=False, comment="which article of the contents page it belongs to"),
    Column("place", Text, nullable=False, comment="the list it stands on"),
    Column("position", BigInteger, nullable=False, comment="its order on that list, smallest first"),
    Column("flag", Integer, nullable=False, comment="1 on revisited: one more try is due"),
    Column("tries", Integer, nullable=False, comment="how often it was handed out"),
    Column("reason", Text, comment="why nothing came the last time; null when nothing went wrong"),
    Column("detail", Text, nullable=False, comment="more about the reason"),
    CheckConstraint("n > 0", name="n"),
    CheckConstraint(_one_of_condition("kind", Kind), name="kind"),
    CheckConstraint(_one_of_condition("place", Place), name="place"),
    CheckConstraint("flag IN (0, 1)", name="flag"),
    CheckConstraint("depth >= 0 AND tries >= 0", name="counts"),
    CheckConstraint(_one_of_condition("reason", Reason), name="reason"),
    Index("ix_node_revisited", "run", sqlite_where=_IS_REVISITED, postgresql_where=_IS_REVISITED),
    comment="pages of a plan and the lists they stand on: enough to restore it",
    sqlite_with_rowid=False,
)

page = Table(
    "page",
    metadata,
    Column("run", Integer, primary_key=True),
    Column("n", Integer, primary_key=True, comment="the node it arrived for"),
    Column("address", BigInteger, nullable=False, comment="64 bits of the digest of the node's address, to look up"),
    Column("final_url", Text, nullable=False, comment="address after redirects"),
    Column("kind", Text, nullable=False, comment="kind found"),
    Column("status", Integer, nullable=False, comment="of HTTP; 0 when there was none"),
    Column("digest", Text, nullable=False, comment="of the body"),
    Column("size", BigInteger, nullable=False, comment="bytes of the body"),
    Column("asked_at", Text, nullable=False),
    Column("arrived_at", Text, nullable=False),
    Column("etag", Text, nullable=False, comment="as the server sent it"),
    Column("last_modified", Text, nullable=False, comment="as the server sent it"),
    ForeignKeyConstraint(["run", "n"], ["node.run", "node.n"]),
    CheckConstraint(_one_of_condition("kind", Kind), name="kind"),
    CheckConstraint("size >= 0", name="size"),
    Index("ix_page_address", "address"),
    comment="pages that arrived",
    sqlite_with_rowid=False,
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
    Column("status", Text, nullable=False, comment="how far a person has looked at the record"),
    Column("version", Integer, nullable=False, comment="counts the acts that changed it, from 1"),
    Column("changed", Integer, nullable=False, comment="batch of its last change"),
    Column("issue_id", Integer, ForeignKey("issue.id"), comment="null where no issue is known"),
    CheckConstraint("title_start = substr(title_key, 1, 40)", name="title_start"),
    CheckConstraint("length(year) IN (0, 4)", name="year"),
    CheckConstraint("length(created) = 20 AND length(updated) = 20", name="times"),
    CheckConstraint(_one_of_condition("status", Status), name="status"),
    CheckConstraint("version > 0", name="version"),
    Index("ix_article_doi", "doi"),
    Index("ix_article_pmid", "pmid"),
    Index("ix_article_pii", "pii"),
    # Thousands of articles may share one title: every issue has its editorial.
    Index("ix_article_title", "title_start", "journal"),
    Index("ix_article_place", "title_start", "volume", "first_page"),
    Index("ix_article_changed", "changed"),
    Index("ix_article_issue", "issue_id", "status", "id"),
    comment="one row an article: its latest citation, and every key ever seen for it",
    sqlite_autoincrement=True,
)

value = Table(
    "value",
    metadata,
    Column("article", Integer, ForeignKey("article.id"), primary_key=True, autoincrement=False),
    Column("field", Text, primary_key=True, comment="of the record, such as `title`"),
    Column("ord", Integer, primary_key=True, autoincrement=False, comment="0 the value in force, then those that lost"),
    Column("text", Text, comment="of one that lost; null for the value in force, which the citation has"),
    Column("page", Text, nullable=False, comment="digest of the page it was read from"),
    Column("path", Text, nullable=False, comment="the zone or embedded value it stands in"),
    Column("source", Text, nullable=False, comment="zone, meta, import, operator, ..."),
    Column("method", Text, nullable=False, comment="how it was found; for an operator who it was"),
    Column("score", Float, comment="how probable it is; null where nothing says"),
    Column("state", Text, nullable=False, comment="proposed until somebody looked"),
    CheckConstraint("ord >= 0", name="ord"),
    CheckConstraint(_one_of_condition("state", FieldState), name="state"),
    Index("ix_value_corrected", "article", sqlite_where=_IS_CORRECTED, postgresql_where=_IS_CORRECTED),
    comment="values of fields with their evidence: what the record holds, and what lost",
    sqlite_with_rowid=False,
)

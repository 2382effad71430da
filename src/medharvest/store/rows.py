"""The types that the store returns, and `to_storable`, which makes a text fit for a column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from medharvest.records import Citation, Kind, Policy

HIT_MARKS = ("\x02", "\x03")  # around the words that a search found; no indexed text contains them
NO_POLICY = Policy()


class RunState(StrEnum):
    """The state of a run; a run that was killed is still `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"


class FieldState(StrEnum):
    """The state of a field; only a person makes it `accepted` or `corrected`."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    AUTO_ACCEPTED = "auto-accepted"


class Status(StrEnum):
    """The status of a record; a deleted record is hidden, not removed."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    AUTO_ACCEPTED = "auto-accepted"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: `failures` counts the pages on the list Revisited, `ended` is `""` while it is running.

    `options` is the text that says how to resume it; nothing beyond `archive_length` in its archive was recorded.
    """

    id: int
    url: str
    folder: str
    state: RunState
    started: str
    ended: str
    pages: int
    failures: int
    citations: int
    options: str
    archive_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRow:
    """One page that arrived: `n` is its node, `promised` the kind its link promised, `kind` the one found."""

    n: int
    url: str
    final_url: str
    promised: Kind
    kind: Kind
    status: int
    digest: str
    size: int
    parent: str
    article_key: str
    asked_at: str
    arrived_at: str


@dataclass(frozen=True, slots=True)
class ConceptCount:
    """A concept that a page names, and how often; `id` is `""` if the concept has no identifier."""

    id: str
    name: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantPage:
    """A relevant page of a topical crawl: `value` is its relevance, `concepts` has the most important ones first.

    The store sets `id` and `run`, and `seen_at` if it is empty; `gone_at` is `""` while the page exists.
    """

    url: str
    title: str
    text: str
    topic: str
    value: float
    concepts: tuple[ConceptCount, ...] = ()
    id: int = 0
    run: int = 0
    seen_at: str = ""
    gone_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A journal by the short name the user chose; `examples` counts the links it was taught."""

    name: str
    title: str = ""
    issn: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    examples: int = 0
    policy: Policy = NO_POLICY


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A stored record: `version` counts the acts that changed it, `states` names the fields that are not `proposed`.

    `issue` is the number of its issue, 0 if it belongs to none.
    """

    number: int
    citation: Citation
    status: Status
    version: int
    states: Mapping[str, FieldState]
    issue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArticle:
    """An article after its last change, which has this `batch`; `digest` is that of its record."""

    number: int
    version: int
    digest: str
    citation: Citation
    deleted: bool
    batch: int
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line of the log; `before` and `after` are JSON, `before` is None if the article was new.

    `field` is a field of the record, `FIELD.evidence`, `FIELD.state`, `status`, or empty for the whole record. All
    changes of one act have the same `batch`. `caused_by` is the act that caused this one, `undoes` the act that it
    undoes, 0 if there is none; `page` is the digest of the page whose lesson the act taught.
    """

    id: int
    at: str
    who: str
    article: int
    field: str
    before: str | None
    after: str
    reason: str
    batch: int
    caused_by: int = 0
    undoes: int = 0
    page: str = ""


@dataclass(frozen=True, slots=True)
class StoreDigest:
    """The number of rows of a store and their digest; equal stores have equal digests."""

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """The revision before (`""` for a new store) and after a migration, and the path of the backup (`""` if none)."""

    before: str
    after: str
    backup: str = ""


@dataclass(frozen=True, slots=True)
class SaveCounts:
    """How many saved citations were new, changed an earlier reading, or were the same.

    `uncertain` of the new ones have the DOI of another article, and are offered for review.
    """

    new: int = 0
    changed: int = 0
    same: int = 0
    uncertain: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A citation or page that a search found, with the number of its article or page.

    In `title` and `snippet`, the words that were found are between the two characters of `HIT_MARKS`.
    """

    kind: str
    number: int
    url: str
    title: str
    snippet: str
    year: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search found: the number of all hits, the number of ranked ones, and the best of them."""

    total: int
    ranked: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedSearch:
    """A line of the log of searches."""

    id: int
    query: str
    at: str
    hits: int


def to_storable(text: str) -> str:
    """Replace what a text column cannot contain: NUL (PostgreSQL) and lone surrogates (UTF-8)."""
    if text.isascii() and "\0" not in text:  # nearly every address; this is called for every link
        return text
    return _UNSTORABLE_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


_UNSTORABLE_CHARACTERS = re.compile("[\x00\ud800-\udfff]")

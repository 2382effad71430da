"""The records that the store returns, and `to_storable`, which makes a text fit for a column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from medharvest.records import Citation, Kind, Policy

HIT_MARKS = ("\x02", "\x03")  # around what a search found; no indexed text has them
NO_POLICY = Policy()


class RunState(StrEnum):
    """How far a run is; one that was killed still says `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"


class FieldState(StrEnum):
    """How far a field was looked at; only `accepted` and `corrected` are a person's word."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    AUTO_ACCEPTED = "auto-accepted"


class Status(StrEnum):
    """How far a record was looked at; a deleted one is kept, and hidden."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    AUTO_ACCEPTED = "auto-accepted"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One harvest: `failures` are pages on Revisited, `ended` is `""` while it runs.

    `options` is the text that says how to go on with it; beyond `archive_length` its archive holds no page of it.
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
    """A concept that a page names: its identifier, `""` where it has none, and how often."""

    id: str
    name: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantPage:
    """A page of a topical crawl that is relevant: `value` as its crawl measures, the weightiest concepts first.

    The store sets `id` and `run`, and `seen_at` where it is empty; `gone_at` is `""` while the page is there.
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
    """A journal by the short name the user chose; `examples` is how many links of it were taught."""

    name: str
    title: str = ""
    issn: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    examples: int = 0
    policy: Policy = NO_POLICY


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A stored record: `version` counts the acts that changed it, `states` names the fields that are not `proposed`.

    `issue` is the number of the issue it stands in, 0 where it stands in none.
    """

    number: int
    citation: Citation
    status: Status
    version: int
    states: Mapping[str, FieldState]
    issue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArticle:
    """An article as it stands after its last change, which was of this batch; `digest` is that of its record."""

    number: int
    version: int
    digest: str
    citation: Citation
    deleted: bool
    batch: int
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A line of the log; `before` and `after` are JSON, `before` is None where the article was new.

    `field` is one of the record, `FIELD.evidence`, `FIELD.state`, `status`, or empty for the whole record. All changes
    of one act have the same `batch`. `caused_by` is the act that taught this one, `undoes` the act that it takes back,
    0 where there is none; `page` is the digest of the page whose lesson the act taught.
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
    """How many rows a store holds, and a digest of them; equal stores have the same."""

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """The revision a store had (`""` when it was new), the one it has, and where its copy is (`""` without one)."""

    before: str
    after: str
    backup: str = ""


@dataclass(frozen=True, slots=True)
class SaveCounts:
    """How many citations were new, replaced an earlier reading, or were known word for word."""

    new: int = 0
    changed: int = 0
    same: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something a search found: a citation or page, by the number of its article or page.

    `title` and `snippet` have what was found between the two characters of `MARKS`.
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
    """What a search found: how much in all, how much of it was ranked, and the best of that."""

    total: int
    ranked: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedSearch:
    """A search that somebody made."""

    id: int
    query: str
    at: str
    hits: int


def to_storable(text: str) -> str:
    """Replace what a text column cannot hold: NUL (PostgreSQL) and half surrogate pairs (UTF-8)."""
    if text.isascii() and "\0" not in text:  # nearly every address, and this is asked for every link followed
        return text
    return _UNSTORABLE_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


_UNSTORABLE_CHARACTERS = re.compile("[\x00\ud800-\udfff]")

"""What a topical crawl is asked for, as a run keeps it, and what it gives."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from medharvest.crawl.frontier import Merge
from medharvest.crawl.topic import TopicLimits
from medharvest.crawl.ways import most_waiting, way
from medharvest.errors import InputError
from medharvest.records import Citation, Reason
from medharvest.store import Store
from medharvest.topics import ConceptSet, read_concepts
from medharvest.topics.estimates import Estimator

CONCEPTS = "concepts.tsv"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRequest:
    """What to crawl for and how; `workers` is how many pages are asked for at a time, 0 as the settings say."""

    concepts: ConceptSet
    seeds: tuple[str, ...]
    strategy: str = "best-first"
    estimator: str = "adaptive"
    merge: Merge = Merge.GREATER
    max_pages: int = 1000
    workers: int = 0

    def limits(self) -> TopicLimits:
        """How far its plan goes."""
        most = most_waiting(self.strategy, self.estimator)
        return TopicLimits(max_pages=self.max_pages, max_waiting=most, merge=self.merge)

    def make_estimator(self) -> Estimator:
        """What values its links, before any page."""
        return way(self.strategy, self.estimator)(self.concepts)

    def options(self) -> str:
        """All but the concepts, as a run keeps it."""
        kept = {"topic": self.concepts.topic, "seeds": self.seeds, "strategy": self.strategy, "workers": self.workers}
        return json.dumps({**kept, "estimator": self.estimator, "merge": self.merge, "max_pages": self.max_pages})


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """A page that was asked for, in order: `value` of the link that led there, or the reason why nothing came."""

    n: int
    url: str
    value: float | None
    relevant: bool
    depth: int
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicHarvest:
    """What a crawl gave; `stopped` when it can be gone on with."""

    run: int
    topic: str
    folder: str
    rows: tuple[TopicRow, ...]
    citations: tuple[Citation, ...]
    stopped: bool


def is_topic(options: str) -> bool:
    """Whether the options of a run are those of a topical crawl."""
    return "topic" in json.loads(options or "{}")


def stored_request(store: Store, run: int) -> TopicRequest:
    """What a run was asked for."""
    known = store.run(run)
    if not is_topic(known.options):
        hint = f"`medharvest runs {run} resume` goes on with it"
        raise InputError(f"run {run} is not of a topic", name=str(run), hint=hint)
    options = json.loads(known.options)
    concepts = replace(_stored_concepts(Path(known.folder) / CONCEPTS), topic=options.pop("topic"))
    seeds, merge = tuple(options.pop("seeds")), Merge(options.pop("merge"))
    return TopicRequest(concepts=concepts, seeds=seeds, merge=merge, **options)


def _stored_concepts(path: Path) -> ConceptSet:
    try:
        return read_concepts(path.read_text(encoding="utf-8"), name=str(path))
    except (OSError, UnicodeDecodeError) as error:
        hint = "without the folder of its crawl a topic must be crawled anew"
        raise InputError(f"concept set cannot be read: {path}", name=str(path), hint=hint) from error

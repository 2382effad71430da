"""Scores `topic`: crawls of an offline web by one way or all, measured against the truth of its topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from medharvest.errors import OutputError
from medharvest.evaluate.offline_web import OfflineWeb, Topic
from medharvest.evaluate.results import Table
from medharvest.evaluate.topic_measures import interval, means, measure
from medharvest.evaluate.topic_runs import CRAWLERS, Crawler, Trace, crawl_topic
from medharvest.topics import Category, ConceptSet, WeightedTerm, build_concept_set, embedded_vocabulary

Progress = Callable[[int, int], None]
MAX_PAGES = 1000
_EXACT = 15.0  # the weight of the topic's own words
_SWEEP = tuple(round(0.4 - 0.05 * step, 2) for step in range(8))  # the thesis' test: from 0.4 down


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """One way to crawl with what it gave: a trace a topic, and its figures."""

    crawler: Crawler
    traces: tuple[Trace, ...]

    @property
    def rows(self) -> list[dict[str, float]]:
        """The figures of each topic."""
        return [measure(trace) for trace in self.traces]


@dataclass(frozen=True, slots=True)
class Expedition:
    """Where crawls go: a web, the topics, and how many pages each may cost."""

    web: OfflineWeb
    topics: tuple[Topic, ...]
    max_pages: int = MAX_PAGES


def survey(
    expedition: Expedition, crawlers: Sequence[Crawler] = CRAWLERS, progress: Progress | None = None
) -> list[Survey]:
    """Crawl for every topic in every way; `progress` hears of each crawl that is done."""
    total, done = len(crawlers) * len(expedition.topics), 0
    surveys = []
    for crawler in crawlers:
        traces = []
        for topic in expedition.topics:
            concepts = topic_concepts(topic.term, bare=crawler.bare, estimator=crawler.estimator)
            traces.append(crawl_topic(expedition.web, topic, crawler, concepts, expedition.max_pages))
            done += 1
            if progress:
                progress(done, total)
        surveys.append(Survey(crawler=crawler, traces=tuple(traces)))
    return surveys


def sweep_inherit() -> tuple[Crawler, ...]:
    """The thesis' test of how much a link inherits."""
    return tuple(Crawler(estimator="lokman", inherit=share) for share in _SWEEP)


def topic_concepts(term: str, *, bare: bool = False, estimator: str = "") -> ConceptSet:
    """The concept set of a topic by the vocabulary of the package, or its words alone."""
    if bare:
        return ConceptSet(topic=term, terms=(WeightedTerm(text=term, weight=_EXACT, category=Category.EXACT),))
    profile = "requirements" if estimator == "requirements" else "default"
    return build_concept_set(term, embedded_vocabulary(), profile=profile)


def topic_table(found: Survey) -> Table:
    """The figures of each topic, and their mean with its interval."""
    rows = found.rows
    average = means(rows)
    lines = [(trace.topic.name, *map(_percent, row.values())) for trace, row in zip(found.traces, rows, strict=True)]
    spans = [interval([row[name] for row in rows]) for name in average]
    return Table(
        (found.crawler.name, *map(_short, average)),
        (
            *lines,
            ("mean", *map(_percent, average.values())),
            ("95 % from", *(_percent(low) for low, _ in spans)),
            ("95 % to", *(_percent(high) for _, high in spans)),
        ),
    )


def overview_table(surveys: Sequence[Survey]) -> Table:
    """The means of each way to crawl, a row each."""
    rows = [(one.crawler, means(one.rows)) for one in surveys]
    return Table(
        ("mean, %", *map(_short, rows[0][1])),
        tuple((_label(crawler, surveys), *map(_percent, row.values())) for crawler, row in rows),
    )


def survey_json(found: Survey, *, seeds: str) -> dict[str, object]:
    """A survey as one JSON object."""
    rows = found.rows
    return {
        "crawler": found.crawler.name,
        "inherit": found.crawler.inherit,
        "seeds": seeds,
        "mean": means(rows),
        "interval": {name: interval([row[name] for row in rows]) for name in rows[0]},
        "topics": {trace.topic.name: row for trace, row in zip(found.traces, rows, strict=True)},
    }


def write_traces(found: Survey, folder: Path) -> tuple[Path, ...]:
    """Write the addresses of each topic in the order they were fetched, one a line."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_write_trace(trace, folder) for trace in found.traces)
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"traces cannot be written: {folder}", path=str(folder), hint=hint) from error


def _write_trace(trace: Trace, folder: Path) -> Path:
    path = folder / f"{trace.topic.name.replace(' ', '_').replace('/', '_')}.txt"
    path.write_text("".join(f"{url}\n" for url in trace.fetched), encoding="utf-8", newline="\n")
    return path


def _label(crawler: Crawler, surveys: Sequence[Survey]) -> str:
    """Its name, and what it inherits where that is what differs."""
    same = sum(one.crawler.name == crawler.name for one in surveys)
    return f"{crawler.name}, inherit {crawler.inherit:g}" if same > 1 else crawler.name


_SHORT = {"harvest": "HR", "beyond": "HRx", "recall": "TR", "own": "own"}


def _short(name: str) -> str:
    kind, _, n = name.partition("_")
    return f"{_SHORT[kind]}@{n}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"

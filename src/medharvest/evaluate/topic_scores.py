"""Score topical crawls on an offline web: harvest rate and target recall with intervals."""

from __future__ import annotations

import functools
import json
import random
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medharvest.crawl.frontier import ValueMerge
from medharvest.crawl.strategies import BEST_FIRST, STRATEGIES, choose_estimator, max_waiting_addresses
from medharvest.crawl.topic_plan import TopicLimits, TopicPlan, Visit, VisitedPage
from medharvest.errors import InputError, OutputError
from medharvest.evaluate.labelled_pages import Progress
from medharvest.evaluate.results import Table, mean_of, share_of
from medharvest.harvest.page_topics import make_topic_page
from medharvest.records import Page, Reason
from medharvest.topics import Category, ConceptSet, WeightedTerm, build_concept_set
from medharvest.topics.estimates import (
    INHERITED_SHARE,
    Estimate,
    Estimator,
    FixedEstimator,
    Lokman,
    PageOrigin,
    TopicPage,
)
from medharvest.topics.term_matcher import matcher
from medharvest.vocabularies import embedded_vocabulary

MAX_PAGES = 1000
_OWN_WORDS_WEIGHT = 15.0  # the weight of the words of the topic itself
_INHERITED_SHARES = tuple(round(0.4 - 0.05 * step, 2) for step in range(8))  # as in the thesis

_FIGURE_SHORT_NAMES = {
    "harvest": "HR",
    "beyond": "HRx",
    "recall": "TR",
    "own": "own",
    "precision": "P",
    "held": "R",
}
HARVEST_AT = (100, 500, 1000)
RECALL_AT = 800
_BOOTSTRAP_SAMPLES = 2000
_INTERVAL_TAILS = (0.025, 0.975)
_PRIOR_WORDS = 50  # added to the length of a page, so that very short pages do not win
_MAX_PAGE_BYTES = 20_000_000  # bytes of one page after decompression
_PAGES_CACHED = 8_000  # pages kept in memory; crawls of several topics visit the same pages


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSurvey:
    """The crawls of one crawler: a trace for each topic."""

    crawler: Crawler
    traces: tuple[CrawlTrace, ...]

    @property
    def rows(self) -> list[dict[str, float]]:
        """The figures of each topic."""
        return [measure_crawl(trace) for trace in self.traces]


@dataclass(frozen=True, slots=True)
class CrawlSetup:
    """The setup of crawls: the web, the topics, and the maximum number of pages of a crawl."""

    web: OfflineWeb
    topics: tuple[OfflineTopic, ...]
    max_pages: int = MAX_PAGES


def crawlers_by_inheritance() -> tuple[Crawler, ...]:
    """The crawlers of the experiment of the thesis on how much of its page's value a link inherits."""
    return tuple(Crawler(estimator="lokman", inherit=share) for share in _INHERITED_SHARES)


def build_scored_concepts(term: str, *, bare: bool = False, estimator: str = "") -> ConceptSet:
    """The concept set of a topic from the embedded vocabulary; with `bare`, only the words of the topic."""
    if bare:
        return ConceptSet(
            topic=term, terms=(WeightedTerm(text=term, weight=_OWN_WORDS_WEIGHT, category=Category.EXACT),)
        )
    profile = "requirements" if estimator == "requirements" else "default"
    return build_concept_set(term, embedded_vocabulary(), profile=profile)


def topic_score_table(found: CrawlSurvey) -> Table:
    """The table of the figures of each topic, with their mean and its interval."""
    rows = found.rows
    average = mean_figures(rows)
    lines = [
        (trace.topic.name, *map(_percent_with_tenth, row.values()))
        for trace, row in zip(found.traces, rows, strict=True)
    ]
    spans = [bootstrap_interval([row[name] for row in rows]) for name in average]
    return Table(
        (found.crawler.name, *map(_short_figure_name, average)),
        (
            *lines,
            ("mean", *map(_percent_with_tenth, average.values())),
            ("95 % from", *(_percent_with_tenth(low) for low, _ in spans)),
            ("95 % to", *(_percent_with_tenth(high) for _, high in spans)),
        ),
    )


def crawler_table(surveys: Sequence[CrawlSurvey]) -> Table:
    """The table of the mean figures of each crawler."""
    rows = [(one.crawler, mean_figures(one.rows)) for one in surveys]
    return Table(
        ("mean, %", *map(_short_figure_name, rows[0][1])),
        tuple((_label_of_crawler(crawler, surveys), *map(_percent_with_tenth, row.values())) for crawler, row in rows),
    )


def survey_json(found: CrawlSurvey, *, seeds: str) -> dict[str, object]:
    """A survey as one JSON object."""
    rows = found.rows
    return {
        "crawler": found.crawler.name,
        "inherit": found.crawler.inherit,
        "seeds": seeds,
        "mean": mean_figures(rows),
        "interval": {name: bootstrap_interval([row[name] for row in rows]) for name in rows[0]},
        "topics": {trace.topic.name: row for trace, row in zip(found.traces, rows, strict=True)},
    }


def write_traces(found: CrawlSurvey, folder: Path) -> tuple[Path, ...]:
    """Write a file for each topic with the fetched addresses in order, one per line."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_write_topic_trace(trace, folder) for trace in found.traces)
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"traces cannot be written: {folder}", path=str(folder), hint=hint) from error


def _write_topic_trace(trace: CrawlTrace, folder: Path) -> Path:
    path = folder / f"{trace.topic.name.replace(' ', '_').replace('/', '_')}.txt"
    path.write_text("".join(f"{url}\n" for url in trace.fetched), encoding="utf-8", newline="\n")
    return path


def _label_of_crawler(crawler: Crawler, surveys: Sequence[CrawlSurvey]) -> str:
    """The name of a crawler, with the inherited share if other crawlers have the same name."""
    same = sum(one.crawler.name == crawler.name for one in surveys)
    return f"{crawler.name}, inherit {crawler.inherit:g}" if same > 1 else crawler.name


def _short_figure_name(name: str) -> str:
    kind, _, n = name.partition("_")
    return f"{_FIGURE_SHORT_NAMES[kind]}@{n}"


def _percent_with_tenth(value: float) -> str:
    return f"{100 * value:.1f}"


def measure_crawl(trace: CrawlTrace) -> dict[str, float]:
    """All figures of a crawl; the denominator is the number of pages asked for, even if the crawl ended early."""
    relevant, urls = trace.topic.relevant, [visit.url for visit in trace.visited]
    beyond = [url for url in urls if url not in trace.direct]
    own = {visit.url for visit in trace.visited if visit.own > 0}
    return {
        **{f"harvest_{n}": harvest_rate(urls, relevant, n) for n in HARVEST_AT},
        **{f"beyond_{n}": harvest_rate(beyond, relevant, n) for n in HARVEST_AT},
        f"recall_{RECALL_AT}": target_recall(urls, trace.topic.targets, RECALL_AT),
        f"own_{HARVEST_AT[0]}": harvest_rate(urls, own, HARVEST_AT[0]),
        **_measure_judgement(urls[: HARVEST_AT[-1]], own, relevant),
    }


def _measure_judgement(urls: Sequence[str], own: set[str], relevant: frozenset[str]) -> dict[str, float]:
    """Precision and recall of the crawler's own judgement of the pages that it fetched."""
    right = sum(url in own and url in relevant for url in urls)
    return {
        f"precision_{HARVEST_AT[-1]}": share_of(right, sum(url in own for url in urls)),
        f"held_{HARVEST_AT[-1]}": share_of(right, sum(url in relevant for url in urls)),
    }


def harvest_rate(urls: Sequence[str], relevant: frozenset[str] | set[str], n: int) -> float:
    """The relevant share of the first n pages."""
    return sum(url in relevant for url in urls[:n]) / n


def target_recall(urls: Sequence[str], targets: frozenset[str], n: int) -> float:
    """The share of the targets among the first n pages."""
    return share_of(len(targets.intersection(urls[:n])), len(targets))


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean."""
    draw = random.Random(0)  # noqa: S311  (the same interval each time)
    means = sorted(mean_of(draw.choices(values, k=len(values))) for _ in range(_BOOTSTRAP_SAMPLES))
    low, high = (means[int(tail * (_BOOTSTRAP_SAMPLES - 1))] for tail in _INTERVAL_TAILS)
    return low, high


def mean_figures(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each figure."""
    return {name: mean_of([row[name] for row in rows]) for name in rows[0]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    """A crawler: a strategy and, for best-first, the estimator and the merging of values."""

    strategy: str = BEST_FIRST
    estimator: str = "adaptive"
    merge: ValueMerge = ValueMerge.GREATER
    bare: bool = False  # without a vocabulary
    inherit: float = INHERITED_SHARE

    @property
    def name(self) -> str:
        """The name in tables."""
        if self.strategy != BEST_FIRST:
            return self.strategy
        marks = ("sum" if self.merge is ValueMerge.SUM else "", "no vocabulary" if self.bare else "")
        return ", ".join(filter(None, (self.estimator, *marks)))


# Every crawler, the default first.
CRAWLERS = (
    Crawler(),
    Crawler(estimator="look-ahead"),
    Crawler(estimator="lokman"),
    Crawler(estimator="lokman", merge=ValueMerge.SUM),
    Crawler(estimator="lokman", bare=True),
    Crawler(estimator="requirements"),
    Crawler(estimator="cosine"),
    *(Crawler(strategy=strategy) for strategy in STRATEGIES),
)


def survey_crawlers(
    expedition: CrawlSetup, crawlers: Sequence[Crawler] = CRAWLERS, progress: Progress | None = None
) -> list[CrawlSurvey]:
    """Crawl for every topic with every crawler; `progress` is called after each crawl."""
    total, done = len(crawlers) * len(expedition.topics), 0
    surveys = []
    for crawler in crawlers:
        traces = []
        for topic in expedition.topics:
            concepts = build_scored_concepts(topic.term, bare=crawler.bare, estimator=crawler.estimator)
            traces.append(crawl_offline_web(expedition.web, topic, crawler, concepts, expedition.max_pages))
            done += 1
            if progress:
                progress(done, total)
        surveys.append(CrawlSurvey(crawler=crawler, traces=tuple(traces)))
    return surveys


@dataclass(frozen=True, slots=True)
class CrawlTrace:
    """A crawl of a topic: the visited pages without the seeds, all fetched addresses, and the targets of the seeds."""

    topic: OfflineTopic
    visited: tuple[VisitedPage, ...]
    fetched: tuple[str, ...]
    direct: frozenset[str]


def crawl_offline_web(
    web: OfflineWeb, topic: OfflineTopic, crawler: Crawler, concepts: ConceptSet, max_pages: int
) -> CrawlTrace:
    """Crawl for a topic, one page at a time."""
    bound = max_waiting_addresses(crawler.strategy, crawler.estimator)
    limits = TopicLimits(max_pages=max_pages, max_waiting=bound, merge=crawler.merge)
    plan = TopicPlan(topic.seeds, make_scored_estimator(crawler, concepts, web), limits=limits)
    wishes = plan.begin()
    while wishes:
        page = web.page(wishes[0].url)
        wishes = plan.feed(Visit(wishes[0], page, None if page else Reason.NOT_FOUND))
    seeds = frozenset(topic.seeds)
    return CrawlTrace(
        topic,
        tuple(visit for visit in plan.visited if visit.url not in seeds),
        tuple(visit.url for visit in plan.visited),
        frozenset(link.url for seed in topic.seeds if (page := web.page(seed)) for link in page.links),
    )


def make_scored_estimator(crawler: Crawler, concepts: ConceptSet, web: OfflineWeb) -> Estimator:
    """Make the estimator of a crawler."""
    if crawler.strategy == BEST_FIRST and crawler.estimator == "look-ahead":
        return LookAhead(concepts, web)
    if crawler.strategy == BEST_FIRST and crawler.estimator == "lokman":
        return Lokman(concepts, inherit=crawler.inherit)
    return choose_estimator(crawler.strategy, crawler.estimator)(concepts)


class LookAhead(FixedEstimator):
    """Values a link by the text of its target: the best that an estimator could do with words alone."""

    def __init__(self, concepts: ConceptSet, web: OfflineWeb) -> None:
        self._matcher = matcher(concepts)
        self._web = web
        self._known: dict[str, float] = {}

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002
        """Value each link by the density of the concepts on its target."""
        return Estimate(self._density(page.url), {link.url: self._density(link.url) for link in page.links})

    def _density(self, url: str) -> float:
        value = self._known.get(url)
        if value is None:
            page = self._web.page(url)
            text = f"{page.title}\n{page.text}" if page else ""
            value = self._known[url] = self._matcher.weigh(text) / (_PRIOR_WORDS + len(text.split()))
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineTopic:
    """A topic with its seeds and its truth, which no estimator sees."""

    name: str
    term: str
    seeds: tuple[str, ...]
    relevant: frozenset[str]
    targets: frozenset[str]


class OfflineWeb:
    """The pages of an SQLite file with a table `pages`: `url`, and `html` compressed by zlib."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise InputError(f"no such file: {path}", name=str(path), hint="give the offline web, an SQLite file")
        self._pages = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        self.page = functools.lru_cache(maxsize=_PAGES_CACHED)(self._page)
        try:
            self._row("")
        except sqlite3.Error as error:
            raise InputError(f"not an offline web: {path}", name=str(path), hint=str(error)) from error

    def urls(self) -> tuple[str, ...]:
        """Every address, in the order of the file."""
        return tuple(url for (url,) in self._pages.execute("SELECT url FROM pages ORDER BY rowid"))

    def _page(self, url: str) -> TopicPage | None:
        """The page at an address, as a crawl sees it; None if there is none."""
        row = self._row(url)
        if row is None:
            return None
        body = zlib.decompressobj().decompress(row[0], _MAX_PAGE_BYTES)
        return make_topic_page(Page(url=url, text=body.decode("utf-8", "replace"), digest="", encoding="utf-8"))

    def _row(self, url: str) -> tuple[bytes] | None:
        row: tuple[bytes] | None = self._pages.execute("SELECT html FROM pages WHERE url = ?", (url,)).fetchone()
        return row


def load_offline_topics(path: Path, *, seeds: str = "hub") -> tuple[OfflineTopic, ...]:
    """Load topics from a JSON object by name: `term`, `seeds`, `seeds_near`, `core`, `related` and `targets`.

    `seeds` is "hub" for the hubs, or "near" for pages near the topic.
    """
    try:
        topics = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            _parse_offline_topic(name, topic, "seeds" if seeds == "hub" else "seeds_near")
            for name, topic in topics.items()
        )
    except OSError as error:
        hint = error.strerror or str(error)
        raise InputError(f"topics cannot be read: {path}", name=str(path), hint=hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        hint = "each topic needs term, seeds, seeds_near, core, related and targets"
        raise InputError(f"not a file of topics: {path}", name=str(path), hint=hint) from error


def _parse_offline_topic(name: str, topic: Mapping[str, Any], seeds: str) -> OfflineTopic:
    return OfflineTopic(
        name=name,
        term=topic["term"],
        seeds=tuple(topic[seeds]),
        relevant=frozenset(topic["core"]) | frozenset(topic["related"]),
        targets=frozenset(topic["targets"]),
    )

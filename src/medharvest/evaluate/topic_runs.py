"""Crawls of an offline web, in process: which page came when."""

from __future__ import annotations

from dataclasses import dataclass

from medharvest.crawl.frontier import Merge
from medharvest.crawl.strategies import STRATEGIES
from medharvest.crawl.topic import TopicLimits, TopicPlan, Visit, Visited
from medharvest.crawl.ways import BEST_FIRST, most_waiting, way
from medharvest.evaluate.offline_web import OfflineWeb, Topic
from medharvest.records import Reason
from medharvest.topics import ConceptSet
from medharvest.topics.estimates import Estimate, Estimator, Forgetful, Standing, TopicPage
from medharvest.topics.lokman import INHERIT, Lokman
from medharvest.topics.matching import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    """A way to crawl: a strategy, and for best-first the estimator and how values are merged."""

    strategy: str = BEST_FIRST
    estimator: str = "adaptive"
    merge: Merge = Merge.GREATER
    bare: bool = False  # without a vocabulary
    inherit: float = INHERIT

    @property
    def name(self) -> str:
        """As tables show it."""
        if self.strategy != BEST_FIRST:
            return self.strategy
        marks = ("sum" if self.merge is Merge.SUM else "", "no vocabulary" if self.bare else "")
        return ", ".join(filter(None, (self.estimator, *marks)))


# Every way, the default first, each beside what it is compared with.
CRAWLERS = (
    Crawler(),
    Crawler(estimator="look-ahead"),
    Crawler(estimator="lokman"),
    Crawler(estimator="lokman", merge=Merge.SUM),
    Crawler(estimator="lokman", bare=True),
    Crawler(estimator="requirements"),
    Crawler(estimator="cosine"),
    *(Crawler(strategy=strategy) for strategy in STRATEGIES),
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A crawl of a topic: what arrived in order, seeds left out, and what its seeds link to."""

    topic: Topic
    visited: tuple[Visited, ...]
    fetched: tuple[str, ...]
    direct: frozenset[str]


def crawl_topic(web: OfflineWeb, topic: Topic, crawler: Crawler, concepts: ConceptSet, max_pages: int) -> Trace:
    """Crawl for a topic, one page at a time."""
    bound = most_waiting(crawler.strategy, crawler.estimator)
    limits = TopicLimits(max_pages=max_pages, max_waiting=bound, merge=crawler.merge)
    plan = TopicPlan(topic.seeds, make_estimator(crawler, concepts, web), limits=limits)
    wishes = plan.begin()
    while wishes:
        page = web.page(wishes[0].url)
        wishes = plan.feed(Visit(wishes[0], page, None if page else Reason.NOT_FOUND))
    seeds = frozenset(topic.seeds)
    return Trace(
        topic,
        tuple(visit for visit in plan.visited if visit.url not in seeds),
        tuple(visit.url for visit in plan.visited),
        frozenset(link.url for seed in topic.seeds if (page := web.page(seed)) for link in page.links),
    )


def make_estimator(crawler: Crawler, concepts: ConceptSet, web: OfflineWeb) -> Estimator:
    """What values the links of a crawl."""
    if crawler.strategy == BEST_FIRST and crawler.estimator == "look-ahead":
        return LookAhead(concepts, web)
    if crawler.strategy == BEST_FIRST and crawler.estimator == "lokman":
        return Lokman(concepts, inherit=crawler.inherit)
    return way(crawler.strategy, crawler.estimator)(concepts)


class LookAhead(Forgetful):
    """Values a link by the text of its target: what words alone could do at best, were a link to show them all."""

    def __init__(self, concepts: ConceptSet, web: OfflineWeb) -> None:
        self._matcher = matcher(concepts)
        self._web = web
        self._known: dict[str, float] = {}

    def judge(self, page: TopicPage, standing: Standing) -> Estimate:  # noqa: ARG002
        """Value each link by how densely the concepts stand on its target."""
        return Estimate(self._density(page.url), {link.url: self._density(link.url) for link in page.links})

    def _density(self, url: str) -> float:
        value = self._known.get(url)
        if value is None:
            page = self._web.page(url)
            text = f"{page.title}\n{page.text}" if page else ""
            value = self._known[url] = self._matcher.weigh(text) / (_PRIOR_WORDS + len(text.split()))
        return value


_PRIOR_WORDS = 50  # so that a page of three words is not the densest

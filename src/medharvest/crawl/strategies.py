"""Strategies of a topical crawl: breadth-first, depth-first, PageRank, HITS, fish, shark, and best-first.

`choose_estimator("best-first", "adaptive")(concepts)` is the estimator that values the links of a crawl.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from medharvest.topics import ConceptSet
from medharvest.topics.adaptive_estimator import Adaptive
from medharvest.topics.estimates import (
    Cosine,
    Estimate,
    Estimator,
    FixedEstimator,
    Lokman,
    LokmanRequirements,
    PageOrigin,
    TopicLink,
    TopicPage,
)
from medharvest.topics.term_matcher import bag_of_words, cosine_similarity

_RANKING_INTERVAL = 25  # pages from one ranking of the graph to the next
_DAMPING = 0.85
_RANKING_ROUNDS = 20
_MAX_DEPTH = 20  # of depth-first
_FISH_DEPTH = 3
_SHARK_DECAY, _SHARK_ANCHOR, _SHARK_INHERITED = 0.8, 0.8, 0.5  # delta, beta, r
_RANK_TOLERANCE = 1e-4  # smaller changes of ranks end the iteration
BEST_FIRST = "best-first"
ESTIMATORS: Mapping[str, Callable[[ConceptSet], Estimator]] = {
    "adaptive": Adaptive,
    "lokman": Lokman,
    "requirements": LokmanRequirements,
    "cosine": lambda concepts: Cosine(concepts.topic),
}
_BOUNDED_ESTIMATORS = frozenset({"lokman", "requirements"})
_MAX_THESIS_WAITING = 10_000  # waiting addresses in the thesis


class _BaseStrategy(FixedEstimator):
    def __init__(self, concepts: ConceptSet) -> None:
        self._topic = bag_of_words(concepts.topic)
        self._pages = 0

    def _similarity(self, page: TopicPage) -> float:
        return cosine_similarity(self._topic, bag_of_words(f"{page.title}\n{page.text}"))

    def memory(self) -> dict[str, Any]:
        return {"pages": self._pages}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._pages = memory["pages"]


class BreadthFirst(_BaseStrategy):
    """Breadth-first: the links of earlier pages first."""

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002  (only the order counts)
        """Value links by how few pages came before theirs."""
        self._pages += 1
        return Estimate(self._similarity(page), dict.fromkeys(_link_targets(page), float(-self._pages)))


class DepthFirst(_BaseStrategy):
    """Depth-first: the links of the latest page first, down to a depth."""

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:
        """Value links by how many pages came before theirs."""
        self._pages += 1
        links = _link_targets(page) if standing.depth < _MAX_DEPTH else ()
        return Estimate(self._similarity(page), dict.fromkeys(links, float(self._pages)))


class Fish(_BaseStrategy):
    """Fish-search: a page is relevant or not; a branch ends after `depth` irrelevant pages in a row."""

    def __init__(self, concepts: ConceptSet, depth: int = _FISH_DEPTH) -> None:
        super().__init__(concepts)
        self._depth = depth
        self._left: dict[str, int] = {}

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002
        """Value links 1 on a relevant page, 0 on any other."""
        own = float(self._similarity(page) > 0)
        left = self._depth if own else self._left.get(page.url, self._depth) - 1
        links = _link_targets(page) if left >= 0 else ()
        for url in links:
            self._left[url] = max(left, self._left.get(url, left))
        return Estimate(own, dict.fromkeys(links, own))

    def memory(self) -> dict[str, Any]:
        """Return how far each branch may still go."""
        return {**super().memory(), "left": self._left}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore how far each branch may still go."""
        super().recall(memory)
        self._left = dict(memory["left"])


class Shark(_BaseStrategy):
    """Shark-search: the inherited value, and the value of the link text and the text around it, in equal parts."""

    def __init__(self, concepts: ConceptSet) -> None:
        super().__init__(concepts)
        self._inherited: dict[str, float] = {}

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002
        """Value each link half by what its page passes on and half by its neighbourhood."""
        own = self._similarity(page)
        passed = _SHARK_DECAY * (own or self._inherited.get(page.url, 0.0))
        values: dict[str, float] = {}
        for link in page.links:
            value = _SHARK_INHERITED * passed + (1 - _SHARK_INHERITED) * self._neighbourhood(link)
            values[link.url] = max(value, values.get(link.url, value))
            self._inherited[link.url] = max(passed, self._inherited.get(link.url, 0.0))
        return Estimate(own, values)

    def _neighbourhood(self, link: TopicLink) -> float:
        anchor = cosine_similarity(self._topic, bag_of_words(link.text))
        around = 1.0 if anchor else cosine_similarity(self._topic, bag_of_words(link.around))
        return _SHARK_ANCHOR * anchor + (1 - _SHARK_ANCHOR) * around

    def memory(self) -> dict[str, Any]:
        """Return what each link inherits."""
        return {**super().memory(), "inherited": self._inherited}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what each link inherits."""
        super().recall(memory)
        self._inherited = dict(memory["inherited"])


class _GraphStrategy(_BaseStrategy):
    """Values links by the graph of the pages that arrived, which is ranked again every 25 pages."""

    def __init__(self, concepts: ConceptSet) -> None:
        super().__init__(concepts)
        self._out: dict[str, tuple[str, ...]] = {}
        self._ranks: dict[str, float] = {}

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002
        """Add a page to the graph; until the next ranking its links get what it passes on."""
        self._pages += 1
        self._out[page.url] = _link_targets(page)
        for url in self._out[page.url]:
            self._ranks[url] = self._first(url, page.url)
        return Estimate(self._similarity(page), {url: self._ranks[url] for url in self._out[page.url]})

    def revalued(self) -> Mapping[str, float]:
        """Rank the graph again and return all ranks, if it is time."""
        if self._pages % _RANKING_INTERVAL:
            return {}
        self._ranks = self._ranked()
        return self._ranks

    def _first(self, url: str, source: str) -> float:
        raise NotImplementedError

    def _ranked(self) -> dict[str, float]:
        raise NotImplementedError

    def memory(self) -> dict[str, Any]:
        """Return the graph and its ranks."""
        return {**super().memory(), "out": {url: [*links] for url, links in self._out.items()}, "ranks": self._ranks}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore the graph and its ranks."""
        super().recall(memory)
        self._out = {url: tuple(links) for url, links in memory["out"].items()}
        self._ranks = dict(memory["ranks"])


class PageRank(_GraphStrategy):
    """PageRank: 0.15 plus 0.85 of what the pages that link to an address pass on."""

    def _first(self, url: str, source: str) -> float:
        passed = _DAMPING * self._ranks.get(source, 1 - _DAMPING) / len(self._out[source])
        return max(self._ranks.get(url, 0.0), 1 - _DAMPING + passed)

    def _ranked(self) -> dict[str, float]:
        ranks = {**dict.fromkeys(self._out, 1 - _DAMPING), **self._ranks}
        for _ in range(_RANKING_ROUNDS):
            fresh = dict.fromkeys(ranks, 1 - _DAMPING)
            for page, links in self._out.items():
                passed = _DAMPING * ranks[page] / max(1, len(links))
                for url in links:
                    fresh[url] += passed
            change = max(abs(fresh[url] - rank) for url, rank in ranks.items())
            ranks = fresh
            if change < _RANK_TOLERANCE:
                break
        return ranks


class Hits(_GraphStrategy):
    """HITS: good hubs link to good authorities, and addresses are valued by their authority."""

    def _first(self, url: str, source: str) -> float:  # noqa: ARG002  (its hub value is not known before the ranking)
        return self._ranks.get(url, 0.0)

    def _ranked(self) -> dict[str, float]:
        hubs = dict.fromkeys(self._out, 1.0)
        authorities: dict[str, float] = {}
        for _ in range(_RANKING_ROUNDS):
            gained: dict[str, float] = defaultdict(float)
            for page, links in self._out.items():
                for url in links:
                    gained[url] += hubs[page]
            authorities = _normalise_values(gained)
            hubs = _normalise_values(
                {page: sum(authorities[url] for url in links) for page, links in self._out.items()}
            )
        return authorities


def _normalise_values(values: Mapping[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in values.values())) or 1.0
    return {name: value / length for name, value in values.items()}


def _link_targets(page: TopicPage) -> tuple[str, ...]:
    return tuple(dict.fromkeys(link.url for link in page.links))


STRATEGIES: Mapping[str, Callable[[ConceptSet], Estimator]] = {
    "breadth-first": BreadthFirst,
    "depth-first": DepthFirst,
    "pagerank": PageRank,
    "hits": Hits,
    "fish": Fish,
    "shark": Shark,
}


def choose_estimator(strategy: str, estimator: str) -> Callable[[ConceptSet], Estimator]:
    """Return the class that values the links of a crawl; only best-first uses `estimator`."""
    return ESTIMATORS[estimator] if strategy == BEST_FIRST else STRATEGIES[strategy]


def max_waiting_addresses(strategy: str, estimator: str) -> int:
    """Return how many addresses may wait; 0 means no limit."""
    return _MAX_THESIS_WAITING if strategy == BEST_FIRST and estimator in _BOUNDED_ESTIMATORS else 0

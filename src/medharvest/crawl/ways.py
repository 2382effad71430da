"""The ways to crawl for a topic by name: a strategy, and for best-first the estimator that gives links their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from medharvest.crawl.strategies import STRATEGIES
from medharvest.topics import ConceptSet
from medharvest.topics.adaptive import Adaptive
from medharvest.topics.cosine import Cosine
from medharvest.topics.estimates import Estimator
from medharvest.topics.lokman import Lokman, LokmanRequirements

BEST_FIRST = "best-first"
ESTIMATORS: Mapping[str, Callable[[ConceptSet], Estimator]] = {
    "adaptive": Adaptive,
    "lokman": Lokman,
    "requirements": LokmanRequirements,
    "cosine": lambda concepts: Cosine(concepts.topic),
}
_BOUNDED = frozenset({"lokman", "requirements"})
_WAITING = 10_000  # addresses, the thesis' bound


def way(strategy: str, estimator: str) -> Callable[[ConceptSet], Estimator]:
    """What values the links of a crawl; only best-first asks an estimator."""
    return ESTIMATORS[estimator] if strategy == BEST_FIRST else STRATEGIES[strategy]


def most_waiting(strategy: str, estimator: str) -> int:
    """How many addresses may wait, 0 for any number."""
    return _WAITING if strategy == BEST_FIRST and estimator in _BOUNDED else 0

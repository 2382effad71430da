"""The interface of relevance estimators, and those from the literature: `Lokman`, in two profiles, and `Cosine`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from medharvest.topics.concept_sets import ConceptSet
from medharvest.topics.term_matcher import bag_of_words, cosine_similarity, find_terms, matcher

INHERITED_SHARE = 0.1  # the best share in the thesis, which tried from 0.4 down
_SEED_VALUE = 1.0  # what a seed inherits; in the thesis, too, search results came before all links


class TopicLink(NamedTuple):
    """A link: its address, its own text, the words around it, and whether it is in a block of links."""

    url: str
    text: str = ""
    around: str = ""
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPage:
    """A page as estimators see it; `text` includes link texts, `strong` repeats what is in headings and bold type.

    `body` is the running text alone, without menus, lists of links and boxes; None if it is not known.
    """

    url: str
    title: str = ""
    text: str = ""
    strong: str = ""
    links: tuple[TopicLink, ...] = ()
    body: str | None = None


@dataclass(frozen=True, slots=True)
class PageOrigin:
    """How the crawl came to a page: the value of the link, its distance from a seed, and whether it is a seed."""

    value: float = 1.0
    depth: int = 0
    seed: bool = False


@dataclass(frozen=True, slots=True)
class Estimate:
    """The value of a page, and of its links by address; links that are not to be followed are missing."""

    own: float
    links: Mapping[str, float] = field(default_factory=dict)


class Estimator(Protocol):
    """Values the links of a crawl; what it has learnt can be saved and restored."""

    seed_value: float

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:
        """Value a fetched page and its links."""
        ...

    def revalue(self, url: str, value: float) -> float:
        """Return the current value of a waiting link."""
        ...

    def revalued(self) -> Mapping[str, float]:
        """Return the waiting links whose values changed with the last page."""
        ...

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        ...

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        ...


class FixedEstimator:
    """An estimator whose values never change and that learns nothing."""

    seed_value = math.inf  # seeds come before anything they lead to

    def revalue(self, url: str, value: float) -> float:  # noqa: ARG002  (part of the protocol)
        """Return the value unchanged."""
        return value

    def revalued(self) -> Mapping[str, float]:
        """Return no links."""
        return {}

    def memory(self) -> dict[str, Any]:
        """Return nothing to save."""
        return {}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore nothing."""


class Lokman(FixedEstimator):
    """Profile `thesis`: page value = 0.9 own + 0.1 inherited, link value = 0.9 own + 0.1 page value.

    A page without any occurrence ends its branch, unless it is a seed.
    """

    def __init__(self, concepts: ConceptSet, *, inherit: float = INHERITED_SHARE) -> None:
        self.inherit = inherit
        self._matcher = matcher(concepts)

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:
        """Value a page by its title and text, and each link by its text and address."""
        share, own = self.inherit, self._matcher.weigh(_join_title_and_text(page))
        if not own and not standing.seed:
            return Estimate(0.0)
        inherited = _SEED_VALUE if standing.seed else standing.value
        passed = share * ((1 - share) * own + share * inherited)
        named = find_terms(self._matcher, [f"{link.text}\n{link.url}" for link in page.links])
        weights = self._matcher.weights
        values = dict.fromkeys([link.url for link in page.links], passed)  # the least; most links get no more
        for place, terms in named.items():
            url = page.links[place].url
            values[url] = max(values[url], (1 - share) * sum([weights[term] for term in terms]) + passed)
        return Estimate(own, values)


class LokmanRequirements(FixedEstimator):
    """Profile `requirements`: page value = own, link value = the greater of the page's and its own by tf/idf.

    A term in a link's text counts more if fewer links of the page have it.
    """

    def __init__(self, concepts: ConceptSet) -> None:
        self._matcher = matcher(concepts)

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:
        """Value a page by its title and text, and each link by its text alone."""
        own = self._matcher.weigh(_join_title_and_text(page))
        if not own and not standing.seed:
            return Estimate(0.0)
        named = find_terms(self._matcher, [link.text for link in page.links])
        found = [Counter(named.get(place, ())) for place in range(len(page.links))]
        rarity = _measure_term_rarity(found)
        weights = self._matcher.weights
        values = (sum(times * rarity[term] * weights[term] for term, times in hits.items()) for hits in found)
        return Estimate(own, _keep_greatest_values(zip(page.links, (max(own, value) for value in values), strict=True)))


def _join_title_and_text(page: TopicPage) -> str:
    return f"{page.title}\n{page.text}"


def _keep_greatest_values(valued: Iterable[tuple[TopicLink, float]]) -> dict[str, float]:
    """Return the value of each address: the greatest of the links to it."""
    values: dict[str, float] = {}
    for link, value in valued:
        values[link.url] = max(value, values.get(link.url, value))
    return values


def _measure_term_rarity(found: Sequence[Counter[int]]) -> dict[int, float]:
    """Return how rare each term is among links: 1 if all have it, more if fewer do."""
    having = Counter(term for hits in found for term in hits)
    return {term: 1 + math.log(len(found) / count) for term, count in having.items()}


class Cosine(FixedEstimator):
    """The cosine crawler: it knows only the words of the topic's name."""

    def __init__(self, topic: str) -> None:
        self._topic = bag_of_words(topic)

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002  (the origin does not count)
        """Give every link the similarity of its page."""
        own = cosine_similarity(self._topic, bag_of_words(f"{page.title}\n{page.text}"))
        return Estimate(own, dict.fromkeys((link.url for link in page.links), own))

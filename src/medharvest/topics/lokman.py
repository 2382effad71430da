"""The estimator of the Lokman crawler: occurrences of concepts, weighted, and a share of what is inherited."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from medharvest.topics.estimates import Estimate, Forgetful, Standing, TopicLink, TopicPage
from medharvest.topics.matching import matcher
from medharvest.topics.sets import ConceptSet
from medharvest.topics.several import terms_in

INHERIT = 0.1  # the share the thesis found best, coming down from 0.4
_SEED = 1.0  # what a seed inherits; in the thesis' crawls, too, what the search gave came before all links


class Lokman(Forgetful):
    """Profile `thesis`: page value = 0.9 own + 0.1 inherited, link value = 0.9 own + 0.1 page value.

    A page without any occurrence ends its branch, unless it is a seed.
    """

    def __init__(self, concepts: ConceptSet, *, inherit: float = INHERIT) -> None:
        self.inherit = inherit
        self._matcher = matcher(concepts)

    def judge(self, page: TopicPage, standing: Standing) -> Estimate:
        """Value a page and its links; each link by its text and address."""
        share, own = self.inherit, self._matcher.weigh(_whole(page))
        if not own and not standing.seed:
            return Estimate(0.0)
        inherited = _SEED if standing.seed else standing.value
        passed = share * ((1 - share) * own + share * inherited)
        named = terms_in(self._matcher, [f"{link.text}\n{link.url}" for link in page.links])
        weights = self._matcher.weights
        values = dict.fromkeys([link.url for link in page.links], passed)  # the least, and of most links all
        for place, terms in named.items():
            url = page.links[place].url
            values[url] = max(values[url], (1 - share) * sum([weights[term] for term in terms]) + passed)
        return Estimate(own, values)


class LokmanRequirements(Forgetful):
    """Profile `requirements`: page value = own, link value = the greater of the page's and its own by tf/idf.

    A term counts the more in a link's text the fewer links of the page have it.
    """

    def __init__(self, concepts: ConceptSet) -> None:
        self._matcher = matcher(concepts)

    def judge(self, page: TopicPage, standing: Standing) -> Estimate:
        """Value a page and its links; each link by the text between its tags alone."""
        own = self._matcher.weigh(_whole(page))
        if not own and not standing.seed:
            return Estimate(0.0)
        named = terms_in(self._matcher, [link.text for link in page.links])
        found = [Counter(named.get(place, ())) for place in range(len(page.links))]
        rarity = _rarity(found)
        weights = self._matcher.weights
        values = (sum(times * rarity[term] * weights[term] for term, times in hits.items()) for hits in found)
        return Estimate(own, _greatest(zip(page.links, (max(own, value) for value in values), strict=True)))


def _whole(page: TopicPage) -> str:
    return f"{page.title}\n{page.text}"


def _greatest(valued: Iterable[tuple[TopicLink, float]]) -> dict[str, float]:
    """The value of each address; of several links to one the greatest."""
    values: dict[str, float] = {}
    for link, value in valued:
        values[link.url] = max(value, values.get(link.url, value))
    return values


def _rarity(found: Sequence[Counter[int]]) -> dict[int, float]:
    """How rare each term is among links: 1 where all have it, more the fewer have it."""
    having = Counter(term for hits in found for term in hits)
    return {term: 1 + math.log(len(found) / count) for term, count in having.items()}

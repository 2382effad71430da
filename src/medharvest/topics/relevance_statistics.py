"""What a crawl has learnt: the words of relevant pages, and the relevance of hosts, folders and linking pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import chain
from typing import Any

_TOP_WORDS = 5  # the fifth best word sets the scale of a good word
# Weights are rescaled when the pages have grown by this factor, later every so many pages: the first change most.
_SCALE_PACE, _SCALE_STEP = 1.3, 25
_MAX_COUNTED = 2000  # higher counts count as this; logarithms up to here are precomputed
_LOGARITHMS = [math.log(count + 0.5) for count in range(_MAX_COUNTED + 1)]
_DAMPED_COUNTS = [0.0, *(1 + math.log(times) for times in range(1, _MAX_COUNTED + 1))]
_START_RELEVANCE = 0.03  # assumed for an unknown place: most of the web is about something else
_PLACE_TRUST = 3.0  # this assumption counts as much as this many pages of a place
_SOURCE_TRUST = 2.0  # the same for the pages that a page links to
_PLACE_SHARES = (1 / 3, 2 / 3, 1.0)  # weight of a page of the same host, of the same first folder, of the same folder


class WordProfile:
    """Weights of words, learnt page by page; `words` are those of the topic, known from the start."""

    def __init__(self, words: Mapping[str, float]) -> None:
        self.pages = 0
        self._seen: Counter[str] = Counter()  # pages with a word
        self._links = 0
        self._linked: Counter[str] = Counter()  # links with a word
        self._weights: dict[str, float] = dict(words)
        self._scale()

    def learn(self, words: Mapping[str, int], relevance: float) -> None:
        """Count the words of a page, and add to their weights by its relevance."""
        self.pages += 1
        self._seen.update(words.keys())
        if relevance:
            length = math.sqrt(sum(_DAMPED_COUNTS[min(times, _MAX_COUNTED)] ** 2 for times in words.values())) or 1.0
            for word, times in words.items():
                gain = relevance * _DAMPED_COUNTS[min(times, _MAX_COUNTED)] / length
                self._weights[word] = self._weights.get(word, 0.0) + gain
        if self.pages >= self._due:
            self._scale()

    def learn_links(self, texts: Sequence[tuple[str, ...]]) -> None:
        """Count the words in link texts: words of many links do not distinguish them."""
        self._links += len(texts)
        self._linked.update(chain.from_iterable(map(dict.fromkeys, texts)))

    def similarity(self, words: Mapping[str, int]) -> float:
        """Return the cosine similarity of a page and the profile; rare words count more."""
        common = length = 0.0
        seen, weights, most = self._seen.get, self._weights.get, math.log(self.pages + 1)
        for word, times in words.items():
            rarity = most - _LOGARITHMS[min(seen(word, 0), _MAX_COUNTED)]
            value = _DAMPED_COUNTS[min(times, _MAX_COUNTED)] * rarity
            length += value * value
            common += value * rarity * weights(word, 0.0)
        return max(0.0, common) / (math.sqrt(length) * self._length) if length else 0.0

    def strength(self, words: tuple[str, ...]) -> float:
        """Return how strongly a few words indicate the topic, 0 to 1."""
        if not words:
            return 0.0
        known = self._known
        total = 0.0
        for word in words:
            value = known.get(word)
            if value is None:
                value = known[word] = self._value(word)
            total += value
        return 1 - math.exp(-total / (self._good * math.sqrt(len(words))))

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        scale = [self._length, self._good, self._due]
        return {
            "pages": self.pages,
            "links": self._links,
            "seen": self._seen,
            "linked": self._linked,
            "weights": self._weights,
            "known": self._known,
            "scale": scale,
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        self.pages, self._links = memory["pages"], memory["links"]
        self._seen, self._linked = Counter(memory["seen"]), Counter(memory["linked"])
        self._weights = dict(memory["weights"])
        self._known = dict(memory["known"])
        self._length, self._good, self._due = memory["scale"]

    def _value(self, word: str) -> float:
        """Return the value of a word in a link's text."""
        weight = self._weights.get(word, 0.0)
        if not weight:
            return 0.0
        linked = math.log((self._links + 1) / (self._linked.get(word, 0) + 0.5)) / math.log(self._links + 10)
        return weight * self._rarity(word) * max(0.0, linked)

    def _rarity(self, word: str) -> float:
        return max(0.0, math.log((self.pages + 1) / (self._seen.get(word, 0) + 0.5)))

    def _scale(self) -> None:
        """Recompute the length of the profile, the values of its words, and the scale of a good word."""
        self._due = min(self.pages * _SCALE_PACE + 1, self.pages + _SCALE_STEP)
        values = [weight * self._rarity(word) for word, weight in self._weights.items()]
        self._length = math.sqrt(sum(value * value for value in values)) or 1.0
        self._known = {word: self._value(word) for word in self._weights}
        self._good = min(nlargest(_TOP_WORDS, self._known.values()), default=1.0) or 1.0


class PlaceStatistics:
    """Running means of the relevance of pages, by place and by the page that links to them."""

    def __init__(self) -> None:
        self._places: dict[str, list[float]] = {}
        self._sources: dict[str, list[float]] = {}
        self._means: dict[str, float] = {}  # by folder; valid until the next page is counted

    def learn(self, url: str, sources: tuple[str, ...], relevance: float) -> None:
        """Count the relevance of a page for its places and for the pages that link to it."""
        self._means.clear()
        for place in places_of_url(url):
            _add_relevance(self._places, place, relevance)
        for source in sources:
            _add_relevance(self._sources, source, relevance)

    def place(self, url: str) -> float:
        """Return the mean relevance of pages near an address; closer ones count more."""
        slash = url.rfind("/", len("https://"), url.find("?") if "?" in url else len(url))
        folder = url[:slash] if slash > 0 else url
        mean = self._means.get(folder)
        if mean is None:
            mean = self._means[folder] = self._mean(url)
        return mean

    def _mean(self, url: str) -> float:
        total, count = _START_RELEVANCE * _PLACE_TRUST, _PLACE_TRUST
        for part, place in zip(_PLACE_SHARES, places_of_url(url), strict=True):
            known = self._places.get(place)
            if known:
                total += part * known[0]
                count += part * known[1]
        return total / count

    def source(self, url: str) -> float:
        """Return the mean relevance of the pages that a page links to."""
        total, count = self._sources.get(url, (0.0, 0.0))
        return (total + _START_RELEVANCE * _SOURCE_TRUST) / (count + _SOURCE_TRUST)

    def memory(self) -> dict[str, Any]:
        """Return what was learnt, as JSON."""
        return {"places": self._places, "sources": self._sources}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore what was learnt."""
        self._places = {place: [*sums] for place, sums in memory["places"].items()}
        self._sources = {source: [*sums] for source, sums in memory["sources"].items()}
        self._means.clear()


def places_of_url(url: str) -> tuple[str, ...]:
    """Return the host of an address, its first folder and its last folder."""
    _, _, rest = url.partition("?")[0].partition("://")
    host, *steps = rest.split("/")
    return host, "/".join((host, *steps[:-1][:1], "")), "/".join((host, *steps[:-1], "..."))


def _add_relevance(means: dict[str, list[float]], key: str, relevance: float) -> None:
    sums = means.setdefault(key, [0.0, 0.0])
    sums[0] += relevance
    sums[1] += 1

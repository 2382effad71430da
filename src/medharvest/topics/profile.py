"""The words of pages that turned out to be relevant, against those of all pages: a topic as it is in practice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import chain
from typing import Any

_TOP = 5  # words; the fifth best says what a good word is worth
_PACE, _STEP = 1.3, 25  # weights are scaled anew after a third more pages, later every 25: first ones change them most
_COUNTED = 2000  # pages or times beyond which a word counts no more; up to there logarithms are at hand
_LOGS = [math.log(count + 0.5) for count in range(_COUNTED + 1)]
_DAMPED = [0.0, *(1 + math.log(times) for times in range(1, _COUNTED + 1))]


class Profile:
    """Weights of words, learnt page by page; `words` are those of the topic itself, known before any page."""

    def __init__(self, words: Mapping[str, float]) -> None:
        self.pages = 0
        self._seen: Counter[str] = Counter()  # pages a word stands on
        self._links = 0
        self._linked: Counter[str] = Counter()  # links a word stands in
        self._weights: dict[str, float] = dict(words)
        self._scale()

    def learn(self, words: Mapping[str, int], relevance: float) -> None:
        """Count a page's words; as far as it is relevant they belong to the topic."""
        self.pages += 1
        self._seen.update(words.keys())
        if relevance:
            length = math.sqrt(sum(_DAMPED[min(times, _COUNTED)] ** 2 for times in words.values())) or 1.0
            for word, times in words.items():
                gain = relevance * _DAMPED[min(times, _COUNTED)] / length
                self._weights[word] = self._weights.get(word, 0.0) + gain
        if self.pages >= self._due:
            self._scale()

    def learn_links(self, texts: Sequence[tuple[str, ...]]) -> None:
        """Count the words of the texts of links: what many links say tells none of them from the others."""
        self._links += len(texts)
        self._linked.update(chain.from_iterable(map(dict.fromkeys, texts)))

    def similarity(self, words: Mapping[str, int]) -> float:
        """The cosine of a page and the profile, rare words counting more."""
        common = length = 0.0
        seen, weights, most = self._seen.get, self._weights.get, math.log(self.pages + 1)
        for word, times in words.items():
            rarity = most - _LOGS[min(seen(word, 0), _COUNTED)]
            value = _DAMPED[min(times, _COUNTED)] * rarity
            length += value * value
            common += value * rarity * weights(word, 0.0)
        return max(0.0, common) / (math.sqrt(length) * self._length) if length else 0.0

    def strength(self, words: tuple[str, ...]) -> float:
        """How much a few words speak for the topic, 0 to 1."""
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
        """What it has learnt, as JSON."""
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
        """Take up what was learnt."""
        self.pages, self._links = memory["pages"], memory["links"]
        self._seen, self._linked = Counter(memory["seen"]), Counter(memory["linked"])
        self._weights = dict(memory["weights"])
        self._known = dict(memory["known"])
        self._length, self._good, self._due = memory["scale"]

    def _value(self, word: str) -> float:
        """What a word in a link's text is worth."""
        weight = self._weights.get(word, 0.0)
        if not weight:
            return 0.0
        linked = math.log((self._links + 1) / (self._linked.get(word, 0) + 0.5)) / math.log(self._links + 10)
        return weight * self._rarity(word) * max(0.0, linked)

    def _rarity(self, word: str) -> float:
        return max(0.0, math.log((self.pages + 1) / (self._seen.get(word, 0) + 0.5)))

    def _scale(self) -> None:
        """Work out what all weights are measured by."""
        self._due = min(self.pages * _PACE + 1, self.pages + _STEP)
        values = [weight * self._rarity(word) for word, weight in self._weights.items()]
        self._length = math.sqrt(sum(value * value for value in values)) or 1.0
        self._known = {word: self._value(word) for word in self._weights}
        self._good = min(nlargest(_TOP, self._known.values()), default=1.0) or 1.0

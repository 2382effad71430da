"""The words of pages that turned out to be relevant, against those of all pages: what a topic looks like in practice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from heapq import nlargest
from typing import Any

_TOP = 5  # words; the fifth best says what a good word is worth
_SETTLING = 30  # pages; the first ones change the weights a lot, later ones little
_STEP = 25


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
            length = math.sqrt(sum(_damped(times) ** 2 for times in words.values())) or 1.0
            for word, times in words.items():
                self._weights[word] = self._weights.get(word, 0.0) + relevance * _damped(times) / length
        if self.pages < _SETTLING or self.pages % _STEP == 0:
            self._scale()

    def learn_link(self, words: tuple[str, ...]) -> None:
        """Count the words of a link's text: what many links say tells none of them from the others."""
        self._links += 1
        self._linked.update(set(words))

    def similarity(self, words: Mapping[str, int]) -> float:
        """The cosine of a page and the profile, rare words counting more."""
        common = length = 0.0
        for word, times in words.items():
            rarity = self._rarity(word)
            value = _damped(times) * rarity
            length += value * value
            common += value * rarity * self._weights.get(word, 0.0)
        return common / (math.sqrt(length) * self._length) if common else 0.0

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
        scale = [self._length, self._good]
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
        self._length, self._good = memory["scale"]

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
        values = [weight * self._rarity(word) for word, weight in self._weights.items()]
        self._length = math.sqrt(sum(value * value for value in values)) or 1.0
        self._known = {word: self._value(word) for word in self._weights}
        self._good = min(nlargest(_TOP, self._known.values()), default=1.0) or 1.0


def _damped(times: int) -> float:
    return 1 + math.log(times)

"""Plain best-first: each link is worth the cosine of the topic and the page it stands on (equation 1)."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping

from medharvest.topics.estimates import Estimate, Forgetful, Standing, TopicPage
from medharvest.topics.names import singular
from medharvest.topics.words import words

_SHORT = 2  # letters; shorter words say nothing
_COMMON = frozenset(
    """a about all also an and any are as at be because been but by can could do does for from had has have he her
    his how i if in into is it its may more most no not of on one or other our out over she should so some such than
    that the their them then there these they this those through to up use was we were what when where which who why
    will with would you your""".split()
)


class Cosine(Forgetful):
    """The cosine crawler; it knows the words of the topic's name and nothing else."""

    def __init__(self, topic: str) -> None:
        self._topic = bag(topic)

    def judge(self, page: TopicPage, standing: Standing) -> Estimate:  # noqa: ARG002  (how it came here does not count)
        """Give every link the similarity of its page."""
        own = cosine(self._topic, bag(f"{page.title}\n{page.text}"))
        return Estimate(own, dict.fromkeys((link.url for link in page.links), own))


def cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """How alike two bags of words are, 0 to 1."""
    common = sum(times * other.get(word, 0) for word, times in one.items())
    return common / (_length(one) * _length(other)) if common else 0.0


def bag(text: str) -> Counter[str]:
    """The words of a text that say something, in the singular, with their numbers."""
    counts: dict[str, int] = {}
    known = counts.get
    for word, times in Counter(words(text)).items():
        if stem := _stem(word):
            counts[stem] = known(stem, 0) + times
    return Counter(counts)


def keywords(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Those of some words that say something, in the singular."""
    return tuple([stem for word in tokens if (stem := _stem(word))])


@functools.lru_cache(maxsize=65_536)
def _stem(word: bytes) -> str:
    """A word in the singular; empty for one that says nothing."""
    text = word.decode()
    return "" if len(text) < _SHORT or text in _COMMON else singular(text)


def _length(counts: Mapping[str, int]) -> float:
    return math.sqrt(sum(times * times for times in counts.values()))

"""The default identifier of a journal: a link is what the taught links like it are, and zero-shot where none is."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from medharvest.links.judge import article_key
from medharvest.links.traits import Traits, link_traits
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

METHOD, FALLBACK = "taught", "zero-shot"
# How much each trait counts where two links are compared. Set by what a trait is, not fitted: weights searched for on
# some journals did worse on the others than these. All together stay below 256, see `_Rows`.
WEIGHTS: Mapping[str, int] = {
    "server": 8, "folder": 6, "file": 4, "ending": 6, "query": 2, "nearness": 4,
    "path": 4, "near": 4, "tags": 4, "heading": 2, "before": 2, "after": 2,
    "attributes": 2, "classes": 2, "inside": 2, "hidden": 8,
    "caption": 6, "length": 2, "lead": 1, "twin": 1, "previous": 1, "next": 1,
}  # fmt: skip
# What a link promises is told by its words more than by its place.
KIND_WEIGHTS: Mapping[str, int] = {
    **WEIGHTS, "ending": 12, "path": 1, "near": 2, "tags": 1, "inside": 6, "caption": 12, "lead": 4, "twin": 2,
}  # fmt: skip
_SCALE = 0.05  # a taught link at this distance, 1 being nothing in common, counts 1/e of an equal one
_PRIOR = 0.003  # what zero-shot counts, an equal taught link counting 1: it decides from a distance of 0.3 on
_KIND_PRIOR = 0.02  # and what it counts for the kind: a new word such as "PDF" may say more than the place
_LEAST, _MOST = 0.02, 0.98  # zero-shot is never surer than this
# What no article is, unless one was taught: a link to no other page, or to one that half a dozen links lead to.
_UNUSUAL = frozenset(
    {("server", "page"), ("server", "mailto"), ("server", "javascript"), ("server", "tel"), ("twin", "many")}
)

Guess = tuple[float, Kind | None]  # what zero-shot says of a link: how probable an article, and the kind it promises
_NO_GUESS: Guess = (0.5, None)
_HIDDEN = ("hidden", "yes")
_KEPT = 1_024  # rows kept at a time, so that memory stays in proportion to what was taught


def judge_taught(
    page: Page, links: Sequence[Link], examples: Sequence[LinkExample], guesses: Sequence[Guess] = ()
) -> tuple[JudgedLink, ...]:
    """Judge the links of a page by examples; `guesses` are what zero-shot says of each link."""
    found = opinions(Taught(examples), links, link_traits(page, links), guesses)
    return tuple(map(judged, links, found))


def judged(link: Link, opinion: Opinion) -> JudgedLink:
    """A link with the verdict an opinion of it makes."""
    score = opinion.probability if opinion.article else 1 - opinion.probability
    return JudgedLink(
        link=link,
        article=opinion.article,
        kind=opinion.kind if opinion.article else None,
        verdict=Verdict("article" if opinion.article else "other", score, opinion.method),
        article_key=article_key(link.url) if opinion.article else "",
    )


class Opinion(NamedTuple):
    """How probable it is that a link is an article, the kind it promises then, and how near the nearest example is.

    `closeness` is 1 where a taught link is equal in all traits, 0 where none has anything in common.
    """

    probability: float
    kind: Kind | None
    closeness: float

    @property
    def article(self) -> bool:
        """Whether the link is more likely an article than not."""
        return self.probability > 0.5  # noqa: PLR2004  (more likely than not)

    @property
    def method(self) -> str:
        """What decided: the examples, or zero-shot where none is near."""
        return METHOD if self.closeness >= _PRIOR else FALLBACK


def opinions(
    taught: Taught, links: Sequence[Link], traits: Sequence[Traits], guesses: Sequence[Guess] = ()
) -> list[Opinion]:
    """What the examples say of the links of a page; links to one address are of one mind.

    Of several the one that is nearest to an example speaks for all that can be seen.
    """
    guesses = guesses or [_NO_GUESS] * len(links)
    found = [taught.opinion(one, *guess) for one, guess in zip(traits, guesses, strict=True)]
    speakers: dict[str, Opinion] = {}
    for link, opinion in zip(links, found, strict=True):
        target = link.url or link.href
        if opinion.probability and opinion.closeness > speakers.get(target, _NOBODY).closeness:
            speakers[target] = opinion
    return [
        speakers[link.url or link.href] if opinion.probability else opinion
        for link, opinion in zip(links, found, strict=True)
    ]


_NOBODY = Opinion(0.0, None, -1.0)


class Taught:
    """Examples made ready to be compared with; those that are all alike are compared once."""

    def __init__(self, examples: Sequence[LinkExample]) -> None:
        self.examples = examples
        self._articles = _Rows((example.traits for example in examples if example.article), WEIGHTS)
        self._others = _Rows((example.traits for example in examples if not example.article), WEIGHTS)
        kinds = sorted({example.kind for example in examples if example.article and example.kind})
        self._kinds = [
            (kind, _Rows((one.traits for one in examples if one.article and one.kind is kind), KIND_WEIGHTS))
            for kind in kinds
        ]
        self._usual = {trait for example in examples if example.article for trait in example.traits}

    def opinion(self, traits: Traits, prior: float = 0.5, kind: Kind | None = None) -> Opinion:
        """What the examples say of a link by itself, given what zero-shot says of it; 0 is never."""
        article, other = _closeness(self._articles.nearest(traits)), _closeness(self._others.nearest(traits))
        closeness = max(article, other)
        if self._bars(traits):
            return Opinion(0.0, None, closeness)
        prior = min(_MOST, max(_LEAST, prior))
        yes, no = article + _PRIOR * prior, other + _PRIOR * (1 - prior)
        return Opinion(yes / (yes + no), self._kind(traits, kind) if yes > no else kind, closeness)

    def is_like_another(self, traits: Traits, distance: float) -> bool:
        """Whether a taught link that is no article is this near, or the link can be none itself."""
        return self._bars(traits) or self._others.nearest(traits) <= distance

    def _bars(self, traits: Traits) -> bool:
        """Whether a link cannot be an article, whatever it is like: nobody sees it, or no article is like that."""
        return any(trait == _HIDDEN or (trait in _UNUSUAL and trait not in self._usual) for trait in traits)

    def _kind(self, traits: Traits, kind: Kind | None) -> Kind | None:
        """The kind that most examples near to a link have, zero-shot counting where none is near."""
        votes = {known: sum(map(_closeness, rows.distances(traits))) for known, rows in self._kinds}
        if kind:
            votes[kind] = votes.get(kind, 0.0) + _KIND_PRIOR
        return max(votes, key=lambda one: votes[one], default=None)


@functools.cache
def _closeness(distance: float) -> float:
    return math.exp(-distance / _SCALE)


class _Rows:
    """The traits of some links, ready to be compared with those of another all at once.

    A row holds one byte a link: the weight of a trait where the link has a certain value, else 0. As whole numbers rows
    are added in one step, and as long as the weights of all traits stay below 256 no byte runs over.
    """

    def __init__(self, links: Iterable[Traits], weights: Mapping[str, int]) -> None:
        self._weights = weights
        self._all = sum(weights.values())
        self._count = 0
        self._places: dict[tuple[str, str], list[int]] = {}
        for place, traits in enumerate(dict.fromkeys(links)):
            self._count = place + 1
            for trait in traits:
                self._places.setdefault(trait, []).append(place)
        self._row = functools.lru_cache(maxsize=_KEPT)(self._made_row)

    def nearest(self, traits: Traits) -> float:
        """How far the nearest link is: 0 is equal, 1 nothing in common, infinite where there is none."""
        return 1 - max(self._alike(traits)) / self._all if self._count else math.inf

    def distances(self, traits: Traits) -> list[float]:
        """How far each link is."""
        return [1 - alike / self._all for alike in self._alike(traits)]

    def _alike(self, traits: Traits) -> bytes:
        rows = [self._row(trait) for trait in traits if trait in self._places]
        return sum(rows).to_bytes(self._count, "little")

    def _made_row(self, trait: tuple[str, str]) -> int:
        places, weight = self._places[trait], self._weights.get(trait[0], 0)
        row = bytearray(places[-1] + 1)
        for place in places:
            row[place] = weight
        return int.from_bytes(row, "little")

"""Judge links by the examples of their journal.

Learning examples from labelled pages, detecting drift of the layout, choosing the links to ask about next.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from medharvest.links.judge import article_key
from medharvest.links.nearest_neighbour import link_vector
from medharvest.links.scan import scan_links
from medharvest.links.traits import LinkTraits, link_traits
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page, Verdict

TAUGHT_METHOD, FALLBACK_METHOD = "taught", "zero-shot"
# How much each trait counts where two links are compared. Set by what a trait is, not fitted: weights searched for on
# some journals did worse on the others than these. All together stay below 256, see `_Rows`.
TRAIT_WEIGHTS: Mapping[str, int] = {
    "server": 8, "folder": 6, "file": 4, "ending": 6, "query": 2, "nearness": 4,
    "path": 4, "near": 4, "tags": 4, "heading": 2, "before": 2, "after": 2,
    "attributes": 2, "classes": 2, "inside": 2, "hidden": 8,
    "caption": 6, "length": 2, "lead": 1, "twin": 1, "previous": 1, "next": 1,
}  # fmt: skip
# What a link promises is told by its words more than by its place.
KIND_WEIGHTS: Mapping[str, int] = {
    **TRAIT_WEIGHTS, "ending": 12, "path": 1, "near": 2, "tags": 1, "inside": 6, "caption": 12, "lead": 4, "twin": 2,
}  # fmt: skip
_CLOSENESS_SCALE = 0.05  # a taught link at this distance, 1 being nothing in common, counts 1/e of an equal one
_ZERO_SHOT_WEIGHT = (
    0.003  # what zero-shot counts, an equal taught link counting 1: it decides from a distance of 0.3 on
)
_ZERO_SHOT_KIND_WEIGHT = 0.02  # and what it counts for the kind: a new word such as "PDF" may say more than the place
_MIN_ZERO_SHOT_PROBABILITY, _MAX_ZERO_SHOT_PROBABILITY = 0.02, 0.98  # zero-shot is never surer than this
# What no article is, unless one was taught: a link to no other page, or to one that half a dozen links lead to.
_UNUSUAL_TRAITS = frozenset(
    {("server", "page"), ("server", "mailto"), ("server", "javascript"), ("server", "tel"), ("twin", "many")}
)

Guess = tuple[float, Kind | None]  # what zero-shot says of a link: how probable an article, and the kind it promises
_NO_GUESS: Guess = (0.5, None)
_HIDDEN_TRAIT = ("hidden", "yes")
_CACHED_TRAIT_ROWS = 1_024  # rows kept at a time, so that memory stays in proportion to what was taught
LinkLabels = Mapping[int, tuple[bool, Kind | None]]
_WHOLE_PAGE_SHARE = (
    0.5  # a page was taught as a whole where so many of its links were; people leave out what they cannot tell
)
_STRANGE_DISTANCE = (
    0.25  # a link this far from every taught link that is no article is nothing the journal's pages always have
)
_QUESTION_GROUP_TRAITS = (
    "near",
    "server",
    "folder",
    "ending",
    "query",
    "classes",
)  # links alike in these are asked about by one


def judge_taught(
    page: Page, links: Sequence[Link], examples: Sequence[LinkExample], guesses: Sequence[Guess] = ()
) -> tuple[JudgedLink, ...]:
    """Judge the links of a page by examples; `guesses` are what zero-shot says of each link."""
    found = form_opinions(TraitExamples(examples), links, link_traits(page, links), guesses)
    return tuple(map(judge_by_opinion, links, found))


def judge_by_opinion(link: Link, opinion: Opinion) -> JudgedLink:
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
        return TAUGHT_METHOD if self.closeness >= _ZERO_SHOT_WEIGHT else FALLBACK_METHOD


def form_opinions(
    taught: TraitExamples, links: Sequence[Link], traits: Sequence[LinkTraits], guesses: Sequence[Guess] = ()
) -> list[Opinion]:
    """What the examples say of the links of a page; links to one address are of one mind.

    Of several the one that is nearest to an example speaks for all that can be seen.
    """
    guesses = guesses or [_NO_GUESS] * len(links)
    found = [taught.opinion(one, *guess) for one, guess in zip(traits, guesses, strict=True)]
    speakers: dict[str, Opinion] = {}
    for link, opinion in zip(links, found, strict=True):
        target = link.url or link.href
        if opinion.probability and opinion.closeness > speakers.get(target, _NO_OPINION).closeness:
            speakers[target] = opinion
    return [
        speakers[link.url or link.href] if opinion.probability else opinion
        for link, opinion in zip(links, found, strict=True)
    ]


_NO_OPINION = Opinion(0.0, None, -1.0)


class TraitExamples:
    """Examples made ready to be compared with; those that are all alike are compared once."""

    def __init__(self, examples: Sequence[LinkExample]) -> None:
        self.examples = examples
        self._articles = _TraitRows((example.traits for example in examples if example.article), TRAIT_WEIGHTS)
        self._others = _TraitRows((example.traits for example in examples if not example.article), TRAIT_WEIGHTS)
        kinds = sorted({example.kind for example in examples if example.article and example.kind})
        self._kinds = [
            (kind, _TraitRows((one.traits for one in examples if one.article and one.kind is kind), KIND_WEIGHTS))
            for kind in kinds
        ]
        self._usual = {trait for example in examples if example.article for trait in example.traits}

    def opinion(self, traits: LinkTraits, prior: float = 0.5, kind: Kind | None = None) -> Opinion:
        """What the examples say of a link by itself, given what zero-shot says of it; 0 is never."""
        article, other = (
            _closeness_at_distance(self._articles.nearest(traits)),
            _closeness_at_distance(self._others.nearest(traits)),
        )
        closeness = max(article, other)
        if self._bars(traits):
            return Opinion(0.0, None, closeness)
        prior = min(_MAX_ZERO_SHOT_PROBABILITY, max(_MIN_ZERO_SHOT_PROBABILITY, prior))
        yes, no = article + _ZERO_SHOT_WEIGHT * prior, other + _ZERO_SHOT_WEIGHT * (1 - prior)
        return Opinion(yes / (yes + no), self._kind(traits, kind) if yes > no else kind, closeness)

    def is_like_another(self, traits: LinkTraits, distance: float) -> bool:
        """Whether a taught link that is no article is this near, or the link can be none itself."""
        return self._bars(traits) or self._others.nearest(traits) <= distance

    def _bars(self, traits: LinkTraits) -> bool:
        """Whether a link cannot be an article, whatever it is like: nobody sees it, or no article is like that."""
        return any(
            trait == _HIDDEN_TRAIT or (trait in _UNUSUAL_TRAITS and trait not in self._usual) for trait in traits
        )

    def _kind(self, traits: LinkTraits, kind: Kind | None) -> Kind | None:
        """The kind that most examples near to a link have, zero-shot counting where none is near."""
        votes = {known: sum(map(_closeness_at_distance, rows.distances(traits))) for known, rows in self._kinds}
        if kind:
            votes[kind] = votes.get(kind, 0.0) + _ZERO_SHOT_KIND_WEIGHT
        return max(votes, key=lambda one: votes[one], default=None)


@functools.cache
def _closeness_at_distance(distance: float) -> float:
    return math.exp(-distance / _CLOSENESS_SCALE)


class _TraitRows:
    """The traits of some links, ready to be compared with those of another all at once.

    A row holds one byte a link: the weight of a trait where the link has a certain value, else 0. As whole numbers rows
    are added in one step, and as long as the weights of all traits stay below 256 no byte runs over.
    """

    def __init__(self, links: Iterable[LinkTraits], weights: Mapping[str, int]) -> None:
        self._weights = weights
        self._all = sum(weights.values())
        self._count = 0
        self._places: dict[tuple[str, str], list[int]] = {}
        for place, traits in enumerate(dict.fromkeys(links)):
            self._count = place + 1
            for trait in traits:
                self._places.setdefault(trait, []).append(place)
        self._row = functools.lru_cache(maxsize=_CACHED_TRAIT_ROWS)(self._made_row)

    def nearest(self, traits: LinkTraits) -> float:
        """How far the nearest link is: 0 is equal, 1 nothing in common, infinite where there is none."""
        return 1 - max(self._alike(traits)) / self._all if self._count else math.inf

    def distances(self, traits: LinkTraits) -> list[float]:
        """How far each link is."""
        return [1 - alike / self._all for alike in self._alike(traits)]

    def _alike(self, traits: LinkTraits) -> bytes:
        rows = [self._row(trait) for trait in traits if trait in self._places]
        return sum(rows).to_bytes(self._count, "little")

    def _made_row(self, trait: tuple[str, str]) -> int:
        places, weight = self._places[trait], self._weights.get(trait[0], 0)
        row = bytearray(places[-1] + 1)
        for place in places:
            row[place] = weight
        return int.from_bytes(row, "little")


def examples_of(page: Page, labels: LinkLabels) -> tuple[LinkExample, ...]:
    """The examples a page gives, in document order; `labels` says by index what is an article, and of what kind.

    An index that no link of the page has is passed over.
    """
    links = scan_links(page)
    traits = link_traits(page, links)
    return tuple(
        LinkExample(
            page=page.url or page.digest,
            index=link.index,
            article=labels[link.index][0],
            kind=labels[link.index][1],
            vector=link_vector(page, link),
            traits=traits[place],
        )
        for place, link in enumerate(links)
        if link.index in labels
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """A page unlike the taught ones: links that stand where none stood, and those that stand where articles stood."""

    strange: int
    expected: int

    @property
    def reason(self) -> str:
        """What changed, in words for an operator."""
        stand = "no link stands" if not self.expected else f"only {self.expected} {_links_stand_phrase(self.expected)}"
        return (
            f"the page is made unlike the taught ones: {stand} where articles stood, "
            f"{self.strange} {_links_stand_phrase(self.strange)} where nothing was taught"
        )


def _links_stand_phrase(count: int) -> str:
    return "link stands" if count == 1 else "links stand"


def find_drift(taught: TraitExamples, traits: Sequence[LinkTraits]) -> Drift | None:
    """What changed since the pages that were taught; None where nothing did, or where too little was taught to tell.

    The template changed where more links stand in places nobody was taught of, and are like no other link of the
    journal, than stand in the places of its articles. A page that only lacks articles has no such links.
    """
    if not _taught_whole(taught.examples):
        return None
    known = {_near_and_classes(example.traits) for example in taught.examples}
    articles = {_near_and_classes(example.traits) for example in taught.examples if example.article}
    strange = sum(
        _near_and_classes(one) not in known and not taught.is_like_another(one, _STRANGE_DISTANCE) for one in traits
    )
    expected = sum(_near_and_classes(one) in articles for one in traits)
    return Drift(strange, expected) if strange > expected else None


def _taught_whole(examples: Sequence[LinkExample]) -> bool:
    """Whether the links of some page were taught, articles and others: a few clicks say nothing of all the rest."""
    pages: dict[str, list[LinkExample]] = {}
    for example in examples:
        pages.setdefault(example.page, []).append(example)
    return any(
        len(taught) >= _WHOLE_PAGE_SHARE * (max(example.index for example in taught) + 1)
        and {example.article for example in taught} == {True, False}
        for taught in pages.values()
    )


def _near_and_classes(traits: LinkTraits) -> tuple[str, str]:
    values = dict(traits)
    return values.get("near", ""), values.get("classes", "")


def next_questions(
    found: Sequence[Opinion], traits: Sequence[LinkTraits], *, count: int, asked: Collection[int] = ()
) -> tuple[int, ...]:
    """The places of the links to ask about, the most useful first, one of each group of alike links.

    `found` are the opinions of the links so far. A group is worth asking about by how many of its links are in doubt,
    and how much; `asked` are places already answered. What no answer could change is not asked.
    """
    doubts: dict[tuple[str, ...], float] = defaultdict(float)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, opinion in enumerate(found):
        if place not in asked and (doubt := _measure_doubt(opinion.probability)):
            group = _question_group(traits[place])
            groups[group].append(place)
            doubts[group] += doubt
    best = sorted(groups, key=lambda group: (-doubts[group], groups[group][0]))[:count]
    return tuple(_most_typical_link(traits, groups[group]) for group in best)


def _question_group(traits: LinkTraits) -> tuple[str, ...]:
    values = dict(traits)
    return tuple(values.get(name, "") for name in _QUESTION_GROUP_TRAITS)


def _measure_doubt(probability: float) -> float:
    """How much is open: 0 where a verdict is certain, 1 where it could be either."""
    return 1 - abs(2 * probability - 1)


def _most_typical_link(traits: Sequence[LinkTraits], places: Sequence[int]) -> int:
    """Of some links the one most like the rest."""
    counts = Counter(trait for place in places for trait in traits[place])
    return max(places, key=lambda place: sum(counts[trait] for trait in traits[place]))

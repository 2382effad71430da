"""Judge links by the examples of their journal: a link gets the label of the taught links most similar to it.

`examples_of` turns a labelled page into examples, `judge_taught` judges by them, `find_drift` notices a new layout, and
`next_questions` chooses the links to ask about next.
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

TAUGHT_METHOD, ZERO_SHOT_METHOD = "taught", "zero-shot"
Guess = tuple[float, Kind | None]  # of zero-shot: the probability of an article link, and the promised kind
LinkLabels = Mapping[int, tuple[bool, Kind | None]]  # by index: whether it is an article link, and its kind
# How much each trait counts when two links are compared. Set by hand, not fitted: weights fitted to some journals did
# worse on the others than these. Their sum stays below 256, see `_TraitRows`.
TRAIT_WEIGHTS: Mapping[str, int] = {
    "server": 8, "folder": 6, "file": 4, "ending": 6, "query": 2, "nearness": 4,
    "path": 4, "near": 4, "tags": 4, "heading": 2, "before": 2, "after": 2,
    "attributes": 2, "classes": 2, "inside": 2, "hidden": 8,
    "caption": 6, "length": 2, "lead": 1, "twin": 1, "previous": 1, "next": 1,
}  # fmt: skip
# For the promised kind, the words of a link say more than its place.
KIND_WEIGHTS: Mapping[str, int] = {
    **TRAIT_WEIGHTS, "ending": 12, "path": 1, "near": 2, "tags": 1, "inside": 6, "caption": 12, "lead": 4, "twin": 2,
}  # fmt: skip
_CLOSENESS_SCALE = 0.05  # distance (0 equal, 1 nothing in common) at which a taught link counts 1/e of an equal one
# Weight of zero-shot where an equal taught link counts 1: it decides if the nearest taught link is 0.3 or more away.
_ZERO_SHOT_WEIGHT = 0.003
_ZERO_SHOT_KIND_WEIGHT = 0.02  # its weight for the kind: a new word such as "PDF" may say more than the place
_MIN_ZERO_SHOT_PROBABILITY, _MAX_ZERO_SHOT_PROBABILITY = 0.02, 0.98  # zero-shot is never more certain than this
# Not an article link unless one was taught: it leads to no other page, or half a dozen links lead to the same address.
_UNUSUAL_TRAITS = frozenset(
    {("server", "page"), ("server", "mailto"), ("server", "javascript"), ("server", "tel"), ("twin", "many")}
)

_NO_GUESS: Guess = (0.5, None)
_HIDDEN_TRAIT = ("hidden", "yes")
_CACHED_TRAIT_ROWS = 1_024  # bounds the memory of the cache
# Different taught links that a link is compared with. Comparing costs links times examples; the most that a journal of
# the corpus teaches with one page is 1,251.
MAX_COMPARED_EXAMPLES = 4_000
# Share of labelled links that makes a page taught as a whole; people leave out links they cannot judge.
_WHOLE_PAGE_SHARE = 0.5
# A link this far from every taught link that is not an article link is not part of the journal's usual frame.
_STRANGE_DISTANCE = 0.25
# Links equal in these traits form a group, and one of them is asked about.
_QUESTION_GROUP_TRAITS = ("near", "server", "folder", "ending", "query", "classes")


class Opinion(NamedTuple):
    """The probability that a link is an article link, the kind it then promises, and how near the nearest example is.

    `closeness` is 1 if a taught link is equal in all traits, near 0 if none has anything in common.
    """

    probability: float
    kind: Kind | None
    closeness: float

    @property
    def article(self) -> bool:
        """Whether the link is more likely an article link than not."""
        return self.probability > 0.5  # noqa: PLR2004  (more likely than not)

    @property
    def method(self) -> str:
        """What decided: the examples, or zero-shot if none is near."""
        return TAUGHT_METHOD if self.closeness >= _ZERO_SHOT_WEIGHT else ZERO_SHOT_METHOD


_NO_OPINION = Opinion(0.0, None, -1.0)


def judge_taught(
    page: Page, links: Sequence[Link], examples: Sequence[LinkExample], guesses: Sequence[Guess] = ()
) -> tuple[JudgedLink, ...]:
    """Judge the links of a page by examples; `guesses` has what zero-shot says of each link."""
    found = form_opinions(TraitExamples(examples), links, link_traits(page, links), guesses)
    return tuple(map(judge_by_opinion, links, found))


def form_opinions(
    taught: TraitExamples, links: Sequence[Link], traits: Sequence[LinkTraits], guesses: Sequence[Guess] = ()
) -> list[Opinion]:
    """Compare the links of a page with the examples; links to one address get the same opinion.

    The link nearest to an example decides for all visible links to its address.
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


def judge_by_opinion(link: Link, opinion: Opinion) -> JudgedLink:
    """Turn the opinion about a link into its verdict."""
    score = opinion.probability if opinion.article else 1 - opinion.probability
    return JudgedLink(
        link=link,
        article=opinion.article,
        kind=opinion.kind if opinion.article else None,
        verdict=Verdict("article" if opinion.article else "other", score, opinion.method),
        article_key=article_key(link.url) if opinion.article else "",
    )


class TraitExamples:
    """Examples prepared for comparison by traits; equal examples are compared once."""

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
        self.left_out = self._articles.left_out + self._others.left_out  # different examples that are not compared

    def opinion(self, traits: LinkTraits, prior: float = 0.5, kind: Kind | None = None) -> Opinion:
        """Judge one link by itself; `prior` and `kind` are the guess of zero-shot. Probability 0 means ruled out."""
        article = _closeness_at_distance(self._articles.nearest(traits))
        other = _closeness_at_distance(self._others.nearest(traits))
        closeness = max(article, other)
        if self._bars(traits):
            return Opinion(0.0, None, closeness)
        prior = min(_MAX_ZERO_SHOT_PROBABILITY, max(_MIN_ZERO_SHOT_PROBABILITY, prior))
        yes, no = article + _ZERO_SHOT_WEIGHT * prior, other + _ZERO_SHOT_WEIGHT * (1 - prior)
        return Opinion(yes / (yes + no), self._kind(traits, kind) if yes > no else kind, closeness)

    def is_like_another(self, traits: LinkTraits, distance: float) -> bool:
        """Whether a taught link that is not an article link is within a distance, or the link is ruled out anyway."""
        return self._bars(traits) or self._others.nearest(traits) <= distance

    def _bars(self, traits: LinkTraits) -> bool:
        """Whether a link is ruled out: it is invisible, or has an unusual trait that no taught article link has."""
        return any(
            trait == _HIDDEN_TRAIT or (trait in _UNUSUAL_TRAITS and trait not in self._usual) for trait in traits
        )

    def _kind(self, traits: LinkTraits, kind: Kind | None) -> Kind | None:
        """The kind of most examples near a link; zero-shot counts if none is near."""
        votes = {known: rows.closeness(traits) for known, rows in self._kinds}
        if kind:
            votes[kind] = votes.get(kind, 0.0) + _ZERO_SHOT_KIND_WEIGHT
        return max(votes, key=lambda one: votes[one], default=None)


@functools.cache
def _closeness_at_distance(distance: float) -> float:
    return math.exp(-distance / _CLOSENESS_SCALE)


class _TraitRows:
    """The traits of some links, prepared to be compared with another link all at once.

    A row has one byte per link: the weight of a trait if the link has a certain value, else 0. Rows are stored as
    integers, so one addition adds them for all links; no byte overflows while the weights sum to less than 256. Of more
    than `MAX_COMPARED_EXAMPLES` different links, the most frequent ones are kept.
    """

    def __init__(self, links: Iterable[LinkTraits], weights: Mapping[str, int]) -> None:
        self._weights = weights
        self._all = sum(weights.values())
        different = Counter(links)
        kept = different.most_common(MAX_COMPARED_EXAMPLES)
        self._count = len(kept)
        self.left_out = len(different) - self._count
        self._places: dict[tuple[str, str], list[int]] = {}
        for place, (traits, _) in enumerate(kept):
            for trait in traits:
                self._places.setdefault(trait, []).append(place)
        self._row = functools.lru_cache(maxsize=_CACHED_TRAIT_ROWS)(self._made_row)

    def nearest(self, traits: LinkTraits) -> float:
        """The distance of the nearest link: 0 is equal, 1 has nothing in common, infinite if there are no links."""
        return 1 - max(self._alike(traits)) / self._all if self._count else math.inf

    def closeness(self, traits: LinkTraits) -> float:
        """The closeness of all links together; equally distant links are counted at once."""
        counts = Counter(self._alike(traits))
        return sum(count * _closeness_at_distance(1 - alike / self._all) for alike, count in counts.items())

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
    """Build the examples of a labelled page, in document order; an index that no link has is ignored."""
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
    """A page that no longer matches the taught layout: the number of links in unknown places and in article places."""

    strange: int
    expected: int

    @property
    def reason(self) -> str:
        """What changed, as a sentence for the operator."""
        found = f"only {_links_are_phrase(self.expected)}" if self.expected else "no link is"
        return (
            f"the page no longer matches the layout it was taught: {found} where article links were taught, "
            f"{_links_are_phrase(self.strange)} where nothing was taught"
        )


def _links_are_phrase(count: int) -> str:
    return f"{count} link is" if count == 1 else f"{count} links are"


def find_drift(taught: TraitExamples, traits: Sequence[LinkTraits]) -> Drift | None:
    """Find out whether a page no longer matches the taught layout; None if it does, or if too little was taught.

    The layout changed if more links are in places where nothing was taught, and unlike any other link of the journal,
    than are in the places of its article links. A page that only lacks articles has no such links.
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
    """Whether some page was taught as a whole, article links and others: a few labels say nothing about the rest."""
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
    """Choose the links to ask about, the most useful first, one from each group of similar links.

    Links are given by their place in `found`, the opinions so far. The value of a group is the sum of the doubts about
    its links; `asked` are places already answered. Links that no answer could change are not asked about.
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
    """How uncertain a verdict is: 0 if it is certain, 1 if it could be either."""
    return 1 - abs(2 * probability - 1)


def _most_typical_link(traits: Sequence[LinkTraits], places: Sequence[int]) -> int:
    """The link that is most similar to the others of its group."""
    counts = Counter(trait for place in places for trait in traits[place])
    return max(places, key=lambda place: sum(counts[trait] for trait in traits[place]))

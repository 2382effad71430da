"""From a topic's name to its concept set: its own words, other names, nearer and farther relatives, with weights."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medharvest.errors import InputError
from medharvest.topics.names import key, spoken
from medharvest.topics.sets import Category, ConceptSet, WeightedTerm
from medharvest.topics.vocabulary import Concept, Kin, Relation, Vocabulary

_THESIS = MappingProxyType({Category.EXACT: 15.0, Category.SYNONYM: 12.0, Category.PARTIAL: 8.0, Category.CONTEXT: 5.0})
_REQUIREMENTS = MappingProxyType(
    {Category.EXACT: 15.0, Category.SYNONYM: 12.0, Category.PARTIAL: 5.0, Category.CONTEXT: 3.0}
)


@dataclass(frozen=True, slots=True)
class Profile:
    """How much each category weighs, and which relatives count: all, or parents and siblings alone."""

    weights: Mapping[Category, float]
    all_kin: bool = False


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "default": Profile(_THESIS, all_kin=True),
        "thesis": Profile(_THESIS),
        "requirements": Profile(_REQUIREMENTS),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What keeps a set to its topic."""

    partial: int = 100  # terms of this category
    context: int = 80
    names: int = 8  # of one relative
    below: int = 150  # concepts below a relative; above that it is a shelf and no topic
    children: int = 60  # the same by its direct children, where nobody has counted further


LIMITS = Limits()
_LEAST = 3  # letters of a name nobody typed; shorter ones mean too many things
_MANY = 1_000  # names that a concept itself may have


def build_concept_set(
    topic: str, vocabulary: Vocabulary, *, profile: str = "default", concept: str = "", limits: Limits = LIMITS
) -> ConceptSet:
    """Look a topic up and gather its terms; one that the vocabulary does not know is looked for by its words.

    `concept` names the one that is meant, by identifier or by a better known name.
    """
    weights = _profile(profile).weights
    found = vocabulary.find(concept or topic)
    if concept and not found:
        raise InputError(f"no such concept: {concept}", name=concept, hint=f"not in vocabulary {vocabulary.name}")
    drafts = itertools.chain(
        _own_words(topic, found[:1]),
        *(_names(best, vocabulary, all_kin=_profile(profile).all_kin, limits=limits) for best in found[:1]),
    )
    terms = [
        WeightedTerm(text=text, weight=weights[category], category=category, concept=source, why=why)
        for text, category, source, why in _distinct(drafts, limits)
    ]
    return ConceptSet(
        topic=topic,
        terms=tuple(terms),
        concept=found[0].id if found else "",
        preferred=found[0].preferred if found else "",
        vocabulary=vocabulary.version(),
        profile=profile,
        others=tuple(f"{other.id} {other.preferred}" for other in found[1:]),
    )


_Draft = tuple[str, Category, str, str]  # text, category, concept, why


def _profile(name: str) -> Profile:
    if name not in PROFILES:
        raise InputError(f"no such profile: {name}", name=name, hint=f"one of {', '.join(PROFILES)}")
    return PROFILES[name]


def _own_words(topic: str, found: Iterable[Concept]) -> Iterator[_Draft]:
    """The user's words, written as the vocabulary does where it has them: capitals tell acronyms.

    Of an identifier it is the preferred name, for no text holds the other.
    """
    words = " ".join(topic.split())
    for concept in found:
        if words.casefold() == concept.id.casefold():
            words = spoken(concept.preferred)
        for name in (concept.preferred, *concept.names):
            if key(spoken(name)) == key(spoken(words)):
                yield spoken(name), Category.EXACT, concept.id, "the topic"
    yield words, Category.EXACT, "", "the topic"


def _names(concept: Concept, vocabulary: Vocabulary, *, all_kin: bool, limits: Limits) -> Iterator[_Draft]:
    for name in (concept.preferred, *concept.names):
        yield spoken(name), Category.SYNONYM, concept.id, f"name of {concept.preferred}"
    parents = [one for one in vocabulary.relations(concept.id, {Kin.BROADER}) if not _is_shelf(one.concept, limits)]
    yield from _relatives(parents, Category.PARTIAL, f"above {concept.preferred}", limits)
    if all_kin:
        yield from _relatives(_further(concept, vocabulary), Category.PARTIAL, f"below {concept.preferred}", limits)
    beside = [(parent, list(vocabulary.relations(parent.concept.id, {Kin.NARROWER}))) for parent in parents]
    for parent, siblings in beside:
        if len(siblings) <= limits.children:
            yield from _relatives(siblings, Category.CONTEXT, f"like it below {parent.concept.preferred}", limits)
    if all_kin:
        yield from _relatives(_around(concept, vocabulary), Category.CONTEXT, f"near {concept.preferred}", limits)


def _further(concept: Concept, vocabulary: Vocabulary) -> Iterator[Relation]:
    yield from vocabulary.relations(concept.id, {Kin.NARROWER}, 2)
    yield from vocabulary.relations(concept.id, {Kin.RELATED})


def _around(concept: Concept, vocabulary: Vocabulary) -> Iterator[Relation]:
    yield from (one for one in vocabulary.relations(concept.id, {Kin.BROADER}, 2) if one.depth > 1)
    yield from vocabulary.relations(concept.id, {Kin.CONTEXT})


def _is_shelf(concept: Concept, limits: Limits) -> bool:
    return (concept.below or 0) > limits.below


def _relatives(found: Iterable[Relation], category: Category, why: str, limits: Limits) -> Iterator[_Draft]:
    for one in found:
        if not _is_shelf(one.concept, limits):
            names = (one.concept.preferred, *one.concept.names)[: limits.names]
            yield from ((spoken(name), category, one.concept.id, why) for name in names)


def _distinct(drafts: Iterable[_Draft], limits: Limits) -> Iterator[_Draft]:
    """Each name once, where it weighs most, and of a category no more than its limit."""
    seen: set[str] = set()
    left = dict.fromkeys(Category, _MANY) | {Category.PARTIAL: limits.partial, Category.CONTEXT: limits.context}
    order = list(Category)
    for draft in sorted(drafts, key=lambda draft: order.index(draft[1])):
        text, category, *_ = draft
        found = key(text)
        if not found or found in seen or not left[category] or (len(text) < _LEAST and category is not Category.EXACT):
            continue
        seen.add(found)
        left[category] -= 1
        yield draft

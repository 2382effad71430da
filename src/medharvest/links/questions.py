"""Which links the tool would ask an operator about next: those whose answers would settle most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from medharvest.links.taught import Opinion
from medharvest.links.traits import Traits

_GROUPED_BY = ("near", "server", "folder", "ending", "query", "classes")  # links alike in these are asked about by one


def next_questions(
    found: Sequence[Opinion], traits: Sequence[Traits], *, count: int, asked: Collection[int] = ()
) -> tuple[int, ...]:
    """The places of the links to ask about, the most useful first, one of each group of alike links.

    `found` are the opinions of the links so far. A group is worth asking about by how many of its links are in doubt,
    and how much; `asked` are places already answered. What no answer could change is not asked.
    """
    doubts: dict[tuple[str, ...], float] = defaultdict(float)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, opinion in enumerate(found):
        if place not in asked and (doubt := _doubt(opinion.probability)):
            group = _group(traits[place])
            groups[group].append(place)
            doubts[group] += doubt
    best = sorted(groups, key=lambda group: (-doubts[group], groups[group][0]))[:count]
    return tuple(_typical(traits, groups[group]) for group in best)


def _group(traits: Traits) -> tuple[str, ...]:
    values = dict(traits)
    return tuple(values.get(name, "") for name in _GROUPED_BY)


def _doubt(probability: float) -> float:
    """How much is open: 0 where a verdict is certain, 1 where it could be either."""
    return 1 - abs(2 * probability - 1)


def _typical(traits: Sequence[Traits], places: Sequence[int]) -> int:
    """Of some links the one most like the rest."""
    counts = Counter(trait for place in places for trait in traits[place])
    return max(places, key=lambda place: sum(counts[trait] for trait in traits[place]))

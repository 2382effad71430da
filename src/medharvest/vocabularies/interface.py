"""What a vocabulary is: concepts, relations, the methods it offers, and the walk through its hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

Neighbours = Callable[[str], Iterable[str]]

_NO_LIMIT = 1_000_000


class Kin(StrEnum):
    """What one concept is to another."""

    NARROWER = "narrower"
    BROADER = "broader"
    RELATED = "related"
    CONTEXT = "context"  # any other tie that a source states


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A thing with its names: the preferred one, then all others; `below` counts the concepts under it, if known."""

    id: str
    preferred: str
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    below: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A concept's relative: what it is to the concept, in how many steps, and who says so."""

    kin: Kin
    concept: Concept
    depth: int = 1
    origin: str = ""


class Vocabulary(Protocol):
    """Finds concepts by their names and their relatives; where it is kept is its own business."""

    name: str

    def find(self, text: str) -> tuple[Concept, ...]:
        """The concepts that have this name, the best first; none where it is unknown."""
        ...

    def get(self, concept: str) -> Concept | None:
        """The concept of an identifier."""
        ...

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterable[Relation]:
        """The relatives of these kinds, the nearest first; narrower ones down to a depth."""
        ...

    def version(self) -> str:
        """The release in force, such as `MeSH 2024`."""
        ...

    def attribution(self) -> str:
        """Whose work it is and under which terms."""
        ...


@runtime_checkable
class ListedVocabulary(Vocabulary, Protocol):
    """A vocabulary that can list its names, because it is here and not behind a service."""

    def names(self) -> Iterable[tuple[str, str]]:
        """Every name with the identifier of its concept."""
        ...

    def __hash__(self) -> int:
        """Its own, so that what is made from it can be kept."""
        ...


def find_relatives(
    start: str, kinds: Collection[Kin], depth: int, *, parents: Neighbours, children: Neighbours, most: int = _NO_LIMIT
) -> Iterator[tuple[Kin, str, int]]:
    """The relatives up and down with their distance, the nearest first, each once a kind.

    From more than `most` at one distance it goes no further: where each step is a question, they would be too many.
    """
    if Kin.BROADER in kinds:
        yield from ((Kin.BROADER, *found) for found in _walk_hierarchy(start, parents, depth, most))
    if Kin.NARROWER in kinds:
        yield from ((Kin.NARROWER, *found) for found in _walk_hierarchy(start, children, depth, most))


def count_concepts_below(start: str, children: Neighbours, *, limit: int = 1_000) -> int:
    """How many concepts lie below one, counted up to a limit."""
    count = 0
    for count, _ in enumerate(_walk_hierarchy(start, children, limit, _NO_LIMIT), 1):
        if count >= limit:
            break
    return count


def _walk_hierarchy(start: str, step: Neighbours, depth: int, most: int) -> Iterator[tuple[str, int]]:
    seen, edge = {start}, [start]
    for distance in range(1, depth + 1):
        # A dictionary keeps the order in which they are found, and each once.
        edge = list(dict.fromkeys(found for place in edge for found in step(place) if found not in seen))
        seen.update(edge)
        yield from ((found, distance) for found in edge)
        if not 0 < len(edge) <= most:
            return

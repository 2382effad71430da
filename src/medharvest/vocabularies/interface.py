"""The interface of vocabularies: concepts, relations, the protocol, and the walk through a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

Neighbours = Callable[[str], Iterable[str]]

_NO_LIMIT = 1_000_000


class Kin(StrEnum):
    """The relation of one concept to another."""

    NARROWER = "narrower"
    BROADER = "broader"
    RELATED = "related"
    CONTEXT = "context"  # any other relation that a source states


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept with its preferred name and all others; `below` is the number of concepts under it, if known."""

    id: str
    preferred: str
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    below: int | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A relative of a concept: its relation, its distance in steps, and the source that states it."""

    kin: Kin
    concept: Concept
    depth: int = 1
    origin: str = ""


class Vocabulary(Protocol):
    """Finds concepts by name, and their relatives."""

    name: str

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this name, the best first; none if it is unknown."""
        ...

    def get(self, concept: str) -> Concept | None:
        """Return the concept with this identifier, if any."""
        ...

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterable[Relation]:
        """Return the relatives of these kinds, the closest first; broader and narrower ones up to `depth` steps."""
        ...

    def version(self) -> str:
        """Return the release, such as `MeSH 2024`."""
        ...

    def attribution(self) -> str:
        """Return the copyright holder and the terms of use."""
        ...


@runtime_checkable
class ListedVocabulary(Vocabulary, Protocol):
    """A vocabulary that can list all its names, because it is local and not a web service."""

    def names(self) -> Iterable[tuple[str, str]]:
        """Return every name with the identifier of its concept."""
        ...

    def __hash__(self) -> int:
        """Return a hash, so that what is built from the vocabulary can be cached."""
        ...


def find_relatives(
    start: str, kinds: Collection[Kin], depth: int, *, parents: Neighbours, children: Neighbours, most: int = _NO_LIMIT
) -> Iterator[tuple[Kin, str, int]]:
    """Yield broader and narrower relatives with their distance, the closest first, each once per kind.

    The walk stops after a distance with more than `most` relatives: with a web service each one costs a request.
    """
    if Kin.BROADER in kinds:
        yield from ((Kin.BROADER, *found) for found in _walk_hierarchy(start, parents, depth, most))
    if Kin.NARROWER in kinds:
        yield from ((Kin.NARROWER, *found) for found in _walk_hierarchy(start, children, depth, most))


def count_concepts_below(start: str, children: Neighbours, *, limit: int = 1_000) -> int:
    """Return the number of concepts below one, counted up to a limit."""
    count = 0
    for count, _ in enumerate(_walk_hierarchy(start, children, limit, _NO_LIMIT), 1):
        if count >= limit:
            break
    return count


def _walk_hierarchy(start: str, step: Neighbours, depth: int, most: int) -> Iterator[tuple[str, int]]:
    seen, edge = {start}, [start]
    for distance in range(1, depth + 1):
        # A dictionary keeps each once, in the order found.
        edge = list(dict.fromkeys(found for place in edge for found in step(place) if found not in seen))
        seen.update(edge)
        yield from ((found, distance) for found in edge)
        if not 0 < len(edge) <= most:
            return

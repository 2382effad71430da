"""What a vocabulary is: concepts with their names, how they hang together, and where they come from."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable


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

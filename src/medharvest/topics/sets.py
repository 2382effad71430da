"""A topic as a concept set: its terms, how much each weighs and why it is there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """How near a term is to its topic, the nearest first."""

    EXACT = "exact"
    SYNONYM = "synonym"
    PARTIAL = "partial"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedTerm:
    """A term to look for; a `cased` one is an acronym that counts only as it is written."""

    text: str
    weight: float
    category: Category
    concept: str = ""
    why: str = ""
    cased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptSet:
    """The terms of a topic, no text twice; `concept` is what its name was taken for, `""` for its words alone."""

    topic: str
    terms: tuple[WeightedTerm, ...]
    concept: str = ""
    preferred: str = ""
    vocabulary: str = ""
    profile: str = ""

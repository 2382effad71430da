"""Concepts in the making, found by the keys of their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from medharvest.vocabularies.spelling import concept_name_key, to_natural_name

_LONGEST = 80  # characters; what is longer is a formula, not a name in a text
_ODD_STARTS = ("(", "other ", "unspecified ")
_ODD_PARTS = (" (", "[", "|", "\t", " - ", "disease or disorder")


@dataclass(slots=True)
class Draft:
    """A concept: its names, the preferred one first, the identifiers above it and beside it."""

    id: str
    names: list[str]
    broader: set[str] = field(default_factory=set)
    related: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)


class Drafts(dict[str, Draft]):
    """Drafts by identifier; a name is kept once, whatever its case, hyphens and number."""

    def __init__(self, drafts: Iterable[Draft]) -> None:
        super().__init__()
        self._by_key: dict[str, set[str]] = defaultdict(set)
        for draft in drafts:
            self.take(draft)

    def take(self, draft: Draft) -> None:
        """Add a concept, its names cleaned."""
        names, draft.names = draft.names, []
        self[draft.id] = draft
        self.add_names(draft.id, names)

    def add_names(self, identifier: str, names: Iterable[str]) -> None:
        """Give a concept further names; the first one of all stays the preferred one, whatever it looks like."""
        draft = self[identifier]
        known = {concept_name_key(to_natural_name(name)) for name in draft.names}
        for name in names:
            bare = to_natural_name(name)
            found = concept_name_key(bare)
            if not found or found in known or (draft.names and _is_odd(bare)):
                continue
            known.add(found)
            # A preferred name stays as its source writes it, the right way round beside it.
            draft.names += [bare] if draft.names or bare == name else [name, bare]
            self._by_key[found].add(identifier)

    def named(self, name: str) -> set[str]:
        """The concepts that have a name."""
        return self._by_key.get(concept_name_key(to_natural_name(name)), set())


def _is_odd(name: str) -> bool:
    """Whether it is no name in a text: a formula, a phrase of a catalogue, or two names in one as in `DIMS (...)`."""
    return len(name) > _LONGEST or name.lower().startswith(_ODD_STARTS) or any(mark in name for mark in _ODD_PARTS)

"""A vocabulary in memory, from entries that a reader of some file format gives one by one."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from medharvest.errors import InputError
from medharvest.topics.kinship import count_below, relatives
from medharvest.topics.names import spellings, spoken
from medharvest.topics.vocabulary import Concept, Kin, Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A concept as a file states it: the identifiers above it, of what to see also, and of any other tie."""

    id: str
    names: tuple[str, ...]
    broader: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    context: tuple[str, ...] = ()


class MemoryVocabulary:
    """Concepts by identifier and by name."""

    def __init__(self, entries: Iterable[Entry], *, name: str, version: str = "", attribution: str = "") -> None:
        self.name = name
        self._version = version or name
        self._attribution = attribution
        self._entries = {entry.id: entry for entry in entries}
        if not self._entries:
            raise InputError(f"no concept in {name}", name=name, hint="is it the file of a vocabulary?")

    def find(self, text: str) -> tuple[Concept, ...]:
        """The concepts with this name or identifier: first where it is preferred."""
        if by_identifier := self.get(text):
            return (by_identifier,)
        for spelling in spellings(text):
            if found := self._named.get(spelling.casefold()):
                best_first = sorted(
                    found, key=lambda one: self._entries[one].names[0].casefold() != spelling.casefold()
                )
                return tuple(map(self._concept, best_first))
        return ()

    def get(self, concept: str) -> Concept | None:
        """The concept of an identifier."""
        return self._concept(concept) if concept in self._entries else None

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """The relatives of these kinds, the nearest first."""
        if concept not in self._entries:
            return
        found = relatives(concept, kinds, depth, parents=self._parents, children=self._children_of)
        yield from (Relation(kin, self._concept(other), steps, self.name) for kin, other, steps in found)
        entry = self._entries[concept]
        for kin, others in ((Kin.RELATED, entry.related), (Kin.CONTEXT, entry.context)):
            known = [other for other in others if kin in kinds and other in self._entries]
            yield from (Relation(kin, self._concept(other), 1, self.name) for other in known)

    def version(self) -> str:
        """The release, as far as the file says."""
        return self._version

    def attribution(self) -> str:
        """Whose work it is, as far as the file says."""
        return self._attribution

    def names(self) -> Iterator[tuple[str, str]]:
        """Every name with the identifier of its concept."""
        yield from ((name, entry.id) for entry in self._entries.values() for name in entry.names)

    @functools.cached_property
    def _named(self) -> dict[str, list[str]]:
        named: dict[str, list[str]] = defaultdict(list)
        for entry in self._entries.values():
            forms = (form for name in entry.names for form in (name, spoken(name)))
            for folded in dict.fromkeys(map(str.casefold, forms)):
                named[folded].append(entry.id)
        return named

    @functools.cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = defaultdict(list)
        for entry in self._entries.values():
            for parent in entry.broader:
                children[parent].append(entry.id)
        return children

    def _children_of(self, concept: str) -> Collection[str]:
        return self._children.get(concept, ())

    def _parents(self, concept: str) -> list[str]:
        return [parent for parent in self._entries[concept].broader if parent in self._entries]

    def _concept(self, identifier: str) -> Concept:
        preferred, *others = self._entries[identifier].names
        below = count_below(identifier, self._children_of)
        return Concept(id=identifier, preferred=preferred, names=tuple(others), sources=(self.name,), below=below)

"""The vocabulary shipped with the package: one compressed file, searched as text, so that it loads fast."""

from __future__ import annotations

import functools
import gzip
import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from importlib import resources
from pathlib import Path

from medharvest.errors import InputError
from medharvest.vocabularies.interface import Concept, Kin, Relation, find_relatives
from medharvest.vocabularies.spelling import list_spellings

VOCABULARY_FILE = "core.tsv.gz"
_FORMAT_MARK = b"medharvest vocabulary 1"
_SOURCE_NAMES = ("MeSH", "MONDO", "DO", "WordNet", "own")
_NAME_EDGES = b"\t|"  # the characters before and after a name
_MAX_PLAIN_SEARCHES = 20  # through the whole text; after more, a set of all names pays off
ATTRIBUTION = (
    "MeSH 2024: courtesy of the U.S. National Library of Medicine, who has not endorsed this; merged with other "
    "sources and not the most current. "
    "MONDO 2026-05-05: Monarch Initiative, CC BY 4.0. Disease Ontology: CC0. "
    "WordNet 3.0: copyright 2006 by Princeton University. All rights reserved. Everyday words: medharvest."
)


@functools.cache
def embedded_vocabulary() -> EmbeddedVocabulary:
    """Return the vocabulary of the package; it is loaded once."""
    return EmbeddedVocabulary((resources.files("medharvest.vocabularies") / "data" / VOCABULARY_FILE).read_bytes())


def write_embedded_vocabulary(rows: Iterable[tuple[str, ...]], path: Path) -> int:
    """Write the file and return its size: one line per concept, sorted by identifier; relatives are line numbers."""
    text = b"\n".join([_FORMAT_MARK, *("\t".join(row).encode() for row in rows)])
    path.write_bytes(gzip.compress(text, mtime=0))
    return path.stat().st_size


class EmbeddedVocabulary:
    """Concepts as lines: identifier, names (the preferred one first), parents, relatives, number below, sources."""

    name = "embedded"

    def __init__(self, packed: bytes) -> None:
        mark, _, text = gzip.decompress(packed).partition(b"\n")
        if mark != _FORMAT_MARK:
            raise InputError(
                f"vocabulary file has another version: {VOCABULARY_FILE}",
                name=VOCABULARY_FILE,
                hint="reinstall medharvest",
            )
        self._lines = text.split(b"\n")
        self._folded = text.lower()
        self._starts = [0, *itertools.accumulate(len(line) + 1 for line in self._lines)]
        self._looks = 0

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this name or identifier, the likeliest first."""
        if by_identifier := self.get(text):
            return (by_identifier,)
        for spelling in list_spellings(text):
            if lines := sorted(set(self._named(spelling)), key=lambda line: self._rank(line, spelling)):
                return tuple(map(self._concept, lines))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return the concept with an identifier such as MESH:D053206."""
        line = self._line(concept)
        return None if line is None else self._concept(line)

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives of these kinds, the closest first."""
        line = self._line(concept)
        if line is None:
            return
        for kin, other, steps in find_relatives(
            str(line), kinds, depth, parents=self._parents, children=lambda parent: self._children[parent]
        ):
            yield Relation(kin, self._concept(int(other)), steps, self.name)
        if Kin.CONTEXT in kinds:
            for other in self._fields(line)[3].split():
                yield Relation(Kin.CONTEXT, self._concept(int(other)), 1, "MONDO")

    def version(self) -> str:
        """Return the releases that it is made from."""
        return "MeSH 2024, MONDO 2026-05-05, DO 2024, WordNet 3.0"

    def attribution(self) -> str:
        """Return the copyright holders and terms of use."""
        return ATTRIBUTION

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield every name with the identifier of its concept."""
        for line in self._lines:
            identifier, names, _ = line.decode().split("\t", 2)
            for name in names.split("|"):
                yield name, identifier

    def _named(self, name: str) -> Iterator[int]:
        wanted, text = name.lower().encode(), self._folded
        if not self._may_be_named(wanted):
            return
        place = text.find(wanted)
        while place >= 0:
            line, end = bisect_right(self._starts, place) - 1, place + len(wanted)
            is_whole = text[place - 1] in _NAME_EDGES and text[end : end + 1] in (b"\t", b"|")
            if is_whole and text.count(b"\t", self._starts[line], place) == 1:  # in the field of names
                yield line
            place = text.find(wanted, end)

    def _may_be_named(self, wanted: bytes) -> bool:
        """Whether a name may occur: it has no separator, and is in the set of names once that exists."""
        self._looks += 1
        return not any(edge in wanted for edge in _NAME_EDGES) and (
            self._looks <= _MAX_PLAIN_SEARCHES or hash(wanted) in self._hashes
        )

    @functools.cached_property
    def _hashes(self) -> frozenset[int]:
        names = (line.split(b"\t", 2)[1].split(b"|") for line in self._folded.split(b"\n"))
        return frozenset(map(hash, itertools.chain.from_iterable(names)))

    def _rank(self, line: int, name: str) -> tuple[str, int]:
        """Rank MeSH before others, then concepts that list the name early: a source's own names come first."""
        identifier, names, *_ = self._fields(line)
        before, _, _ = f"|{names.lower()}|".partition(f"|{name.lower()}|")
        return identifier.partition(":")[0], before.count("|")

    def _line(self, identifier: str) -> int | None:
        wanted = identifier.upper().encode() + b"\t"
        line = bisect_left(self._lines, wanted)
        return line if line < len(self._lines) and self._lines[line].startswith(wanted) else None

    def _fields(self, line: int) -> list[str]:
        return self._lines[line].decode().split("\t")

    def _parents(self, line: str) -> list[str]:
        return self._fields(int(line))[2].split()

    @functools.cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = defaultdict(list)
        for number, line in enumerate(self._lines):
            for parent in line.split(b"\t", 3)[2].split():
                children[parent.decode()].append(str(number))
        return children

    def _concept(self, line: int) -> Concept:
        identifier, names, _, _, below, sources = self._fields(line)
        preferred, *others = names.split("|")
        return Concept(
            id=identifier,
            preferred=preferred,
            names=tuple(others),
            sources=tuple(_SOURCE_NAMES[int(place)] for place in sources),
            below=int(below),
        )

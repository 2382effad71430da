"""The UMLS from the user's RRF files, loaded into a database once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from medharvest.errors import InputError
from medharvest.settings import Topics
from medharvest.store.side_databases import NameRow, RelationRow, Terminology, build_terminology
from medharvest.vocabularies import Concept, Kin, Relation
from medharvest.vocabularies.interface import count_concepts_below, find_relatives
from medharvest.vocabularies.spelling import list_spellings

NAMES_TABLE, RELATIONS_TABLE = "MRCONSO.RRF", "MRREL.RRF"
_NAME_FIELDS, _RELATION_FIELDS = 18, 16
# REL says what the second concept of a row is to the first.
_RRF_KIN = {
    "PAR": Kin.BROADER,
    "RB": Kin.BROADER,
    "CHD": Kin.NARROWER,
    "RN": Kin.NARROWER,
    "RQ": Kin.RELATED,
    "SY": Kin.RELATED,
    "RL": Kin.RELATED,
    "RO": Kin.CONTEXT,
}


def open_rrf_folder(
    folder: Path, settings: Topics, *, cache: Path, announce: Callable[[str], None] = lambda _: None
) -> RrfVocabulary:
    """Open the vocabulary of a folder; its database in `cache` is rebuilt when files or settings change."""
    stated = [(folder / name).stat() for name in (NAMES_TABLE, RELATIONS_TABLE) if (folder / name).is_file()]
    if len(stated) < len((NAMES_TABLE, RELATIONS_TABLE)):
        raise InputError(
            f"no UMLS tables in {folder}",
            name=str(folder),
            hint=f"it must contain {NAMES_TABLE} and {RELATIONS_TABLE}",
        )
    known = [folder.resolve(), settings.language, settings.umls_sources, *((s.st_size, s.st_mtime_ns) for s in stated)]
    path = cache / f"umls-{hashlib.sha256(repr(known).encode()).hexdigest()[:16]}.sqlite"
    if not path.is_file():
        announce(f"loading {folder} into a database: once, some minutes for the whole UMLS")
        sources = frozenset(filter(None, settings.umls_sources.split(",")))
        names = _read_rrf_names(folder / NAMES_TABLE, settings.language, sources)
        build_terminology(path, names, _read_rrf_relations(folder / RELATIONS_TABLE, sources))
    return RrfVocabulary(Terminology(path), folder)


def _read_rrf_names(path: Path, language: str, sources: Collection[str]) -> Iterator[NameRow]:
    for row in _read_rrf_rows(path, _NAME_FIELDS):
        if row[1] == language and row[16] == "N" and (not sources or row[11] in sources):
            preferred = (row[2], row[4], row[6]) == ("P", "PF", "Y")
            yield row[0], row[14], row[14].casefold(), 0 if preferred else 1


def _read_rrf_relations(path: Path, sources: Collection[str]) -> Iterator[RelationRow]:
    for row in _read_rrf_rows(path, _RELATION_FIELDS):
        kin = _RRF_KIN.get(row[3])
        if kin and row[0] != row[4] and row[14] in {"N", ""} and (not sources or row[10] in sources):
            yield row[0], kin, row[4]


def _read_rrf_rows(path: Path, fields: int) -> Iterator[list[str]]:
    """Yield the rows of a table; each row ends with a bar."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = line.decode().rstrip("\r\n").split("|")
            except UnicodeDecodeError:
                row = []
            if len(row) != fields + 1:
                raise InputError(
                    f"line {number} of {path.name} is not a row of this table",
                    name=str(path),
                    hint=f"expected {fields} fields in UTF-8",
                )
            yield row


class RrfVocabulary:
    """The user's own copy of the UMLS; none of it is shipped with the package."""

    name = "umls files"

    def __init__(self, terminology: Terminology, folder: Path) -> None:
        self._terminology = terminology
        self._folder = folder

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this name or CUI."""
        if by_identifier := self.get(text):
            return (by_identifier,)
        for spelling in list_spellings(text):
            if found := self._terminology.concepts(spelling.casefold()):
                return tuple(map(self._concept, found))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return the concept with this CUI, if any."""
        return self._concept(concept) if self._terminology.names(concept) else None

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives of these kinds that have a name in the chosen language and sources."""
        found = [
            *find_relatives(concept, kinds, depth, parents=self._parents, children=self._children),
            *(
                (kin, other, 1)
                for kin in (Kin.RELATED, Kin.CONTEXT)
                if kin in kinds
                for other in self._beside(concept, kin)
            ),
        ]
        for kin, other, steps in found:
            if relative := self.get(other):
                yield Relation(kin, relative, steps, self.name)

    def version(self) -> str:
        """Return the folder that it was read from."""
        return f"UMLS in {self._folder}"

    def attribution(self) -> str:
        """Return the copyright holder."""
        return "UMLS Metathesaurus: U.S. National Library of Medicine, under the licence you hold"

    def close(self) -> None:
        """Close the database."""
        self._terminology.close()

    def _parents(self, concept: str) -> list[str]:
        return self._beside(concept, Kin.BROADER)

    def _children(self, concept: str) -> list[str]:
        return self._beside(concept, Kin.NARROWER)

    def _beside(self, concept: str, kin: Kin) -> list[str]:
        return self._terminology.relatives(concept, kin)

    def _concept(self, concept: str) -> Concept:
        preferred, *others = self._terminology.names(concept)
        below = count_concepts_below(concept, self._children, limit=200)
        return Concept(id=concept, preferred=preferred, names=tuple(others), sources=("UMLS",), below=below)

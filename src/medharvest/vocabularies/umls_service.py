"""The UMLS by its web service: names, parents, children and other relations, with the user's own key."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from medharvest.settings import Topics
from medharvest.vocabularies import Concept, Kin, Relation
from medharvest.vocabularies.interface import find_relatives
from medharvest.vocabularies.service import MAX_EXPANDED_RELATIVES, VocabularyService

_MAX_UMLS_PAGES = 40  # of one answer; 25 rows each
_UMLS_NOTHING = "NONE"  # the service's text for an empty value
_SEARCH_TYPES = ("exact", "normalizedString")
# The label says what this concept is to the related one: PAR means it is the parent, so the related one is narrower.
_UMLS_KIN = {
    "PAR": Kin.NARROWER,
    "RB": Kin.NARROWER,
    "CHD": Kin.BROADER,
    "RN": Kin.BROADER,
    "RQ": Kin.RELATED,
    "SY": Kin.RELATED,
    "RL": Kin.RELATED,
    "RO": Kin.CONTEXT,
    "SIB": Kin.CONTEXT,
}
_UmlsRow = dict[str, Any]


class UmlsVocabulary:
    """Concepts of the UMLS by CUI; relatives may have a code of their source instead, such as MSH/D053206."""

    name = "umls"

    def __init__(self, service: VocabularyService, settings: Topics) -> None:
        self._service = service
        self._settings = settings
        self._names: dict[str, str] = {}
        self._ties: dict[str, list[tuple[Kin, str]]] = {}

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this exact name; if there are none, those with other word endings."""
        if by_identifier := self.get(text.upper()) if _is_cui(text.upper()) else None:
            return (by_identifier,)
        for search in _SEARCH_TYPES:
            rows = self._search(" ".join(text.split()), search)
            if rows:
                return tuple(filter(None, (self.get(row["ui"]) for row in rows[:5])))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return the concept with all its names in the chosen language and sources."""
        if not _is_cui(concept):
            name = self._names.get(concept)
            return Concept(id=concept, preferred=name, sources=(concept.partition("/")[0],)) if name else None
        answer = self._service.ask(f"/content/{self._release}/CUI/{concept}")
        if answer is None:
            return None
        preferred = str(_get_umls_result(answer).get("name", concept))
        self._names[concept] = preferred
        atoms = self._rows(
            f"/content/{self._release}/CUI/{concept}/atoms",
            language=self._settings.language,
            sabs=self._settings.umls_sources,
        )
        names = [str(row["name"]) for row in atoms if row.get("name") and "true" not in _read_atom_flags(row)]
        others = tuple(name for name in dict.fromkeys(names) if name != preferred)
        return Concept(id=concept, preferred=preferred, names=others, sources=("UMLS",))

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives of these kinds, each with the name that the service gives."""
        found = [
            *find_relatives(
                concept, kinds, depth, parents=self._parents, children=self._children, most=MAX_EXPANDED_RELATIVES
            ),
            *((kin, other, 1) for kin, other in self._beside(concept) if kin in kinds),
        ]
        for kin, other, steps in found:
            named = Concept(id=other, preferred=self._names[other], sources=(other.partition("/")[0],))
            yield Relation(kin, named, steps, self.name)

    def version(self) -> str:
        """Return the requested release and sources."""
        return f"UMLS {self._release}, sources {self._settings.umls_sources}"

    def attribution(self) -> str:
        """Return the notice that the licence requires."""
        return (
            "This product uses publicly available data from the U.S. National Library of Medicine (NLM), National "
            "Institutes of Health, Department of Health and Human Services; NLM is not responsible for the product "
            "and does not endorse or recommend this or any other product."
        )

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    @property
    def _release(self) -> str:
        return self._settings.umls_release

    def _search(self, text: str, search: str) -> list[_UmlsRow]:
        answer = self._service.ask(
            f"/search/{self._release}",
            string=text,
            searchType=search,
            inputType="atom",
            returnIdType="concept",
            sabs=self._settings.umls_sources,
        )
        rows = _get_umls_result(answer).get("results")
        found = rows if isinstance(rows, list) else []
        return [row for row in found if isinstance(row, dict) and row.get("ui", _UMLS_NOTHING) != _UMLS_NOTHING]

    def _rows(self, path: str, **parameters: str) -> Iterator[_UmlsRow]:
        """Yield the rows of all pages; each page states their number. There is no answer if there are no rows."""
        page, last = 1, 1
        while page <= min(last, _MAX_UMLS_PAGES):
            answer = self._service.ask(path, **parameters, pageNumber=page)
            result = answer.get("result") if isinstance(answer, dict) else None
            if not isinstance(result, list):
                return
            yield from (row for row in result if isinstance(row, dict) and row.get("ui") != _UMLS_NOTHING)
            last = int(answer.get("pageCount") or 1)
            page += 1

    def _parents(self, concept: str) -> list[str]:
        return self._kin(concept, Kin.BROADER, "parents")

    def _children(self, concept: str) -> list[str]:
        return self._kin(concept, Kin.NARROWER, "children")

    def _kin(self, concept: str, kin: Kin, place: str) -> list[str]:
        """Return relatives of a CUI by its relations; of a source's code by the tree of the source."""
        if _is_cui(concept):
            return [other for tie, other in self._tied(concept) if tie is kin]
        rows = self._rows(f"/content/{self._release}/source/{concept}/{place}")
        return [self._note(f"{row['rootSource']}/{row['ui']}", row["name"]) for row in rows if row.get("name")]

    def _beside(self, concept: str) -> list[tuple[Kin, str]]:
        ties = self._tied(concept) if _is_cui(concept) else []
        return [(kin, other) for kin, other in ties if kin in {Kin.RELATED, Kin.CONTEXT}]

    def _tied(self, concept: str) -> list[tuple[Kin, str]]:
        if concept not in self._ties:
            rows = self._rows(
                f"/content/{self._release}/CUI/{concept}/relations",
                includeRelationLabels=",".join(_UMLS_KIN),
                sabs=self._settings.umls_sources,
            )
            self._ties[concept] = list(dict.fromkeys(filter(None, map(self._tie, rows))))
        return self._ties[concept]

    def _tie(self, row: _UmlsRow) -> tuple[Kin, str] | None:
        kin = _UMLS_KIN.get(str(row.get("relationLabel")))
        name, address = str(row.get("relatedIdName", _UMLS_NOTHING)), str(row.get("relatedId", _UMLS_NOTHING))
        if kin is None or _UMLS_NOTHING in (name, address):
            return None
        *_, source, code = ("", *address.rstrip("/").split("/"))
        return kin, self._note(code if source == "CUI" else f"{source}/{code}", name)

    def _note(self, identifier: str, name: object) -> str:
        self._names.setdefault(identifier, str(name))
        return identifier


def _is_cui(text: str) -> bool:
    return text[:1] == "C" and text[1:].isdigit() and len(text) == len("C0000000")


def _get_umls_result(answer: Any) -> _UmlsRow:
    result = answer.get("result") if isinstance(answer, dict) else None
    return result if isinstance(result, dict) else {}


def _read_atom_flags(row: _UmlsRow) -> set[str]:
    """Return the flags `suppressible` and `obsolete`: the service sends them as text or as booleans."""
    return {str(row.get("suppressible", "")).lower(), str(row.get("obsolete", "")).lower()}

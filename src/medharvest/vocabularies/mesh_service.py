"""MeSH by its web service: descriptors by any entry term, their names, see-also references and the tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from medharvest.vocabularies import Concept, Kin, Relation
from medharvest.vocabularies.interface import find_relatives
from medharvest.vocabularies.service import MAX_EXPANDED_RELATIVES, VocabularyService
from medharvest.vocabularies.spelling import list_spellings

_DESCRIPTOR_ID = re.compile(r"D\d{6,9}")
_SPARQL_PREFIXES = (
    "PREFIX meshv:<http://id.nlm.nih.gov/mesh/vocab#> PREFIX mesh:<http://id.nlm.nih.gov/mesh/> "
    "PREFIX rdfs:<http://www.w3.org/2000/01/rdf-schema#> "
)
_TERM_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> WHERE {{ ?t meshv:prefLabel|meshv:altLabel {text} . "
    "?c meshv:preferredTerm|meshv:term ?t . ?d meshv:preferredConcept|meshv:concept ?c ; rdfs:label ?label }}"
)
_BROADER_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> "
    "WHERE {{ mesh:{id} meshv:broaderDescriptor ?d . ?d rdfs:label ?label }}"
)
_NARROWER_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> "
    "WHERE {{ ?d meshv:broaderDescriptor mesh:{id} ; rdfs:label ?label }}"
)
_MAX_SPARQL_ROWS = 1000
_MAX_SPELLINGS = 4  # tried per name; each costs requests


class MeshServiceVocabulary:
    """Descriptors of MeSH, with identifiers such as D053206."""

    name = "mesh"

    def __init__(self, service: VocabularyService) -> None:
        self._service = service
        self._labels: dict[str, str] = {}

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the descriptors with this heading or entry term; the capitalised form, as in MeSH, is tried first."""
        if _DESCRIPTOR_ID.fullmatch(text.upper()):
            return tuple(filter(None, [self.get(text.upper())]))
        forms = dict.fromkeys(
            form for typed in list_spellings(text)[:_MAX_SPELLINGS] for form in (typed.title(), typed)
        )
        for form in forms:
            found = self._exact(form) or self._select(_TERM_QUERY.format(text=f'"{_escape_sparql_text(form)}"@en'))
            if found:
                return tuple(filter(None, map(self.get, dict.fromkeys(found))))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return a descriptor with its terms."""
        if not _DESCRIPTOR_ID.fullmatch(concept):
            return None
        details = self._service.ask("/lookup/details", descriptor=concept, includes="terms")
        terms = [term for term in _list_details(details, "terms") if term.get("label")]
        if not terms:
            return None
        names = [str(term["label"]) for term in sorted(terms, key=lambda term: not term.get("preferred"))]
        preferred = self._labels.setdefault(concept, names[0])
        others = tuple(name for name in dict.fromkeys(names) if name != preferred)
        return Concept(id=concept, preferred=preferred, names=others, sources=("MeSH",))

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives in the tree and the see-also references, with their headings only."""
        if not _DESCRIPTOR_ID.fullmatch(concept):
            return
        found = [
            *find_relatives(
                concept, kinds, depth, parents=self._above, children=self._below, most=MAX_EXPANDED_RELATIVES
            )
        ]
        if Kin.RELATED in kinds:
            details = self._service.ask("/lookup/details", descriptor=concept, includes="seealso")
            also = [self._note(row.get("resource"), row.get("label")) for row in _list_details(details, "seealso")]
            found += [(Kin.RELATED, other, 1) for other in filter(None, also)]
        for kin, other, steps in found:
            yield Relation(kin, Concept(id=other, preferred=self._labels[other], sources=("MeSH",)), steps, self.name)

    def version(self) -> str:
        """Return the release: the service always has the current year."""
        return "MeSH, current year"

    def attribution(self) -> str:
        """Return the copyright holder."""
        return "MeSH: courtesy of the U.S. National Library of Medicine, who has not endorsed this"

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _exact(self, label: str) -> list[str]:
        rows = self._service.ask("/lookup/descriptor", label=label, match="exact", limit=10)
        found = [self._note(row.get("resource"), row.get("label")) for row in _keep_objects(rows)]
        return [identifier for identifier in found if identifier]

    def _above(self, concept: str) -> list[str]:
        return self._select(_BROADER_QUERY.format(id=concept))

    def _below(self, concept: str) -> list[str]:
        return self._select(_NARROWER_QUERY.format(id=concept))

    def _select(self, query: str) -> list[str]:
        answer = self._service.ask(
            "/sparql",
            query=_SPARQL_PREFIXES + query,
            format="JSON",
            inference="false",
            offset=0,
            limit=_MAX_SPARQL_ROWS,
        )
        results = answer.get("results") if isinstance(answer, dict) else None
        rows = _keep_objects(results.get("bindings")) if isinstance(results, dict) else []
        found = [self._note(_get_cell_value(row, "d"), _get_cell_value(row, "label")) for row in rows]
        return [identifier for identifier in found if identifier]

    def _note(self, address: object, label: object) -> str:
        """Return the identifier at the end of an address and remember its label; `""` if it is not a descriptor."""
        identifier = str(address or "").rpartition("/")[2]
        if not _DESCRIPTOR_ID.fullmatch(identifier) or not label:
            return ""
        self._labels[identifier] = str(label)
        return identifier


def _escape_sparql_text(text: str) -> str:
    """Escape a text for a query, so that no quote in it ends the string."""
    return re.sub(r'["\\]', lambda found: "\\" + found[0], " ".join(text.split()))


def _list_details(details: Any, key: str) -> list[dict[str, Any]]:
    return _keep_objects(details.get(key)) if isinstance(details, dict) else []


def _keep_objects(rows: Any) -> list[dict[str, Any]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _get_cell_value(row: dict[str, Any], name: str) -> object:
    cell = row.get(name)
    return cell.get("value") if isinstance(cell, dict) else None

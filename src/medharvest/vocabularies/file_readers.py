"""Read vocabulary files (OBO, MeSH XML and N-Triples, OWL, SKOS) into a vocabulary in memory.

`MemoryVocabulary(read_obo_entries(lines), name="doid.obo")` is a vocabulary.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any
from xml.parsers import expat

from medharvest.errors import InputError
from medharvest.vocabularies.interface import Concept, Kin, Relation, count_concepts_below, find_relatives
from medharvest.vocabularies.spelling import list_spellings, to_natural_name

# OBO.
_OBO_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)"\s+(EXACT|NARROW|BROAD|RELATED)?')
_OBO_KEPT_SCOPES = frozenset({"", "EXACT", "NARROW"})  # a broad or related synonym names something else

# MeSH XML and N-Triples.
_MeshFields = dict[str, list[str]]
_XML_CHUNK_BYTES = 1 << 16
_MAX_XML_DEPTH = 40  # a descriptor record is nine elements deep
_RECORD_TAG = "DescriptorRecord"
# Path inside a record -> field. Names come from two places: the heading, and every term of every concept.
_FIELD_PATHS = {
    ("DescriptorUI",): "id",
    ("DescriptorName", "String"): "name",
    ("TreeNumberList", "TreeNumber"): "tree",
    ("ConceptList", "Concept", "TermList", "Term", "String"): "name",
    ("SeeRelatedList", "SeeRelatedDescriptor", "DescriptorReferredTo", "DescriptorUI"): "related",
}
_NT_TRIPLE = re.compile(r'<([^>]*)> <([^>]*)> (?:<([^>]*)>|"((?:[^"\\]|\\.)*+)"(?:@([\w-]++))?+\S*+) \.')
_NT_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_MESH_PREDICATES = {
    "label": "label",
    "preferredConcept": "concept",
    "concept": "concept",
    "preferredTerm": "term",
    "term": "term",
    "prefLabel": "name",
    "altLabel": "name",
    "treeNumber": "tree",
    "seeAlso": "related",
    "broaderDescriptor": "broader",
}

# OWL and SKOS.
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_OBO_NAMESPACE = "http://www.geneontology.org/formats/oboInOwl#"
_OWL = "http://www.w3.org/2002/07/owl#"
_RDF_LABELS = (f"{_SKOS}prefLabel", f"{_RDFS}label")
_RDF_SYNONYMS = (f"{_SKOS}altLabel", f"{_OBO_NAMESPACE}hasExactSynonym", f"{_OBO_NAMESPACE}hasNarrowSynonym")
_RDF_BROADER = (f"{_SKOS}broader", f"{_SKOS}broaderTransitive", f"{_RDFS}subClassOf")
_RDF_FORMATS = {"ttl": "turtle", "nt": "nt"}
_RDF_SUFFIXES = (".owl", ".rdf", ".ttl", ".skos", ".xml", ".nt")
_MAX_RDF_BYTES = 200_000_000  # rdflib needs many times as much memory


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyEntry:
    """A concept of a file, with the identifiers of its parents, its see-also references and other relatives."""

    id: str
    names: tuple[str, ...]
    broader: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    context: tuple[str, ...] = ()


class MemoryVocabulary:
    """A vocabulary of entries, indexed by identifier and by name."""

    def __init__(
        self, entries: Iterable[VocabularyEntry], *, name: str, version: str = "", attribution: str = ""
    ) -> None:
        self.name = name
        self._version = version or name
        self._attribution = attribution
        self._entries = {entry.id: entry for entry in entries}
        if not self._entries:
            raise InputError(f"no concepts in {name}", name=name, hint="check that it is a vocabulary file")

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this name or identifier; those that prefer the name come first."""
        if by_identifier := self.get(text):
            return (by_identifier,)
        for spelling in list_spellings(text):
            if found := self._named.get(spelling.casefold()):
                best_first = sorted(
                    found, key=lambda one: self._entries[one].names[0].casefold() != spelling.casefold()
                )
                return tuple(map(self._concept, best_first))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return the concept with this identifier, if any."""
        return self._concept(concept) if concept in self._entries else None

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives of these kinds, the closest first."""
        if concept not in self._entries:
            return
        found = find_relatives(concept, kinds, depth, parents=self._parents, children=self._children_of)
        yield from (Relation(kin, self._concept(other), steps, self.name) for kin, other, steps in found)
        entry = self._entries[concept]
        for kin, others in ((Kin.RELATED, entry.related), (Kin.CONTEXT, entry.context)):
            known = [other for other in others if kin in kinds and other in self._entries]
            yield from (Relation(kin, self._concept(other), 1, self.name) for other in known)

    def version(self) -> str:
        """Return the release; the name if it was not given."""
        return self._version

    def attribution(self) -> str:
        """Return the copyright holder and terms of use; empty if not given."""
        return self._attribution

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield every name with the identifier of its concept."""
        yield from ((name, entry.id) for entry in self._entries.values() for name in entry.names)

    @functools.cached_property
    def _named(self) -> dict[str, list[str]]:
        named: dict[str, list[str]] = defaultdict(list)
        for entry in self._entries.values():
            forms = (form for name in entry.names for form in (name, to_natural_name(name)))
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
        below = count_concepts_below(identifier, self._children_of)
        return Concept(id=identifier, preferred=preferred, names=tuple(others), sources=(self.name,), below=below)


def read_vocabulary_entries(file: IO[bytes], head: bytes, name: str) -> Iterator[VocabularyEntry]:
    """Read a vocabulary file in the format that its first bytes and its name show."""
    if b"format-version:" in head or b"[Term]" in head:
        return read_obo_entries(map(bytes.decode, file))
    if b"DescriptorRecord" in head:
        return read_mesh_xml(file, name=name)
    if b"<http://id.nlm.nih.gov/mesh/" in head and head.startswith(b"<http"):
        return read_mesh_triples(map(bytes.decode, file))
    if not name.lower().endswith(_RDF_SUFFIXES):
        raise InputError(
            f"not a vocabulary: {name}",
            name=name,
            hint="use OBO, MeSH XML or N-Triples, OWL or SKOS, compressed with gzip or not",
        )
    return _read_rdf_entries(file, name)


def read_obo_entries(lines: Iterable[str]) -> Iterator[VocabularyEntry]:
    """Yield the terms of an OBO file."""
    stanza: dict[str, list[str]] | None = None
    for raw in lines:
        line = raw.rstrip()
        if line.startswith("["):
            yield from _make_obo_entry(stanza)
            stanza = defaultdict(list) if line == "[Term]" else None
        elif stanza is not None and ": " in line:
            tag, _, value = line.partition(": ")
            stanza[tag].append(value)
    yield from _make_obo_entry(stanza)


def _make_obo_entry(stanza: dict[str, list[str]] | None) -> Iterator[VocabularyEntry]:
    if not stanza or not stanza["id"] or not stanza["name"] or stanza["is_obsolete"] == ["true"]:
        return
    found = filter(None, map(_OBO_SYNONYM.match, stanza["synonym"]))
    synonyms = [_unescape_obo_text(match[1]) for match in found if (match[2] or "") in _OBO_KEPT_SCOPES]
    yield VocabularyEntry(
        id=stanza["id"][0].split(" ")[0],
        names=(_unescape_obo_text(stanza["name"][0]), *synonyms),
        broader=tuple(value.split()[0] for value in stanza["is_a"] if value.split()),
        context=tuple(parts[1] for value in stanza["relationship"] if len(parts := value.split()) > 1),
    )


def _unescape_obo_text(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def read_mesh_xml(file: IO[bytes], *, name: str) -> Iterator[VocabularyEntry]:
    """Yield the descriptors of a file such as desc2026.xml, once the whole file is read: parents may come later."""
    records: list[_MeshFields] = []
    reader = _DescriptorReader(records.append)
    try:
        while piece := file.read(_XML_CHUNK_BYTES):
            reader.feed(piece)
        reader.feed(b"", last=True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # also an encoding that nobody knows
        raise InputError(f"not MeSH descriptor XML: {name}", name=name, hint=str(error)) from error
    yield from _make_mesh_entries(records)


class _DescriptorReader:
    """Collects the fields of each record while its XML is parsed."""

    def __init__(self, give: Callable[[_MeshFields], None]) -> None:
        self._give = give
        self._path: list[str] = []
        self._text: list[str] = []
        self._fields: _MeshFields = defaultdict(list)
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = _refuse_entities

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        """Parse the next piece of the document."""
        self._parser.Parse(piece, last)

    def _start(self, tag: str, _: object) -> None:
        self._path.append(tag)
        self._text.clear()
        if len(self._path) > _MAX_XML_DEPTH:
            raise ValueError("nested too deeply")

    def _end(self, tag: str) -> None:
        below = tuple(self._path[2:])  # after DescriptorRecordSet, DescriptorRecord
        if field := _FIELD_PATHS.get(below):
            self._fields[field].append("".join(self._text).strip())
        self._text.clear()
        self._path.pop()
        if tag == _RECORD_TAG:
            self._give(self._fields)
            self._fields = defaultdict(list)


def _refuse_entities(*_: object) -> None:
    raise ValueError("the document declares entities")


def read_mesh_triples(lines: Iterable[str]) -> Iterator[VocabularyEntry]:
    """Yield the descriptors of mesh.nt or a part of it; other triples are not kept in memory."""
    kept: dict[str, dict[str, list[str]]] = {field: defaultdict(list) for field in set(_MESH_PREDICATES.values())}
    for line in lines:
        match = _NT_TRIPLE.match(line)
        field = _MESH_PREDICATES.get(_last_url_segment(match[2])) if match else None
        if match and field and (match[5] or "en").startswith("en"):
            value = (
                _last_url_segment(match[3]) if match[3] is not None else _NT_ESCAPE.sub(_unescape_character, match[4])
            )
            kept[field][_last_url_segment(match[1])].append(value)
    yield from _make_mesh_entries(_join_mesh_records(kept))


def _last_url_segment(address: str) -> str:
    return re.split(r"[/#]", address)[-1]


def _unescape_character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "?"  # noqa: PLR2004  (Unicode ends there)
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[3], match[3])


def _join_mesh_records(kept: dict[str, dict[str, list[str]]]) -> Iterator[_MeshFields]:
    """Join descriptors with their concepts, terms and names."""
    for identifier, concepts in kept["concept"].items():
        terms = [term for concept in concepts for term in kept["term"].get(concept, ())]
        names = [name for term in terms for name in kept["name"].get(term, ())]
        yield {
            "id": [identifier],
            "name": [*kept["label"].get(identifier, ()), *names],
            "tree": kept["tree"].get(identifier, []),
            "related": kept["related"].get(identifier, []),
            "broader": kept["broader"].get(identifier, []),
        }


def _make_mesh_entries(records: Iterable[_MeshFields]) -> Iterator[VocabularyEntry]:
    """Make entries from records; the tree numbers give the parents."""
    whole = [record for record in records if record.get("id") and any(record.get("name", ()))]
    at = {tree: record["id"][0] for record in whole for tree in record.get("tree", ())}
    for record in whole:
        above = [at.get(tree.rpartition(".")[0], "") for tree in record.get("tree", ())]
        parents = dict.fromkeys(filter(None, [*above, *record.get("broader", ())]))
        yield VocabularyEntry(
            id=record["id"][0],
            names=tuple(dict.fromkeys(filter(None, record["name"]))),
            broader=tuple(parent for parent in parents if parent != record["id"][0]),
            related=tuple(record.get("related", ())),
        )


def _read_rdf_entries(file: IO[bytes], name: str) -> Iterator[VocabularyEntry]:
    body = file.read(_MAX_RDF_BYTES + 1)
    if len(body) > _MAX_RDF_BYTES:
        raise InputError(
            f"too large: {name}",
            name=name,
            hint=f"RDF may have at most {_MAX_RDF_BYTES:,} bytes; OBO has no such limit",
        )
    return read_rdf_concepts(body, name=name)


def read_rdf_concepts(body: bytes, *, name: str) -> Iterator[VocabularyEntry]:
    """Yield the concepts and classes with an English label; the suffix of `name` gives the format."""
    graph = _parse_rdf_graph(body, name)
    for subject in sorted({subject for label in _RDF_LABELS for subject in graph.subjects(_make_rdf_node(label))}):
        names = [text for kind in (*_RDF_LABELS, *_RDF_SYNONYMS) for text in _list_english_texts(graph, subject, kind)]
        if not names or (subject, _make_rdf_node(f"{_OWL}deprecated"), None) in graph:
            continue
        below = [str(child) for child in graph.subjects(_make_rdf_node(f"{_SKOS}narrower"), subject)]
        above = [str(parent) for kind in _RDF_BROADER for parent in graph.objects(subject, _make_rdf_node(kind))]
        yield VocabularyEntry(
            id=str(subject),
            names=tuple(dict.fromkeys(names)),
            broader=tuple(dict.fromkeys([*above, *below])),
            related=tuple(map(str, graph.objects(subject, _make_rdf_node(f"{_SKOS}related")))),
        )


def _parse_rdf_graph(body: bytes, name: str) -> Any:
    try:
        import rdflib
    except ImportError as error:
        raise InputError(
            f"needs rdflib: {name}", name=name, hint="install it with: pip install 'medharvest[rdf]'"
        ) from error
    if b"<!ENTITY" in body[:100_000]:
        raise InputError(f"declares entities: {name}", name=name, hint="save it as Turtle")
    try:
        return rdflib.Graph().parse(data=body, format=_RDF_FORMATS.get(name.rpartition(".")[2], "xml"))
    except Exception as error:  # each parser of rdflib raises its own errors
        raise InputError(f"not RDF: {name}", name=name, hint=" ".join(str(error).split())[:200]) from error


def _make_rdf_node(address: str) -> Any:
    from rdflib import URIRef

    return URIRef(address)


def _list_english_texts(graph: Any, subject: Any, kind: str) -> list[str]:
    found = list(graph.objects(subject, _make_rdf_node(kind)))
    return [str(text) for text in found if (getattr(text, "language", None) or "en").startswith("en")]

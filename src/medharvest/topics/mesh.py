"""MeSH as the National Library of Medicine gives it out: descriptor XML, and RDF as N-Triples."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import IO
from xml.parsers import expat  # entities are refused below, and nothing outside the document is read

from medharvest.errors import InputError
from medharvest.topics.memory import Entry

_PIECE = 1 << 16
_DEEPEST = 40  # a descriptor record is nine elements deep
_RECORD = "DescriptorRecord"
# Where in a record the text stands -> what it is. Names come twice: the heading, and every term of every concept.
_PLACES = {
    ("DescriptorUI",): "id",
    ("DescriptorName", "String"): "name",
    ("TreeNumberList", "TreeNumber"): "tree",
    ("ConceptList", "Concept", "TermList", "Term", "String"): "name",
    ("SeeRelatedList", "SeeRelatedDescriptor", "DescriptorReferredTo", "DescriptorUI"): "related",
}
_TRIPLE = re.compile(r'<([^>]*)> <([^>]*)> (?:<([^>]*)>|"((?:[^"\\]|\\.)*)"(?:@([\w-]+))?\S*) \.')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_Fields = dict[str, list[str]]


def read_mesh_xml(file: IO[bytes], *, name: str) -> Iterator[Entry]:
    """The descriptors of a file such as desc2026.xml; read once whole, as the tree spans all of them."""
    records: list[_Fields] = []
    reader = _DescriptorReader(records.append)
    try:
        while piece := file.read(_PIECE):
            reader.feed(piece)
        reader.feed(b"", last=True)
    except (expat.ExpatError, ValueError) as error:
        raise InputError(f"not MeSH descriptor XML: {name}", name=name, hint=str(error)) from error
    yield from _entries(records)


class _DescriptorReader:
    """Collects the fields of each record as its XML passes by."""

    def __init__(self, give: Callable[[_Fields], None]) -> None:
        self._give = give
        self._path: list[str] = []
        self._text: list[str] = []
        self._fields: _Fields = defaultdict(list)
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.EntityDeclHandler = _refuse_entity

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        """Take in the next piece of the document."""
        self._parser.Parse(piece, last)

    def _start(self, tag: str, _: object) -> None:
        self._path.append(tag)
        self._text.clear()
        if len(self._path) > _DEEPEST:
            raise ValueError("nested too deeply")

    def _end(self, tag: str) -> None:
        below = tuple(self._path[2:])  # after DescriptorRecordSet, DescriptorRecord
        if field := _PLACES.get(below):
            self._fields[field].append("".join(self._text).strip())
        self._text.clear()
        self._path.pop()
        if tag == _RECORD:
            self._give(self._fields)
            self._fields = defaultdict(list)


def _refuse_entity(*_: object) -> None:
    raise ValueError("the document declares entities")


def read_mesh_triples(lines: Iterable[str]) -> Iterator[Entry]:
    """The descriptors of mesh.nt or a part of it; only the triples that matter are kept."""
    kept: dict[str, dict[str, list[str]]] = {field: defaultdict(list) for field in set(_PREDICATES.values())}
    for line in lines:
        match = _TRIPLE.match(line)
        field = _PREDICATES.get(_last(match[2])) if match else None
        if match and field and (match[5] or "en").startswith("en"):
            value = _last(match[3]) if match[3] is not None else _ESCAPE.sub(_character, match[4])
            kept[field][_last(match[1])].append(value)
    yield from _entries(_records(kept))


_PREDICATES = {
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


def _records(kept: dict[str, dict[str, list[str]]]) -> Iterator[_Fields]:
    """Descriptors lead to concepts, concepts to terms, terms to names."""
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


def _entries(records: Iterable[_Fields]) -> Iterator[Entry]:
    """Records as entries; what a tree number lies under tells the parents."""
    whole = [record for record in records if record.get("id") and record.get("name")]
    at = {tree: record["id"][0] for record in whole for tree in record.get("tree", ())}
    for record in whole:
        above = [at.get(tree.rpartition(".")[0], "") for tree in record.get("tree", ())]
        parents = dict.fromkeys(filter(None, [*above, *record.get("broader", ())]))
        yield Entry(
            id=record["id"][0],
            names=tuple(dict.fromkeys(filter(None, record["name"]))),
            broader=tuple(parent for parent in parents if parent != record["id"][0]),
            related=tuple(record.get("related", ())),
        )


def _last(address: str) -> str:
    return re.split(r"[/#]", address)[-1]


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else "?"  # noqa: PLR2004  (Unicode ends there)
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[3], match[3])

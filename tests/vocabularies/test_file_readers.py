"""OWL and SKOS."""

from __future__ import annotations

import sys

import pytest

from medharvest.errors import InputError
from medharvest.vocabularies.file_readers import VocabularyEntry, read_rdf_concepts

SKOS = b"""@prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:a s:prefLabel "Ear Noise"@en, "Ohrensausen"@de ; s:altLabel "ear buzz" ; s:broader :b ; s:related :c .
:b s:prefLabel "Ear Trouble" ; s:narrower :d .
:c s:prefLabel "Ear"@en-GB .
:d s:prefLabel "Ear Ache" .
:e s:prefLabel "old" ; owl:deprecated true .
:f s:prefLabel "nur deutsch"@de .
"""
OWL = b"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
 xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:o="http://www.geneontology.org/formats/oboInOwl#">
 <owl:Class rdf:about="http://example.org/T1"><rdfs:label>ear noise</rdfs:label>
  <o:hasExactSynonym>ear buzz</o:hasExactSynonym><rdfs:subClassOf rdf:resource="http://example.org/T2"/></owl:Class>
 <owl:Class rdf:about="http://example.org/T2"><rdfs:label>ear trouble</rdfs:label></owl:Class>
</rdf:RDF>"""


def test_skos_concepts_have_english_names_parents_and_related_ones():
    entries = {entry.id[-1]: entry for entry in read_rdf_concepts(SKOS, name="v.ttl")}
    assert set(entries) == set("abcd")
    assert entries["a"] == VocabularyEntry(
        id="http://example.org/a",
        names=("Ear Noise", "ear buzz"),
        broader=("http://example.org/b",),
        related=("http://example.org/c",),
    )
    assert entries["d"].broader == ("http://example.org/b",)


def test_owl_classes_have_their_synonyms_and_superclasses():
    first, _ = read_rdf_concepts(OWL, name="v.owl")
    assert first.names == ("ear noise", "ear buzz")
    assert first.broader == ("http://example.org/T2",)


@pytest.mark.parametrize(
    ("body", "name", "message"),
    [
        (b"<not rdf", "v.owl", r"not RDF: v\.owl"),
        (b":a :b", "v.ttl", r"not RDF: v\.ttl"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><x/>', "v.owl", r"declares entities: v\.owl"),
    ],
)
def test_a_file_that_is_not_rdf_or_declares_entities_is_refused(body, name, message):
    with pytest.raises(InputError, match=message):
        list(read_rdf_concepts(body, name=name))


def test_without_rdflib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(InputError, match=r"needs rdflib: v\.owl") as caught:
        list(read_rdf_concepts(OWL, name="v.owl"))
    assert "medharvest[rdf]" in caught.value.hint

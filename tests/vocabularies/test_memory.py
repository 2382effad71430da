"""Vocabularies in memory and the readers that fill them."""

from __future__ import annotations

import io

import pytest
from tests.topics.small import small

from medharvest.errors import InputError
from medharvest.vocabularies import Kin
from medharvest.vocabularies.file_readers import (
    MemoryVocabulary,
    VocabularyEntry,
    read_mesh_triples,
    read_mesh_xml,
    read_obo_entries,
)
from medharvest.vocabularies.interface import count_concepts_below, find_relatives


def kin(vocabulary, concept, *kinds, depth=1):
    return [(one.kin, one.concept.id, one.depth) for one in vocabulary.relations(concept, kinds, depth)]


def test_a_concept_is_found_by_its_identifier_by_any_name_and_turned_round():
    found = [small().find(text)[0].id for text in ("X:3", "nocturnal enuresis", "Bed-Wetting", "ENURESIS, NOCTURNAL")]
    assert found == ["X:3"] * 4
    assert small().find("nothing") == ()
    assert small().get("X:99") is None


def test_relatives_come_by_kind_and_distance():
    assert kin(small(), "X:3", Kin.BROADER, depth=2) == [("broader", "X:2", 1), ("broader", "X:1", 2)]
    assert kin(small(), "X:3", Kin.NARROWER, depth=2) == [("narrower", "X:5", 1), ("narrower", "X:6", 2)]
    assert kin(small(), "X:3", Kin.RELATED, Kin.CONTEXT) == [("related", "X:7", 1)]
    assert kin(small(), "X:7", Kin.CONTEXT) == [("context", "X:3", 1)]
    assert kin(small(), "X:9", Kin.BROADER) == []
    assert kin(small(), "X:99", Kin.BROADER) == []


def test_a_circle_ends():
    steps = {"a": ["b"], "b": ["a", "c"], "c": ["a"]}.__getitem__
    found = list(find_relatives("a", {Kin.BROADER, Kin.NARROWER}, 9, parents=steps, children=steps))
    assert found == [("broader", "b", 1), ("broader", "c", 2), ("narrower", "b", 1), ("narrower", "c", 2)]
    assert count_concepts_below("a", steps) == 2


def test_from_too_many_at_one_distance_it_goes_no_further():
    def steps(text):
        return [text + "0", text + "1"] if len(text) < 9 else []

    def reached(most):
        return [
            found for _, found, _ in find_relatives("x", {Kin.NARROWER}, 3, parents=steps, children=steps, most=most)
        ]

    assert len(reached(4)) == 2 + 4 + 8
    assert len(reached(3)) == 2 + 4
    assert len(reached(1)) == 2


def test_counting_what_lies_below_stops_at_the_limit():
    assert count_concepts_below("1", lambda text: [text + "0", text + "1"], limit=20) == 20
    assert small().find("X:1")[0].below == 5


def test_a_vocabulary_without_concepts_is_an_error():
    with pytest.raises(InputError, match=r"no concepts in empty\.obo"):
        MemoryVocabulary([], name="empty.obo")


OBO = r"""format-version: 1.2

[Term]
id: T:1
name: ear noise
synonym: "ringing \"ears\"" EXACT layperson []
synonym: "hissing" NARROW []
synonym: "ear trouble" BROAD []
synonym: "no scope" []
synonym: broken
is_a: T:2 ! ear trouble
is_a:
relationship: part_of T:3 ! ear
relationship: odd
no colon here

[Term]
id: T:9
name: old one
is_obsolete: true

[Term]
name: without identifier

[Typedef]
id: part_of
name: part of

[Term]
id: T:2
name: ear trouble
"""


def test_obo_terms_keep_close_synonyms_parents_and_ties():
    first, second = read_obo_entries(OBO.splitlines(keepends=True))
    assert first == VocabularyEntry(
        id="T:1", names=("ear noise", 'ringing "ears"', "hissing", "no scope"), broader=("T:2",), context=("T:3",)
    )
    assert second.names == ("ear trouble",)


XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://example.org/desc.dtd">
<DescriptorRecordSet LanguageCode="eng">
 <DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D900001</DescriptorUI>
  <DescriptorName><String>Ear Noise</String></DescriptorName>
  <AllowableQualifiersList><AllowableQualifier><QualifierReferredTo><QualifierUI>Q1</QualifierUI>
   <QualifierName><String>no name of it</String></QualifierName></QualifierReferredTo></AllowableQualifier>
  </AllowableQualifiersList>
  <SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D900002</DescriptorUI>
   <DescriptorName><String>Ear</String></DescriptorName></DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>
  <TreeNumberList><TreeNumber>C01.100</TreeNumber><TreeNumber>C02.100.5</TreeNumber></TreeNumberList>
  <ConceptList>
   <Concept PreferredConceptYN="Y"><TermList><Term IsPermutedTermYN="N"><String>Ear Noise</String></Term>
    <Term IsPermutedTermYN="Y"><String>Noise, Ear</String></Term></TermList></Concept>
   <Concept PreferredConceptYN="N"><TermList><Term><String>Buzzing &amp; Hissing</String></Term></TermList></Concept>
  </ConceptList>
 </DescriptorRecord>
 <DescriptorRecord DescriptorClass="1">
  <DescriptorUI>D900002</DescriptorUI>
  <DescriptorName><String>Ear Trouble</String></DescriptorName>
  <TreeNumberList><TreeNumber>C01</TreeNumber></TreeNumberList>
 </DescriptorRecord>
 <DescriptorRecord><DescriptorUI>D900003</DescriptorUI></DescriptorRecord>
</DescriptorRecordSet>
"""


def test_mesh_xml_gives_all_terms_the_tree_and_what_to_see_also():
    first, second = read_mesh_xml(io.BytesIO(XML.encode()), name="desc.xml")
    assert first == VocabularyEntry(
        id="D900001",
        names=("Ear Noise", "Noise, Ear", "Buzzing & Hissing"),
        broader=("D900002",),
        related=("D900002",),
    )
    assert second.broader == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("<DescriptorRecordSet>", "no element found"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "declares entities"),
        ("<a>" * 50, "nested too deeply"),
    ],
)
def test_xml_that_is_broken_declares_entities_or_never_ends_is_refused(text, hint):
    with pytest.raises(InputError, match=r"not MeSH descriptor XML: x\.xml") as caught:
        list(read_mesh_xml(io.BytesIO(text.encode()), name="x.xml"))
    assert hint in caught.value.hint


M = "http://id.nlm.nih.gov/mesh/"
V = M + "vocab#"
TRIPLES = f"""<{M}D900001> <http://www.w3.org/2000/01/rdf-schema#label> "Ear Noise"@en .
<{M}D900001> <{V}preferredConcept> <{M}M1> .
<{M}D900001> <{V}concept> <{M}M2> .
<{M}D900001> <{V}treeNumber> <{M}C01.100> .
<{M}D900001> <{V}broaderDescriptor> <{M}D900002> .
<{M}D900001> <{V}seeAlso> <{M}D900002> .
<{M}M1> <{V}preferredTerm> <{M}T1> .
<{M}M2> <{V}term> <{M}T2> .
<{M}T1> <{V}prefLabel> "Ear Noise"@en .
<{M}T1> <{V}prefLabel> "Ohrger\\u00E4usch"@de .
<{M}T2> <{V}altLabel> "\\"M\\u00E9ni\\U000000E8re\\" noise\\t\\UFFFFFFFF"@en .
<{M}D900002> <http://www.w3.org/2000/01/rdf-schema#label> "Ear Trouble"@en .
<{M}D900002> <{V}preferredConcept> <{M}M3> .
<{M}D900002> <{V}treeNumber> <{M}C01> .
<{M}D900002> <{V}dateCreated> "1999-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .
not a triple
"""


def test_mesh_triples_lead_from_descriptors_to_names():
    first, second = read_mesh_triples(TRIPLES.splitlines())
    assert first == VocabularyEntry(
        id="D900001",
        names=("Ear Noise", '"Ménière" noise\t?'),
        broader=("D900002",),
        related=("D900002",),
    )
    assert second.names == ("Ear Trouble",)

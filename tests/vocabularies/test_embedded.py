"""The vocabulary that comes with the package."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from tests.growth import count_steps

from medharvest.errors import InputError
from medharvest.topics import Category, build_concept_set
from medharvest.vocabularies import Kin, embedded, embedded_vocabulary
from medharvest.vocabularies.embedded import EmbeddedVocabulary, write_embedded_vocabulary

# The ten topics of the thesis, and everyday words.
TOPICS = [
    ("chickenpox", "Chickenpox"),
    ("bedwetting", "Nocturnal Enuresis"),
    ("breast carcinoma", "breast carcinoma"),
    ("deafness", "Deafness"),
    ("influenza", "Influenza, Human"),
    ("vasectomy", "Vasectomy"),
    ("tinnitus", "Tinnitus"),
    ("sunburn", "Sunburn"),
    ("motion sickness", "Motion Sickness"),
    ("insomnia", "Sleep Initiation and Maintenance Disorders"),
    ("heart attack", "Myocardial Infarction"),
    ("flu", "Influenza, Human"),
    ("wetting the bed", "Nocturnal Enuresis"),
    ("ringing in the ears", "Tinnitus"),
    ("high blood pressure", "Hypertension"),
    ("Nosebleed", "Epistaxis"),
    ("rheumatoid arthritis", "Arthritis, Rheumatoid"),  # MeSH prefers the inverted name
]


@pytest.mark.parametrize(("name", "preferred"), TOPICS)
def test_topics_and_everyday_words_resolve(name, preferred):
    assert embedded_vocabulary().find(name)[0].preferred == preferred


def test_bedwetting_gives_nocturnal_enuresis_and_its_kin():
    concepts = build_concept_set("bedwetting", embedded_vocabulary())
    named = {term.text.casefold(): term.category for term in concepts.terms}
    for synonym in ("nocturnal enuresis", "nocturnal incontinence of urine", "wets bed"):
        assert named[synonym] is Category.SYNONYM
    assert named["enuresis"] is Category.PARTIAL
    assert named["diurnal enuresis"] is Category.CONTEXT


def test_every_topic_stays_within_its_limits():
    for name, _ in TOPICS:
        concepts = build_concept_set(name, embedded_vocabulary())
        assert 3 <= len(concepts.terms) <= 250, name
        assert "signs and symptoms" not in {term.text.casefold() for term in concepts.terms}


def test_a_concept_says_its_sources_and_the_vocabulary_its_release_and_owners():
    vocabulary = embedded_vocabulary()
    concept = vocabulary.get("mesh:d053206")
    assert concept is not None
    assert {"MeSH", "own"} <= set(concept.sources)
    assert "MeSH 2024" in vocabulary.version()
    for owner in ("National Library of Medicine", "CC BY 4.0", "Princeton"):
        assert owner in vocabulary.attribution()


def test_unknown_names_and_identifiers_are_not_found():
    vocabulary = embedded_vocabulary()
    assert vocabulary.find("no such illness") == ()
    assert vocabulary.get("ZZZ:9") is None
    assert list(vocabulary.relations("ZZZ:9", {Kin.BROADER})) == []


# Identifier, names, parents by line, ties by line, concepts below, sources.
ROWS = [
    ("A:1", "Ears", "", "", "2", "0"),
    ("A:2", "Ear Noise|Ear Buzz", "0", "2", "0", "04"),
    ("B:1", "Ear Wax|ear buzz|Noise", "0", "", "0", "1"),
]


@pytest.fixture
def three(tmp_path):
    size = write_embedded_vocabulary(ROWS, tmp_path / "three.gz")
    body = (tmp_path / "three.gz").read_bytes()
    assert len(body) == size
    return EmbeddedVocabulary(body)


@pytest.mark.parametrize("looks", [0, 1000])
def test_whole_names_are_found_where_they_stand_first(three, looks, monkeypatch):
    monkeypatch.setattr(embedded, "_MAX_PLAIN_SEARCHES", looks)
    assert [concept.id for concept in three.find("Ear buzz")] == ["A:2", "B:1"]
    assert [concept.id for concept in three.find("noises")] == ["B:1"]
    assert three.find("ear") == three.find("ears") == (three.get("A:1"),)
    assert three.find("buzz") == three.find("ear noise|ear buzz") == ()
    assert [three.find(other) for other in ("0", "1", "2", "04", "a", "wax|ear")] == [()] * 6


def test_relatives_are_read_from_the_lines(three):
    found = [(one.kin, one.concept.id) for one in three.relations("A:2", list(Kin), 2)]
    assert found == [("broader", "A:1"), ("context", "B:1")]
    assert [one.concept.id for one in three.relations("A:1", {Kin.NARROWER})] == ["A:2", "B:1"]
    assert list(three.names())[1] == ("Ear Noise", "A:2")


def test_a_file_of_another_version_is_refused():
    with pytest.raises(InputError, match="has another version"):
        EmbeddedVocabulary(gzip.compress(b"medharvest vocabulary 0\nA"))


def test_loading_takes_few_steps_and_little_memory():
    def load(_: int = 0) -> None:
        embedded_vocabulary.__wrapped__().find("flu")

    assert count_steps(load, 0) < 100_000  # there are 158 801 names
    tracemalloc.start()
    try:
        load()
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()

"""From a name to a concept set."""

from __future__ import annotations

import pytest
from tests.topics.small import ENTRIES, small

from medharvest.errors import InputError
from medharvest.topics import Category, build_concept_set, concept_lines, read_concepts
from medharvest.topics.concept_sets import TermLimits
from medharvest.vocabularies.file_readers import MemoryVocabulary, VocabularyEntry


def texts(concepts, category):
    return [term.text for term in concepts.terms if term.category is category]


def test_the_default_set_holds_names_relatives_and_what_is_near():
    concepts = build_concept_set("bed-wetting", small())
    assert (concepts.concept, concepts.preferred, concepts.others) == ("X:3", "Enuresis, Nocturnal", ())
    assert texts(concepts, Category.EXACT) == ["bed wetting"]
    assert texts(concepts, Category.SYNONYM) == ["Nocturnal Enuresis", "Bedwetting"]
    assert texts(concepts, Category.PARTIAL) == [
        "Enuresis", "Involuntary Urination", "Primary Nocturnal Enuresis", "Monosymptomatic Enuresis", "Enuresis Alarm",
    ]  # fmt: skip
    assert texts(concepts, Category.CONTEXT) == ["Diurnal Enuresis", "daytime wetting", "Sleep Troubles"]
    assert [term.weight for term in concepts.terms[:4]] == [15, 12, 12, 8]
    assert all(term.why for term in concepts.terms)


@pytest.mark.parametrize(("profile", "partial", "context"), [("thesis", 8, 5), ("requirements", 5, 3)])
def test_the_profiles_of_the_thesis_know_parents_and_siblings_alone(profile, partial, context):
    concepts = build_concept_set("bed wetting", small(), profile=profile)
    assert texts(concepts, Category.PARTIAL) == ["Enuresis", "Involuntary Urination"]
    assert texts(concepts, Category.CONTEXT) == ["Diurnal Enuresis", "daytime wetting"]
    assert {term.category: term.weight for term in concepts.terms} == {
        "exact": 15, "synonym": 12, "partial": partial, "context": context,
    }  # fmt: skip


def test_an_ambiguous_name_takes_the_best_and_names_the_others():
    concepts = build_concept_set("bedwetting", small())
    assert concepts.concept == "X:3"
    assert concepts.others == ("X:9 Hearing Aids",)
    assert build_concept_set("bedwetting", small(), concept="X:9").concept == "X:9"


def test_what_a_user_types_in_small_letters_is_looked_for_as_the_vocabulary_writes_it():
    first = build_concept_set("aids", small()).terms[0]
    assert (first.text, first.cased) == ("AIDS", True)


def test_an_identifier_stands_for_the_preferred_name():
    assert texts(build_concept_set("X:3", small()), Category.EXACT) == ["Nocturnal Enuresis"]


def test_an_unknown_topic_is_looked_for_by_its_words():
    concepts = build_concept_set("  green   ears ", small())
    assert [term.text for term in concepts.terms] == ["green ears"]
    assert concepts.concept == ""


def test_an_unknown_concept_or_profile_is_an_error():
    with pytest.raises(InputError, match="no such concept: X:99"):
        build_concept_set("bedwetting", small(), concept="X:99")
    with pytest.raises(InputError, match="no such profile: wild"):
        build_concept_set("bedwetting", small(), profile="wild")


def test_parents_that_are_shelves_and_their_children_are_left_out():
    crowd = [VocabularyEntry(id=f"Y:{n}", names=(f"thing {n}",), broader=("Y:0",)) for n in range(1, 200)]
    vocabulary = MemoryVocabulary([VocabularyEntry(id="Y:0", names=("Everything",)), *crowd], name="crowd")
    assert [term.text for term in build_concept_set("thing 7", vocabulary).terms] == ["thing 7"]


def test_siblings_of_a_crowded_parent_are_left_out_and_the_parent_stays():
    crowd = [VocabularyEntry(id=f"Y:{n}", names=(f"thing {n}",), broader=("Y:0",)) for n in range(1, 80)]
    vocabulary = MemoryVocabulary([VocabularyEntry(id="Y:0", names=("Family",)), *crowd], name="crowd")
    assert [term.text for term in build_concept_set("thing 7", vocabulary).terms] == ["thing 7", "Family"]


def test_a_category_ends_at_its_limit():
    concepts = build_concept_set("bed wetting", small(), limits=TermLimits(partial=2, context=0))
    assert len(texts(concepts, Category.PARTIAL)) == 2
    assert texts(concepts, Category.CONTEXT) == []


def test_a_set_survives_its_file():
    concepts = build_concept_set("bedwetting", small())
    again = read_concepts("\n".join(concept_lines(concepts)), name="f")
    assert again.terms == concepts.terms
    assert (again.topic, again.concept, again.preferred) == ("bedwetting", "X:3", "Enuresis, Nocturnal")


def test_a_file_by_hand_needs_no_head_and_no_reason():
    concepts = read_concepts("exact\t15\tflu\n\nsynonym\t2.5\tgrippe\t\n", name="f")
    assert [(term.text, term.weight) for term in concepts.terms] == [("flu", 15), ("grippe", 2.5)]
    assert concepts.topic == "flu"


@pytest.mark.parametrize(
    "line", ["exact 15 flu", "near\t5\tflu", "exact\tmuch\tflu", "exact\t0\tflu", "exact\tnan\tflu", "exact\t5\t "]
)
def test_a_wrong_line_is_named(line):
    with pytest.raises(InputError, match="line 2 of f is not a valid term"):
        read_concepts(f"exact\t15\tflu\n{line}\n", name="f")


def test_a_file_without_terms_is_an_error():
    with pytest.raises(InputError, match="no terms in f"):
        read_concepts("# topic: flu\n", name="f")


def test_the_small_vocabulary_is_what_it_says():
    assert len(ENTRIES) == 9
    assert (small().version(), small().attribution()) == ("small 1", "nobody")

"""Concepts that a text names."""

from __future__ import annotations

from tests.topics.small import ENTRIES, small

from medharvest.topics import find_concepts, near_names
from medharvest.vocabularies.file_readers import MemoryVocabulary, VocabularyEntry

TITLE = "An alarm for bed-wetting: a randomised trial"
TEXT = (
    "Nocturnal enuresis is common. In patients, time and again, involuntary urination; no enuresis alarm for patients."
)


def test_the_subject_of_a_paper_comes_first_and_common_words_not_at_all():
    vocabulary = MemoryVocabulary([*ENTRIES, VocabularyEntry(id="X:10", names=("Patients", "Time"))], name="more")
    found = find_concepts(TEXT, vocabulary, title=TITLE)
    assert [one.concept.id for one in found] == ["X:3", "X:7", "X:2"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len(find_concepts(TEXT, vocabulary, title=TITLE, limit=2)) == 2


def test_a_name_whose_concept_is_gone_is_left_out():
    class Forgetful(MemoryVocabulary):
        def get(self, concept):
            return None if concept == "X:7" else super().get(concept)

    vocabulary = Forgetful(ENTRIES, name="forgetful")
    assert [one.concept.id for one in find_concepts("bed wetting and an enuresis alarm", vocabulary)] == ["X:3"]


def test_names_and_counts_are_reported_and_only_the_longest_name_counts():
    (one,) = find_concepts("Bed wetting: nocturnal enuresis, nocturnal enuresis", small())
    assert (one.concept.id, one.count, one.names) == ("X:3", 3, ("Nocturnal Enuresis", "bed wetting"))


def test_a_mention_in_the_title_counts_more():
    (text,) = find_concepts("enuresis alarm", small())
    (title,) = find_concepts("", small(), title="enuresis alarm")
    assert title.score > text.score


def test_an_acronym_in_lower_case_is_not_a_mention():
    assert [one.concept.id for one in find_concepts("aids and AIDS", small())] == ["X:8"]
    assert find_concepts("aids", small()) == ()


def test_a_general_concept_weighs_less_than_one_with_nothing_below_it():
    rows = [VocabularyEntry(id="Y:0", names=("Wide",))] + [
        VocabularyEntry(id=f"Y:{n}", names=(f"Narrow{n}x",), broader=("Y:0",)) for n in range(1, 9)
    ]
    found = find_concepts("wide and narrow1x", MemoryVocabulary(rows, name="y"))
    assert [one.concept.id for one in found] == ["Y:1", "Y:0"]


def test_a_typing_mistake_leads_to_near_names():
    assert near_names("bedweting", small())[0] == "Bedwetting"
    assert near_names("zzz", small()) == ()


def test_a_vocabulary_without_a_list_of_names_has_no_near_ones():
    class Silent:
        name = "silent"

    assert near_names("bedweting", Silent()) == ()  # type: ignore[arg-type]

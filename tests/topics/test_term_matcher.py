"""Terms in text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.topics import Category, ConceptSet, Matcher, WeightedTerm, matcher


def concept_set(*terms: tuple[str, float]) -> ConceptSet:
    return ConceptSet(
        topic="t",
        terms=tuple(WeightedTerm(text=text, weight=weight, category=Category.EXACT) for text, weight in terms),
    )


@pytest.mark.parametrize(
    "text", ["Bed-wetting", "a bed wetting b", "BED\n  WETTING", "“bed wettings”", "bed. wetting", "bed_wetting"]
)
def test_a_term_is_found_across_case_hyphens_breaks_and_number(text):
    assert Matcher(["bed wetting"]).count(text) == {"bed wetting": 1}


@pytest.mark.parametrize("text", ["bedwetting", "bed", "wetting the bed", "embed wetting", "bed wettings2", ""])
def test_only_whole_words_in_their_order_count(text):
    assert Matcher(["bed wetting"]).count(text) == {}


def test_a_plural_term_is_found_in_singular():
    assert Matcher(["Hot Flashes", "Vasectomies"]).count("hot flash after vasectomy") == {
        "Hot Flashes": 1,
        "Vasectomies": 1,
    }


def test_overlaps_count_unless_the_longest_alone_is_wanted():
    terms = concept_set(("breast carcinoma", 15), ("carcinoma", 8), ("carcinoma of the breast", 12))
    text = "Breast carcinoma, or carcinoma of the breast; a carcinoma"
    assert matcher(terms).count(text) == {"breast carcinoma": 1, "carcinoma": 3, "carcinoma of the breast": 1}
    assert matcher(terms).weigh(text) == 15 + 12 + 3 * 8
    assert matcher(terms, longest=True).count(text) == {
        "breast carcinoma": 1,
        "carcinoma of the breast": 1,
        "carcinoma": 1,
    }


def test_an_acronym_counts_only_as_it_is_written():
    found = matcher(concept_set(("AIDS", 15), ("hearing", 1)))
    assert found.count("hearing aids, Aids, AIDS and AID") == {"AIDS": 1, "hearing": 1}
    assert found.count("hearing aid") == {"hearing": 1}


def test_of_terms_with_the_same_words_the_first_is_found_and_empty_ones_are_not():
    assert Matcher(["Flu", "flu", "...", ""]).count("flu ...") == {"Flu": 1}


def test_a_term_as_given_goes_before_the_other_form_of_another():
    assert Matcher(["burn", "burns", "burns unit", "sun burn"]).count("burns and burn of a burns unit") == {
        "burns": 2,
        "burn": 1,
        "burns unit": 1,
    }


def test_a_term_that_begins_a_longer_one_is_found_whichever_comes_first():
    for terms in (["a b c", "a b", "a"], ["a", "a b", "a b c"]):
        assert Matcher(terms).count("a b c") == {"a b c": 1, "a b": 1, "a": 1}


WORDS = st.sampled_from(["aa", "bb", "cc", "dd"])
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@given(st.lists(PHRASES, unique=True, max_size=8), st.lists(WORDS, max_size=30).map(" ".join))
def test_the_counts_are_those_of_a_slow_search(terms, text):
    slow = {term: len(re.findall(rf"(?=\b{term}\b)", text)) for term in terms}
    assert Matcher(terms).count(text) == {term: times for term, times in slow.items() if times}


def test_work_grows_with_the_text_and_not_with_its_square():
    found = Matcher(["a " * 50 + "b", "a a", "a"])
    assert growth(lambda size: found.hits("a " * size), 500) < 6
    assert len(found.hits("a " * 10_000)) == 19_999

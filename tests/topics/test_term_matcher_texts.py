"""Terms found in many texts at once are the same as in each text alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medharvest.topics import Matcher
from medharvest.topics.term_matcher import find_likely_terms, find_terms, split_each_text
from medharvest.vocabularies.spelling import split_words

TERMS = ("rash", "lumen rash", "glow", "rash glow")
texts = st.lists(
    st.lists(st.sampled_from(["rash", "lumen", "glow", "boats", "-", "zqgapxj"]), max_size=4).map(" ".join), max_size=6
)


@given(texts)
def test_each_text_has_its_own_terms(several: list[str]) -> None:
    matcher = Matcher(TERMS)
    one_by_one = {place: [hit[0] for hit in matcher.hits(text)] for place, text in enumerate(several)}
    assert find_terms(matcher, several) == {place: terms for place, terms in one_by_one.items() if terms}


@given(texts)
def test_parts_of_a_text_have_its_terms_alone(several: list[str]) -> None:
    matcher, whole = Matcher(TERMS), "\n".join(several)
    likely = {split_words(whole)[start] for _, start, _ in matcher.hits(whole)}
    assert find_likely_terms(matcher, several, likely) == find_terms(matcher, several)
    assert find_likely_terms(matcher, several, {b"boats"}).keys() <= {
        place for place, text in enumerate(several) if "boats" in text
    }


@given(texts)
def test_each_text_has_its_own_words(several: list[str]) -> None:
    assert split_each_text(several) == [split_words(text) for text in several]

"""Terms in many texts at once are those in each by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from medharvest.topics import Matcher
from medharvest.topics.several import terms_in

TERMS = ("rash", "lumen rash", "glow", "rash glow")
texts = st.lists(
    st.lists(st.sampled_from(["rash", "lumen", "glow", "boats", "-"]), max_size=4).map(" ".join), max_size=6
)


@given(texts)
def test_each_text_has_its_own_terms(several: list[str]) -> None:
    matcher = Matcher(TERMS)
    one_by_one = {place: [hit[0] for hit in matcher.hits(text)] for place, text in enumerate(several)}
    assert terms_in(matcher, several) == {place: terms for place, terms in one_by_one.items() if terms}

"""Words of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.vocabularies.spelling import split_cased_words, split_words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bed-wetting, at night.", "bed wetting at night"),
        ("nocturnal\nenuresis", "nocturnal enuresis"),
        ("Ménière’s “disease”", "meniere s disease"),
        ("Sjo\u0308gren and Sjögren", "sjogren and sjogren"),
        ("TNF-\u03b2_2", "tnf \u03b2 2"),
        ("\ufb01brosis \uff21\uff22", "fibrosis ab"),
        ("half a pair \ud800 here", "half a pair here"),
        ("", ""),
    ],
)
def test_words_are_runs_of_letters_and_digits_without_accents(text, found):
    assert b" ".join(split_words(text)).decode() == found


def test_written_words_keep_their_case():
    assert split_cased_words("AIDS and ÉTAT") == [b"AIDS", b"and", b"ETAT"]


@given(st.text())
def test_both_ways_find_as_many_words_and_no_text_raises(text):
    assert len(split_words(text)) == len(split_cased_words(text))

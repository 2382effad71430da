"""Names as people write them."""

from __future__ import annotations

import pytest

from medharvest.vocabularies.spelling import (
    concept_name_key,
    is_acronym,
    list_spellings,
    to_natural_name,
    to_plural,
    to_singular,
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Enuresis, Nocturnal", "Nocturnal Enuresis"),
        ("Carcinoma, Breast, Male", "Male Breast Carcinoma"),
        ("insomnia (disease)", "insomnia"),
        ("Influenza, unspecified", "Influenza"),
        ("Burn NOS (disorder)", "Burn"),
        ("Cough, fever, and rash", "Cough, fever, and rash"),
        ("Diabetes Mellitus, Type 2", "Diabetes Mellitus, Type 2"),
        ("enuresis, nocturnal, 1", "enuresis, nocturnal, 1"),
        ("a, b, c, d", "a, b, c, d"),
        ("trailing, ", "trailing,"),
        ("two  blanks\tand a tab", "two blanks and a tab"),
    ],
)
def test_a_name_is_put_in_natural_order_without_remarks(name, said):
    assert to_natural_name(name) == said


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("vasectomy", "vasectomies"),
        ("disease", "diseases"),
        ("diagnosis", "diagnoses"),
        ("bronchitis", "bronchitides"),
        ("virus", "viruses"),
        ("abscess", "abscesses"),
        ("reflex", "reflexes"),
        ("delay", "delays"),
    ],
)
def test_singular_and_plural_lead_to_one_another(one, many):
    assert to_plural(one) == many
    assert to_singular(many) == one


@pytest.mark.parametrize("word", ["gas", "his", "x", "b12b", "fetus"])
def test_a_word_that_is_not_a_plural_stays(word):
    assert to_singular(word) == word


def test_a_short_or_mixed_word_has_no_plural():
    assert [to_plural(word) for word in ("ad", "b12b", "ear")] == ["ad", "b12b", "ears"]


def test_names_that_differ_in_case_hyphen_accent_or_number_have_one_key():
    assert concept_name_key("Bed-Wettings") == concept_name_key("bed wetting")
    assert concept_name_key("Ménière") == concept_name_key("meniere")
    assert concept_name_key("...") == ""


def test_only_short_words_in_capitals_are_acronyms():
    assert [is_acronym(name) for name in ("AIDS", "ADHD", "COVID19", "Aids", "123", "flu")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


def test_spellings_begin_with_what_was_typed():
    found = list_spellings(" bed  wetting ")
    assert found[0] == "bed wetting"
    assert {"bed-wetting", "bedwetting", "bed wettings"} <= set(found)
    assert "Nocturnal Enuresis" in list_spellings("Enuresis, Nocturnal")
    assert list_spellings("  ") == ()


@pytest.mark.no_cover
def test_a_name_without_end_takes_no_time():
    assert to_natural_name(" " * 10**6 + "(disease)" * 100_000).startswith("(disease)")
    assert to_natural_name("a" + " " * 10**6 + "b") == "a b"

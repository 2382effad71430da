"""The rules of the record by their examples: the project's own, and those of a folder that SHARED_FOLDER names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.needs import lacking

from medharvest.citations.author_names import author_name_readings
from medharvest.citations.identifiers import find_orcid, parse_doi, parse_issn, parse_pmid
from medharvest.citations.languages import guess_language, parse_language
from medharvest.citations.nlm_style import (
    NLM_CATEGORIES,
    clean_abstract,
    nlm_fore_name,
    nlm_full_name,
    nlm_initials,
    nlm_section_category,
    nlm_short_name,
    parse_page_range,
    to_long_pages,
    to_sentence_case,
    to_short_pages,
)
from medharvest.citations.printed_dates import parse_issue_date
from medharvest.formats.medline_values import (
    add_title_stop,
    iso_from_medline,
    iso_to_medline,
    remove_title_stop,
    to_three_letter_code,
)
from medharvest.records import Author

OWN: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
IDENTIFIERS = {"doi": parse_doi, "issn": parse_issn, "orcid": find_orcid, "pmid": parse_pmid}
SURE = 0.9  # below it an operator is asked


@pytest.fixture(scope="module")
def shared() -> dict[str, Any]:
    file = Path(os.environ.get("SHARED_FOLDER", "")) / "records" / "vectors.json"
    if not file.is_file():
        lacking("vectors", "no shared vectors")
    vectors: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return vectors


@pytest.mark.parametrize(("text", "au", "fore", "others"), OWN["names"], ids=[row[0] for row in OWN["names"]])
def test_a_name_has_the_form_of_au_and_every_open_one_its_other_reading(text, au, fore, others):
    readings = author_name_readings(text)
    author, score = readings[0]
    assert nlm_short_name(author) == au
    assert nlm_fore_name(author.given) == fore
    assert [nlm_short_name(other) for other, _ in readings[1:]] == others
    assert (score < SURE) == bool(others)


def test_the_shared_names(shared):
    for text, wanted, au, _ in shared["names_to_AU"]:
        readings = author_name_readings(text)
        author, score = readings[0]
        assert nlm_short_name(author) == au
        assert (author.family or author.collective) == wanted.get("last", wanted.get("collective"))
        assert nlm_fore_name(author.given) == (wanted.get("fore") or "")
        assert nlm_initials(author.given) == (wanted.get("initials") or "")
        assert author.suffix == wanted.get("suffix_xml", wanted.get("suffix", ""))
        assert (score < SURE) == wanted.get("needs_review", False)
        assert set(wanted.get("alternatives", ())) <= {nlm_short_name(other) for other, _ in readings[1:]}


@pytest.mark.parametrize(("text", "short", "full"), OWN["pages"])
def test_pages_are_written_short_and_in_full(text, short, full):
    assert to_short_pages(text) == short
    assert to_long_pages(text) == full


def test_the_shared_pages(shared):
    for text, short in shared["pages_to_MedlinePgn_short"]:
        assert to_short_pages(text) == short


@pytest.mark.parametrize(("title", "wanted"), OWN["titles"])
def test_a_title_is_offered_in_sentence_case_with_a_stop(title, wanted):
    assert add_title_stop(to_sentence_case(title), translated=False) == wanted


@pytest.mark.parametrize(("title", "translated", "wanted"), OWN["stops"])
def test_a_title_of_medline_has_a_stop_and_brackets_where_it_was_translated(title, translated, wanted):
    assert add_title_stop(title, translated=translated) == wanted
    assert remove_title_stop(wanted)[0] == title.removesuffix(".")


def test_the_shared_titles(shared):
    for row in shared["titles"]:
        if isinstance(row, list):
            assert add_title_stop(to_sentence_case(row[0]), translated=False) == row[1]
        else:
            assert add_title_stop(row["english"], translated=True) == row["TI"]
            assert add_title_stop(row["vernacular"], translated=False) == row["TT"]


@pytest.mark.parametrize(("text", "iso", "dp"), OWN["dates"])
def test_a_printed_date_of_an_issue_becomes_iso_and_dp(text, iso, dp):
    assert parse_issue_date(text) == iso
    assert iso_to_medline(iso) == dp
    assert iso_from_medline(dp) == iso


def test_the_shared_dates(shared):
    numbers = {"Spring": 21, "Summer": 22, "Autumn": 23, "Winter": 24}
    for row, dp in shared["dates_to_DP"]:
        years, months = (row[key] if isinstance(row.get(key), list) else [row.get(key)] for key in ("y", "m"))
        months = [numbers[row["season"]]] if "season" in row else [month for month in months if month]
        pairs = zip(years * len(months) if len(years) < len(months) else years, months, strict=False)
        iso = "/".join(f"{year}-{month:02d}" for year, month in pairs) or str(years[0])
        iso += f"-{row['d']:02d}" if "d" in row else ""
        assert iso_to_medline(iso) == dp
        assert parse_issue_date(dp) == iso_from_medline(dp) == iso


@pytest.mark.parametrize(("label", "category"), OWN["labels"])
def test_a_label_has_its_category(label, category):
    assert nlm_section_category(label) == category
    assert category in NLM_CATEGORIES


def test_the_shared_labels(shared):
    for label, category in shared["abstract_labels_to_NlmCategory"]:
        assert nlm_section_category(label) == category


@pytest.mark.parametrize(("kind", "text", "wanted"), OWN["ids"])
def test_an_identifier_is_bare_and_checked(kind, text, wanted):
    assert IDENTIFIERS[kind](text) == wanted


def test_the_shared_identifiers(shared):
    for text, wanted in shared["ids"]:
        assert (parse_doi(text) or find_orcid(text) or parse_issn(text) or None) == wanted


@pytest.mark.parametrize(("text", "two", "three"), OWN["languages"])
def test_a_language_is_known_by_code_and_name(text, two, three):
    assert parse_language(text) == two
    assert (to_three_letter_code(two) or "und") == three


@pytest.mark.parametrize(("text", "code"), OWN["texts"])
def test_a_text_shows_its_language(text, code):
    assert guess_language(text) == code


@pytest.mark.parametrize(("text", "clean", "line"), OWN["abstracts"])
def test_an_abstract_loses_what_does_not_belong_to_it(text, clean, line):
    assert clean_abstract(text) == (clean, line)


def test_there_are_three_times_as_many_as_the_shared_ones(shared):
    names = {"names_to_AU": "names", "pages_to_MedlinePgn_short": "pages", "titles": "titles", "ids": "ids"}
    names |= {"dates_to_DP": "dates", "abstract_labels_to_NlmCategory": "labels"}
    for theirs, own in names.items():
        assert len(OWN[own]) >= 3 * len(shared[theirs]), own


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (Author(family="Marsh", given="Ada B.", suffix="Jr."), "Marsh, Ada B Jr"),
        (Author(family="Suharti"), "Suharti"),
        (Author(collective="on behalf of the BRIGHT Group"), "BRIGHT Group"),
    ],
)
def test_an_author_has_the_form_of_fau(author, name):
    assert nlm_full_name(author) == name


RULES = [
    author_name_readings, to_short_pages, to_long_pages, parse_page_range, to_sentence_case, parse_issue_date,
    nlm_section_category, parse_doi, parse_issn, parse_pmid, parse_language, guess_language, clean_abstract,
    nlm_fore_name, nlm_initials,
]  # fmt: skip
HOSTILE = ["a", "A ", "1-", "Abstract ", "© 2031 ", "a@b.", "Mar-", "12, ", "van de ", ". ", "2031 Dec-", "\n", "é́"]


@pytest.mark.no_cover
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_text_raises_and_none_takes_long(rule):
    @settings(max_examples=40)
    @given(st.text())
    def quick(text):
        rule(text)

    quick()
    for piece in HOSTILE:
        rule((piece * 100_000)[:100_000])

"""A citation by the rules of the record."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.citations.strategies import any_of

from medharvest.citations import normalise_citation
from medharvest.records import Author, Citation, Evidence, Section


def proof(field: str, text: str) -> Evidence:
    return Evidence(
        field=field, page="d1", source="zone", path="p", start=0, end=len(text), text=text, method="rule", score=0.9
    )


def test_titles_and_abstracts_lose_what_does_not_belong_to_them():
    read = normalise_citation(
        Citation(
            title="Tides and gout *†",
            abstract="Abstract: We measured. © 2031 Estuary Press.",
            sections=(Section("Aim", "To measure."), Section("Results", "Small. © 2031 Estuary Press.")),
        )
    )
    assert (read.title, read.abstract) == ("Tides and gout", "We measured.")
    assert read.sections == (Section("Aim", "To measure."), Section("Results", "Small."))


def test_identifiers_are_bare_and_a_refused_one_is_an_alternative():
    read = normalise_citation(
        Citation(
            doi="https://doi.org/10.5555/Tides.7",
            pmid="0012",
            issn=("20493630", "2049-3631", "2049-3630"),
            authors=(Author(family="Berg", orcid="https://orcid.org/0000-0000-4409-1267"), Author(orcid="1")),
        )
    )
    assert (read.doi, read.pmid, read.issn) == ("10.5555/Tides.7", "", ("2049-3630",))
    assert [author.orcid for author in read.authors] == ["0000-0000-4409-1267", ""]
    assert [(other.field, other.value) for other in read.alternatives] == [("issn", "2049-3631"), ("pmid", "0012")]


def test_a_double_issue_has_a_hyphen_whatever_the_page_prints():
    read = normalise_citation(Citation(volume="11\u201312", issue="4\u20136"))
    assert (read.volume, read.issue) == ("11-12", "4-6")


def test_characters_without_width_do_not_part_a_name_from_itself():
    joined = "زده\u200cمقدم"  # the character inside is a part of the spelling
    read = normalise_citation(
        Citation(authors=(Author(family=f"\u200c{joined}\u200f", given="\u200bرسول"), Author(family="Berg")))
    )
    assert [(author.family, author.given) for author in read.authors] == [(joined, "رسول"), ("Berg", "")]


@pytest.mark.parametrize(
    ("first", "last", "wanted"),
    [
        ("201-8", "", ("201", "208")),
        ("201", "8", ("201", "208")),
        ("201", "208", ("201", "208")),
        ("e7", "", ("e7", "")),
        ("", "", ("", "")),
    ],
)
def test_pages_stand_in_full(first, last, wanted):
    read = normalise_citation(Citation(first_page=first, last_page=last))
    assert (read.first_page, read.last_page) == wanted


def test_a_language_is_a_code_or_the_one_of_the_text():
    assert normalise_citation(Citation(language="English")).language == "en"
    assert normalise_citation(Citation(language="klingon")).language == "klingon"
    assert normalise_citation(Citation(title="Gout")).language == ""
    text = "The tides were measured in adults with gout and the effect was small."
    guessed = normalise_citation(Citation(abstract=text, evidence=(proof("abstract", text),)))
    assert guessed.language == "en"
    assert [(p.method, p.page, p.path) for p in guessed.evidence[1:]] == [("common-words", "d1", "abstract")]
    assert normalise_citation(Citation(title=text)).evidence[0].path == "title"


OPEN = Author(family="Marsh", given="Helen Stone")


def test_an_open_name_has_a_low_score_and_its_other_reading():
    read = normalise_citation(
        Citation(authors=(Author(family="Berg", given="A."), OPEN), evidence=(proof("authors", "A. Berg"),))
    )
    assert [(p.field, p.score) for p in read.evidence] == [("authors", 0.9), ("authors.1", 0.5)]
    assert [(a.field, a.value) for a in read.alternatives] == [("authors.1", "Stone Marsh, Helen")]
    assert normalise_citation(read) == read


def test_an_open_name_that_no_page_shows_is_told_without_evidence():
    read = normalise_citation(Citation(authors=(OPEN,)))
    assert (len(read.evidence), len(read.alternatives)) == (0, 1)


@pytest.mark.parametrize("text", ["Marsh, Helen Stone; Berg, A.", "marsh"])
def test_a_name_that_was_given_in_parts_is_not_open(text):
    read = normalise_citation(Citation(authors=(OPEN,), evidence=(proof("authors", text),)))
    assert read.alternatives == ()


@settings(max_examples=100)
@given(any_of(Citation))
def test_any_citation_is_reformatted_once_and_for_all(citation):
    once = normalise_citation(citation)
    assert normalise_citation(once) == once

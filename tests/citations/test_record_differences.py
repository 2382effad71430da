"""What two records say differently, and one record that takes in another."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.citations.strategies import any_of

from medharvest.citations.merge import citation_field_text
from medharvest.citations.record_differences import Difference, Origin, absorb_record, find_differences
from medharvest.records import Author, Citation, Evidence, NamedDate, OtherAbstract, Section

MARSH = Author(family="Marsh", given="Ada Stone", affiliations=(0,))
ORIGIN = Origin("import", "autumn.ris")
KNOWN = Citation(
    title="Tides and gout",
    title_html="Tides and <i>gout</i>",
    authors=(MARSH,),
    journal="Annals of Estuary Medicine",
    date="2031-03",
    doi="10.5555/aem.7",
    issn=("2049-3630",),
    keywords=("gout", "tides"),
    evidence=(
        Evidence(
            field="title", page="d", source="zone", path="p", start=0, end=4, text="Tide", method="rule", score=0.8
        ),
    ),
)


@pytest.mark.parametrize(
    "other",
    [
        Citation(),
        Citation(title="TIDES AND GOUT."),
        Citation(authors=(Author(family="Marsh", given="A."),)),
        Citation(journal="Ann Estuary Med"),
        Citation(date="2031"),
        Citation(doi="https://doi.org/10.5555/AEM.7"),
        Citation(issn=("20493630",)),
        Citation(keywords=("Gout",)),
    ],
)
def test_what_is_said_in_other_words_or_less_precisely_is_no_difference(other):
    assert find_differences(KNOWN, other) == ()


@pytest.mark.parametrize(
    ("other", "field", "before", "after"),
    [
        (Citation(title="Tides"), "title", "Tides and gout", "Tides"),
        (Citation(pmid="7"), "pmid", "", "7"),
        (Citation(date="2031-03-09"), "date", "2031-03", "2031-03-09"),
        (Citation(authors=(replace(MARSH, given="B."),)), "authors", "Marsh, Ada Stone", "Marsh, B"),
        (Citation(authors=(MARSH, Author(collective="G"))), "authors", "Marsh, Ada Stone", "Marsh, Ada Stone; G"),
        (Citation(keywords=("sleep",)), "keywords", "gout; tides", "sleep"),
        (Citation(dates=(NamedDate("received", "2031"),)), "dates", "", "received 2031"),
        (Citation(sections=(Section("Aim", "To see"),)), "sections", "", "Aim: To see"),
        (Citation(other_abstracts=(OtherAbstract("lay", "en", "Simply"),)), "other_abstracts", "", "Simply"),
        (Citation(volume="-"), "volume", "", "-"),
    ],
)
def test_what_is_said_otherwise_is_told_field_by_field(other, field, before, after):
    assert find_differences(KNOWN, other) == (Difference(field, before, after),)


def test_a_record_takes_in_what_it_lacks_and_keeps_what_it_has():
    other = Citation(title="Tides", pmid="7", doi="10.5555/AEM.7", volume="3")
    joined = absorb_record(KNOWN, other, ORIGIN)
    assert (joined.title, joined.pmid, joined.volume, joined.doi) == (KNOWN.title, "7", "3", KNOWN.doi)
    assert [(a.field, a.value, a.score) for a in joined.alternatives] == [("title", "Tides", 0.4)]
    proofs = {proof.field: (proof.source, proof.path) for proof in joined.evidence[1:]}
    assert proofs == dict.fromkeys(("pmid", "doi", "volume"), ("import", "autumn.ris"))
    assert absorb_record(joined, other, ORIGIN) == joined


def test_the_other_record_wins_where_it_is_asked_to_and_the_loser_is_kept():
    other = Citation(title="Tides", title_html="<b>Tides</b>", authors=(Author(family="Holt"),), affiliations=("X",))
    joined = absorb_record(KNOWN, other, ORIGIN, prefer_other=True)
    assert (joined.title, joined.title_html, joined.authors, joined.affiliations) == (
        "Tides",
        "<b>Tides</b>",
        other.authors,
        ("X",),
    )
    assert {a.field: a.value for a in joined.alternatives} == {"title": "Tides and gout", "authors": "Marsh, Ada Stone"}
    assert {proof.source for proof in joined.evidence} == {"import"}


def test_affiliations_that_come_alone_are_linked_to_our_authors():
    other = Citation(authors=(Author(family="Marsh", given="A", affiliations=(1,)),), affiliations=("Y", "X"))
    joined = absorb_record(KNOWN, other, ORIGIN)
    assert joined.affiliations == ("Y", "X")
    assert joined.authors == (replace(MARSH, affiliations=(1,)),)


def test_what_leans_on_a_field_that_differs_is_only_an_alternative():
    other = Citation(authors=(Author(family="Holt"),), affiliations=("X",), first_page="9", last_page="12")
    joined = absorb_record(replace(KNOWN, first_page="1"), other, ORIGIN, prefer_other=False)
    assert (joined.affiliations, joined.first_page, joined.last_page) == ((), "1", "")
    assert {a.field for a in joined.alternatives} == {"authors", "affiliations", "first_page", "last_page"}


@settings(max_examples=60)
@given(any_of(Citation), any_of(Citation))
def test_nothing_of_the_first_is_lost_and_all_of_the_second_stands_somewhere(one, two):
    joined = absorb_record(one, two, ORIGIN)
    for name in ("title", "doi", "volume", "abstract"):
        assert citation_field_text(joined, name) == (citation_field_text(one, name) or citation_field_text(two, name))
    absorb_record(one, two, ORIGIN, prefer_other=True)

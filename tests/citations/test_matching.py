"""Which records are of one article: labelled pairs, the rules the user sets, and many records at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from tests.citations.strategies import any_of
from tests.growth import growth

from medharvest.citations.matching import DIFFERENT, RELATED, SAME, Candidates, likeness, match
from medharvest.errors import SettingsError
from medharvest.records import Author, Citation, Verdict
from medharvest.settings import Match

BASE = Citation(
    title="Tidal volume and gout in adults: a cohort study",
    authors=(Author(family="Marsh", given="Ada"), Author(family="Øvergård", given="Per")),
    journal="Annals of Estuary Medicine",
    issn=("2434-561X", "2049-3630"),
    volume="12",
    issue="3",
    first_page="201",
    date="2031-03",
    doi="10.5555/aem.2031.7",
    pmid="31234567",
    pii="aem-7",
)
BARE = replace(BASE, doi="", pmid="", pii="")
PLACELESS = replace(BARE, volume="", issue="", first_page="", issn=(), journal="")


def but(record: Citation = BASE, **changes: Any) -> Citation:
    return replace(record, **changes)


# First record, second record, verdict, rule.
PAIRS = [
    (BASE, BASE, SAME, "pmid"),
    (BASE, but(doi="", title="Other"), SAME, "pmid"),
    (BASE, but(doi="https://doi.org/10.5555/AEM.2031.7", pmid=""), SAME, "doi"),
    (BASE, but(pmid="9", title="Tidal volume and gout"), SAME, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8"), RELATED, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8", title="Salt and sleep in island communities"), DIFFERENT, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8", volume="13"), DIFFERENT, "doi"),
    (BARE, but(BARE, pii=""), SAME, "pages"),
    (but(BARE, pii="aem-7"), but(BARE, pii="AEM-7", title="x"), SAME, "pii"),
    (but(BARE, pii="aem-7"), but(BARE, pii="aem-7", issn=(), title="x"), DIFFERENT, "none"),
    (but(BARE, pii="aem-7", pmid="1"), but(BARE, pii="aem-7", pmid="2", title="x"), DIFFERENT, "none"),
    (BARE, but(BARE, issn=("20493630",), title=BARE.title.upper()), SAME, "pages"),
    (BARE, but(BARE, volume="", journal="", authors=()), SAME, "journal"),
    (BARE, but(BARE, issn=(), journal="Ann Estuary Med"), SAME, "journal"),
    (BARE, but(BARE, issn=(), journal="", abbreviation="Annals of estuary medicine", authors=()), SAME, "journal"),
    (BARE, but(BARE, first_page="", article_number="201", issn=()), SAME, "journal"),
    (BARE, but(BARE, issue="4", first_page="", issn=(), authors=()), DIFFERENT, "none"),
    (BARE, but(PLACELESS, title="Tidal volume and gout in adults"), SAME, "title"),
    (BARE, but(PLACELESS, title="Gout in adults and tidal volume: a cohort study"), SAME, "title"),
    (BARE, but(PLACELESS, title="Tidal volume and gout in adult: a cohort studies", date="2032"), SAME, "title"),
    (BARE, but(PLACELESS, title="", vernacular_title=BARE.title), SAME, "title"),
    (BARE, but(PLACELESS, title=BARE.title + "!", date=""), SAME, "title"),
    (BARE, but(PLACELESS, date="2034"), DIFFERENT, "none"),
    (BARE, but(PLACELESS, authors=(Author(family="Holt"),)), DIFFERENT, "none"),
    (BARE, but(PLACELESS, authors=()), DIFFERENT, "none"),
    (BARE, but(PLACELESS, authors=(Author(family="Overgard"),)), DIFFERENT, "none"),  # ø is a letter of its own
    (BARE, but(PLACELESS, authors=(Author(family="MARSH"),)), SAME, "title"),
    (BARE, but(PLACELESS, volume="13"), DIFFERENT, "none"),
    (BARE, but(PLACELESS, first_page="7"), DIFFERENT, "none"),
    (but(BARE, pmid="1"), but(PLACELESS, pmid="2"), DIFFERENT, "none"),
    (BARE, but(PLACELESS, title="Erratum: " + BARE.title), DIFFERENT, "none"),
    (BARE, but(PLACELESS, title="Reply to: " + BARE.title), DIFFERENT, "none"),
    (BARE, but(PLACELESS, title="Retraction. " + BARE.title), DIFFERENT, "none"),
    (but(BARE, title="Tides and gout, part 1"), but(PLACELESS, title="Tides and gout, part 2"), DIFFERENT, "none"),
    (but(BARE, title="Tides and gout, part II"), but(PLACELESS, title="Tides and gout, part I"), DIFFERENT, "none"),
    (but(BARE, title="Editorial"), but(PLACELESS, title="Editorial"), DIFFERENT, "none"),
    (but(BARE, title="Editorial"), but(BARE, title="Editorial", issn=("20493630",)), SAME, "pages"),
    (but(BARE, title="Editorial"), but(BARE, title="Editorial", first_page="9"), DIFFERENT, "none"),
    (but(BARE, title="Tidal volume in adult patients"), but(PLACELESS, title="Tidal volume"), DIFFERENT, "none"),
    (Citation(), Citation(), DIFFERENT, "none"),
]


@pytest.mark.parametrize(("one", "two", "label", "rule"), PAIRS)
def test_a_pair_is_judged_alike_from_both_sides(one, two, label, rule):
    for verdict in (match(one, two), match(two, one)):
        assert (verdict.label, verdict.method) == (label, rule)


def test_one_doi_under_two_titles_is_the_same_and_less_sure():
    assert match(BASE, but(pmid="", title="Salt and sleep on islands")) == Verdict(SAME, 0.7, "doi")


def test_the_user_sets_which_rules_are_asked_and_how_strict_they_are():
    near = but(PLACELESS, title="Tidal volume and gout in adults", date="2033")
    assert match(BARE, near).label == DIFFERENT
    assert match(BARE, near, Match(years=2)).label == SAME
    assert match(BARE, near, Match(years=2, surnames=3)).label == DIFFERENT
    assert match(BARE, near, Match(years=2, rules="pmid, doi")).label == DIFFERENT
    alike = but(PLACELESS, title="Tidal volume and gout in adult persons: cohort study")
    assert match(BARE, alike, Match(title=99)).label == DIFFERENT
    assert match(BARE, alike, Match(title=80)).label == SAME
    assert match(BASE, BASE, Match(rules="")).label == DIFFERENT


def test_different_dois_are_never_the_same_whatever_is_set():
    assert match(BASE, but(doi="10.5555/x1"), Match(title=0, surnames=0, years=99)).label == RELATED


def test_a_rule_that_is_none_is_told():
    with pytest.raises(SettingsError, match=r"match\.rules: dio") as error:
        match(BASE, BASE, Match(rules="dio"))
    assert "pmid, doi" in error.value.hint


def test_a_subtitle_may_be_missing_and_most_of_a_title_not():
    assert likeness("Tides and gout in adults", "Tides and gout in adults: a trial") == 100
    assert likeness("Tides", "Tides and gout in adults: a trial") < 50


def test_candidates_are_found_among_many_and_the_surest_comes_first():
    crowd = [
        (n, but(BARE, title=f"Observations of kelp number {n} in harbours", first_page=str(n))) for n in range(900)
    ]
    known = Candidates([*crowd, (1_000, but(doi="10.5555/x1")), (1_001, BARE)])
    found = list(known.find(replace(PLACELESS, doi="10.5555/aem.2031.7")))
    assert [(number, verdict.label) for number, verdict in found] == [(1_001, SAME), (1_000, RELATED)]
    assert list(known.find(Citation())) == []


def test_work_grows_with_the_number_of_records():
    words = "tide gout kelp salt moor reef marsh dune fen cove".split()
    records = [
        but(PLACELESS, title=f"{words[n % 10]} {words[n // 10 % 10]} {words[n // 100 % 10]} and {n} adults in harbours")
        for n in range(3_000)
    ]

    def match_few(size: int) -> None:
        known = Candidates(enumerate(records[:size], 1))
        assert all(next(known.find(record))[0] for record in records[:20])

    assert growth(match_few, 700) < 6


@settings(max_examples=60)
@given(any_of(Citation), any_of(Citation))
def test_no_records_raise_and_both_sides_agree(one, two):
    assert match(one, two).label == match(two, one).label

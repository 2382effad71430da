"""Which records are of one article: labelled pairs, the rules the user sets, and many records at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from tests.citations.strategies import any_of
from tests.growth import growth

from medharvest.citations.record_match import (
    DIFFERENT_ARTICLE,
    RELATED_ARTICLE,
    SAME_ARTICLE,
    MatchCandidates,
    match_records,
    title_likeness,
)
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
    (BASE, BASE, SAME_ARTICLE, "pmid"),
    (BASE, but(doi="", title="Other"), SAME_ARTICLE, "pmid"),
    (BASE, but(doi="https://doi.org/10.5555/AEM.2031.7", pmid=""), SAME_ARTICLE, "doi"),
    (BASE, but(pmid="9", title="Tidal volume and gout"), SAME_ARTICLE, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8"), RELATED_ARTICLE, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8", title="Salt and sleep in island communities"), DIFFERENT_ARTICLE, "doi"),
    (BASE, but(doi="10.5555/aem.2031.8", volume="13"), DIFFERENT_ARTICLE, "doi"),
    (BARE, but(BARE, pii=""), SAME_ARTICLE, "pages"),
    (but(BARE, pii="aem-7"), but(BARE, pii="AEM-7", title="x"), SAME_ARTICLE, "pii"),
    (but(BARE, pii="aem-7"), but(BARE, pii="aem-7", issn=(), title="x"), DIFFERENT_ARTICLE, "none"),
    (but(BARE, pii="aem-7", pmid="1"), but(BARE, pii="aem-7", pmid="2", title="x"), DIFFERENT_ARTICLE, "none"),
    (BARE, but(BARE, issn=("20493630",), title=BARE.title.upper()), SAME_ARTICLE, "pages"),
    (BARE, but(BARE, volume="", journal="", authors=()), SAME_ARTICLE, "journal"),
    (BARE, but(BARE, issn=(), journal="Ann Estuary Med"), SAME_ARTICLE, "journal"),
    (
        BARE,
        but(BARE, issn=(), journal="", abbreviation="Annals of estuary medicine", authors=()),
        SAME_ARTICLE,
        "journal",
    ),
    (BARE, but(BARE, first_page="", article_number="201", issn=()), SAME_ARTICLE, "journal"),
    (BARE, but(BARE, issue="4", first_page="", issn=(), authors=()), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, title="Tidal volume and gout in adults"), SAME_ARTICLE, "title"),
    (BARE, but(PLACELESS, title="Gout in adults and tidal volume: a cohort study"), SAME_ARTICLE, "title"),
    (
        BARE,
        but(PLACELESS, title="Tidal volume and gout in adult: a cohort studies", date="2032"),
        SAME_ARTICLE,
        "title",
    ),
    (BARE, but(PLACELESS, title="", vernacular_title=BARE.title), SAME_ARTICLE, "title"),
    (BARE, but(PLACELESS, title=BARE.title + "!", date=""), SAME_ARTICLE, "title"),
    (BARE, but(PLACELESS, date="2034"), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, authors=(Author(family="Holt"),)), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, authors=()), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, authors=(Author(family="Overgard"),)), DIFFERENT_ARTICLE, "none"),  # ø is a letter of its own
    (BARE, but(PLACELESS, authors=(Author(family="MARSH"),)), SAME_ARTICLE, "title"),
    (BARE, but(PLACELESS, volume="13"), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, first_page="7"), DIFFERENT_ARTICLE, "none"),
    (but(BARE, pmid="1"), but(PLACELESS, pmid="2"), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, title="Erratum: " + BARE.title), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, title="Reply to: " + BARE.title), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, title="Retraction. " + BARE.title), DIFFERENT_ARTICLE, "none"),
    (
        but(BARE, title="Tides and gout, part 1"),
        but(PLACELESS, title="Tides and gout, part 2"),
        DIFFERENT_ARTICLE,
        "none",
    ),
    (
        but(BARE, title="Tides and gout, part II"),
        but(PLACELESS, title="Tides and gout, part I"),
        DIFFERENT_ARTICLE,
        "none",
    ),
    (but(BARE, title="Editorial"), but(PLACELESS, title="Editorial"), DIFFERENT_ARTICLE, "none"),
    (but(BARE, title="Editorial"), but(BARE, title="Editorial", issn=("20493630",)), SAME_ARTICLE, "pages"),
    (but(BARE, title="Editorial"), but(BARE, title="Editorial", first_page="9"), DIFFERENT_ARTICLE, "none"),
    (
        but(BARE, title="Tidal volume in adult patients"),
        but(PLACELESS, title="Tidal volume"),
        DIFFERENT_ARTICLE,
        "none",
    ),
    (Citation(), Citation(), DIFFERENT_ARTICLE, "none"),
]


@pytest.mark.parametrize(("one", "two", "label", "rule"), PAIRS)
def test_a_pair_is_judged_alike_from_both_sides(one, two, label, rule):
    for verdict in (match_records(one, two), match_records(two, one)):
        assert (verdict.label, verdict.method) == (label, rule)


def test_one_doi_under_two_titles_is_the_same_and_less_sure():
    assert match_records(BASE, but(pmid="", title="Salt and sleep on islands")) == Verdict(SAME_ARTICLE, 0.7, "doi")


def test_the_user_sets_which_rules_are_asked_and_how_strict_they_are():
    near = but(PLACELESS, title="Tidal volume and gout in adults", date="2033")
    assert match_records(BARE, near).label == DIFFERENT_ARTICLE
    assert match_records(BARE, near, Match(years=2)).label == SAME_ARTICLE
    assert match_records(BARE, near, Match(years=2, surnames=3)).label == DIFFERENT_ARTICLE
    assert match_records(BARE, near, Match(years=2, rules="pmid, doi")).label == DIFFERENT_ARTICLE
    alike = but(PLACELESS, title="Tidal volume and gout in adult persons: cohort study")
    assert match_records(BARE, alike, Match(title=99)).label == DIFFERENT_ARTICLE
    assert match_records(BARE, alike, Match(title=80)).label == SAME_ARTICLE
    assert match_records(BASE, BASE, Match(rules="")).label == DIFFERENT_ARTICLE


def test_different_dois_are_never_the_same_whatever_is_set():
    assert match_records(BASE, but(doi="10.5555/x1"), Match(title=0, surnames=0, years=99)).label == RELATED_ARTICLE


def test_a_rule_that_is_none_is_told():
    with pytest.raises(SettingsError, match=r"match\.rules: dio") as error:
        match_records(BASE, BASE, Match(rules="dio"))
    assert "pmid, doi" in error.value.hint


def test_a_subtitle_may_be_missing_and_most_of_a_title_not():
    assert title_likeness("Tides and gout in adults", "Tides and gout in adults: a trial") == 100
    assert title_likeness("Tides", "Tides and gout in adults: a trial") < 50


def test_candidates_are_found_among_many_and_the_surest_comes_first():
    crowd = [
        (n, but(BARE, title=f"Observations of kelp number {n} in harbours", first_page=str(n))) for n in range(900)
    ]
    known = MatchCandidates([*crowd, (1_000, but(doi="10.5555/x1")), (1_001, BARE)])
    found = list(known.find(replace(PLACELESS, doi="10.5555/aem.2031.7")))
    assert [(number, verdict.label) for number, verdict in found] == [(1_001, SAME_ARTICLE), (1_000, RELATED_ARTICLE)]
    assert list(known.find(Citation())) == []


def test_work_grows_with_the_number_of_records():
    words = "tide gout kelp salt moor reef marsh dune fen cove".split()
    records = [
        but(PLACELESS, title=f"{words[n % 10]} {words[n // 10 % 10]} {words[n // 100 % 10]} and {n} adults in harbours")
        for n in range(3_000)
    ]

    def match_few(size: int) -> None:
        known = MatchCandidates(enumerate(records[:size], 1))
        assert all(next(known.find(record))[0] for record in records[:20])

    assert growth(match_few, 700) < 6


@settings(max_examples=60)
@given(any_of(Citation), any_of(Citation))
def test_no_records_raise_and_both_sides_agree(one, two):
    assert match_records(one, two).label == match_records(two, one).label

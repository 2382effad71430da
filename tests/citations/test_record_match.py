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
    UNCERTAIN_ARTICLE,
    MatchCandidates,
    find_duplicate_pairs,
    match_records,
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
    (BASE, but(doi="10.5555/aem.2031.8", volume="13"), RELATED_ARTICLE, "doi"),
    (BARE, but(BARE, pii=""), SAME_ARTICLE, "fields"),
    (but(BARE, pii="aem-7"), but(BARE, pii="AEM-7", title="x"), SAME_ARTICLE, "pii"),
    (but(BARE, pii="aem-7"), but(BARE, pii="aem-7", issn=(), title="x"), UNCERTAIN_ARTICLE, "fields"),
    (but(BARE, pii="aem-7", pmid="1"), but(BARE, pii="aem-7", pmid="2", title="x"), DIFFERENT_ARTICLE, "none"),
    (BARE, but(BARE, issn=("20493630",), title=BARE.title.upper()), SAME_ARTICLE, "fields"),
    (BARE, but(BARE, volume="", journal="", authors=()), SAME_ARTICLE, "fields"),
    (BARE, but(BARE, issn=(), journal="Ann Estuary Med"), SAME_ARTICLE, "fields"),
    (
        BARE,
        but(BARE, issn=(), journal="", abbreviation="Annals of estuary medicine", authors=()),
        SAME_ARTICLE,
        "fields",
    ),
    (BARE, but(BARE, first_page="", article_number="201", issn=()), SAME_ARTICLE, "fields"),
    (BARE, but(BARE, issue="4", first_page="", issn=(), authors=()), UNCERTAIN_ARTICLE, "fields"),
    (BARE, but(PLACELESS, title="Tidal volume and gout in adults"), UNCERTAIN_ARTICLE, "fields"),
    (BARE, but(PLACELESS, title="Gout in adults and tidal volume: a cohort study"), SAME_ARTICLE, "fields"),
    (
        BARE,
        but(PLACELESS, title="Tidal volume and gout in adult: a cohort studies", date="2032"),
        UNCERTAIN_ARTICLE,
        "fields",
    ),
    (BARE, but(PLACELESS, title="", vernacular_title=BARE.title), SAME_ARTICLE, "fields"),
    (BARE, but(PLACELESS, title=BARE.title + "!", date=""), SAME_ARTICLE, "fields"),
    (BARE, but(PLACELESS, date="2034"), UNCERTAIN_ARTICLE, "fields"),
    (BARE, but(PLACELESS, authors=(Author(family="Holt"),)), DIFFERENT_ARTICLE, "none"),
    (BARE, but(PLACELESS, authors=()), UNCERTAIN_ARTICLE, "fields"),
    (BARE, but(PLACELESS, authors=(Author(family="Overgard"),)), SAME_ARTICLE, "fields"),
    (BARE, but(PLACELESS, authors=(Author(family="MARSH"),)), SAME_ARTICLE, "fields"),
    (BARE, but(PLACELESS, volume="13"), UNCERTAIN_ARTICLE, "fields"),
    (BARE, but(PLACELESS, first_page="7"), UNCERTAIN_ARTICLE, "fields"),
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
    (but(BARE, title="Editorial"), but(BARE, title="Editorial", issn=("20493630",)), SAME_ARTICLE, "fields"),
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


SALT = "Salt and sleep on islands"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"title": SALT}, Verdict(SAME_ARTICLE, 0.7, "doi")),  # the same page and authors: a misprint or a translation
        ({"title": SALT, "first_page": ""}, Verdict(SAME_ARTICLE, 0.7, "doi")),
        ({"title": SALT, "authors": ()}, Verdict(SAME_ARTICLE, 0.7, "doi")),
        ({"title": SALT, "first_page": "209"}, Verdict(UNCERTAIN_ARTICLE, 0.5, "doi")),
        ({"title": SALT, "authors": (Author(family="Holt"),)}, Verdict(UNCERTAIN_ARTICLE, 0.5, "doi")),
        ({"title": SALT, "authors": (), "first_page": ""}, Verdict(UNCERTAIN_ARTICLE, 0.5, "doi")),
        ({"title": "", "first_page": "209"}, Verdict(SAME_ARTICLE, 1.0, "doi")),
        ({"first_page": "209"}, Verdict(SAME_ARTICLE, 1.0, "doi")),
    ],
)
def test_one_doi_under_two_titles_is_one_article_only_if_page_or_authors_agree(changes, expected):
    other = but(pmid="", pii="", **changes)
    assert match_records(BASE, other) == match_records(other, BASE) == expected


def test_the_user_sets_which_rules_are_asked_and_how_strict_they_are():
    near = but(PLACELESS, title="Tidal volume and gout in adults", date="2033")
    assert match_records(BARE, near).label == DIFFERENT_ARTICLE
    assert match_records(BARE, near, Match(uncertain=0.01)).label == UNCERTAIN_ARTICLE
    assert match_records(BARE, near, Match(uncertain=0.01, same=0.02)).label == SAME_ARTICLE
    assert match_records(BARE, BARE, Match(rules="pmid, doi")).label == DIFFERENT_ARTICLE
    assert match_records(BARE, BARE, Match(rules="pmid title")).method == "fields"  # the name of earlier versions
    assert match_records(BASE, BASE, Match(rules="")).label == DIFFERENT_ARTICLE


def test_different_dois_are_never_the_same_whatever_is_set():
    assert match_records(BASE, but(doi="10.5555/x1"), Match(same=0.0, uncertain=0.0)).label == RELATED_ARTICLE


def test_a_rule_that_is_none_is_told():
    with pytest.raises(SettingsError, match=r"match\.rules: dio") as error:
        match_records(BASE, BASE, Match(rules="dio"))
    assert "pmid, doi" in error.value.hint


# What databases make of one article, and what they keep apart.
VARIANTS = [
    {
        "title": BARE.title
        + ".[Erratum appears in Ann Estuary Med. 2032 Jan;13(1):9 Note: Marsh, A [corrected to Marsh, B"
    },
    {"title": BARE.title + " [Review] [45 refs]"},
    {"title": BARE.title + ". [Swedish]"},
    {"title": f"[{BARE.title}.]"},
    {"title": f"[{BARE.title}] Tidvattenvolym och gikt hos vuxna i kohort"},
    {"title": f"Tidvattenvolym och gikt hos vuxna i kohort [{BARE.title}]"},
    {"title": f"Tidvattenvolym och gikt hos vuxna i kohort = {BARE.title}"},
    {"title": "RETRACTED ARTICLE: " + BARE.title},
    {"title": "Tidal <i>volume</i> &amp; gout in adults: A cohort-study (Review)"},
    {"volume": "12 (Supplement 1)"},
    {"volume": "XII", "issue": "3-4"},
    {"first_page": "0201", "last_page": "9"},
    {"first_page": "pp. 201-9"},
    {"authors": (Author(family="Marsh", given="A."),)},
    {"authors": (Author(family="Ada", given="Marsh"), Author(family="Per", given="Overgard"))},
    {"journal": "Ann Estuary Med", "issn": ()},
    {"journal": "AEM: Annals of Estuary Medicine (Leeds)", "issn": ()},
    {"date": "2032"},
]


@pytest.mark.parametrize("changes", VARIANTS, ids=lambda changes: str(changes)[:40])
def test_what_a_database_adds_does_not_make_another_article(changes):
    assert match_records(BARE, but(BARE, **changes)).label == SAME_ARTICLE
    if "title" in changes:  # not because of all the rest
        assert match_records(
            but(BARE, title="Kelp forests and the sleep of harbour pilots"), but(BARE, **changes)
        ).label in {
            DIFFERENT_ARTICLE,
            UNCERTAIN_ARTICLE,
        }


def test_a_range_that_a_spreadsheet_made_a_date_is_a_range_again():
    short = but(BARE, first_page="6", last_page="14", authors=(), issn=(), journal="")
    assert match_records(short, but(short, first_page="14-Jun", last_page="")).label == SAME_ARTICLE
    assert match_records(short, but(short, first_page="Jun-14", last_page="")).label == SAME_ARTICLE
    assert match_records(short, but(short, first_page="15-Aug", last_page="")).label != SAME_ARTICLE


def test_the_abstract_and_the_paper_of_one_study_are_not_merged():
    talk = but(BARE, volume="11", issue="S1", first_page="S44", date="2030")
    assert match_records(BARE, talk).label != SAME_ARTICLE
    assert match_records(BARE, but(talk, volume="", issue="")).label == UNCERTAIN_ARTICLE


def test_two_abstracts_on_one_page_are_not_merged():
    other = but(BARE, title="Kelp forests and the sleep of harbour pilots")
    assert match_records(BARE, other).label != SAME_ARTICLE


def test_pairs_are_found_among_many_records_and_compared_only_with_their_like():
    crowd = [
        but(BARE, title=f"Observation {n} of kelp", first_page=str(n), authors=(Author(family=f"Holt{n}"),))
        for n in range(300)
    ]
    records = [*crowd, BARE, but(BARE, title=BARE.title + " [Swedish]", pii=""), but(PLACELESS, authors=())]
    found = {(one, two): verdict.label for one, two, verdict in find_duplicate_pairs(enumerate(records))}
    assert found == {(300, 301): SAME_ARTICLE, (300, 302): UNCERTAIN_ARTICLE, (301, 302): UNCERTAIN_ARTICLE}


def test_a_title_that_hundreds_share_is_not_compared_with_each_of_them():
    records = [but(PLACELESS, title="Editorial", authors=()) for _ in range(3_000)]
    assert list(find_duplicate_pairs(enumerate(records))) == []


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

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.citations import complete_issue, fill_from_issue, group_articles, merge
from medharvest.citations.merge import field_score
from medharvest.citations.nlm_style import is_abbreviation_of
from medharvest.fields import ISSUE_FIELDS
from medharvest.records import Author, Citation, Evidence, Kind, Section


def proof(field: str, score: float = 0.5, page: str = "p") -> Evidence:
    return Evidence(
        field=field, page=page, source="zone", path="", start=0, end=1, text="x", method="rule", score=score
    )


def reading(kind: Kind = Kind.ABSTRACT, score: float = 0.5, **values: Any) -> Citation:
    return Citation(kind=kind, **values, evidence=tuple(proof(name, score, kind) for name in values))


TITLE = "Sleep by the sea in forty people"


def test_the_surest_reading_wins_each_field_and_the_loser_is_an_alternative() -> None:
    page = reading(Kind.ABSTRACT, 0.9, title=TITLE, volume="7")
    pdf = reading(Kind.PDF, 0.6, title="Sleep by the sea", volume="7", first_page="12")
    merged = merge([pdf, page])
    assert (merged.title, merged.volume, merged.first_page, merged.kind) == (TITLE, "7", "12", Kind.ABSTRACT)
    assert {(item.field, item.page) for item in merged.evidence} == {
        ("title", "abstract"),
        ("volume", "abstract"),
        ("volume", "pdf"),
        ("first_page", "pdf"),
    }
    assert [(a.field, a.value, a.score) for a in merged.alternatives] == [("title", "Sleep by the sea", 0.6)]


def test_readings_that_agree_but_for_case_are_all_evidence_and_another_list_is_an_alternative() -> None:
    page = reading(Kind.ABSTRACT, 0.9, title=TITLE, authors=(Author(family="Berg", given="A."),), keywords=("sleep",))
    pdf = reading(Kind.PDF, 0.6, title=TITLE.upper(), authors=(Author(family="Cole"),), sections=(Section("a", "b"),))
    merged = merge([page, pdf])
    assert [item.page for item in merged.evidence if item.field == "title"] == ["abstract", "pdf"]
    assert [item.page for item in merged.evidence if item.field == "authors"] == ["abstract"]
    assert {(a.field, a.value) for a in merged.alternatives} == {("title", TITLE.upper()), ("authors", "Cole")}


def test_of_equally_sure_readings_the_landing_page_wins() -> None:
    kinds = [Kind.ISSUE, Kind.PDF, Kind.OTHER, Kind.FULLTEXT, Kind.ABSTRACT]
    merged = merge([reading(kind, title=f"From {kind}") for kind in kinds])
    assert (merged.title, merged.kind) == ("From abstract", Kind.ABSTRACT)
    assert [a.value for a in merged.alternatives] == ["From fulltext", "From other", "From pdf", "From issue"]


def test_fields_that_belong_together_come_from_one_reading() -> None:
    one = reading(
        Kind.PDF,
        0.9,
        authors=(Author(family="Berg", affiliations=(0,)),),
        affiliations=("Quay",),
        abstract="Aim: a",
        sections=(Section("Aim", "a"),),
    )
    two = reading(Kind.ABSTRACT, 0.5, authors=(Author(family="Cole"),), abstract="b", first_page="1", last_page="9")
    merged = merge([one, two, reading(Kind.FULLTEXT, 0.9, first_page="3")])
    assert (merged.authors, merged.affiliations) == (one.authors, one.affiliations)
    assert (merged.abstract, merged.sections) == (one.abstract, one.sections)
    assert (merged.first_page, merged.last_page) == ("3", "")


def test_one_reading_is_itself() -> None:
    only = reading(title=TITLE, doi="10.1/a")
    assert merge([only]) == only


@pytest.mark.parametrize(
    ("own", "shared", "expected"),
    [
        ({}, {"journal": "Tide", "volume": "7"}, {"journal": "Tide", "volume": "7"}),
        ({"volume": "8"}, {"volume": "7"}, {"volume": "8"}),
        ({"date": "2010"}, {"date": "2010-09"}, {"date": "2010-09"}),
        ({"date": "2010-09-15"}, {"date": "2010-09"}, {"date": "2010-09-15"}),
        ({"date": "2011"}, {"date": "2010-09"}, {"date": "2011"}),
        (
            {"journal": "Arch Tide Med"},
            {"journal": "Archives of Tide Medicine"},
            {"journal": "Archives of Tide Medicine"},
        ),
        ({"journal": "ATM"}, {"journal": "Archives of Tides", "abbreviation": "ATM"}, {"journal": "Archives of Tides"}),
        ({"journal": "Other"}, {"journal": "Archives of Tides"}, {"journal": "Other"}),
        ({}, {"title": "Contents"}, {"title": ""}),
    ],
)
def test_a_contents_page_fills_what_is_missing_or_said_less_fully(
    own: dict[str, Any], shared: dict[str, Any], expected: dict[str, Any]
) -> None:
    filled = fill_from_issue(reading(**own), reading(Kind.ISSUE, **shared))
    assert {name: getattr(filled, name) for name in expected} == expected
    added = {item.field for item in filled.evidence if item.page == "issue"}
    assert added == {name for name in shared if name in ISSUE_FIELDS and getattr(filled, name) != own.get(name)}


@pytest.mark.parametrize(
    ("short", "full", "yes"),
    [
        ("Arch Tide Med", "Archives of Tide Medicine", True),
        ("Arch. Tide Med.", "The Archives of Tide Medicine", True),
        ("Tide", "Tide", False),
        ("Arch Med", "Archives of Tide Medicine", False),
        ("", "", False),
        ("of", "the", False),
    ],
)
def test_an_abbreviation_begins_each_word_of_its_title(short: str, full: str, yes: bool) -> None:  # noqa: FBT001
    assert is_abbreviation_of(short, full) is yes


def test_a_contents_page_learns_what_most_articles_agree_on_but_no_date() -> None:
    articles = [reading(journal="Tide", issn=("1",), date="2010"), reading(journal="Tide"), reading(journal="Ebb")]
    issue = complete_issue(reading(Kind.ISSUE, volume="7"), articles)
    assert (issue.journal, issue.issn, issue.volume, issue.date) == ("Tide", ("1",), "7", "")
    assert complete_issue(reading(Kind.ISSUE, journal="Own"), articles).journal == "Own"


def test_what_a_contents_page_learns_from_an_article_carries_its_evidence() -> None:
    wrong = reading(Kind.ABSTRACT, 0.9, journal="Ebb")
    right = [reading(Kind.PDF, 0.5, journal="Tide"), reading(Kind.FULLTEXT, 0.8, journal="Tide", doi="10.1/a")]
    issue = complete_issue(reading(Kind.ISSUE, volume="7"), [wrong, *right])
    own, learnt = issue.evidence
    assert (own.field, own.method) == ("volume", "rule")
    assert (learnt.field, learnt.page, learnt.method) == ("journal", "fulltext", "same-issue")
    assert learnt.score == pytest.approx(0.8 * 0.7)
    assert fill_from_issue(reading(title=TITLE), issue).evidence[-2:] == (own, learnt)


def test_the_score_of_a_field_is_its_best_evidence() -> None:
    assert field_score([proof("title", 0.2), proof("title", 0.7), proof("date", 0.9)], "title") == 0.7
    assert field_score([], "title") == 0.0


def titles(groups: tuple[tuple[Citation, ...], ...]) -> list[list[str]]:
    return [[citation.doi or citation.title[:5] or "-" for citation in group] for group in groups]


@pytest.mark.parametrize(
    ("readings", "groups"),
    [
        ([("", {"doi": "10.1/a"}), ("", {"doi": "10.1/A", "title": "T"})], [["10.1/a", "10.1/A"]]),
        ([("k", {"title": "A"}), ("k", {"doi": "10.1/a"})], [["A", "10.1/a"]]),
        ([("", {"title": TITLE}), ("", {"title": TITLE.upper() + "."})], [["Sleep", "SLEEP"]]),
        ([("", {"title": "Erratum"}), ("", {"title": "Erratum"})], [["Errat"], ["Errat"]]),
        ([("", {}), ("", {})], [["-"], ["-"]]),
        ([("k", {"doi": "10.1/a"}), ("k", {"doi": "10.1/b"})], [["10.1/a"], ["10.1/b"]]),
        (
            [("", {"doi": "10.1/a", "title": TITLE}), ("", {"doi": "10.1/b", "title": TITLE}), ("", {"title": TITLE})],
            [["10.1/a", "Sleep"], ["10.1/b"]],
        ),
        (
            [
                ("1", {"doi": "10.1/a", "title": TITLE}),
                ("2", {"doi": "10.1/b", "title": TITLE}),
                ("2", {"title": TITLE}),
            ],
            [["10.1/a"], ["10.1/b", "Sleep"]],
        ),
        (
            [("1", {"title": TITLE}), ("2", {"doi": "10.1/b"}), ("1", {"doi": "10.1/b"})],
            [["Sleep"], ["10.1/b", "10.1/b"]],
        ),
        (
            [("1", {"doi": "10.1/a"}), ("2", {"title": TITLE}), ("1", {"doi": "10.1/c", "title": TITLE})],
            [["10.1/a"], ["Sleep", "10.1/c"]],
        ),
    ],
)
def test_readings_are_grouped_by_doi_then_key_then_title(
    readings: list[tuple[str, dict[str, Any]]], groups: list[list[str]]
) -> None:
    assert titles(group_articles([(key, Citation(**values)) for key, values in readings])) == groups


def test_abstracts_that_share_the_doi_of_their_supplement_stay_apart() -> None:
    first: dict[str, Any] = {"doi": "10.5555/s", "title": TITLE, "first_page": "S1"}
    second: dict[str, Any] = {"doi": "10.5555/s", "title": "Gout in harbour pilots: a trial", "first_page": "S2"}
    readings: list[tuple[str, dict[str, Any]]] = [("1", first), ("2", second)]
    readings += [("2", {"doi": "10.5555/s"}), ("1", {**first, "title": TITLE.upper()})]
    groups = group_articles([(key, Citation(**values)) for key, values in readings])
    assert [[citation.first_page for citation in group] for group in groups] == [["S1", "", "S1"], ["S2"]]
    unread = [("1", first), ("1", {**second, "first_page": ""})]  # a title misread on another page of the same article
    assert len(group_articles([(key, Citation(**values)) for key, values in unread])) == 1


few = st.sampled_from(["", "a", "b", "c"])
readings_of_few = st.lists(
    st.tuples(
        few, st.builds(Citation, doi=few.map(lambda x: x and f"10.1/{x}"), title=few.map(lambda x: x and TITLE + x))
    )
)


@given(readings_of_few)
def test_different_dois_are_never_merged_and_no_reading_is_lost(readings: list[tuple[str, Citation]]) -> None:
    groups = group_articles(readings)
    assert all(len({citation.doi for citation in group} - {""}) <= 1 for group in groups)
    assert Counter(c for group in groups for c in group) == Counter(citation for _, citation in readings)
    together = {citation.doi: i for i, group in enumerate(groups) for citation in group if citation.doi}
    assert all(together[c.doi] == i for i, group in enumerate(groups) for c in group if c.doi)


@given(readings_of_few)
def test_merging_keeps_every_doi_and_title(readings: list[tuple[str, Citation]]) -> None:
    for group in group_articles(readings):
        merged = merge(group)
        assert merged.doi in {citation.doi for citation in group}
        assert bool(merged.title) == any(citation.title for citation in group)


def test_work_grows_with_the_readings_of_one_title() -> None:
    def group(size: int) -> None:
        same = [("", replace(Citation(title=TITLE), doi=f"10.1/{i}" if i % 2 else "")) for i in range(size)]
        assert len(group_articles(same)) == size // 2

    assert growth(group, 200) < 6

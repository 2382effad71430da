from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.records import Citation, title_key
from medharvest.store import SaveCounts, Store
from medharvest.store.identity import LOOKUP_COLUMNS, article_keys_of, find_same_article
from medharvest.store.tables import article

FULL = Citation(
    title="Ménière's disease: a review of the literature since 1861",
    journal="Hearing",
    issn=("1234-5678", "8765-432X"),
    volume="9",
    issue="2",
    first_page="11",
    date="2024-05",
    doi="10.1/X",
    pmid="123",
    pii="S1-2",
    url="https://example.org/1",
)
ONLY_TITLE = Citation(title="Editorial", journal="Hearing")


def same(one: Citation, other: Citation) -> bool:
    return find_same_article(article_keys_of(one), [(1, article_keys_of(other))]) == 1


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ménière’s disease", "menieresdisease"),
        ("MÉNIÈRE'S  Disease.", "menieresdisease"),
        ("Straße ﬁve²", "strassefive2"),
        ("β-catenin", "βcatenin"),
        ("胃癌、2例", "胃癌2例"),
        ("…", ""),
        ("", ""),
    ],
)
def test_a_title_key_holds_letters_and_digits_without_marks_and_case(text: str, key: str) -> None:
    assert title_key(text) == key


@given(st.text())
def test_a_title_key_is_its_own_key(text: str) -> None:
    assert title_key(title_key(text)) == title_key(text)


@pytest.mark.parametrize(
    "doi",
    ["10.1/x", " 10.1/X ", "https://doi.org/10.1/x", "http://dx.doi.org/10.1/X", "doi:10.1/x", "DOI: 10.1/x"],
)
def test_a_doi_is_the_same_in_every_spelling(doi: str) -> None:
    assert article_keys_of(Citation(doi=doi)).doi == "10.1/x"


@pytest.mark.parametrize(
    ("date", "year"), [("2024-05-01", "2024"), ("2024", "2024"), ("", ""), ("20245", ""), ("May", "")]
)
def test_the_year_is_four_digits_or_nothing(date: str, year: str) -> None:
    assert article_keys_of(Citation(date=date)).year == year


@pytest.mark.parametrize(
    "other",
    [
        Citation(pmid="123", title="Another title"),
        Citation(doi="https://doi.org/10.1/x", title="Ménière's disease, a review", pmid="999"),
        Citation(doi="10.1/x", title="Another title", first_page="11"),
        Citation(doi="10.1/x", title="Another title", url=FULL.url),
        Citation(doi="10.1/x"),
        Citation(pii="S1-2", issn=("8765-432x",)),
        Citation(issn=("12345678",), volume="9", first_page="11", title=FULL.title[:60]),
        Citation(journal="HEARING", title=FULL.title.upper() + "."),
        Citation(url=FULL.url, title=FULL.title),
    ],
    ids=[
        "pmid",
        "doi",
        "doi and page",
        "doi and address",
        "doi alone",
        "pii",
        "place",
        "journal and title",
        "page and title",
    ],
)
def test_one_key_in_common_makes_one_article(other: Citation) -> None:
    assert same(other, FULL)
    assert same(FULL, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FULL, replace(FULL, doi="10.1/Y")),
        (FULL, Citation(doi="10.1/x", title="Gout by the sea in winter", first_page="12", url="https://example.org/2")),
        (FULL, Citation(doi="10.1/x", title="Gout by the sea in winter")),
        (Citation(), Citation()),
        (Citation(title="…", journal="Hearing"), Citation(title="…", journal="Hearing")),
        (Citation(title="Editorial"), Citation(title="Editorial")),
        (Citation(pii="S1"), Citation(pii="S1")),
        (replace(ONLY_TITLE, volume="1"), replace(ONLY_TITLE, volume="2")),
        (replace(ONLY_TITLE, issue="1"), replace(ONLY_TITLE, issue="2")),
        (replace(ONLY_TITLE, first_page="1"), replace(ONLY_TITLE, first_page="2")),
        (replace(ONLY_TITLE, pmid="1"), replace(ONLY_TITLE, pmid="2")),
        (replace(ONLY_TITLE, pii="1"), replace(ONLY_TITLE, pii="2")),
        (
            Citation(url="u", title="Editorial", journal="A"),
            Citation(url="u", title="Editorial", journal="B"),
        ),
    ],
)
def test_articles_are_kept_apart_when_in_doubt(one: Citation, other: Citation) -> None:
    assert not same(one, other)
    assert not same(other, one)


def test_the_stronger_key_wins_over_the_older_article() -> None:
    by_title = article_keys_of(Citation(title=FULL.title, journal=FULL.journal))
    by_pmid = article_keys_of(Citation(pmid="123"))
    assert find_same_article(article_keys_of(FULL), [(1, by_title), (2, by_pmid)]) == 2
    assert find_same_article(article_keys_of(FULL), [(5, by_pmid), (2, by_pmid)]) == 2


def test_every_lookup_begins_with_the_columns_of_an_index() -> None:
    indexes = [tuple(column.name for column in index.columns) for index in article.indexes]
    for names in LOOKUP_COLUMNS:
        assert any(names[: len(index)] == index for index in indexes), names


def test_an_identifier_too_long_for_an_index_is_none() -> None:
    assert article_keys_of(Citation(doi="10.1/" + "x" * 500)).doi == ""


PAGE = Citation(
    url="https://tides.example/a1",
    title="Sleep by the sea",
    journal="Journal of Tides",
    volume="3",
    first_page="7",
    issn=("2049-3630",),
)


@pytest.mark.parametrize(
    "values",
    [
        {"title": "Gout by the sea"},
        {"title": "Gout by the sea", "volume": "4", "first_page": "9", "journal": "Moors", "issn": ["1234-5679"]},
        {"title": "Gout by the sea", "doi": "10.5555/a1"},
    ],
)
def test_a_page_read_again_is_known_though_a_person_corrected_what_it_was_known_by(
    store: Store, values: dict[str, object]
) -> None:
    store.save(None, [PAGE])
    store.review.set_values(1, values, who="ada")
    assert store.save(None, [replace(PAGE, abstract="More.")]) == SaveCounts(changed=1)
    (kept,) = store.citations()
    assert (kept.title, kept.abstract) == ("Gout by the sea", "More.")
    assert store.save(None, [replace(PAGE, abstract="More.")]) == SaveCounts(same=1)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Gout", "volume": "4"},
        {"url": "https://tides.example/a2"},
        {"url": ""},
        {"issn": ("1234-5679",)},
        {"doi": "10.5555/a2"},
    ],
)
def test_a_reading_that_differs_in_what_nobody_corrected_is_another_article(
    store: Store, other: dict[str, Any]
) -> None:
    store.save(None, [replace(PAGE, doi="10.5555/a1" if "doi" in other else "")])
    store.set_value(1, "title", "Gout by the sea", who="ada")
    assert store.save(None, [replace(PAGE, **other)]).new == 1

"""Answers of services, made by ourselves after their published forms; and answers that make no sense."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.citations.service_answers import ANSWER_READERS, read_esearch_pmid, read_service_answer
from medharvest.records import Author

CROSSREF: dict[str, Any] = {
    "status": "ok",
    "message": {
        "DOI": "10.5555/AEM.7",
        "title": ["Tidal volume &amp; <i>gout</i>"],
        "author": [
            {
                "family": "Marsh",
                "given": "Ada",
                "suffix": "Jr",
                "ORCID": "http://orcid.org/0000-0000-4409-1267",
                "affiliation": [{"name": "Harbour Hospital"}, {"name": "Moor School"}],
            },
            {"name": "BRIGHT Group", "affiliation": []},
            {"given": "Suharti", "affiliation": [{"name": "Moor School"}]},
            {"sequence": "additional"},
        ],
        "abstract": "<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub> was small.</jats:p><p>So?</p>",
        "container-title": ["Annals of Estuary Medicine"],
        "short-container-title": ["Ann Estuary Med"],
        "publisher": "Estuary Press",
        "ISSN": ["2434-561X", "2049-3630"],
        "volume": "12",
        "issue": "3",
        "page": "201-8",
        "published-print": {"date-parts": [[2031, 3]]},
        "issued": {"date-parts": [[2030]]},
        "language": "en",
        "license": [{"URL": "https://licence.example/by"}],
        "funder": [{"name": "Tide Fund", "award": ["T1", "T2"]}, {"name": "Moor Fund"}, {}],
    },
}
OPENALEX: dict[str, Any] = {
    "doi": "https://doi.org/10.5555/aem.7",
    "title": "Tidal volume and gout",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/31234567"},
    "authorships": [
        {
            "author": {"display_name": "Ada Marsh", "orcid": "https://orcid.org/0000-0000-4409-1267"},
            "raw_affiliation_strings": ["Harbour Hospital"],
        },
        {"author": {}, "raw_author_name": "Berg, Per"},
        {},
    ],
    "abstract_inverted_index": {"was": [1], "Gout": [0, 3], "small.": [2]},
    "primary_location": {
        "source": {
            "display_name": "Annals of Estuary Medicine",
            "host_organization_name": "Estuary Press",
            "issn": ["2049-3630"],
        }
    },
    "biblio": {"volume": "12", "issue": "3", "first_page": "201", "last_page": "208"},
    "publication_date": "2031-03-09",
    "language": "en",
    "keywords": [{"display_name": "gout"}, {}],
}
DOAJ: dict[str, Any] = {
    "results": [
        {
            "bibjson": {
                "title": "Tidal volume and gout",
                "author": [
                    {"name": "Ada Marsh", "affiliation": "Harbour Hospital"},
                    {"name": ""},
                    {"name": "Per Berg"},
                ],
                "abstract": "Gout was small.",
                "journal": {
                    "title": "Annals of Estuary Medicine",
                    "publisher": "Estuary Press",
                    "volume": "12",
                    "number": "3",
                    "issns": ["2049-3630"],
                },
                "year": "2031",
                "month": "3",
                "start_page": "201",
                "end_page": "208",
                "identifier": [{"type": "DOI", "id": "10.5555/aem.7"}, {"type": "eissn", "id": "2049-3630"}],
                "keywords": ["gout", 7],
            }
        }
    ]
}
BODIES = {"crossref": CROSSREF, "openalex": OPENALEX, "doaj": DOAJ}


@pytest.mark.parametrize("service", ANSWER_READERS)
def test_what_all_services_say_alike_is_read_alike(service):
    read = read_service_answer(service, json.dumps(BODIES[service]).encode())
    assert read is not None
    assert (read.doi.lower(), read.journal, read.publisher) == (
        "10.5555/aem.7",
        "Annals of Estuary Medicine",
        "Estuary Press",
    )
    assert (read.volume, read.issue, read.first_page, read.last_page) == ("12", "3", "201", "208")
    assert (read.authors[0].family, read.authors[0].given, read.affiliations[0]) == ("Marsh", "Ada", "Harbour Hospital")
    assert read.issn[-1] == "2049-3630"
    assert read.date.startswith("2031-03")


def test_an_answer_of_crossref_is_read_whole():
    read = read_service_answer("crossref", json.dumps(CROSSREF).encode())
    assert read is not None
    assert read.title == "Tidal volume & gout"
    assert read.authors == (
        Author(family="Marsh", given="Ada", suffix="Jr", orcid="0000-0000-4409-1267", affiliations=(0, 1)),
        Author(collective="BRIGHT Group"),
        Author(family="Suharti", affiliations=(1,)),
    )
    assert read.abstract == "H2 was small. So?"
    assert (read.abbreviation, read.date, read.licence) == ("Ann Estuary Med", "2031-03", "https://licence.example/by")
    assert read.funding == ("Tide Fund (T1, T2)", "Moor Fund")


def test_an_answer_of_openalex_is_read_whole():
    read = read_service_answer("openalex", json.dumps(OPENALEX).encode())
    assert read is not None
    assert (read.abstract, read.pmid, read.keywords) == ("Gout was small. Gout", "31234567", ("gout",))
    assert [author.family for author in read.authors] == ["Marsh", "Berg"]
    assert read.authors[0].orcid == "0000-0000-4409-1267"


@pytest.mark.parametrize(("month", "date"), [("3", "2031-03"), ("13", "2031"), ("March", "2031"), ("", "2031")])
def test_an_answer_of_doaj_has_a_month_where_it_is_one(month, date):
    article = DOAJ["results"][0]["bibjson"] | {"month": month}
    read = read_service_answer("doaj", json.dumps({"results": [{"bibjson": article}]}).encode())
    assert read is not None
    assert (read.date, read.keywords, len(read.authors)) == (date, ("gout",), 2)


@pytest.mark.parametrize("service", ANSWER_READERS)
@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"message": 1}', b'{"results": [1]}', b'{"title": "x"}'],
)
def test_an_answer_without_title_and_doi_is_none(service, body):
    assert read_service_answer(service, body) is None


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("service", ANSWER_READERS)
def test_no_answer_raises_whatever_stands_in_its_places(service):
    def spoilt(value, junk):
        if isinstance(value, dict):
            return st.fixed_dictionaries({key: st.one_of(st.just(inner), junk) for key, inner in value.items()})
        return st.just(value)

    whole = BODIES[service]
    inner = {"crossref": whole.get("message"), "openalex": whole, "doaj": DOAJ["results"][0]["bibjson"]}[service]
    wraps = {
        "crossref": lambda work: {"message": work},
        "openalex": lambda work: work,
        "doaj": lambda work: {"results": [{"bibjson": work}]},
    }

    @settings(max_examples=60)
    @given(spoilt(inner, ANYTHING))
    def run(work):
        read_service_answer(service, json.dumps(wraps[service](work)).encode())

    run()


@pytest.mark.no_cover
def test_large_answers_are_read_in_bounded_time():
    def read(size: int) -> None:
        index = {str(n): [n] for n in range(size)}
        read_service_answer("openalex", json.dumps(OPENALEX | {"abstract_inverted_index": index}).encode())
        work = CROSSREF["message"] | {"abstract": "<" * size, "author": [{"family": "A"}] * size}
        read_service_answer("crossref", json.dumps({"message": work}).encode())

    assert growth(read, 200) < 6
    work = CROSSREF["message"] | {"abstract": "<" * 1_000_000}
    read_service_answer("crossref", json.dumps({"message": work}).encode())


@pytest.mark.parametrize(
    ("body", "pmid"),
    [
        (b'{"esearchresult": {"idlist": ["31234567"]}}', "31234567"),
        (b'{"esearchresult": {"idlist": ["1", "2"]}}', ""),
        (b'{"esearchresult": {"idlist": []}}', ""),
        (b'{"esearchresult": {"idlist": ["x&y"]}}', ""),
        (b"<html>", ""),
    ],
)
def test_a_search_of_pubmed_gives_one_pmid_or_none(body, pmid):
    assert read_esearch_pmid(body) == pmid

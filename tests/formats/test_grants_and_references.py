"""Grants and the DOIs of references, as the formats write and read them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from medharvest.formats import FORMATS
from medharvest.records import Author, Citation, Grant, ReferenceDoi

CITATION = Citation(
    title="Tides",
    funding=("Supported by funds of the quay.",),
    grants=(Grant("Tide Trust (UK)", "TT-7"), Grant("Ministry of Tides, Quays and Sleep", "R01 AB1234")),
    references=("Berg A. Sleep. 2001.", "Cole R. Tide. 2002. doi: 10.5555/t2.", "Dale D. 2003."),
    reference_dois=(ReferenceDoi(1, "10.5555/t1"), ReferenceDoi(2, "10.5555/t2"), ReferenceDoi(9, "10.5555/none")),
)


def written(name: str, citation: Citation = CITATION) -> str:
    return "".join(FORMATS[name].write([citation]))


def back(name: str, text: str) -> Citation:
    read = FORMATS[name].read
    assert read is not None
    return next(iter(read(io.BytesIO(text.encode()))))


def test_jats_has_award_groups_and_marks_dois_that_are_not_printed() -> None:
    text = "".join(written("jats").split("\n"))
    assert (
        "<award-group><funding-source>Tide Trust (UK)</funding-source><award-id>TT-7</award-id></award-group>" in text
    )
    assert 'Sleep. 2001. <pub-id pub-id-type="doi" specific-use="link">10.5555/t1</pub-id></mixed-citation>' in text
    assert 'doi: <pub-id pub-id-type="doi">10.5555/t2</pub-id>.</mixed-citation>' in text
    found = back("jats", written("jats"))
    assert (found.references, found.reference_dois) == (CITATION.references, CITATION.reference_dois[:2])
    assert (found.grants, found.funding) == (CITATION.grants, CITATION.funding)


def test_an_award_of_several_numbers_is_a_grant_each() -> None:
    groups = (
        "<award-group><funding-source>A</funding-source><award-id>1</award-id><award-id>2</award-id></award-group>"
        "<award-group><funding-source>B</funding-source></award-group>"
    )
    article = f"<article><front><article-meta><funding-group>{groups}</funding-group></article-meta></front></article>"
    assert back("jats", article).grants == (Grant("A", "1"), Grant("A", "2"), Grant("B"))


@pytest.mark.parametrize("name", ["pubmed", "pubmedset"])
def test_pubmed_lists_grants_and_the_dois_of_references(name: str) -> None:
    text = written(name)
    assert '<ArticleId IdType="doi">10.5555/t1</ArticleId>' in text
    found = back(name, text)
    assert found.grants == (Grant("Tide Trust", "TT-7"), CITATION.grants[1])  # in brackets would be its country
    assert found.funding == ("Tide Trust, grant TT-7", "Ministry of Tides, Quays and Sleep, grant R01 AB1234")
    assert found.reference_dois == CITATION.reference_dois[:2]


def test_a_grant_that_a_line_of_funding_names_is_written_once() -> None:
    citation = Citation(funding=("Quay Fund, grant 98/14",), grants=(Grant("Quay Fund", "98/14"),))
    assert written("pubmed", citation).count("98/14") == 1
    assert written("nbib", citation).count("98/14") == 1


def test_marc_csv_and_json_ld_have_them() -> None:
    assert back("marcxml", written("marcxml")).grants == CITATION.grants
    assert back("marcxml", written("marcxml")).funding == CITATION.funding
    assert back("csv", written("csv")).grants == CITATION.grants
    assert back("csv", written("csv")).reference_dois == CITATION.reference_dois
    (work,) = json.loads(written("jsonld"))["@graph"]
    assert work["funding"][1]["identifier"] == "TT-7"
    assert work["funding"][1]["funder"]["name"] == "Tide Trust (UK)"
    assert work["citation"][0] == {
        "@type": "CreativeWork",
        "@id": "https://doi.org/10.5555/t1",
        "name": CITATION.references[0],
    }
    assert work["citation"][2] == "Dale D. 2003."


def test_a_single_group_with_and_in_its_name_is_one_author() -> None:
    citation = Citation(title="Tides", authors=(Author(collective="Nordic and Baltic Consortium"),))
    assert back("csv", written("csv", citation)).authors == citation.authors


PLACES = Citation(
    title="Tides",
    authors=(Author(family="Berg", affiliations=(0,)),),
    affiliations=(
        "Department of Tides & Quays, University of Quay, Oslo, Norge",
        "Quay Hospital <North>, Bergen, Norway",
    ),
)


def test_affiliations_keep_their_text_and_have_parts() -> None:
    text = written("jats", PLACES).replace("\n", "")
    assert (
        '<aff id="aff1">Department of Tides &amp; Quays, <institution>University of Quay</institution>, '
        '<city>Oslo</city>, <country country="NO">Norge</country></aff>'
    ) in text
    assert back("jats", written("jats", PLACES)).affiliations == PLACES.affiliations
    (row,) = json.loads(written("jsonl", PLACES))["affiliation_parts"][:1]
    assert row == {"institution": "University of Quay", "city": "Oslo", "country": "Norge", "country_code": "NO"}
    assert back("jsonl", written("jsonl", PLACES)) == PLACES
    head, cells = list(csv.reader(written("csv", PLACES).splitlines()))
    known = dict(zip(head, cells, strict=True))
    assert (known["cities"], known["countries"]) == ("Oslo | Bergen", "Norway")
    assert back("csv", written("csv", PLACES)).affiliations == PLACES.affiliations
    (work,) = json.loads(written("jsonld", PLACES))["@graph"]
    address = work["author"][0]["affiliation"][0]["address"]
    assert (address["addressLocality"], address["addressCountry"]) == ("Oslo", "NO")

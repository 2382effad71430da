import json
from dataclasses import fields

import pytest
from hypothesis import given, settings
from tests.citations.strategies import any_of

from medharvest import demo
from medharvest.formats import report
from medharvest.records import Alternative, Author, Citation, Evidence, NamedDate, OtherAbstract, Section

# The keys of `read --json`, each with what stands there when nothing is known.
NOTHING: dict[str, object] = {
    "url": "",
    "kind": "other",
    "title": "",
    "authors": [],
    "affiliations": [],
    "abstract": "",
    "sections": [],
    "journal": "",
    "issn": [],
    "volume": "",
    "issue": "",
    "first_page": "",
    "last_page": "",
    "date": "",
    "doi": "",
    "pmid": "",
    "pii": "",
    "language": "",
    "keywords": [],
    "references": [],
    "funding": [],
    "licence": "",
    "title_html": "",
    "abstract_html": "",
    "other_abstracts": [],
    "dates": {},
    "article_number": "",
    "publication_types": [],
    "conflict": "",
    "scores": {},
    "evidence": {},
    "alternatives": {},
}
AUTHOR_KEYS = set("family given suffix collective orcid affiliations email corresponding equal".split())
PROOF_KEYS = set("source path start end text method score".split())


def test_every_key_is_there_when_nothing_is_known() -> None:
    said = report(Citation())
    assert {key: said[key] for key in NOTHING} == NOTHING
    assert set(said) >= {field.name for field in fields(Citation)}


@settings(max_examples=30)
@given(any_of(Citation))
def test_every_key_is_there_whatever_is_known_and_all_is_json(citation: Citation) -> None:
    said = report(citation)
    assert json.loads(json.dumps(said)) == said
    assert set(said) >= set(NOTHING)
    assert {key: type(said[key]) for key in NOTHING} == {key: type(value) for key, value in NOTHING.items()}
    assert all(set(author) >= AUTHOR_KEYS for author in said["authors"])
    assert all(set(proof) >= PROOF_KEYS for found in said["evidence"].values() for proof in found)
    assert set(said["scores"]) == set(said["evidence"]) == {proof.field for proof in citation.evidence}


def test_evidence_alternatives_and_dates_are_grouped() -> None:
    proofs = tuple(
        Evidence(field=field, page="d", source="zone", path="p", start=0, end=1, text="x", method="rule", score=score)
        for field, score in (("title", 0.4), ("date", 0.5), ("title", 0.8))
    )
    citation = Citation(
        authors=(Author(family="Berg"),),
        sections=(Section("Aim", "a"),),
        other_abstracts=(OtherAbstract("lay", "fr", "b"),),
        dates=(NamedDate("received", "2009"),),
        evidence=proofs,
        alternatives=(Alternative(field="title", value="Sea", score=0.2),),
    )
    said = report(citation)
    assert said["scores"] == {"title": 0.8, "date": 0.5}
    assert [proof["score"] for proof in said["evidence"]["title"]] == [0.4, 0.8]
    assert "field" not in said["evidence"]["date"][0]
    assert said["alternatives"] == {"title": [{"value": "Sea", "score": 0.2}]}
    assert said["dates"] == {"received": "2009"}
    assert said["sections"] == [{"label": "Aim", "text": "a"}]
    assert said["other_abstracts"] == [{"type": "lay", "language": "fr", "text": "b"}]
    assert said["authors"][0]["affiliations"] == []


@pytest.mark.parametrize("issue", demo.list_demo_issues(), ids=lambda issue: issue.id)
def test_the_bundled_citations_are_reported_whole(issue: demo.DemoIssue) -> None:
    for article in issue.articles:
        said = report(article.citation)
        assert (said["title"], said["doi"]) == (article.citation.title, article.citation.doi)
        assert [author["family"] for author in said["authors"]] == [a.family for a in article.citation.authors]

"""`enrich`: services on loopback that answer what we wrote ourselves."""

from __future__ import annotations

import json

import pytest
from tests.fetch.server import misbehave, reply

from medharvest.records import Author, Citation
from medharvest.store import open_store

TIDES = Citation(
    title="Tidal volume and gout in adults",
    authors=(Author(family="Marsh", given="Ada"),),
    journal="Annals of Estuary Medicine",
    date="2031-03",
    doi="10.5555/aem.7",
)
WORK = {
    "DOI": "10.5555/aem.7",
    "title": ["Tidal volume and gout"],
    "volume": "12",
    "container-title": ["Ann Estuary Med"],
}
SET = b"""<?xml version="1.0"?>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>31234567</PMID><Article>
<Journal><Title>Annals of estuary medicine</Title></Journal>
<ArticleTitle>Tidal volume and gout in adults.</ArticleTitle>
</Article></MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">10.5555/aem.7</ArticleId></ArticleIdList>
</PubmedData></PubmedArticle></PubmedArticleSet>"""
PATHS = {
    "/works/10.5555%2Faem.7": reply(body=json.dumps({"message": WORK}).encode()),
    "/search?10.5555%2Faem.7": reply(body=b'{"esearchresult": {"idlist": ["31234567"]}}'),
    "/record?31234567": reply(body=SET),
}


@pytest.fixture
def services(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    with misbehave(PATHS) as server:
        for name, path in (
            ("CROSSREF", "/works/{doi}"),
            ("OPENALEX", "/open/{doi}"),
            ("DOAJ", "/doaj/{doi}"),
            ("PUBMED", "/search?{doi}"),
            ("PUBMED_RECORD", "/record?{pmid}"),
        ):
            monkeypatch.setenv(f"MEDHARVEST_ENRICH_{name}", server.url + path)
        yield server


@pytest.fixture
def enrich(medharvest, tmp_path, services):  # noqa: ARG001  (they must be there)
    with open_store(str(tmp_path / "s.sqlite")) as store:
        store.save(None, [TIDES, Citation(title="A record without a DOI", journal="B")])

    def call(*arguments):
        return medharvest("enrich", "--store", tmp_path / "s.sqlite", *arguments)

    return call


def stored(tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as store:
        return next(store.citations())


def test_services_fill_gaps_and_their_other_values_are_alternatives(enrich, services, tmp_path):
    ran = enrich("--from", "crossref,pubmed")
    assert ran.out.splitlines() == [
        "10.5555/aem.7 crossref: 2 fields differ",
        "  title: Tidal volume and gout in adults | crossref: Tidal volume and gout",
        "  volume: + 12",
        "10.5555/aem.7 pubmed: 1 fields differ",
        "  pmid: + 31234567",
    ]
    record = stored(tmp_path)
    assert (record.title, record.volume, record.pmid, record.journal) == (TIDES.title, "12", "31234567", TIDES.journal)
    assert [(other.field, other.value) for other in record.alternatives] == [("title", "Tidal volume and gout")]
    sources = {(proof.field, proof.source) for proof in record.evidence}
    assert {("volume", "crossref"), ("pmid", "pubmed"), ("title", "pubmed"), ("journal", "crossref")} <= sources
    assert services.paths == list(PATHS)
    assert "/robots.txt" not in [asked.path for asked in services.log]


def test_answers_are_kept_and_a_dry_run_keeps_no_record(enrich, services, tmp_path):
    enrich("--from", "crossref", "--dry-run")
    assert stored(tmp_path) == TIDES
    told = json.loads(enrich("--from", "crossref", "--dry-run", "--json").out)
    assert (told["doi"], told["service"], told["missing"]) == (TIDES.doi, "crossref", "")
    assert [found["field"] for found in told["differences"]] == ["title", "volume"]
    assert len(services.paths) == 1


def test_a_service_that_knows_nothing_or_answers_something_else_is_told(enrich, services, tmp_path):
    enrich("--from", "crossref")
    answers = services.answers
    answers["/open/10.5555%2Faem.7"] = reply(body=b'{"doi": "10.5555/x1", "title": "x"}')
    answers["/search?10.5555%2Faem.7"] = reply(body=b"{}")
    ran = enrich("--from", "openalex doaj pubmed")
    assert ran.out.splitlines() == [
        "10.5555/aem.7 openalex: the answer is about another DOI: 10.5555/x1",
        "10.5555/aem.7 doaj: not_found: HTTP 404",
        "10.5555/aem.7 pubmed: nothing known",
    ]
    answers["/doaj/10.5555%2Faem.7"] = reply(body=b"<html>")
    answers["/search?10.5555%2Faem.7"] = PATHS["/search?10.5555%2Faem.7"]
    answers["/record?31234567"] = reply(body=b"<html>")
    for file in (tmp_path / "data/medharvest/answers").iterdir():
        file.unlink()
    ran = enrich("--from", "doaj pubmed")
    assert [line.partition(" ")[2] for line in ran.out.splitlines()] == ["doaj: nothing known", "pubmed: nothing known"]


def test_a_service_that_says_the_same_agrees(enrich, services):
    same = WORK | {"title": ["Tidal volume and gout in adults"], "volume": ""}
    services.answers["/works/10.5555%2Faem.7"] = reply(body=json.dumps({"message": same}).encode())
    assert enrich("--from", "crossref").out == "10.5555/aem.7 crossref: agrees\n"


def test_nothing_is_asked_unless_a_known_service_is_named(enrich, services):
    assert enrich().code == 2
    ran = enrich("--from", "crossreff")
    assert (ran.code, ran.err) == (
        1,
        "error: no such service: crossreff; hint: the services are crossref, openalex, doaj, pubmed\n",
    )
    assert "no such run: 9" in enrich("--from", "crossref", "--run", "9").err
    assert enrich("--from", "crossref", "--issue", "9(9)").out == ""
    assert services.log == []


def test_a_private_address_is_not_asked_unless_it_is_allowed(enrich, services, monkeypatch):
    monkeypatch.delenv("MEDHARVEST_FETCH_ALLOW_PRIVATE")
    ran = enrich("--from", "crossref")
    assert "crossref: private_address" in ran.out
    assert services.log == []

"""OAI-PMH: every answer valid by the protocol's schema, lists complete whatever changes in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.deliver.records import ONE, RECORDS, TWO

from medharvest.deliver.oai import METADATA_FORMATS, OaiEntry, RepositoryInfo, answer_oai_request
from medharvest.formats.file_checks import load_article_set_schema as publisher_schema
from medharvest.formats.file_checks import load_dtd
from medharvest.records import Citation

NS = {"o": "http://www.openarchives.org/OAI/2.0/"}
SCHEMA = etree.RelaxNG(etree.parse(Path(__file__).with_name("oai.rng")))
ABOUT = RepositoryInfo(
    name="Tides & more", url="http://127.0.0.1/oai", email="a@tides.example", domain="tides.example", batch=2
)
NOW = "2026-01-02T03:04:05Z"


class Listed:
    """A list in memory; a record that is put again moves to its end."""

    def __init__(self, records: Sequence[Citation | None] = ()) -> None:
        self.rows: list[OaiEntry] = []
        for number, record in enumerate(records, 1):
            self.put(number, record)

    def put(self, article: int, record: Citation | None) -> None:
        n = 1 + max((row.n for row in self.rows), default=0)
        self.rows = [row for row in self.rows if row.article != article]
        self.rows.append(OaiEntry(article, n, f"2026-01-01T00:00:{n:02d}Z", record))

    def entries(self, *, after: int, since: str, until: str, limit: int) -> list[OaiEntry]:
        fit = [row for row in self.rows if row.n > after and since <= row.at <= (until or "9")]
        return fit[:limit]

    def count(self, *, since: str, until: str) -> int:
        return len(self.entries(after=0, since=since, until=until, limit=10**6))

    def entry(self, article: int) -> OaiEntry | None:
        return next((row for row in self.rows if row.article == article), None)

    def earliest(self) -> str:
        return min((row.at for row in self.rows), default=NOW)


def ask(source: Listed, *pairs: tuple[str, str], **arguments: str) -> Any:
    """The answer, which is valid whatever was asked."""
    given = [*pairs, *((name.rstrip("_"), value) for name, value in arguments.items())]
    root = etree.fromstring(answer_oai_request(given, source, ABOUT, now=NOW))
    assert SCHEMA.validate(root), SCHEMA.error_log
    return root


def code(root: Any) -> str:
    return str(root.find("o:error", NS).get("code"))


def identifiers(root: Any) -> list[int]:
    return [int(one.text.rpartition(":")[2]) for one in root.iterfind(".//o:identifier", NS)]


def harvest(source: Listed, between=lambda: None, **arguments: str) -> list[int]:
    """All that a list gives, token after token."""
    root, found = ask(source, verb="ListRecords", **arguments), []
    while True:
        found += identifiers(root)
        token = root.find(".//o:resumptionToken", NS)
        if token is None or not token.text:
            return found
        between()
        root = ask(source, verb="ListRecords", resumptionToken=token.text)


def test_the_schema_itself_refuses_what_is_wrong():
    root: Any = etree.fromstring(answer_oai_request([("verb", "Identify")], Listed(), ABOUT, now=NOW))
    root.find("o:responseDate", NS).text = "today"
    assert not SCHEMA.validate(root)
    root = etree.fromstring(
        answer_oai_request([("verb", "ListRecords"), ("metadataPrefix", "jats")], Listed([ONE]), ABOUT, now=NOW)
    )
    root.find(".//o:metadata", NS).append(etree.Element("bare"))
    assert not SCHEMA.validate(root)


def test_the_collection_says_what_it_is():
    found = ask(Listed(RECORDS), verb="Identify").find("o:Identify", NS)
    assert [found.find(f"o:{name}", NS).text for name in ("repositoryName", "earliestDatestamp", "deletedRecord")] == [
        "Tides & more",
        "2026-01-01T00:00:01Z",
        "persistent",
    ]


def test_a_record_is_given_in_each_format():
    source = Listed([ONE])
    formats = ask(source, verb="ListMetadataFormats", identifier="oai:tides.example:1")
    prefixes = [one.text for one in formats.iterfind(".//o:metadataPrefix", NS)]
    assert prefixes == ["oai_dc", "pubmed", "jats"]
    whole = [ask(source, verb="GetRecord", identifier="oai:tides.example:1", metadataPrefix=name) for name in prefixes]
    core, article, front = (root.find(".//o:metadata", NS)[0] for root in whole)
    dc = "{http://purl.org/dc/elements/1.1/}"
    assert core.find(f"{dc}title").text == "Tides and gout <b>"
    assert [one.text for one in core.iterfind(f"{dc}creator")] == ["Marsh, Ada, Jr", "Shore Group", "Oke"]
    assert core.find(f"{dc}source").text == "Journal of Tides 12(3): 45-50 (2024)"
    assert article.tag == f"{{{METADATA_FORMATS['pubmed'].namespace}}}Article"
    assert front.tag == f"{{{METADATA_FORMATS['jats'].namespace}}}article"


def test_without_their_namespace_pubmed_and_jats_are_valid_by_their_own_schemas():
    bare = {name: form.write(ONE).replace(f' xmlns="{form.namespace}"', "") for name, form in METADATA_FORMATS.items()}
    whole = etree.fromstring(f"<ArticleSet>{bare['pubmed']}</ArticleSet>")
    assert publisher_schema().validate(whole)
    jats: Any = load_dtd("JATS-archivearticle1-3-mathml3.dtd")
    assert jats.validate(etree.fromstring(bare["jats"]))


def test_what_lacks_something_is_given_in_the_other_formats_only():
    source = Listed([replace(ONE, publisher=""), TWO, replace(ONE, publisher="")])
    name = "oai:tides.example:1"
    formats = ask(source, verb="ListMetadataFormats", identifier=name)
    assert [one.text for one in formats.iterfind(".//o:metadataPrefix", NS)] == ["oai_dc", "jats"]
    assert code(ask(source, verb="GetRecord", identifier=name, metadataPrefix="pubmed")) == "cannotDisseminateFormat"
    assert harvest(source, metadataPrefix="pubmed") == [2]
    assert identifiers(ask(source, verb="ListIdentifiers", metadataPrefix="pubmed")) == [2]
    lacking = Listed([replace(ONE, publisher="")] * 5)
    assert code(ask(lacking, verb="ListRecords", metadataPrefix="pubmed")) == "noRecordsMatch"


@pytest.mark.parametrize("count", range(1, 7))
def test_a_list_comes_in_parts_and_is_complete(count):
    source = Listed([replace(ONE, doi=f"10.9999/{number}") for number in range(count)])
    assert harvest(source, metadataPrefix="oai_dc") == list(range(1, count + 1))


def test_the_parts_say_where_they_are_and_the_last_ends_them():
    source = Listed(RECORDS)
    first = ask(source, verb="ListIdentifiers", metadataPrefix="oai_dc").find(".//o:resumptionToken", NS)
    assert (first.get("completeListSize"), first.get("cursor")) == ("3", "0")
    last = ask(source, verb="ListIdentifiers", resumptionToken=first.text).find(".//o:resumptionToken", NS)
    assert (last.get("cursor"), last.text) == ("2", None)
    alone = ask(Listed([ONE]), verb="ListIdentifiers", metadataPrefix="oai_dc")
    assert alone.find(".//o:resumptionToken", NS) is None


def test_records_that_change_in_between_are_seen_and_none_is_left_out():
    source = Listed([replace(ONE, doi=f"10.9999/{number}") for number in range(7)])
    changes = iter([(1, TWO), (7, TWO), (8, ONE)])

    def change() -> None:
        if change_now := next(changes, None):
            source.put(*change_now)

    found = harvest(source, change, metadataPrefix="oai_dc")
    assert set(found) == set(range(1, 9))
    assert found.count(1) == 2  # as it was, and as it became
    assert found[-2:] == [7, 8]


def test_a_list_whose_rest_has_gone_ends():
    source = Listed(RECORDS)
    token = ask(source, verb="ListRecords", metadataPrefix="jats").find(".//o:resumptionToken", NS).text
    source.rows = source.rows[:2]
    assert code(ask(source, verb="ListRecords", resumptionToken=token)) == "badResumptionToken"


def test_deleted_records_have_a_header_alone():
    source = Listed([ONE, None])
    root = ask(source, verb="ListRecords", metadataPrefix="oai_dc")
    one, two = root.iterfind(".//o:record", NS)
    assert one.find("o:header", NS).get("status") is None
    assert two.find("o:header", NS).get("status") == "deleted"
    assert two.find("o:metadata", NS) is None
    got = ask(source, verb="GetRecord", identifier="oai:tides.example:2", metadataPrefix="pubmed")
    assert got.find(".//o:header", NS).get("status") == "deleted"


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"from_": "2026-01-01T00:00:02Z"}, [2, 3]),
        ({"until": "2026-01-01T00:00:02Z"}, [1, 2]),
        ({"from_": "2026-01-01T00:00:02Z", "until": "2026-01-01T00:00:02Z"}, [2]),
        ({"from_": "2026-01-01", "until": "2026-01-01"}, [1, 2, 3]),
        ({"from_": "2025-12-31", "until": "2026-01-01"}, [1, 2, 3]),
    ],
)
def test_a_time_chooses_and_stays_chosen_over_the_parts(times, expected):
    assert harvest(Listed(RECORDS), metadataPrefix="oai_dc", **times) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "badVerb"),
        ({"verb": "Destroy"}, "badVerb"),
        ({"verb": "Identify", "more": "x"}, "badArgument"),
        ({"verb": "GetRecord", "identifier": "x"}, "badArgument"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "marc"}, "cannotDisseminateFormat"),
        ({"verb": "GetRecord", "identifier": "oai:tides.example:1", "metadataPrefix": "x"}, "cannotDisseminateFormat"),
        ({"verb": "GetRecord", "identifier": "oai:tides.example:9", "metadataPrefix": "jats"}, "idDoesNotExist"),
        ({"verb": "GetRecord", "identifier": "<&>", "metadataPrefix": "jats"}, "idDoesNotExist"),
        ({"verb": "ListMetadataFormats", "identifier": "oai:other.example:1"}, "idDoesNotExist"),
        ({"verb": "ListSets"}, "noSetHierarchy"),
        ({"verb": "ListSets", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "metadataPrefix": "jats", "set": "a"}, "noSetHierarchy"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "marc!!!1!2!3"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "jats!!!1!2!3", "metadataPrefix": "jats"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "jats", "from_": "yesterday"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "jats", "from_": "2026-13-01"}, "badArgument"),
        (
            {"verb": "ListRecords", "metadataPrefix": "jats", "from_": "2026-01-02", "until": "2026-01-01"},
            "badArgument",
        ),
        (
            {"verb": "ListRecords", "metadataPrefix": "jats", "from_": "2026-01-01", "until": "2026-01-01T00:00:00Z"},
            "badArgument",
        ),
        ({"verb": "ListRecords", "metadataPrefix": "jats", "until": "2020-01-01"}, "noRecordsMatch"),
    ],
)
def test_a_wrong_request_is_answered_with_the_protocols_error(arguments, expected):
    assert code(ask(Listed(RECORDS), **arguments)) == expected


def test_an_argument_that_stands_twice_is_an_error():
    assert code(ask(Listed(RECORDS), ("verb", "Identify"), ("verb", "Identify"))) == "badArgument"

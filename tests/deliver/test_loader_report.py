"""Loader reports in several layouts: what they say plainly is taken, nothing else."""

from __future__ import annotations

import pytest

from medharvest.deliver.sftp import LoaderResult, parse_loader_report

KNOWN = {"10.9999/tides.1": 1, "s1-22": 1, "10.9999/tides.2": 2, "10.9999/tides.3": 3}


@pytest.mark.parametrize(
    "text",
    [
        "doi:10.9999/tides.1 loaded, PMID: 31234567",
        "10.9999/tides.1\t31234567\tOK",
        "31234567,https://doi.org/10.9999/TIDES.1,added",
        'Article "Tides" (pii:S1-22)\n   status: new\n   PMID=31234567\n',
        '<Article><ArticleId IdType="doi">10.9999/tides.1</ArticleId><PMID>31234567</PMID></Article>',
        "Citation 10.9999/tides.1.\nPubMed ID 31234567",
        "S1-22 31234567\n10.9999/tides.1 31234567",
    ],
)
def test_a_pmid_beside_an_identifier_is_taken(text):
    assert list(parse_loader_report(text, KNOWN)) == [LoaderResult(1, pmid="31234567")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10.9999/tides.1 REJECTED: journal not found", "10.9999/tides.1 REJECTED: journal not found"),
        ("10.9999/tides.1\n  Error: no   title", "Error: no title"),
    ],
)
def test_a_refusal_is_taken_with_its_line(text, why):
    assert list(parse_loader_report(text, KNOWN)) == [LoaderResult(1, refused=why)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PMID 31234567 of somebody else",
        "10.9999/tides.1 31234567 32345678",
        "10.9999/tides.1 and 10.9999/tides.2: PMID 31234567",
        "10.9999/tides.1\n\nPMID 31234567",
        "10.9999/tides.1 received",
        "10.9999/tides.10 PMID 31234567",
        "10.9999/tides.1 1.2345678 31234567/8",
        "10.9999/tides.1 taken\n10.9999/other.1 PMID 31234567",
        "10.9999/tides.1 taken\n  10.9999/other.1 PMID 31234567",
        "10.9999/tides.1 taken\nS9-99 PMID 31234567",
        "  10.9999/tides.1 taken\n  S9-99 PMID 31234567",
        "10.9999/tides.1\n a\n b\n c\n d\n e\n f\n PMID 31234567",
    ],
)
def test_what_is_not_plain_is_not_taken(text):
    assert list(parse_loader_report(text, KNOWN)) == []


def test_several_records_keep_apart_and_a_pmid_wins_over_an_error():
    text = "10.9999/tides.1 error, see below\n10.9999/tides.2 PMID 32345678\n10.9999/tides.3: failed\n"
    text += "\n10.9999/tides.1 PMID 31234567"
    assert list(parse_loader_report(text, KNOWN)) == [
        LoaderResult(1, pmid="31234567"),
        LoaderResult(2, pmid="32345678"),
        LoaderResult(3, refused="10.9999/tides.3: failed"),
    ]


@pytest.mark.no_cover
def test_a_hostile_report_costs_little():
    for text in ("PMID " * 500_000, "10.9999/tides.1 " * 100_000, "10.9999/tides.1\n" * 30_000, "<" * 4_000_000):
        list(parse_loader_report(text, KNOWN))

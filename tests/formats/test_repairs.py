"""What is mended at the press of a button."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from medharvest.formats.citation_rules import check_citation, repair_citation_field
from medharvest.records import Author, Citation, Section


@pytest.mark.parametrize(
    ("field", "before", "after"),
    [
        ("title", "THE TIDES OF THE NORTHERN HARBOUR", "The tides of the northern harbour"),
        ("title", "Salt &amp; <i>gout</i>", "Salt & gout"),
        ("doi", "https://doi.org/10.1000/abc", "10.1000/abc"),
        ("pmid", "PMID: 123", "123"),
        ("pmid", "none", ""),
        ("language", "eng", "en"),
        ("journal", "Salt &amp; Sea", "Salt & Sea"),
        ("volume", "&amp;", "&amp;"),
    ],
)
def test_a_text_is_mended(field: str, before: str, after: str) -> None:
    given: dict[str, Any] = {field: before}
    assert getattr(repair_citation_field(Citation(**given), field), field) == after


def test_what_is_right_stays_as_it_is() -> None:
    right = Citation(
        title="Tides and gout",
        title_html="Tides and <i>gout</i>",
        authors=(Author(family="Okafor", given="Ada"), Author(collective="Gout Group")),
        abstract="It was so.",
        abstract_html="It <i>was</i> so.",
        sections=(Section("AIMS", "It was so."),),
        issn=("1234-5679",),
        doi="10.1000/abc",
        first_page="12",
        last_page="19",
        language="en",
    )
    for field in ("title", "abstract", "authors", "issn", "doi", "last_page", "language", "journal", "nothing"):
        assert repair_citation_field(right, field) == right


def test_an_abstract_loses_what_does_not_belong_to_it() -> None:
    record = Citation(
        abstract="Abstract It &lt; 3 was so. Copyright © 2024 The Authors.",
        abstract_html="x",
        sections=(Section("AIMS", "It &lt; 3"),),
    )
    mended = repair_citation_field(record, "abstract")
    assert mended.abstract == "It < 3 was so."
    assert (mended.abstract_html, mended.sections) == ("", (Section("AIMS", "It < 3"),))


def test_authors_lose_degrees_and_capitals() -> None:
    record = Citation(
        authors=(
            Author(family="OKAFOR", given="Ada PhD", orcid="https://orcid.org/0000-0002-1825-0097", affiliations=(0,)),
            Author(family="MD"),
            Author(collective="on behalf of the Gout Group"),
            Author(),
        ),
        affiliations=("Harbour Clinic",),
    )
    assert repair_citation_field(record, "authors").authors == (
        Author(family="Okafor", given="Ada", orcid="0000-0002-1825-0097", affiliations=(0,)),
        Author(family="MD"),
        Author(collective="Gout Group"),
    )


def test_issns_and_pages_are_written_in_full() -> None:
    assert repair_citation_field(Citation(issn=("12345679", "no")), "issn").issn == ("1234-5679", "no")
    pages = Citation(first_page="e123", last_page="31")
    assert repair_citation_field(pages, "last_page").last_page == "e131"
    assert repair_citation_field(replace(pages, last_page="e200"), "last_page").last_page == "e200"
    assert repair_citation_field(replace(pages, first_page="199", last_page="31"), "last_page").last_page == "31"


def test_the_language_is_told_from_the_text() -> None:
    text = "Die Ergebnisse zeigen, dass die Behandlung der Patienten nicht wirksam war und die Dauer zunahm."
    assert repair_citation_field(Citation(language="??", abstract=text), "language").language == "de"


@pytest.mark.parametrize(
    ("field", "record"),
    [
        ("doi", Citation(doi="doi:10.1000/abc")),
        ("title", Citation(title="THE TIDES OF THE NORTHERN HARBOUR", doi="10.1/a")),
        ("authors", Citation(authors=(Author(family="OKAFOR", given="A"),), doi="10.1/a")),
        ("last_page", Citation(first_page="123", last_page="31")),
    ],
)
def test_a_repair_ends_the_complaint(field: str, record: Citation) -> None:
    assert any(finding.field == field for finding in check_citation(record))
    assert not any(finding.field == field for finding in check_citation(repair_citation_field(record, field)))

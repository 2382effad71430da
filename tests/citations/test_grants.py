"""Grants with their numbers, from metadata and from printed statements."""

from __future__ import annotations

import pytest

from medharvest.citations.grants import (
    find_funding_statements,
    find_printed_grants,
    join_grants,
    read_grants,
    read_metadata_grants,
    select_funding_zones,
)
from medharvest.records import Grant, LabelledZone, MetaItem, Verdict, Zone


def zone(label: str, text: str) -> LabelledZone:
    return LabelledZone(Zone(level=3, tag="p", path="html[1]/body[1]/p[1]", text=text), Verdict(label, 0.9, "rule"))


def grants_of(text: str, *, stated: bool = True) -> list[tuple[str, str]]:
    return [(grant.funder, grant.number) for grant, _, _ in read_grants(text, stated=stated)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Supported by the Tide Foundation (grant number FS/04/045), the Quay Trust (086091/Z/08/Z), and a Fund.",
            [("Tide Foundation", "FS/04/045"), ("Quay Trust", "086091/Z/08/Z")],
            id="brackets",
        ),
        pytest.param(
            "A. B. was supported by grant number R00HS022193 from the Agency for Tide Research.",
            [("Agency for Tide Research", "R00HS022193")],
            id="the funder behind",
        ),
        pytest.param(
            "This work was supported by grants R21 AA12519 and R01 AA13419 from the Institute of Tides (to Dr. Berg).",
            [("Institute of Tides", "R21 AA12519"), ("Institute of Tides", "R01 AA13419")],
            id="two halves",
        ),
        pytest.param(
            "Supported by the Marsh Science Fund (MSF): project number P25702.",
            [("Marsh Science Fund (MSF)", "P25702")],
            id="an acronym",
        ),
        pytest.param(
            "This work was supported by the Ministry of Tides, Culture and Quays (23118004, 23120009, 16H06572).",
            [("Ministry of Tides, Culture and Quays", number) for number in ("23118004", "23120009", "16H06572")],
            id="a list in one bracket",
        ),
        pytest.param(
            "Funded by the Quay Society (Young Scientists A 23680045, Tidal Research B 15H04893).",
            [("Quay Society", "23680045"), ("Quay Society", "15H04893")],
            id="schemes in one bracket",
        ),
        pytest.param(
            "Die Studie wurde gefördert von der Quay-Stiftung (Förderkennzeichen 01GY1234).",
            [("Quay-Stiftung", "01GY1234")],
            id="de",
        ),
        pytest.param("Fonte de financiamento: FAPTIDE, processo n° 98/13122-5.", [("FAPTIDE", "98/13122-5")], id="pt"),
        pytest.param(
            "Estudio financiado por el Instituto de Mareas (proyecto PI12/01234).",
            [("Instituto de Mareas", "PI12/01234")],
            id="es",
        ),
        pytest.param("基金项目：国家潮汐科学基金（81234567）", [("国家潮汐科学基金", "81234567")], id="zh"),  # noqa: RUF001
        pytest.param("Supported by the Quay Fund (2004-2006) in 2012, H2020 and COVID-19.", [], id="years"),
        pytest.param("The protocol was approved by the Ethics Committee of Quay (no. 11/H1002/10).", [], id="ethics"),
        pytest.param("Funded by the Quay Trust; trial NCT01234567, ISRCTN 61323766.", [], id="trials"),
        pytest.param("The authors received no funding.", [], id="none"),
    ],
)
def test_a_statement_names_its_grants(text: str, expected: list[tuple[str, str]]) -> None:
    assert grants_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "This view is supported by others (Berg 2001; see pp. 795-807).",
        "It is supported by tides of 12345-67890 litres.",
        "Of the 1234567 people, few were seen.",
    ],
)
def test_sentences_of_the_body_name_no_grants(text: str) -> None:
    assert grants_of(text, stated=False) == []


def test_a_sentence_among_thanks_is_read_and_references_are_not() -> None:
    thanks = "We thank Ada. This work was supported by the Quay Trust (grant 98/1412). We liked it."
    zones = [zone("unidentified", thanks), zone("reference", "Grant no. 12345 of the Quay."), zone("title", "Grants")]
    found, lines = find_printed_grants(select_funding_zones(zones))
    assert found == (Grant("Quay Trust", "98/1412"),)
    assert [line.text for line in lines] == ["98/1412"]
    statements = find_funding_statements(
        [zone("unidentified", thanks), zone("unidentified", "The idea is supported by data.")]
    )
    assert [line.text for line in statements] == ["This work was supported by the Quay Trust (grant 98/1412)."]


def items(*pairs: tuple[str, str]) -> list[MetaItem]:
    return [MetaItem("citation" if name.startswith("citation") else "jsonld", name, value) for name, value in pairs]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            items(
                (
                    "citation_funding_source",
                    "citation_funder=Quay Trust;citation_grant_number=T-1;citation_grant_number=T-2",
                )
            ),
            (Grant("Quay Trust", "T-1"), Grant("Quay Trust", "T-2")),
        ),
        (
            items(("citation_funding_source", "Quay Trust"), ("citation_grant_number", "T-1")),
            (Grant("Quay Trust", "T-1"),),
        ),
        (
            items(("citation_funding_source", "Quay Trust"), ("citation_funding_source", "Fund")),
            (Grant("Quay Trust"), Grant("Fund")),
        ),
        (
            items(
                ("funding.0.identifier", "T-1"), ("funding.0.funder.name", "Quay Trust"), ("funder.name", "Quay Trust")
            ),
            (Grant("Quay Trust", "T-1"),),
        ),
        (items(("funder.0.name", "Quay Trust"), ("funder.1.name", "Fund")), (Grant("Quay Trust"), Grant("Fund"))),
        (items(("citation_title", "Tides")), ()),
    ],
)
def test_metadata_states_grants(given: list[MetaItem], expected: tuple[Grant, ...]) -> None:
    assert read_metadata_grants(given)[0] == expected


def test_printed_grants_take_the_funder_that_metadata_states() -> None:
    printed = (Grant("", "T-1"), Grant("Fund", "7/12"))
    stated = (Grant("Quay Trust", "T 1"), Grant("Moor Fund", "M-3"), Grant("No Number"))
    assert join_grants(printed, stated) == (
        Grant("Quay Trust", "T-1"),
        Grant("Fund", "7/12"),
        Grant("Moor Fund", "M-3"),
    )

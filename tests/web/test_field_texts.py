"""Fields as texts, and back."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.fields import RECORD_OWN_FIELDS, sorted_name, with_affiliations
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section
from medharvest.web.field_texts import (
    SHOWN_FIELD_BY_NAME,
    SHOWN_FIELDS,
    editable_text,
    edited_values,
    with_author_rows,
    with_edited_text,
    with_pasted_byline,
)

RECORD = Citation(
    title="Tides and gout",
    title_html="Tides and <i>gout</i>",
    authors=(
        Author(family="Okafor", given="Ada", suffix="Jr", affiliations=(0, 1)),
        Author(collective="The Gout Group"),
    ),
    affiliations=("Harbour Clinic", "Moor Hospital"),
    abstract="AIMS: To see. RESULTS: Seen.",
    sections=(Section("AIMS", "To see."), Section("RESULTS", "Seen.")),
    keywords=("gout", "tides"),
    volume="3",
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("title", "Tides and gout"),
        ("authors", "Okafor, Ada Jr (1,2)\n[The Gout Group]"),
        ("affiliations", "Harbour Clinic\nMoor Hospital"),
        ("abstract", "AIMS: To see.\n\nRESULTS: Seen."),
        ("keywords", "gout\ntides"),
        ("volume", "3"),
        ("doi", ""),
    ],
)
def test_a_field_is_one_text(name: str, text: str) -> None:
    assert editable_text(RECORD, SHOWN_FIELD_BY_NAME[name]) == text


@pytest.mark.parametrize("field", SHOWN_FIELDS, ids=lambda field: field.name)
def test_writing_what_is_there_changes_nothing_that_is_shown(field) -> None:
    again = with_edited_text(RECORD, field, editable_text(RECORD, field))
    assert editable_text(again, field) == editable_text(RECORD, field)


@pytest.mark.parametrize("field", SHOWN_FIELDS, ids=lambda field: field.name)
@given(text=st.text(max_size=200))
def test_any_text_can_be_written(field, text: str) -> None:
    again = with_edited_text(RECORD, field, text)
    assert editable_text(with_edited_text(again, field, editable_text(again, field)), field) == editable_text(
        again, field
    )


def test_every_value_that_can_leave_has_a_text_of_its_own() -> None:
    shown_elsewhere = RECORD_OWN_FIELDS | {"sections"}  # about the record itself; parts of the abstract
    assert {field.name for field in fields(Citation)} - shown_elsewhere == set(SHOWN_FIELD_BY_NAME)


@pytest.mark.parametrize(
    ("values", "name", "text"),
    [
        ({"more_authors": True}, "more_authors", "yes"),
        (
            {"dates": (NamedDate("received", "2026-01-02"), NamedDate("accepted", ""))},
            "dates",
            "received: 2026-01-02\naccepted: ",
        ),
        (
            {
                "other_abstracts": (
                    OtherAbstract("translation", "fr", "Les marées: [1]"),
                    OtherAbstract("", "", "Tides"),
                )
            },
            "other_abstracts",
            "translation [fr]: Les marées: [1]\n: Tides",
        ),
        ({"title": "Tides & gout", "title_html": "Tides &amp; <i>gout</i>"}, "title_html", "Tides & <i>gout</i>"),
        ({"abbreviation": "J Tides"}, "abbreviation", "J Tides"),
        ({"publisher": "Quay Press"}, "publisher", "Quay Press"),
    ],
)
def test_a_rare_field_is_written_and_comes_back_the_same(values: dict[str, Any], name: str, text: str) -> None:
    citation, field = Citation(**values), SHOWN_FIELD_BY_NAME[name]
    assert editable_text(citation, field) == text
    assert with_edited_text(citation, field, text) == citation
    assert editable_text(with_edited_text(citation, field, ""), field) == ""


def test_markup_that_is_written_also_gives_the_plain_text() -> None:
    field = SHOWN_FIELD_BY_NAME["title_html"]
    written = with_edited_text(RECORD, field, "Tides & <b>joints</b>")
    assert (written.title, written.title_html) == ("Tides & joints", "Tides &amp; <b>joints</b>")
    assert set(edited_values(written, field)) == {"title", "title_html"}
    assert with_edited_text(RECORD, field, "Tides and <i>joints") == replace(RECORD, title_html="")
    same = with_edited_text(RECORD, SHOWN_FIELD_BY_NAME["abstract_html"], "AIMS: To see. RESULTS: <i>Seen.</i>")
    assert same.sections == RECORD.sections


def test_a_title_that_is_written_loses_its_markup() -> None:
    assert with_edited_text(RECORD, SHOWN_FIELD_BY_NAME["title"], " New\n title ") == replace(
        RECORD, title="New title", title_html=""
    )


def test_an_abstract_without_labels_has_no_parts() -> None:
    written = with_edited_text(RECORD, SHOWN_FIELD_BY_NAME["abstract"], "One text.\nStill it.\n\nAnd more.")
    assert (written.abstract, written.sections) == ("One text. Still it. And more.", ())
    mixed = with_edited_text(RECORD, SHOWN_FIELD_BY_NAME["abstract"], "First.\n\nMETHODS: Then.")
    assert mixed.sections == (Section("", "First."), Section("METHODS", "Then."))


def test_authors_written_as_lines_name_their_places() -> None:
    written = with_edited_text(RECORD, SHOWN_FIELD_BY_NAME["authors"], "Moe, Ann (2)\nPlato\n[Sea Group] (1, 2)")
    assert written.authors == (
        Author(family="Moe", given="Ann", affiliations=(1,)),
        Author(family="Plato"),
        Author(collective="Sea Group", affiliations=(0, 1)),
    )
    assert [sorted_name(author) for author in written.authors] == ["Moe, Ann", "Plato", "Sea Group"]


_BYLINE = "Robert A. Fenwicke Jr1*, Meera Chandrapal2; Grażyna Szymborek1,2 and Ole Dalgaard-Munk2"


def test_authors_of_a_list_keep_their_order_and_their_places() -> None:
    rows = [
        {
            "row": "b",
            "family": " Moe ",
            "given": "Ann",
            "orcid": "0000-0002-1825-0097",
            "corresponding": "1",
            "places": "3",
        },
        {"row": "a", "family": "Okafor", "equal": "1", "places": "1, 2 and 9"},
        {"row": "c", "family": "  ", "places": "1"},
    ]
    written = with_author_rows(RECORD, rows, ["Harbour  Clinic", " ", "Moor Hospital"])  # the empty one is gone
    assert written.authors == (
        Author(family="Moe", given="Ann", orcid="0000-0002-1825-0097", corresponding=True, affiliations=(1,)),
        Author(family="Okafor", equal=True, affiliations=(0,)),
    )
    assert written.affiliations == ("Harbour Clinic", "Moor Hospital")


@pytest.mark.parametrize(
    ("text", "people", "places"),
    [
        (
            f"{_BYLINE}\n1 Department of Surgery, Northmoor\n2Quay House, Saltmere",
            [
                "Fenwicke, Robert A. Jr (1)",
                "Chandrapal, Meera (2)",
                "Szymborek, Grażyna (1,2)",
                "Dalgaard-Munk, Ole (2)",
            ],
            ("Department of Surgery, Northmoor", "Quay House, Saltmere"),
        ),
        (
            "Anna Berg, MD, PhD¹; Li Wei²\n¹Quay House, Saltmere ²Moor Hospital, Leeds",
            ["Berg, Anna (1)", "Wei, Li (2)"],
            ("Quay House, Saltmere", "Moor Hospital, Leeds"),
        ),
        (
            "Smith J, Jones AB\nUniversity of Tides, Leeds",
            ["Smith, J (1)", "Jones, AB (1)"],
            ("University of Tides, Leeds",),
        ),
        ("Okafor, Ada; Moe, Ann", ["Okafor, Ada", "Moe, Ann"], ()),
        ("", [], ()),
    ],
)
def test_a_pasted_byline_is_read(text: str, people: list[str], places: tuple[str, ...]) -> None:
    read = with_pasted_byline(Citation(), text)
    assert editable_text(read, SHOWN_FIELD_BY_NAME["authors"]).splitlines() == people
    assert read.affiliations == places


@given(st.text(max_size=200))
def test_any_text_can_be_pasted(text: str) -> None:
    read = with_pasted_byline(Citation(), text)
    assert all(number < len(read.affiliations) for author in read.authors for number in author.affiliations)


@pytest.mark.parametrize(
    ("texts", "links"),
    [
        (["Moor Hospital", "Harbour Clinic"], (0, 1)),  # moved
        (["Harbour Clinic, Leeds", "Moor Hospital"], (0, 1)),  # rewritten in its place
        (["Harbour Clinic"], (0,)),  # one is gone
        ([], ()),
        (["New Place", "Harbour Clinic", "Moor Hospital"], (1, 2)),  # one came before them
    ],
)
def test_authors_keep_their_affiliations(texts: list[str], links: tuple[int, ...]) -> None:
    assert with_affiliations(RECORD, texts).authors[0].affiliations == links


def test_an_edit_changes_what_goes_together() -> None:
    assert set(edited_values(RECORD, SHOWN_FIELD_BY_NAME["abstract"])) == {"abstract", "abstract_html", "sections"}
    assert edited_values(RECORD, SHOWN_FIELD_BY_NAME["volume"]) == {"volume": "3"}

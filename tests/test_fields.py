"""The table of fields, and records changed field by field."""

from __future__ import annotations

import ast
import typing
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.strategies import any_of

import medharvest
from medharvest.fields import (
    FIELD_BY_NAME,
    FIELD_NAMES,
    FIELD_TABLE,
    ISSUE_FIELDS,
    JOURNAL_FIELDS,
    LEADING_FIELD,
    RECORD_OWN_FIELDS,
    Shape,
    cleared_form_values,
    drop_loose_ties,
    field_group,
    fields_edited_with,
    full_name,
    has_loose_ties,
    is_retracted,
    parse_record_lines,
    sorted_name,
    spoken_name,
    take_field,
    take_field_and_ties,
    tie_authors,
    with_affiliations,
    with_references,
    write_record_lines,
)
from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Evidence,
    Identifier,
    MeshHeading,
    MeshQualifier,
    ReferenceDoi,
    Section,
)

HINTS = typing.get_type_hints(Citation)
OF_TEXT = {Shape.LINE, Shape.PROSE, Shape.HTML, Shape.SECTIONS}


def proof(field: str, method: str = "") -> Evidence:
    return Evidence(field=field, page="", source="", path="", start=0, end=0, text="", method=method, score=0.5)


def tied(*ties: tuple[int, ...], places: int) -> Citation:
    authors = tuple(Author(family="Moe", affiliations=numbers) for numbers in ties)
    return Citation(authors=authors, affiliations=tuple("ABCDEF"[:places]))


def test_every_field_of_the_record_has_one_row_but_those_about_itself() -> None:
    assert sorted(field.name for field in FIELD_TABLE) == sorted(
        {field.name for field in fields(Citation)} - RECORD_OWN_FIELDS
    )


@pytest.mark.parametrize("field", FIELD_TABLE, ids=lambda field: field.name)
def test_a_row_says_what_the_record_holds(field: typing.Any) -> None:
    is_text, is_list = HINTS[field.name] is str, HINTS[field.name] == tuple[str, ...]
    assert (field.shape in OF_TEXT, field.shape is Shape.LINES) == (is_text, is_list)
    assert {*field.forms, *field.leads} <= FIELD_BY_NAME.keys() - {field.name}


def test_no_field_follows_two_others_or_a_follower() -> None:
    followers = [name for field in FIELD_TABLE for name in (*field.forms, *field.leads)]
    assert len(followers) == len(set(followers)) == len(LEADING_FIELD)
    assert not set(LEADING_FIELD) & set(LEADING_FIELD.values())


def test_a_plain_field_is_named_only_where_it_is_read_and_written() -> None:
    root = Path(medharvest.__file__).parent
    generic = [
        path
        for folder in ("store", "web", "harvest", "library", "search", "cli")
        for path in (root / folder).rglob("*.py")
    ]
    generic += [root / "citations" / f"{name}.py" for name in ("merge", "record_differences")]
    found = {path.name: _words(path) & {"funding", "conflict", "publication_types"} for path in generic}
    assert {name: words for name, words in found.items() if words} == {}


def _words(path: Path) -> set[str]:
    """The strings and attributes of a module."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return strings | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_what_an_issue_and_a_journal_share_is_in_the_table() -> None:
    assert ISSUE_FIELDS == ("journal", "abbreviation", "publisher", "issn", "volume", "issue", "date")
    assert JOURNAL_FIELDS == ("abbreviation", "issn", "publisher")


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("sections", ("abstract", "abstract_html", "sections")),
        ("title", ("title", "title_html")),
        ("affiliations", ("authors", "affiliations")),
        ("last_page", ("last_page",)),
        ("url", ("url",)),
    ],
)
def test_a_group_is_what_one_voice_speaks_of(name: str, group: tuple[str, ...]) -> None:
    assert field_group(name) == group


def test_an_edit_changes_the_forms_of_a_field_and_the_ties_of_affiliations() -> None:
    assert fields_edited_with("affiliations") == ("affiliations", "authors")
    assert fields_edited_with("abstract") == ("abstract", "abstract_html", "sections")
    assert cleared_form_values("abstract") == {"abstract_html": "", "sections": ()}
    assert cleared_form_values("volume") == cleared_form_values("colour") == {}


def test_a_field_is_taken_with_its_forms_and_evidence_unless_it_was_read_empty() -> None:
    known = Citation(abstract="Old", sections=(Section("AIM", "Old"),), evidence=(proof("abstract"), proof("title")))
    other = Citation(abstract="New", evidence=(proof("abstract", "new"), proof("title", "new")))
    taken = take_field(known, other, "abstract")
    assert (taken.abstract, taken.sections, taken.evidence) == ("New", (), (proof("title"), proof("abstract", "new")))
    assert take_field(known, Citation(), "abstract") == known


def test_authors_are_tied_as_in_another_reading_that_names_as_many() -> None:
    known, other = tied((0,), (5,), places=2), tied((1,), (0, 1), places=2)
    assert tie_authors(known, other).authors == other.authors
    assert tie_authors(known, tied((1,), places=2)) == tied((0,), (), places=2)


def test_a_field_of_another_reading_takes_its_ties_along() -> None:
    known, other = tied((0, 1), places=2), tied((0,), places=1)
    assert take_field_and_ties(known, other, "affiliations").authors == other.authors
    assert take_field_and_ties(known, Citation(affiliations=("C",)), "affiliations").authors[0].affiliations == (0,)
    assert take_field_and_ties(known, other, "authors").authors == other.authors
    assert take_field_and_ties(other, tied((0, 3), places=4), "authors").authors[0].affiliations == (0,)


@settings(max_examples=50, deadline=None)
@given(any_of(Citation), any_of(Citation), st.sampled_from(FIELD_NAMES))
def test_no_field_of_a_sound_record_brings_a_tie_that_leads_nowhere(one: Citation, two: Citation, name: str) -> None:
    known, other = drop_loose_ties(one), drop_loose_ties(two)
    assert not has_loose_ties(known)
    assert not has_loose_ties(take_field_and_ties(known, other, name))
    assert not has_loose_ties(with_affiliations(known, other.affiliations))


@pytest.mark.parametrize(
    ("author", "forms"),
    [
        (
            Author(family="Okafor", given="Ada", suffix="Jr"),
            ("Ada Okafor Jr", "Ada Okafor", "Okafor, Ada Jr"),
        ),
        (Author(family="Plato"), ("Plato", "Plato", "Plato")),
        (Author(collective="Sea Group"), ("Sea Group", "Sea Group", "Sea Group")),
    ],
)
def test_a_name_as_people_write_call_and_sort_it(author: Author, forms: tuple[str, ...]) -> None:
    assert (full_name(author), spoken_name(author), sorted_name(author)) == forms


@pytest.mark.parametrize(
    ("name", "entry", "line"),
    [
        ("contributors", Contributor(role="editor", family="Berg", given="Anna"), "editor: Berg, Anna"),
        ("contributors", Contributor(role="editor", family="Berg"), "editor: Berg"),
        (
            "contributors",
            Contributor(
                role="investigator",
                family="Cole",
                given="R",
                suffix="Jr",
                orcid="0000-0002-1825-0097",
                affiliations=("Quay Hospital, Tide", "Shore"),
            ),
            "investigator: Cole, R, Jr; 0000-0002-1825-0097; Quay Hospital, Tide; Shore",
        ),
        ("contributors", Contributor(role="editor", collective="Sea Group"), "editor: [Sea Group]"),
        ("identifiers", Identifier("ClinicalTrials.gov", "NCT00000001"), "ClinicalTrials.gov: NCT00000001"),
        (
            "mesh",
            MeshHeading(name="Sleep", ui="D1", qualifiers=(MeshQualifier("drug effects", "Q1", major=True),)),
            "Sleep [D1]/*drug effects [Q1]",
        ),
        ("mesh", MeshHeading(name="Norway", ui="D2", major=True, type="Geographic"), "*Norway [D2] (Geographic)"),
        ("mesh", MeshHeading(name="Tide/Ebb Study", qualifiers=(MeshQualifier("history"),)), "Tide/Ebb Study/history"),
        ("chemicals", Chemical("Iron (III)", "D3", "0"), "Iron (III) [D3] [0]"),
        ("chemicals", Chemical("Iron", "", "0"), "Iron [] [0]"),
        ("chemicals", Chemical("Iron", "D3"), "Iron [D3]"),
        (
            "corrections",
            Correction(kind="RetractionIn", source="J Tides. 2014;3(1):9", pmid="12"),
            "RetractionIn: J Tides. 2014;3(1):9 PMID: 12",
        ),
        (
            "corrections",
            Correction(kind="ErratumIn", source="", pmid="", doi="10.5/a", note="a table"),
            "ErratumIn: DOI: 10.5/a [a table]",
        ),
    ],
)
def test_an_entry_is_edited_on_one_line_and_comes_back_the_same(name: str, entry: typing.Any, line: str) -> None:
    values: dict[str, typing.Any] = {name: (entry,)}
    assert write_record_lines(Citation(**values), name) == [line]
    assert parse_record_lines(name, [line]) == (entry,)


@given(st.sampled_from(["contributors", "identifiers", "mesh", "chemicals", "corrections"]), st.text())
def test_any_line_is_an_entry(name: str, line: str) -> None:
    values: dict[str, typing.Any] = {name: parse_record_lines(name, [line])}
    assert len(write_record_lines(Citation(**values), name)) == 1


def test_a_record_is_retracted_by_its_type_or_by_a_notice() -> None:
    assert is_retracted(Citation(publication_types=("Retracted Publication",)))
    assert is_retracted(Citation(corrections=(Correction(kind="RetractionIn"),)))
    assert not is_retracted(Citation(corrections=(Correction(kind="RetractionOf"), Correction(kind="ErratumIn"))))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["B", "A"], {1: "b", 2: "a"}),
        (["A2", "B"], {1: "a", 2: "b"}),
        (["B"], {1: "b"}),
        (["N", "A", "B"], {2: "a", 3: "b"}),
    ],
)
def test_a_doi_stays_with_its_reference(texts: list[str], numbers: dict[int, str]) -> None:
    citation = Citation(references=("A", "B"), reference_dois=(ReferenceDoi(1, "a"), ReferenceDoi(2, "b")))
    changed = with_references(citation, texts)
    assert {one.number: one.doi for one in changed.reference_dois} == numbers
    assert changed.references == tuple(texts)

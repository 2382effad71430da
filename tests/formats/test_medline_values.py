"""NLM's forms, as the formats write them: own examples, and the shared ones where they are."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from medharvest.citations.author_names import parse_author_name
from medharvest.formats import FORMATS, medline_values, text_forms
from medharvest.records import Author, Citation, Section


def lines(name: str, **values: Any) -> list[str]:
    return "".join(FORMATS[name].write([Citation(**{"title": "Sleep", **values})])).splitlines()


@pytest.mark.parametrize(
    ("iso", "printed"),
    [
        ("2024", "2024"),
        ("2024-02", "2024 Feb"),
        ("2024-02-09", "2024 Feb 9"),
        ("2024-21", "2024 Spring"),
        ("2024-06/2024-07", "2024 Jun-Jul"),
        ("2023-12/2024-01", "2023 Dec-2024 Jan"),
    ],
)
def test_dates_are_printed_and_read_as_medline_has_them(iso: str, printed: str) -> None:
    assert f"DP  - {printed}" in lines("nbib", date=iso)
    assert medline_values.iso_from_medline(printed) == iso


@pytest.mark.parametrize("text", ["", "soon", "Mar 2024", "-", "2024 Foo", "2024 Mar 77"])
def test_what_is_no_date_of_medlines_gives_a_year_at_most(text: str) -> None:
    assert medline_values.iso_from_medline(text) in {"", "2024", "2024-03"}


@pytest.mark.parametrize(
    ("year", "month", "day", "iso"),
    [
        ("2010", "9", "5", "2010-09-05"),
        ("2010", "Sept.", "", "2010-09"),
        ("2010", "Fall", "", "2010-23"),
        ("2010", "", "5", "2010"),
        ("2010", "13", "", "2010"),
        ("", "9", "", ""),
    ],
)
def test_dates_of_files_are_put_together_from_their_parts(year: str, month: str, day: str, iso: str) -> None:
    assert medline_values.iso_from_parts(year, month, day) == iso


def test_titles_get_a_stop_and_translated_ones_brackets() -> None:
    assert "TI  - Sleep." in lines("nbib")
    assert "TI  - Is it safe?" in lines("nbib", title="Is it safe?")
    translated = lines("nbib", vernacular_title="Le sommeil")
    assert {"TI  - [Sleep].", "TT  - Le sommeil."} <= set(translated)
    assert lines("pubmed", vernacular_title="Le sommeil").count("<ArticleTitle>Sleep</ArticleTitle>") == 1


def test_labels_have_their_category() -> None:
    written = "\n".join(lines("pubmedset", sections=(Section("Patients and methods", "a"), Section("Note", "b"))))
    assert '<AbstractText Label="PATIENTS AND METHODS" NlmCategory="METHODS">a' in written
    assert '<AbstractText Label="NOTE" NlmCategory="UNASSIGNED">b' in written


def test_an_abstract_is_cut_at_labels_in_capitals_that_begin_it() -> None:
    text = "AIM: To sleep. MAIN RESULTS: It did (n = 3). DNA: none."
    assert medline_values.split_labelled_abstract(text)[:2] == (
        Section("AIM", "To sleep."),
        Section("MAIN RESULTS", "It did (n = 3)."),
    )
    assert medline_values.split_labelled_abstract("We aimed. RESULTS: none.") == ()


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("Berg, Anna", Author(family="Berg", given="Anna")),
        ("Cole, Robert, Jr.", Author(family="Cole", given="Robert", suffix="Jr")),
        ("Cole, 3rd", Author(family="Cole", suffix="III")),
        (", Anna", Author(family="Anna")),
        ("Tide Group,", Author(collective="Tide Group")),
        ("Tide Study Group", Author(collective="Tide Study Group")),
        ("Suharti", Author(family="Suharti")),
        ("Berg, Anna, MD", Author(family="Berg", given="Anna", suffix="MD")),
    ],
)
def test_names_with_the_family_first_are_taken_apart(text: str, author: Author) -> None:
    assert text_forms.author_from_inverted(text) == author


@pytest.fixture(scope="module")
def vectors() -> dict[str, Any]:
    shared = os.environ.get("SHARED_FOLDER", "")
    path = Path(shared) / "records" / "vectors.json"
    if not shared or not path.is_file():
        pytest.skip("not run: no shared vectors")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_shared_vectors_come_out_of_the_formats(vectors: dict[str, Any]) -> None:
    for name, _, short, _ in vectors["names_to_AU"]:
        author = parse_author_name(name)
        assert author
        written = lines("nbib", authors=(author,))
        assert f"AU  - {short}" in written or f"CN  - {short}" in written
    for parts, printed in vectors["dates_to_DP"]:
        assert f"DP  - {printed}" in lines("nbib", date=iso(parts))
    for label, category in vectors["abstract_labels_to_NlmCategory"]:
        assert f'NlmCategory="{category}"' in "\n".join(lines("pubmedset", sections=(Section(label, "a"),))), label
    title = next(one for one in vectors["titles"] if isinstance(one, dict))
    found = lines("nbib", title=title["english"], vernacular_title=title["vernacular"], language="fr")
    assert {f"TI  - {title['TI']}", f"TT  - {title['TT']}", f"LA  - {title['lang']}"} <= set(found)


def iso(parts: dict[str, Any]) -> str:
    """The vectors' years, months and days as our dates."""
    if "season" in parts:
        return f"{parts['y']}-24"
    years, months = (value if isinstance(value, list) else [value] for value in (parts["y"], parts.get("m", "")))
    if len(months) == 2:
        return "/".join(f"{year}-{month:02d}" for year, month in zip((years * 2)[:2], months, strict=True))
    numbers = [f"{number:02d}" for number in (parts.get("m"), parts.get("d")) if number]
    return "-".join([str(parts["y"]), *numbers])

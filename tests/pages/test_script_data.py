"""Authors in the JSON that a page carries for its scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from medharvest.pages.script_data import read_script_people
from medharvest.records import Page

QUAY, MOOR = "Quay Hospital, Saltmere, Wales", "Moor Clinic, Northmoor, England"


def found(*scripts: str, media_type: str = "text/html") -> dict[str, str]:
    text = "<html><body>" + "".join(scripts) + "</body></html>"
    page = Page(url="", text=text, digest="d", encoding="utf-8", media_type=media_type)
    items = read_script_people(page)
    assert {item.source for item in items} <= {"state"}
    return {item.name: item.value for item in items}


def island(data: Any) -> str:
    return f'<script type="application/json">{json.dumps(data)}</script>'


BERG = {"author.0.familyName": "Berg", "author.0.givenName": "Anna"}
PLACED = BERG | {"author.0.affiliation.0.name": QUAY}


@pytest.mark.parametrize(
    "author",
    [
        {"familyName": "Berg", "givenName": "Anna", "affiliation": QUAY},
        {"last_name": "Berg", "first-name": "Anna", "affiliations": [{"id": 7, "name": QUAY}]},
        {"surname": "Berg", "given": "Anna", "institution": {"label": "1", "text": QUAY}},
        {"lastName": "Berg", "firstName": "Anna", "organisations": [[QUAY]]},
    ],
)
def test_people_are_known_by_what_their_keys_are_called(author: dict[str, Any]) -> None:
    assert found(island({"article": {"authors": [author]}})) == PLACED


def test_affiliations_are_found_by_the_name_that_people_refer_to() -> None:
    authors = [
        {"familyName": "Berg", "givenName": "Anna", "affiliationIds": ["a2", True]},
        {"familyName": "Cole", "givenName": "Rita", "refs": [{"rid": "a1"}, {"rid": "a9"}], "email": "c@quay.example"},
    ]
    places = [{"id": "a1", "name": QUAY}, {"id": "a2", "name": MOOR}]
    said = found(island({"authors": {"list": authors, "affiliations": places}}))
    assert said["author.0.affiliation.0.name"] == MOOR
    assert said["author.1.affiliation.0.name"] == QUAY
    assert said["author.1.email"] == "c@quay.example"


def element(name: str, *inside: Any, text: str = "", **attributes: str) -> dict[str, Any]:
    """An XML element as tools write it in JSON."""
    own: dict[str, Any] = {"#name": name, "$": attributes}
    return own | ({"_": text} if text else {"$$": list(inside)})


def test_xml_written_as_json_is_read_by_the_names_of_its_elements() -> None:
    person = element(
        "author",
        element("given-name", text="Anna"),
        element("surname", text="Berg"),
        element("cross-ref", element("sup", text="a"), id="c1", refid="AFF1"),
    )
    place = element("affiliation", element("label", text="a"), element("textfn", text=QUAY), id="AFF1")
    assert found(island({"authors": {"content": [element("author-group", person, place)]}})) == PLACED


def test_one_affiliation_of_the_group_is_everyones() -> None:
    people = [{"familyName": "Berg", "givenName": "Anna"}, {"familyName": "Cole"}]
    said = found(island({"authors": {"people": people, "affiliation": {"name": QUAY}}}))
    assert said == PLACED | {"author.1.familyName": "Cole", "author.1.affiliation.0.name": QUAY}


def test_the_largest_group_counts_and_other_works_do_not() -> None:
    berg, cole = {"familyName": "Berg", "givenName": "Anna"}, {"familyName": "Cole"}
    data = {
        "references": [{"authors": [berg, cole, cole]}],
        "lead": {"author": cole},
        "authors": [berg, cole],
    }
    assert [name for name in found(island(data)) if "family" in name] == ["author.0.familyName", "author.1.familyName"]


@pytest.mark.parametrize(
    "script",
    [
        '<script>window.STATE = {"authors": [{"familyName": "Berg", "givenName": "Anna"}]}; go()</script>',
        "<script>var a = {}, b = "
        + json.dumps({"authors": [{"familyName": "Berg", "givenName": "Anna"}]})
        + "</script>",
        island(json.dumps({"authors": [{"familyName": "Berg", "givenName": "Anna"}]})),
        '<script>x = {"familyName: 1</script>' + island({"creators": [{"familyName": "Berg", "givenName": "Anna"}]}),
        '<script>{"authors": [{"familyName": "Berg", "givenName": "Anna"}]}',
    ],
)
def test_data_scripts_assignments_and_strings_of_json_are_opened(script: str) -> None:
    assert found(script) == BERG


@pytest.mark.parametrize(
    "script",
    [
        "<p>no familyName here</p>",
        '<script type="application/ld+json">{"author": [{"familyName": "Berg"}]}</script>',
        '<script>{"authors": [{"familyName": "Berg"}</script>',
        island({"people": [{"familyName": "Berg"}]}),
        island({"authors": ["familyName", 7, None, {"familyName": 3}, {"familyName": {"a": 1}}]}),
    ],
)
def test_what_is_no_json_or_no_list_of_authors_gives_nothing(script: str) -> None:
    assert found(script) == {}


def test_a_pdf_has_no_scripts() -> None:
    assert found(island({"authors": [{"familyName": "Berg"}]}), media_type="application/pdf") == {}


@pytest.mark.no_cover
def test_deep_wide_and_long_data_is_read_in_bounded_time() -> None:
    deep: Any = {"familyName": "Berg"}
    for _ in range(200):
        deep = {"authors": [deep]}
    wide = {"authors": [{"familyName": f"Berg{n}", "affiliation": "x " * 1_000} for n in range(2_000)]}
    assert found(island(deep)) == {}
    assert len(found(island(wide))) == 1_000
    assert found("<script>" + '= {"familyName"' * 50_000 + "</script>") == {}
    assert found("<script>familyName" + " " * 6_000_000 + "</script>") == {}
    assert found("<script " * 100_000 + "familyName") == {}


def test_title_and_abstract_stand_beside_the_authors():
    berg = {"familyName": "Berg", "givenName": "Anna"}
    other = {"title": "Another work", "authors": []}
    work = {"title": " Sleep and\nsnow ", "abstract": "We asked.", "authors": [berg]}
    assert found(island({"page": [other, work]})) == BERG | {"headline": "Sleep and snow", "abstract": "We asked."}
    assert found(island({"article": {"title": {"text": "Sleep"}, "abstract": " ", "authors": [berg]}})) == BERG
    assert found(island({"title": "The site", "article": {"authors": [berg]}})) == BERG

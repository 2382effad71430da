"""Corresponding authors and their addresses, from notes as printed."""

import pytest
from tests.citations.strategies import zone

from medharvest.citations.author_notes import with_correspondence, with_equal_contributions, with_printed_orcids
from medharvest.records import Author

PEOPLE = (
    Author(family="Berg", given="Anna"),
    Author(family="O'Tierney", given="Maeve"),
    Author(family="Lô", given="Ivo"),
    Author(collective="Tide Group"),
)


def said(*notes: str, label: str = "unidentified") -> list[tuple[str, str]]:
    found = with_correspondence(PEOPLE, [zone(label, note) for note in notes])
    return [(author.family, author.email) for author in found if author.corresponding]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("*Correspondence to Anna Berg: post@quay.example.org", [("Berg", "post@quay.example.org")]),
        ("Corresponding author: m.otierney@quay.example.org", [("O'Tierney", "m.otierney@quay.example.org")]),
        ("Correspondence: Dr Ivo Lo, Quay Hospital", [("Lô", "")]),
        (
            "Corresponding authors: A. Berg (a.berg@quay.example.org) and M. O’Tierney (mo@quay.example.org)",
            [("Berg", "a.berg@quay.example.org"), ("O'Tierney", "")],
        ),
        ("Correspondence: lo@quay.example.org", []),
        ("Correspondence: desk@quay.example.org", []),
        ("Anna Berg, a.berg@quay.example.org", []),
        ("Correspondence to Anna Berg " + "x" * 600, []),
    ],
)
def test_a_note_names_those_who_answer(note: str, expected: list[tuple[str, str]]) -> None:
    assert said(note) == expected


def test_an_address_known_before_is_kept() -> None:
    known = [Author(family="Berg", email="old@quay.example.org")]
    (author,) = with_correspondence(known, [zone("unidentified", "Correspondence to Berg: new@quay.example.org")])
    assert (author.email, author.corresponding) == ("old@quay.example.org", True)


def test_references_and_abstracts_are_no_notes() -> None:
    assert said("Correspondence to Anna Berg", label="reference") == []


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ("ORCID: Anna Berg 0000-0002-1825-0097; M. O'Tierney 0000-0001-5109-3700", "unidentified", (0, 1)),
        ("Correspondence: Maeve O'Tierney ORCID: Anna Berg 0000-0002-1825-0097", "unidentified", (0,)),
        ("Anna Berg ORCID: orcid.org/0000-0002-1825-00971,2", "author", (0,)),
        ("Anna Berg 0000-0002-1825-0098", "author", ()),
        ("Somebody 0000-0002-1825-0097", "unidentified", ()),
        ("Anna Berg 0000-0002-1825-0097", "reference", ()),
        ("Anna Berg " + "x" * 6_000 + " 0000-0002-1825-0097", "unidentified", ()),
    ],
)
def test_an_orcid_is_that_of_the_name_before_it(text: str, label: str, expected: tuple[int, ...]) -> None:
    found = with_printed_orcids(PEOPLE, [zone(label, text)])
    assert tuple(i for i, author in enumerate(found) if author.orcid) == expected
    assert with_printed_orcids(found, [zone(label, "Anna Berg 0000-0001-5109-3700")])[0].orcid == (
        found[0].orcid or ("" if label == "reference" else "0000-0001-5109-3700")
    )


def test_nobody_has_no_orcid() -> None:
    assert with_printed_orcids([], [zone("unidentified", "Anna Berg 0000-0002-1825-0097")]) == ()


@pytest.mark.no_cover
def test_many_notes_are_read_in_bounded_time() -> None:
    zones = [zone("unidentified", "correspond " + "a@b." * 140)] * 1_000
    with_correspondence(PEOPLE, zones)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("†These authors contributed equally to this work.", ["Berg", "Lô"]),
        ("Anna Berg and Maeve O'Tierney contributed equally.", ["Berg", "O'Tierney"]),
        ("All authors contributed equally.", ["Berg", "O'Tierney", "Lô", ""]),
        ("‡ Joint first authors", []),  # one alone
        ("Equal contribution", []),
        ("Anna Berg contributed equally", []),
        ("†Anna Berg slept.", []),
    ],
)
def test_a_note_names_those_who_contributed_equally(note: str, expected: list[str]) -> None:
    byline = zone("author", "Anna Berg1,†, Maeve O'Tierney2,‡ and Ivo Lô 1 a †, Tide Group")
    found = with_equal_contributions(PEOPLE, [byline, zone("unidentified", note)])
    assert [author.family for author in found if author.equal] == expected

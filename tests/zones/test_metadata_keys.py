"""The metadata of a page, folded for comparison with its zones."""

from __future__ import annotations

import pytest

from medharvest.records import MetaItem
from medharvest.zones.known_values import (
    MetadataKeys,
    count_held_families,
    is_known_abstract,
    is_known_place,
    metadata_keys_of,
)

ABSTRACT = "We asked people in the valley how they slept when the snow came early. " * 2
KEY = "weaskedpeopleinthevalleyhowtheysleptwhenthesnowcameearly"


def test_title_families_places_and_abstract_are_taken_from_the_metadata() -> None:
    items = (
        MetaItem("citation", "citation_title", "Sleep and Snow"),
        MetaItem("citation", "citation_author", "Berg, Anna; Carl Dahl"),
        MetaItem("citation", "citation_author", "Berg, Ole"),
        MetaItem("citation", "citation_author", ""),
        MetaItem("citation", "citation_author_institution", "Snow Hospital, Oslo"),
        MetaItem("meta", "description", ABSTRACT),
        MetaItem("meta", "description", "All about snow"),
        MetaItem("meta", "keywords", "snow"),
    )
    assert metadata_keys_of(items) == MetadataKeys(
        frozenset({"sleepandsnow"}), ("berg", "dahl"), ("snowhospitaloslo",), (KEY * 2,)
    )
    assert metadata_keys_of(()) == MetadataKeys()


def test_no_more_names_are_compared_than_a_page_has_time_for() -> None:
    items = [MetaItem("citation", "citation_author", f"Berg{number}, Anna") for number in range(100)]
    assert len(metadata_keys_of(items).families) == 60


@pytest.mark.parametrize(
    ("key", "held"),
    [
        ("annabergcarldahl", (3, 2, True)),
        ("annaberg", (2, 1, True)),
        ("bergfell" + "onthevalleyandontheroadsthatleadoutofit" * 2, (2, 1, False)),
        ("oleholm", (0, 0, False)),
    ],
)
def test_known_families_in_a_text_are_counted(key: str, held: tuple[int, int, bool]) -> None:
    assert count_held_families(("berg", "dahl"), key) == held


def test_four_families_count_as_three() -> None:
    assert count_held_families(("berg", "dahl", "falk", "gran"), "bergdahlfalkgran")[1] == 3


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("1snowhospitaloslo", True),
        ("snowhospitaloslo", True),
        ("snowhospitalos", True),
        ("snowhosp", False),  # so few letters may be in any place
        ("icehospitalbergen", False),
    ],
)
def test_a_place_is_known_whole_or_in_part(key: str, *, known: bool) -> None:
    assert is_known_place(key, ["snowhospitaloslo"]) is known


@pytest.mark.parametrize(
    ("key", "known"),
    [(KEY, True), (KEY[10:40], True), (KEY + KEY + "more", True), (KEY[:20], False), ("x" + KEY, False)],
)
def test_a_paragraph_of_the_known_abstract_is_known_by_its_beginning(key: str, *, known: bool) -> None:
    assert is_known_abstract(key, [KEY + KEY]) is known

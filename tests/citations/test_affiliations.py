import pytest
from tests.citations.strategies import marked_zone, zone

from medharvest.citations.affiliations import MarkedAffiliation, read_affiliations, split_known_affiliations

CLINIC, SCHOOL = "Sleep Clinic, General Hospital, Oslo, Norway", "School of Snow, University of Bern, Bern, Switzerland"


@pytest.mark.parametrize(
    ("source", "places"),
    [
        (f"Affiliation: {CLINIC}", [CLINIC]),
        (f"{CLINIC}. E-mail: anna@snow.example", [CLINIC]),
        (f"{CLINIC}; {SCHOOL}", [CLINIC, SCHOOL]),
        (f"{CLINIC}, {SCHOOL}", [CLINIC, SCHOOL]),
        (f"{CLINIC} and {SCHOOL}", [CLINIC, SCHOOL]),
        (f"{CLINIC}; and", [CLINIC]),
        (f"1{CLINIC}. 2{SCHOOL}", [CLINIC, SCHOOL]),
        (f"Author affiliations: 1 {CLINIC}; 2 {SCHOOL}", [CLINIC, SCHOOL]),
        ("Building 1 Snow Hospital, Ward 2 North, Oslo", ["Building 1 Snow Hospital, Ward 2 North, Oslo"]),
        (f"Affiliations: {{sup:1}}{CLINIC} {{sup:2}}{SCHOOL}", [CLINIC, SCHOOL]),
        ("Present address: Snow Hospital", []),
        ("12", []),
        ("Snow Unit (SNOW@Oslo), Oslo", ["Snow Unit (SNOW@Oslo), Oslo"]),
    ],
)
def test_affiliations_are_cut_and_cleaned(source, places):
    assert [place.text for place in read_affiliations(marked_zone("affiliation", source).zone)] == places


def test_the_zone_in_front_may_be_the_marker():
    assert read_affiliations(zone("affiliation", CLINIC).zone, "(2)") == [MarkedAffiliation("2", CLINIC)]
    assert read_affiliations(zone("affiliation", CLINIC).zone, "Snow") == [MarkedAffiliation("", CLINIC)]


def test_parts_that_touch_get_a_comma():
    text = "Department of SnowUniversity of BergenBergenNorway"
    touching = zone("affiliation", text, (0, 18, "span"), (18, 38, "span"), (38, 44, "span"), (44, 50, "span")).zone
    assert read_affiliations(touching)[0].text == "Department of Snow, University of Bergen, Bergen, Norway"


def test_an_affiliation_that_stands_in_another_splits_it():
    one, two = "Snow Hospital, Ward 3, Tromso", "Ice Laboratory, Floor 2, Alta"
    assert split_known_affiliations([one, f"{one}, {two}"]) == [[one], [one, two]]
    assert split_known_affiliations([one, f"{two} and {one}"]) == [[one], [two, one]]
    assert split_known_affiliations([one, f"{one} East"]) == [[one], [f"{one} East"]]

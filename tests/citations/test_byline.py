import pytest
from hypothesis import given
from tests.citations.strategies import labelled_zones, marked_zone, zone
from tests.growth import growth

from medharvest.citations.byline import is_cut_list, read_byline
from medharvest.records import Author, LabelledZone, Verdict

TWO = ["{sup:1}Quay Hospital", "{sup:2}Tide School"]


def links(names: str, *places: str) -> list[tuple[str, tuple[int, ...]]]:
    zones = [marked_zone("author", names), *(marked_zone("affiliation", place) for place in places)]
    return [(author.family or author.collective, author.affiliations) for author in read_byline(zones).authors]


@pytest.mark.parametrize(
    ("names", "places", "expected"),
    [
        ("Anna Berg{sup:1}, Robert Cole{sup:2}", TWO, [("Berg", (0,)), ("Cole", (1,))]),
        ("Anna Berg,{sup:1} Robert Cole,{sup:2}", TWO, [("Berg", (0,)), ("Cole", (1,))]),
        ("{sup:1}Anna Berg, {sup:2}Robert Cole", TWO, [("Berg", (0,)), ("Cole", (1,))]),
        ("Anna Berg, MD,{sup:2} Robert Cole{sup:1,2}", TWO, [("Berg", (1,)), ("Cole", (0, 1))]),
        ("Anna Berg,{sup:1} MD, and Robert Cole{sup:2}", TWO, [("Berg", (0,)), ("Cole", (1,))]),
        ("Anna Berg{sup:1}{sup:,}{sup:2} and Robert Cole", TWO, [("Berg", (0, 1)), ("Cole", ())]),
        ("Anna Berg{sup:1,*,1}; Robert Cole{sup:9}", TWO, [("Berg", (0,)), ("Cole", ())]),
        ("By Anna Berg{sup:2}", TWO, [("Berg", (1,))]),
        ("Authors: Anna Berg{sup:1}", TWO, [("Berg", (0,))]),
        ("Anna Berg{sup:1} on behalf of the Tide Group{sup:2}", TWO, [("Berg", (0,)), ("Tide Group", (1,))]),
        ("Anna Berg{sup:1}, for the Tide Group", TWO, [("Berg", (0,)), ("Tide Group", ())]),
        ("Anna Berg{sup:a}, Robert Cole{sup:b}", ["{sup:a}Quay; {sup:b}Tide"], [("Berg", (0,)), ("Cole", (1,))]),
        ("Anna Berg{sup:*}", ["* Quay Hospital", "† Tide School"], [("Berg", (0,))]),
        ("Anna Berg{sup:2}", ["1. Quay Hospital", "2) Tide School"], [("Berg", (1,))]),
        ("Anna Berg, Robert Cole", ["Quay Hospital"], [("Berg", (0,)), ("Cole", (0,))]),
        ("Anna Berg, Robert Cole", ["{sup:1}Quay Hospital"], [("Berg", (0,)), ("Cole", (0,))]),
        ("Anna Berg{sup:1}, Robert Cole", ["{sup:1}Quay Hospital"], [("Berg", (0,)), ("Cole", ())]),
        ("Anna Berg, Robert Cole", ["Quay Hospital", "Tide School"], [("Berg", ()), ("Cole", ())]),
        ("Anna Berg, Robert Cole", ["Quay Hospital", "Tide School", "Quay Hospital"], [("Berg", ()), ("Cole", ())]),
        ("Anna Berg, Robert Cole", ["Quay Hospital, Oslo"] * 2, [("Berg", (0,)), ("Cole", (0,))]),
        ("A. Berg, R. Cole, E. Falk", ["Quay", "Tide", "Quay"], [("Berg", (0,)), ("Cole", (1,)), ("Falk", (0,))]),
        ("Anna Berg", [], [("Berg", ())]),
        ("{sup:1}", TWO, []),
    ],
)
def test_authors_and_places_are_joined_by_their_markers(
    names: str, places: list[str], expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert links(names, *places) == expected


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("{sup:1}Quay Hospital, {sup:2}Tide School", ("Quay Hospital", "Tide School")),
        ("{sup:1}9{sup:e} Ward, Quay; {sup:2}Tide", ("9e Ward, Quay", "Tide")),
        ("{sup:1}{sup:2}Quay Hospital", ("Quay Hospital",)),
        ("{sup:*}Quay Hospital", ("Quay Hospital",)),
        ("12 Quay Street Hospital", ("Quay Street Hospital",)),
        ("Ward 3, Quay Hospital", ("Ward 3, Quay Hospital",)),
    ],
)
def test_a_zone_may_hold_several_places(source: str, places: tuple[str, ...]) -> None:
    assert read_byline([marked_zone("affiliation", source)]).affiliations == places


def test_each_author_may_have_a_zone_of_his_own() -> None:
    zones = [marked_zone("author", "Anna Berg{sup:1}"), zone("author", "BRIGHT Study Group"), zone("title", "No Name")]
    byline = read_byline(zones)
    assert byline.authors == (Author(family="Berg", given="Anna"), Author(collective="BRIGHT Study Group"))
    assert byline.author_zones == tuple(zones[:2])


def test_a_mark_inside_another_counts_once() -> None:
    zones = [zone("author", "Anna Berg1", (9, 10, "sup"), (9, 10, "sup")), marked_zone("affiliation", TWO[0])]
    assert read_byline(zones).authors == (Author(family="Berg", given="Anna", affiliations=(0,)),)


@given(labelled_zones())
def test_no_zones_raise_and_every_index_has_its_place(zones: list[LabelledZone]) -> None:
    byline = read_byline(zones)
    assert all(0 <= i < len(byline.affiliations) for author in byline.authors for i in author.affiliations)


def test_work_grows_with_the_number_of_markers() -> None:
    def read(authors: int) -> None:
        text = "Anna Berg1, " * authors
        marks = [(place, place + 1, "sup") for place, letter in enumerate(text) if letter == "1"]
        byline = read_byline([zone("author", text, *marks), marked_zone("affiliation", TWO[0])])
        assert len(byline.authors) == authors

    assert growth(read, 100) < 6


def _zones(*pairs: tuple[str, str]) -> list[LabelledZone]:
    return [marked_zone(label, text) for label, text in pairs]


def _back(text: str) -> LabelledZone:
    found = marked_zone("author", text)
    return LabelledZone(found.zone, Verdict("author", 0.9, "people-back"))


def test_a_line_may_hold_an_author_and_his_place() -> None:
    byline = read_byline(_zones(("both", "Anna Berg, Quay Hospital, Oslo"), ("both", "Robert Cole, Tide School, Bern")))
    assert [(author.family, author.affiliations) for author in byline.authors] == [("Berg", (0,)), ("Cole", (1,))]
    assert byline.affiliations == ("Quay Hospital, Oslo", "Tide School, Bern")


def test_a_line_without_a_name_is_a_place() -> None:
    several = marked_zone("both", "Anna Berg{sup:1}, Robert Cole{sup:2} and for the Tide Group")
    assert [author.family or author.collective for author in read_byline([several]).authors] == [
        "Berg",
        "Cole",
        "Tide Group",
    ]
    byline = read_byline(_zones(("both", "Quay Hospital Ward, Oslo")))
    assert (byline.authors, byline.affiliations) == ((), ("Quay Hospital Ward, Oslo",))


def test_cards_join_each_author_with_the_places_in_them() -> None:
    zones = _zones(
        ("author", "Anna Berg, Robert Cole"),
        ("author", "Anna Berg"),
        ("affiliation", "Quay Hospital"),
        ("author", "Robert Cole"),
        ("affiliation", "Tide School"),
        ("affiliation", "Quay Hospital"),
    )
    byline = read_byline(zones)
    assert [(author.family, author.affiliations) for author in byline.authors] == [("Berg", (0,)), ("Cole", (1, 0))]


def test_a_list_behind_the_abstract_adds_markers_but_no_strangers() -> None:
    zones = [
        *_zones(("author", "Anna Berg, Robert Cole")),
        _back("Anna Berg{sup:1}, Robert Cole{sup:2}, Eva Falk"),
        *_zones(("affiliation", "{sup:1}Quay Hospital"), ("affiliation", "{sup:2}Tide School")),
    ]
    found = read_byline(zones).authors
    assert [(author.family, author.affiliations) for author in found] == [("Berg", (0,)), ("Cole", (1,))]


def test_a_list_cut_short_is_completed_by_the_one_behind_the_abstract() -> None:
    zones = [*_zones(("author", "Anna Berg, Robert Cole et al")), _back("Anna Berg, Eva Falk, Robert Cole")]
    assert [author.family for author in read_byline(zones).authors] == ["Berg", "Falk", "Cole"]


def back(label: str, text: str) -> LabelledZone:
    return zone(label, text, method="people-back")


def joined(*zones: LabelledZone) -> list[tuple[str, tuple[int, ...]]]:
    return [(author.family, author.affiliations) for author in read_byline(zones).authors]


def test_a_list_without_markers_is_counted_as_far_as_the_names_count() -> None:
    assert links("Anna Berg{sup:2}, Robert Cole{sup:1,2}", "Quay Hospital", "Tide School") == [
        ("Berg", (1,)),
        ("Cole", (0, 1)),
    ]
    assert links("Anna Berg{sup:2}", "Quay Hospital", "Tide School") == [("Berg", ())]
    assert links("Anna Berg{sup:1}, Robert Cole{sup:2}", "Quay", "Tide", "Moor") == [("Berg", ()), ("Cole", ())]


def test_a_raised_list_of_markers_is_read_whole_before_a_label() -> None:
    names = "Anna Berg{sup:1, 2}E-mail author, Robert Cole{sup:2}"
    assert links(names, *TWO) == [("Berg", (0, 1)), ("Cole", (1,))]


def test_behind_the_text_names_may_be_listed_under_their_affiliation() -> None:
    front = [zone("author", "Anna Berg"), zone("author", "Robert Cole")]
    quay, tide = back("affiliation", "Quay Hospital"), back("affiliation", "Tide School")
    both, berg = back("author", "Anna Berg, Robert Cole"), back("author", "Anna Berg")
    assert joined(*front, quay, both, tide, berg) == [("Berg", (0, 1)), ("Cole", (0,))]
    assert joined(*front, quay, both, tide, berg, back("author", "Robert Cole")) == [("Berg", (0, 1)), ("Cole", (0,))]


def test_behind_the_text_affiliations_may_follow_their_names() -> None:
    front = [zone("author", "Anna Berg"), zone("author", "Robert Cole")]
    quay, tide = back("affiliation", "Quay Hospital"), back("affiliation", "Tide School")
    berg, cole = back("author", "Anna Berg"), back("author", "Robert Cole")
    assert joined(*front, berg, quay, cole, tide) == [("Berg", (0,)), ("Cole", (1,))]


@pytest.mark.parametrize(
    ("names", "below", "cut"),
    [
        ("Anna Berg, Robert Cole", "Quay Hospital", False),
        ("Anna Berg, Robert Cole", "et al.", True),
        ("Anna Berg, Robert Cole et al.", "Quay Hospital", True),
        ("Anna Berg, Robert Cole, +3 authors, Eva Falk", "Quay Hospital", True),
        ("Anna Berg, Robert Cole", "As Falk et al. have shown", False),
    ],
)
def test_a_list_is_cut_if_the_page_says_that_there_are_more(names, below, cut):
    zones = [zone("title", "Snow"), zone("author", names), zone("affiliation", below)]
    assert is_cut_list(zones, zones[1:2]) is cut
    assert not is_cut_list(zones, ())

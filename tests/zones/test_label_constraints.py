"""Lists of people: names beside known authors, numbered lines below a byline."""

from tests.growth import growth

from medharvest.records import Mark, Zone
from medharvest.zones.label_constraints import even_out_chances, find_listed_names, find_numbered_places

KNOWN = {0: ("author", 0.9)}


def _items(*texts: str, tail: str = "") -> list[Zone]:
    return [Zone(level=3, tag="li", path=f"ul[1]/li[{n}]{tail}", text=text) for n, text in enumerate(texts, 1)]


def _lines(*texts: str) -> list[Zone]:
    return [Zone(level=3, tag="p", path=f"p[{n}]", text=text) for n, text in enumerate(texts, 1)]


def _byline(text: str) -> Zone:
    """A byline whose digits are raised."""
    marks = (Mark(i, i + 1, "sup") for i, sign in enumerate(text) if sign.isdigit())
    return Zone(level=3, tag="p", path="p[9]", text=text, marks=tuple(marks))


def test_names_beside_a_known_author_are_authors_whatever_follows_them():
    zones = _items(
        "Anna Berg,",
        "Carl Dahl equal contributor,",
        "Eva Falk ORCID: orcid.org/0000-0001-2345-6789",
        "…",
        "Ida Lund, research fellow",
    )
    assert sorted(find_listed_names(zones, KNOWN, range(5))) == [1, 2, 4]


def test_names_may_stand_deeper_in_the_items():
    assert sorted(find_listed_names(_items("Anna Berg", "Carl Dahl", tail="/h2[1]"), KNOWN, range(2))) == [1]


def test_a_list_of_other_things_is_left_alone():
    zones = _items("Anna Berg", "Download", "Share", "Cite", "Print", "Snow Valley")
    assert find_listed_names(zones, KNOWN, range(6)) == {}
    assert find_listed_names(_lines("Anna Berg", "Carl Dahl"), KNOWN, range(2)) == {}
    assert find_listed_names(_items("Anna Berg", "Carl Dahl, Eva Falk", "Ida Lund, Ole Moe"), KNOWN, range(3)) == {}
    assert find_listed_names(_items("Anna Berg", "Carl Dahl " * 30), KNOWN, range(2)) == {}


def test_the_list_of_an_uncertain_author_is_not_searched():
    zones = _items("Anna Berg", "Carl Dahl", "Search")
    assert find_listed_names(zones, {0: ("author", 0.3)}, range(3)) == {}


def test_without_any_author_the_first_list_of_names_alone_counts():
    zones = [*_items("Home", "Issues"), *_items("Anna Berg, professor1", "Carl Dahl, clinical lecturer2", tail="/p[1]")]
    assert sorted(find_listed_names(zones, {}, range(4))) == [2, 3]
    assert find_listed_names(zones[:3], {}, range(3)) == {}


def test_lines_numbered_like_the_names_above_are_places():
    zones = [_byline("Anna Berg1, Carl Dahl2"), *_lines("1Quay Lab, Oslo", "2 Snow House, Bergen", "Other")]
    assert sorted(find_numbered_places(zones, KNOWN, range(4))) == [1, 2]
    assert sorted(find_numbered_places(zones, {**KNOWN, 1: ("affiliation", 0.9)}, range(4))) == [2]


def test_lines_that_do_not_count_as_the_names_do_are_left_alone():
    byline = _byline("Anna Berg1, Carl Dahl2, Eva Falk3")
    assert find_numbered_places([byline, *_lines("1Quay Lab", "2Snow House")], KNOWN, range(3)) == {}
    assert find_numbered_places([_byline("Anna Berg, Carl Dahl"), *_lines("1Quay Lab")], KNOWN, range(2)) == {}
    assert find_numbered_places([_byline("Anna Berg1, Carl Dahl3"), *_lines("1Quay Lab", "3Ho")], KNOWN, range(3)) == {}
    assert find_numbered_places(_lines("Anna Berg"), {}, range(1)) == {}


def test_a_numbered_note_is_not_an_affiliation():
    zones = [_byline("Anna Berg1,2, Carl Dahl1,2"), *_lines("1Quay Lab, Oslo", "2These authors contributed equally.")]
    assert sorted(find_numbered_places(zones, KNOWN, range(3))) == [1]


def test_many_items_take_little_work():
    assert (
        growth(lambda size: find_listed_names(_items(*["Anna Berg orcid " * 10] * size), KNOWN, range(size)), 100) < 6
    )
    find_listed_names([Zone(level=1, tag="p", path="/li[1]" * 20_000, text="Anna Berg")], KNOWN, range(1))


def test_probabilities_of_a_list_are_drawn_to_their_mean():
    chances = {1: (0.9, 0.0, 0.0), 2: (0.9, 0.0, 0.0), 3: (0.0, 0.0, 0.0), 9: (0.1, 0.0, 0.0)}
    evened = even_out_chances(chances, [[1, 2, 3]])
    assert evened[3][0] > 0.25
    assert evened[1][0] < 0.9
    assert evened[9] == chances[9]

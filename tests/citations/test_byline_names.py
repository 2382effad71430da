import pytest
from tests.citations.strategies import marked_zone, zone

from medharvest.citations.affiliations import find_touching_inline_words
from medharvest.citations.byline import is_author_list_cut_short, may_be_author_name, read_listed_names


def _names(source: str) -> list[str]:
    return [listed.name for listed in read_listed_names(marked_zone("author", source).zone)]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("Anna Berg, Carl Dahl and", ["Anna Berg", "Carl Dahl"]),
        ("Anna Berg, assistant professor, Carl Dahl, reader", ["Anna Berg", "Carl Dahl"]),
        ("Anna Berg mail, Carl Dahl et al.", ["Anna Berg", "Carl Dahl"]),
        ("View ORCID profile Anna Berg", ["Anna Berg"]),
        ("Anna Berg1,2, Carl Dahl2*", ["Anna Berg", "Carl Dahl"]),
        ("Anna Berg, Snow Hospital, Norway", ["Anna Berg"]),
        ("France Dahl, $author.name", ["France Dahl"]),
        ("Show more", []),
        ("for the Snow Study Group", ["for the Snow Study Group"]),
    ],
)
def test_names_are_taken_from_between_labels_roles_and_places(source, names):
    assert _names(source) == names


def test_markers_behind_a_role_belong_to_the_name_before_it():
    found = list(
        read_listed_names(marked_zone("author", "Anna Berg, assistant professor{sup:1}, Carl Dahl{sup:2}").zone)
    )
    assert [(name, markers) for name, markers in found] == [("Anna Berg", ("1",)), ("Carl Dahl", ("2",))]


def test_parts_that_touch_are_two():
    touching = zone("author", "Anna BergE-mail author", (0, 9, "span"), (9, 22, "a")).zone
    assert find_touching_inline_words(touching) == [9]
    assert [listed.name for listed in read_listed_names(touching)] == ["Anna Berg"]


def test_a_list_may_say_that_it_is_cut_short():
    assert is_author_list_cut_short([zone("author", "Anna Berg et al").zone])
    assert not is_author_list_cut_short([zone("author", "Anna Berg").zone])


def test_degrees_alone_are_nobody():
    assert not may_be_author_name("MD, PhD")
    assert may_be_author_name("Suryatenggara")
    assert not may_be_author_name("View ORCID Profile")
    assert may_be_author_name("Ada Full")


def test_credentials_that_no_list_knows_are_nobody_among_full_names():
    listed = list(read_listed_names(marked_zone("author", "Anna Berg, PhD1; Carl Dahl, PhD2; Eva Falk, MSPH1").zone))
    assert [(one.name.partition(",")[0], one.markers) for one in listed] == [
        ("Anna Berg", ("1",)),
        ("Carl Dahl", ("2",)),
        ("Eva Falk", ("1",)),
    ]
    assert _names("Anna Berg, Carl McDahl")[-1] == "Carl McDahl"

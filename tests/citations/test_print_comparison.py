from dataclasses import replace

import pytest

from medharvest.citations.byline import Byline
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.print_comparison import (
    add_metadata_affiliations,
    agrees_with_printed_line,
    copy_namesake_affiliations,
    have_same_letters,
    have_same_texts,
    prefers_printed_affiliations,
    prefers_printed_authors,
    share_most_words,
    spoken_names,
    with_metadata_details,
)
from medharvest.records import Author

ANNA, CARL, EVA = (Author(family=f, given=g) for f, g in (("Berg", "Anna"), ("Dahl", "Carl"), ("Falk", "Eva")))
GROUP = Author(collective="Snow Study Group")


def _printed(*authors: Author, places: tuple[str, ...] = ()) -> Byline:
    return Byline(authors, places, (), ())


def test_print_wins_where_it_holds_the_names_of_the_metadata():
    assert prefers_printed_authors(MetadataPeople((ANNA, CARL)), _printed(ANNA, CARL))
    assert prefers_printed_authors(MetadataPeople((ANNA, CARL)), _printed(ANNA, CARL, GROUP))
    assert prefers_printed_authors(
        MetadataPeople((Author(family="Leeuwen", given="T"),)), _printed(Author(family="Van Leeuwen", given="Thomas"))
    )
    assert prefers_printed_authors(MetadataPeople(), _printed(ANNA))


def test_print_loses_where_it_lacks_names_or_has_many_others():
    assert not prefers_printed_authors(MetadataPeople((ANNA, CARL, EVA)), _printed(ANNA, CARL))
    assert not prefers_printed_authors(MetadataPeople((ANNA,)), _printed(CARL))
    assert not prefers_printed_authors(
        MetadataPeople((ANNA, CARL)), _printed(ANNA, CARL, EVA, GROUP, Author(family="Snow"))
    )
    assert not prefers_printed_authors(MetadataPeople((ANNA,)), _printed())


def test_placeholders_of_the_metadata_may_be_missing_in_print():
    form = Author(family="$author.lastName", given="$author.firstName")
    assert prefers_printed_authors(
        MetadataPeople((ANNA, CARL, EVA, Author(family="Holm", given="O"), form)),
        _printed(ANNA, CARL, EVA, Author(family="Holm", given="O")),
    )


def test_identifiers_of_the_metadata_are_kept():
    known = (Author(family="Berg", given="A.", orcid="0000-0001", email="a@b.example"),)
    found = with_metadata_details((ANNA, CARL), known)
    assert (found[0].orcid, found[0].email, found[0].given) == ("0000-0001", "a@b.example", "Anna")
    assert found[1] == CARL


def test_printed_places_win_where_there_are_enough():
    assert prefers_printed_affiliations(MetadataPeople(affiliations=("a", "b")), _printed(places=("a x", "b y")))
    assert not prefers_printed_affiliations(MetadataPeople(affiliations=("a", "b", "c")), _printed(places=("a",)))
    assert not prefers_printed_affiliations(MetadataPeople(), _printed())


def test_authors_get_the_places_of_their_namesakes():
    printed = (replace(CARL, affiliations=(1,)), replace(ANNA, affiliations=(0,)))
    assert [author.affiliations for author in copy_namesake_affiliations((ANNA, CARL), printed)] == [(0,), (1,)]
    assert [author.affiliations for author in copy_namesake_affiliations((ANNA, CARL, EVA), printed)] == [
        (0,),
        (1,),
        (),
    ]


def test_of_several_namesakes_the_one_at_the_same_place_has_the_links():
    jun, joan = (
        Author(family="Kim", given="Jun", affiliations=(0,)),
        Author(family="Kim", given="Joan", affiliations=(1,)),
    )
    plain = [replace(one, affiliations=()) for one in (jun, joan)]
    assert [author.affiliations for author in copy_namesake_affiliations(plain, [jun, joan])] == [(0,), (1,)]


def test_links_of_the_metadata_stand_in_where_print_is_silent():
    places = ("Quay Hospital, Saltmere", "Moor Clinic")
    known = MetadataPeople(
        (replace(ANNA, affiliations=(0,)), replace(CARL, affiliations=(1, 2))),
        ("Quay Hospital Saltmere", "Moor Clinic", "Tide School"),
    )
    said = add_metadata_affiliations((ANNA, CARL, EVA, replace(ANNA, affiliations=(1,))), places, known)
    assert [author.affiliations for author in said] == [(0,), (), (), (1,)]


def test_lists_and_texts_are_compared_by_their_words():
    assert spoken_names((ANNA, GROUP)) == ("Anna Berg", "Snow Study Group")
    assert have_same_texts(["Snow, ice", "Sea"], ["sea", "snow ice"])
    assert have_same_letters(["snow", "ice"], ["snow, ice"])
    assert not have_same_letters(["ice", "snow"], ["snow, ice"])
    assert share_most_words(
        "Aim We slept well in the snow of the north that year", "We slept well in the snow of the north that year"
    )
    assert not share_most_words("We slept well", "We woke early")


@pytest.mark.parametrize(
    ("field", "value", "printed", "same"),
    [
        ("date", "2010-09-15", "2010", True),
        ("date", "2010", "2011", False),
        ("journal", "Archives of Estuary Medicine", "Arch Estuary Med", True),
        ("journal", "Tide", "TIDE", True),
        ("journal", "Tide", "Moor", False),
        ("volume", "7", "8", False),
    ],
)
def test_a_printed_line_agrees_with_what_is_known_or_not(field, value, printed, same):
    assert agrees_with_printed_line(field, value, printed) is same

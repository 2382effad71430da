from dataclasses import replace

from medharvest.citations.agreement import linked_to, prefers_print, prefers_printed_places, with_identifiers
from medharvest.citations.byline import Byline
from medharvest.citations.people import People
from medharvest.records import Author

ANNA, CARL, EVA = (Author(family=f, given=g) for f, g in (("Berg", "Anna"), ("Dahl", "Carl"), ("Falk", "Eva")))
GROUP = Author(collective="Snow Study Group")


def _printed(*authors: Author, places: tuple[str, ...] = ()) -> Byline:
    return Byline(authors, places, (), ())


def test_print_wins_where_it_holds_the_names_of_the_metadata():
    assert prefers_print(People((ANNA, CARL)), _printed(ANNA, CARL))
    assert prefers_print(People((ANNA, CARL)), _printed(ANNA, CARL, GROUP))
    assert prefers_print(
        People((Author(family="Leeuwen", given="T"),)), _printed(Author(family="Van Leeuwen", given="Thomas"))
    )
    assert prefers_print(People(), _printed(ANNA))


def test_print_loses_where_it_lacks_names_or_has_many_others():
    assert not prefers_print(People((ANNA, CARL, EVA)), _printed(ANNA, CARL))
    assert not prefers_print(People((ANNA,)), _printed(CARL))
    assert not prefers_print(People((ANNA, CARL)), _printed(ANNA, CARL, EVA, GROUP, Author(family="Snow")))
    assert not prefers_print(People((ANNA,)), _printed())


def test_placeholders_of_the_metadata_may_be_missing_in_print():
    form = Author(family="$author.lastName", given="$author.firstName")
    assert prefers_print(
        People((ANNA, CARL, EVA, Author(family="Holm", given="O"), form)),
        _printed(ANNA, CARL, EVA, Author(family="Holm", given="O")),
    )


def test_identifiers_of_the_metadata_are_kept():
    known = (Author(family="Berg", given="A.", orcid="0000-0001", email="a@b.example"),)
    found = with_identifiers((ANNA, CARL), known)
    assert (found[0].orcid, found[0].email, found[0].given) == ("0000-0001", "a@b.example", "Anna")
    assert found[1] == CARL


def test_printed_places_win_where_there_are_enough():
    assert prefers_printed_places(People(affiliations=("a", "b")), _printed(places=("a x", "b y")))
    assert not prefers_printed_places(People(affiliations=("a", "b", "c")), _printed(places=("a",)))
    assert not prefers_printed_places(People(), _printed())


def test_authors_get_the_places_of_their_namesakes():
    printed = (replace(CARL, affiliations=(1,)), replace(ANNA, affiliations=(0,)))
    assert [author.affiliations for author in linked_to((ANNA, CARL), printed)] == [(0,), (1,)]
    assert [author.affiliations for author in linked_to((ANNA, CARL, EVA), printed)] == [(0,), (1,), ()]

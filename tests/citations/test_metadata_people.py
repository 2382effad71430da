import pytest
from hypothesis import given
from tests.citations.strategies import items, meta_items
from tests.growth import growth

from medharvest.citations.metadata_fields import read_metadata_people
from medharvest.records import Author, MetaItem

ORCID = "0000-0000-4409-1267"
BERG, COLE = Author(family="Berg", given="Anna"), Author(family="Cole", given="Robert")


@pytest.mark.parametrize(
    ("rows", "authors"),
    [
        ([("citation_author", "Berg, Anna"), ("citation_author", "Robert Cole")], (BERG, COLE)),
        ([("citation_author", "Berg, Anna; Cole, Robert;")], (BERG, COLE)),
        ([("citation_authors", "Berg, Anna; Cole, Robert")], (BERG, COLE)),
        ([("author.0.name", "Anna Berg"), ("author.1.name", "Robert Cole")], (BERG, COLE)),
        ([("author.0", "Anna Berg"), ("author.1", "Robert Cole")], (BERG, COLE)),
        ([("author.name", "Anna Berg")], (BERG,)),
        ([("author", "Anna Berg")], (BERG,)),
        ([("author.familyName", "Berg"), ("author.givenName", "Anna")], (BERG,)),
        ([("author.familyName", "Suharti")], (Author(family="Suharti"),)),
        (
            [("author.familyName", "Cole"), ("author.givenName", "Robert"), ("author.honorificSuffix", "Jr., MD")],
            (Author(family="Cole", given="Robert", suffix="Jr"),),
        ),
        (
            [("author.@type", "Organization"), ("author.name", "on behalf of the Tide Crew")],
            (Author(collective="Tide Crew"),),
        ),
        ([("author.@type", "Organization")], ()),
        ([("author.@type", "Person"), ("author.name", "Anna Berg")], (BERG,)),
        ([("dc.creator", "Berg, Anna"), ("dc.creator", "Cole, Robert")], (BERG, COLE)),
        ([("dc.contributor.author", "Berg, Anna")], (BERG,)),
        ([("meta:author", "nobody asks for this name")], ()),
        ([("citation_author", "—"), ("dc.creator", "Berg, Anna")], (BERG,)),
        ([], ()),
    ],
)
def test_authors_are_read_from_every_way_of_naming_them(
    rows: list[tuple[str, str]], authors: tuple[Author, ...]
) -> None:
    assert read_metadata_people(items(*rows)).authors == authors


def test_a_plain_author_tag_is_the_last_resort() -> None:
    assert read_metadata_people([MetaItem("meta", "author", "Anna Berg")]).authors == (BERG,)
    both = [MetaItem("meta", "author", "Quay Press"), MetaItem("dc", "dc.creator", "Berg, Anna")]
    assert read_metadata_people(both).authors == (BERG,)


def test_one_source_names_the_authors_and_is_their_evidence() -> None:
    found = items(("dc.creator", "Berg, A"), ("citation_author", "Berg, Anna"), ("author.0.name", "A Berg"))
    people = read_metadata_people(found)
    assert (people.authors, people.author_items) == ((BERG,), (found[1],))


def test_what_follows_a_name_belongs_to_it_and_shared_places_are_listed_once() -> None:
    found = items(
        ("citation_author_institution", "before anyone"),
        ("citation_author", "Berg, Anna"),
        ("citation_author_institution", "Quay Hospital"),
        ("citation_author_orcid", f"https://orcid.org/{ORCID}"),
        ("citation_author", "Cole, Robert"),
        ("citation_author_institution", "Quay Hospital"),
        ("citation_author_affiliation", "Tide School"),
        ("citation_author_email", "cole@quay.example"),
        ("citation_author_institution", "Quay Hospital"),
    )
    people = read_metadata_people(found)
    assert people.affiliations == ("Quay Hospital", "Tide School")
    assert people.authors == (
        Author(family="Berg", given="Anna", orcid=ORCID, affiliations=(0,)),
        Author(family="Cole", given="Robert", email="cole@quay.example", affiliations=(0, 1)),
    )
    assert people.affiliation_items == (found[2], found[6])


def test_linked_data_gives_an_author_places_and_identifier() -> None:
    found = items(
        ("author.0.name", "Anna Berg"),
        ("author.0.email", "berg@quay.example"),
        ("author.0.sameAs", f"https://orcid.org/{ORCID}"),
        ("author.0.url", "https://quay.example/berg"),
        ("author.0.affiliation.0.name", "Quay Hospital"),
        ("author.0.affiliation.1", "Tide School"),
    )
    people = read_metadata_people(found)
    assert people.authors == (
        Author(family="Berg", given="Anna", email="berg@quay.example", orcid=ORCID, affiliations=(0, 1)),
    )
    assert people.affiliations == ("Quay Hospital", "Tide School")


@given(meta_items)
def test_no_metadata_raises_and_every_index_has_its_place(found: list[MetaItem]) -> None:
    people = read_metadata_people(found)
    assert all(0 <= i < len(people.affiliations) for author in people.authors for i in author.affiliations)
    assert bool(people.authors) == bool(people.author_items)
    assert set(people.author_items + people.affiliation_items) <= set(found)


def test_a_value_longer_than_any_list_of_names_names_nobody() -> None:
    assert len(read_metadata_people(items(("citation_authors", "Berg, A;" * 10_000))).authors) == 10_000
    assert read_metadata_people(items(("citation_authors", "Berg, A;" * 20_000))).authors == ()


def test_work_grows_with_the_number_of_authors_and_places() -> None:
    def read(size: int) -> None:
        rows = [
            row
            for i in range(size)
            for row in (("citation_author", f"Berg, A{i}"), ("citation_author_institution", f"Ward {i}"))
        ]
        assert len(read_metadata_people(items(*rows)).authors) == size

    assert growth(read, 100) < 6


def state(*rows: tuple[str, str]) -> list[MetaItem]:
    return [MetaItem("state", name, value) for name, value in rows]


def test_the_scripts_of_a_page_stand_in_where_the_metadata_names_no_places() -> None:
    named = [MetaItem("citation", "citation_author", "Berg, Anna")]
    scripts = state(("author.0.familyName", "Berg"), ("author.0.affiliation.0.name", "Quay Hospital"))
    assert read_metadata_people([*named, *scripts]).affiliations == ("Quay Hospital",)
    assert read_metadata_people(scripts).authors[0].family == "Berg"
    assert read_metadata_people([*named, *scripts[:1]]).authors[0].given == "Anna"
    placed = [*named, MetaItem("citation", "citation_author_institution", "Moor Clinic")]
    assert read_metadata_people([*placed, *scripts]).affiliations == ("Moor Clinic",)

"""Names, affiliations and lists of them in numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import pytest

from medharvest.citations.byline import Byline
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.people_numbers import (
    AFFILIATION_NUMBERS,
    AUTHOR_NUMBERS,
    NAME_NUMBERS,
    PLACE_NUMBERS,
    PeoplePage,
    PeopleReading,
    Readings,
    count_linked,
    number_affiliations,
    number_authors,
    number_name,
    number_place,
)
from medharvest.citations.print_comparison import author_match_key, fold_alphanumerics
from medharvest.records import Author, LabelledZone, Verdict, Zone

CLINIC, SCHOOL = "Sleep Clinic, General Hospital, 5000 Bergen, Norway", "School of Snow, Oslo"
ANNA, CARL = Author(family="Berg", given="Anna", affiliations=(0,)), Author(family="Dahl", given="C.")
KNOWN = MetadataPeople((Author(family="Berg", given="Anna"),), (CLINIC,), (), ())


def page(*, abstract: bool = True, known: MetadataPeople | None = None) -> PeoplePage:
    parts: list[tuple[str, str, tuple[float, ...]]] = [
        ("Menu", "unidentified", ()),
        ("Sleep and snow", "title", ()),
        ("Anna Berg, C. Dahl", "author", (0.9, 0.05, 0.05)),
        (CLINIC, "affiliation", (0.0, 0.8, 0.1)),
        (SCHOOL, "unidentified", (0.0, 0.3, 0.0)),
        ("Berg slept in the snow with research support.", "abstract" if abstract else "unidentified", ()),
        ("Anna Berg", "unidentified", (0.2, 0.0, 0.0)),
    ]
    zones = [
        LabelledZone(Zone(level=3, tag="p", path=f"/p[{i}]", text=text), Verdict(label, 0.9, "t"), chances)
        for i, (text, label, chances) in enumerate(parts)
    ]
    return PeoplePage(zones, known or MetadataPeople())


def reading(
    authors: Sequence[Author] = (ANNA, CARL), places: Sequence[str] = (CLINIC,), ways: tuple[str, ...] = ("trees",)
) -> PeopleReading:
    return PeopleReading(ways, Byline(tuple(authors), tuple(places), (), ()), (2,), (3,))


def name(author: Author, known: MetadataPeople | None = None, at: Sequence[int] = (2,)) -> dict[str, float]:
    return dict(zip(NAME_NUMBERS, number_name([CARL, author], 1, at, page(known=known)), strict=True))


def place(text: str, known: MetadataPeople | None = None, others: Sequence[str] = ()) -> dict[str, float]:
    texts = [text, *others]
    return dict(zip(PLACE_NUMBERS, number_place(texts, 0, [ANNA, CARL], (3, 4), page(known=known)), strict=True))


@pytest.mark.parametrize(
    "names", [NAME_NUMBERS, PLACE_NUMBERS, AUTHOR_NUMBERS, AFFILIATION_NUMBERS], ids=["name", "place", "list", "places"]
)
def test_every_number_has_a_name_of_its_own(names: Sequence[str]) -> None:
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("abstract", "end", "behind"), [(True, 5, 5), (False, 61, 61)])
def test_the_front_ends_at_the_abstract_or_far_below_the_title(end: int, behind: int, *, abstract: bool) -> None:
    one = page(abstract=abstract)
    assert (one.title, one.end, one.behind, one.has_abstract) == (1, end, behind, abstract)


def test_letters_are_counted_on_the_page_whatever_stands_between_them() -> None:
    assert [page().count(letters) for letters in ("berg", "annaberg", "falk", "")] == [4, 2, 0, 0]


def test_a_name_shows_its_place_its_parts_and_where_it_is_repeated() -> None:
    anna = name(ANNA)
    assert (anna["items"], anna["place"], anna["words"], anna["length"]) == (2, 0.5, 2, 9)
    assert (anna["repeats"], anna["full-repeats"], anna["linked"]) == (4, 2, 1)
    assert (anna["initials"], name(CARL)["initials"]) == (False, True)


@pytest.mark.parametrize(
    ("author", "number"),
    [
        (Author(collective="Snow Study Group"), "collective"),
        (Author(family="Hospital", given="Snow"), "institution"),
        (Author(family="Norway", given="Anna"), "country"),
        (Author(family="Profile", given="View"), "site-word"),
        (Author(family="Support", given="Research"), "plain"),
        (Author(family="BERG", given="ANNA"), "upper"),
        (Author(family="Berg2", given="Anna"), "digits"),
        (Author(family="Berg", given="Anna", orcid="0000-0001-2345-6789"), "orcid"),
        (Author(family="PhD", given="Anna"), "degree"),
    ],
)
def test_what_makes_a_name_doubtful_or_sure_is_a_number(author: Author, number: str) -> None:
    assert name(author)[number]
    assert not name(ANNA)[number]


def test_a_name_is_compared_with_the_metadata() -> None:
    assert (name(ANNA, KNOWN)["known-names"], name(ANNA, KNOWN)["known"]) == (1, True)
    assert (name(ANNA)["known-names"], name(ANNA)["known"]) == (0, False)
    assert not name(CARL, KNOWN)["known"]


def test_a_name_has_the_numbers_of_the_zone_that_prints_it() -> None:
    near, far, nowhere = name(ANNA), name(ANNA, at=(6,)), name(Author(family="Falk"))
    assert (near["chance-author"], near["below-title"], near["front"]) == (0.9, 1, True)
    assert (far["chance-author"], far["below-title"], far["front"]) == (0.2, 5, False)
    assert (nowhere["chance-author"], nowhere["below-title"], nowhere["zone-length"]) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Correspondence: Snow House", "contact"),
        ("We slept here. It snowed.", "sentence"),
        ("1 Snow House", "digit-start"),
        ("Snow House; Ice House", "semicolons"),
        ("Snow University and Ice University", "organisations"),
        ("Snow House, Oslo.", "stop"),
        ("Anna Moe, MD", "degree"),
        ("5000 Bergen", "postcode"),
        ("Anna Moe, Snow House", "begins-with-name"),
        ("Snow Hospital", "institution"),
        ("Snow House, Norway", "country"),
        ("See related articles", "site-word"),
        ("School of Snow", "inside"),
    ],
)
def test_what_makes_a_place_doubtful_or_sure_is_a_number(text: str, number: str) -> None:
    assert place(text, others=[SCHOOL])[number]
    assert not place("The house by the old snow road", others=[SCHOOL])[number]


def test_a_place_is_compared_with_the_metadata() -> None:
    numbers = ("known-places", "known", "known-like")
    assert [place(CLINIC, KNOWN)[one] for one in numbers] == [1, True, True]
    assert [place(CLINIC[:26], KNOWN)[one] for one in numbers] == [1, False, True]
    assert [place(SCHOOL, KNOWN)[one] for one in numbers] == [1, False, False]
    assert [place(CLINIC)[one] for one in numbers] == [0, False, False]


def test_a_place_shows_its_authors_and_its_zone() -> None:
    clinic, school = place(CLINIC), place(SCHOOL)
    assert (clinic["linked"], clinic["authors"], clinic["repeats"]) == (1, 2, 1)
    assert (clinic["chance-affiliation"], school["chance-affiliation"]) == (0.8, 0.3)


def authors(
    own: Readings, others: Sequence[Readings] = (), items: Mapping[Hashable, float] | None = None
) -> dict[str, float]:
    vector = number_authors(own, [own, *others], page(known=KNOWN), items or {})
    return dict(zip(AUTHOR_NUMBERS, vector, strict=True))


def places(
    own: Readings, others: Sequence[Readings] = (), items: Mapping[Hashable, float] | None = None
) -> dict[str, float]:
    vector = number_affiliations(own, [own, *others], page(known=KNOWN), items or {})
    return dict(zip(AFFILIATION_NUMBERS, vector, strict=True))


def test_a_list_is_seen_beside_all_other_lists() -> None:
    own, shorter = (reading(),), (reading([ANNA], ways=("low", "high")),)
    numbers = authors(own, [shorter])
    assert (numbers["items"], numbers["lists"], numbers["support"]) == (2, 2, 0.75)
    assert (numbers["longer-lists"], numbers["shorter-lists"], numbers["same-list"]) == (0, 1, 1)
    assert authors(shorter, [own])["longer-lists"] == 1


def test_a_list_shows_all_ways_that_gave_it() -> None:
    numbers = authors((reading(), reading(ways=("split", "kept low"))))
    assert numbers["ways"] == 3
    assert [way for way, given in numbers.items() if way.startswith("way ") and given] == [
        "way trees",
        "way split",
        "way kept low",
    ]


def test_a_list_shows_how_likely_its_items_are_and_what_it_leaves_out() -> None:
    items: dict[Hashable, float] = {author_match_key(ANNA): 0.75, author_match_key(CARL): 0.25}
    whole, part = authors((reading(),), items=items), authors((reading([ANNA]),), items=items)
    assert (whole["mean-item"], whole["least-item"], whole["doubtful-items"]) == (0.5, 0.25, 1.0)
    assert (whole["missing-items"], whole["most-missing"]) == (0, 0)
    assert (part["mean-item"], part["doubtful-items"]) == (0.75, 0.25)
    assert (part["missing-items"], part["most-missing"]) == (0.25, 0.25)


def test_a_list_is_compared_with_the_metadata_and_with_the_zones() -> None:
    numbers = authors((reading(),))
    assert (numbers["known-items"], numbers["known-here"], numbers["here-known"]) == (1, 1.0, 0.5)
    assert (numbers["zones"], numbers["nearest"], numbers["farthest"]) == (1, 1, 1)
    assert numbers["mean-chance"] == pytest.approx(0.95)
    assert numbers["left-out"] == pytest.approx(0.1 + 0.2)


def test_lines_of_people_that_a_list_does_not_print_count_against_it() -> None:
    whole, part = authors((reading(),)), authors((reading([CARL]),))
    assert (whole["unread"], whole["most-unread"]) == (0, 0)
    assert (part["unread"], part["most-unread"]) == pytest.approx((0.3, 0.2))  # the clinic's line, and Berg's own
    of_metadata = authors((reading([CARL])._replace(authors_at=()),))  # wherever the list was read
    assert of_metadata["unread"] == part["unread"]
    assert places((reading(),))["most-unread"] == pytest.approx(0.3)
    assert places((reading(places=(CLINIC, f"{SCHOOL}, Norway")),))["most-unread"] == pytest.approx(0.1)


def test_repeated_names_make_a_list_less_distinct() -> None:
    assert authors((reading([ANNA, ANNA]),))["distinct"] == 0.5
    assert authors((reading(),))["distinct"] == 1.0


def test_affiliations_show_their_links_and_their_wording() -> None:
    numbers = places((reading(places=(CLINIC, SCHOOL)),))
    assert (numbers["linked"], numbers["authors-linked"], numbers["authors"]) == (0.5, 0.5, 2)
    assert (numbers["known-like"], numbers["countries"], numbers["postcodes"]) == (0.5, 0.5, 0.5)
    assert (numbers["institutions"], numbers["all-institutions"]) == (1.0, True)


def test_affiliations_that_begin_with_a_name_of_the_page_are_counted() -> None:
    own = (reading(places=(f"Anna Berg, {CLINIC}", SCHOOL)),)
    assert places(own)["names-inside"] == 0.5
    assert places((reading(places=(CLINIC, SCHOOL)),))["names-inside"] == 0


def test_an_affiliation_inside_another_and_affiliations_of_one_institution_are_counted() -> None:
    numbers = places((reading(places=(CLINIC, "General Hospital", CLINIC + " North")),))
    assert numbers["inside"] == 3
    assert numbers["distinct-starts"] == pytest.approx(2 / 3)


def test_items_of_affiliations_are_known_by_their_letters() -> None:
    items: dict[Hashable, float] = {fold_alphanumerics(CLINIC): 0.9, fold_alphanumerics(SCHOOL): 0.6}
    numbers = places((reading(),), items=items)
    assert (numbers["least-item"], numbers["missing-items"]) == (0.9, 0.6)


def test_authors_with_an_affiliation_are_counted() -> None:
    assert count_linked([ANNA, CARL, ANNA]) == 2


def test_words_of_hidden_and_shown_zones_are_those_of_the_page() -> None:
    texts = {"Anna Berg": False, "the cole mine": True, "a dahl": False}
    zones = [
        LabelledZone(Zone(level=3, tag="p", path="", text=text, hidden=hidden), Verdict("unidentified", 0.5, "none"))
        for text, hidden in texts.items()
    ]
    assert [PeoplePage(zones, MetadataPeople()).writes_small(name) for name in ("Cole", "Dahl", "Berg")] == [
        True,
        True,
        False,
    ]

"""Authors and affiliations are chosen as whole lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.citations.strategies import marked_zone

from medharvest.boosted_trees import BoostedTrees, trees_from_data
from medharvest.citations import people_readings
from medharvest.citations.byline import Byline, splits_into_name_and_place
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.people_numbers import (
    AFFILIATION_NUMBERS,
    AUTHOR_NUMBERS,
    NAME_NUMBERS,
    PLACE_NUMBERS,
    PeoplePage,
    PeopleReading,
)
from medharvest.citations.people_readings import (
    PEOPLE_TREES,
    Candidate,
    PeopleTrees,
    _join_same_readings,
    choose_people,
    list_people_candidates,
    list_people_readings,
    people_trees_from_data,
    settle_people_labels,
    shipped_people_trees,
)
from medharvest.records import Author, LabelledZone, Verdict, Zone

CLINIC, SCHOOL = "Sleep Clinic, General Hospital, Oslo, Norway", "School of Snow, University of Bergen, Bergen, Norway"


def zones(*parts: tuple[str, str, tuple[float, ...]]) -> tuple[LabelledZone, ...]:
    return tuple(
        LabelledZone(Zone(level=3, tag="p", path=f"/html[1]/p[{i}]", text=text), Verdict(label, 0.9, "t"), chances)
        for i, (text, label, chances) in enumerate(parts)
    )


# The verdicts see the authors and one affiliation, the second labeller both affiliations and a name in a box.
PAGE = zones(
    ("Sleep and snow", "title", ()),
    ("Anna Berg, Carl Dahl", "author", (0.9, 0.0, 0.0)),
    (CLINIC, "affiliation", (0.0, 0.8, 0.0)),
    (SCHOOL, "unidentified", (0.0, 0.6, 0.0)),
    ("Eva Falk", "unidentified", (0.3, 0.0, 0.0)),
    ("We slept in the snow.", "abstract", ()),
)
KNOWN = MetadataPeople((Author(family="Berg", given="A."),), (), (), ())


def texts(candidates: list[Candidate]) -> list[tuple[str, ...]]:
    return [one.readings[0].byline.affiliations for one in candidates]


def named(candidates: list[Candidate]) -> list[list[str]]:
    return [[author.family for author in one.readings[0].byline.authors] for one in candidates]


def numbers(one: Candidate, names: tuple[str, ...]) -> dict[str, float]:
    return dict(zip(names, one.numbers, strict=True))


def _always(names: Sequence[str], score: float = 5.0) -> BoostedTrees:
    return trees_from_data({"features": list(names), "rounds": [[[[score]]]]})


def _larger(names: tuple[str, ...], name: str, limit: float, *, low: float = -2.0) -> BoostedTrees:
    tree = [[names.index(name), limit, 1, 2], [low], [2.0]]
    return trees_from_data({"features": list(names), "rounds": [[tree]]})


# Trees that refuse no name and no affiliation.
KEEPING = PeopleTrees(
    _always(AUTHOR_NUMBERS), _always(AFFILIATION_NUMBERS), _always(NAME_NUMBERS), _always(PLACE_NUMBERS)
)


def preferring(way: str, *, items: float) -> PeopleTrees:
    """Trees that prefer authors read in a way, and more affiliations than a number."""
    authors, places = _larger(AUTHOR_NUMBERS, way, 0.5), _larger(AFFILIATION_NUMBERS, "items", items)
    return PeopleTrees(authors, places, KEEPING.names, KEEPING.places)


def test_both_labellers_the_metadata_and_mixtures_of_them_are_readings() -> None:
    authors, affiliations = list_people_candidates(PAGE, KNOWN, KEEPING)
    assert named(authors) == [["Berg", "Dahl"], ["Berg", "Dahl", "Falk"], ["Berg"]]
    assert texts(affiliations) == [(CLINIC,), (CLINIC, SCHOOL)]
    assert authors[0].ways >= {"verdicts", "trees", "front"}
    assert authors[2].printed is None


def test_a_list_is_described_by_its_support_and_its_agreement() -> None:
    authors, affiliations = list_people_candidates(PAGE, KNOWN, KEEPING)
    both = numbers(authors[0], AUTHOR_NUMBERS)
    assert (both["items"], both["lists"], both["known-items"], both["way metadata"]) == (2, 3, 1, False)
    assert both["known-here"] == 1.0
    assert both["here-known"] == 0.5
    assert numbers(authors[1], AUTHOR_NUMBERS)["farthest"] == 4
    one, two = (numbers(place, AFFILIATION_NUMBERS) for place in affiliations)
    assert (one["longer-lists"], two["shorter-lists"]) == (1, 1)
    assert one["left-out"] > two["left-out"] == 0


def test_authors_and_affiliations_may_come_from_different_readings() -> None:
    trees = preferring("way metadata", items=1.5)
    names, places = choose_people(PAGE, KNOWN, trees)
    assert names is not None
    assert places is not None
    assert names.printed is None
    assert names.other is not None
    assert places.printed is not None
    assert places.printed.affiliations == (CLINIC, SCHOOL)
    assert places.chance > 0.8
    assert not places.agreed


def test_the_list_of_the_verdicts_may_need_to_be_much_less_probable_than_another() -> None:
    trees = preferring("way metadata", items=1.5)  # the odds of the two lists differ by a factor of 55
    for factor, printed in ((10.0, False), (100.0, True)):
        names, _ = choose_people(PAGE, KNOWN, replace(trees, verdict_factor=factor))
        assert names is not None
        assert (names.printed is not None) == printed


def test_a_list_that_both_labellers_give_is_agreed() -> None:
    trees = preferring("way verdicts", items=9)
    names, _ = choose_people(PAGE, KNOWN, trees)
    assert names is not None
    assert names.agreed


def test_zones_get_the_labels_of_the_lists_that_are_chosen() -> None:
    trees = preferring("way verdicts", items=1.5)
    settled = settle_people_labels(PAGE, KNOWN, trees)
    assert [zone.verdict.label for zone in settled] == [
        "title",
        "author",
        "affiliation",
        "affiliation",
        "unidentified",
        "abstract",
    ]
    assert not any(zone.chances for zone in settled)
    assert settle_people_labels(settled, KNOWN, trees) == settled


def test_a_page_without_people_gives_none() -> None:
    assert choose_people(zones(("Snow", "title", ())), MetadataPeople(), shipped_people_trees()) == (None, None)


def test_the_shipped_trees_know_these_numbers() -> None:
    trees = shipped_people_trees()
    assert trees.authors.features == AUTHOR_NUMBERS
    assert trees.affiliations.features == AFFILIATION_NUMBERS
    assert trees.names.features == NAME_NUMBERS
    assert trees.places.features == PLACE_NUMBERS
    assert trees.pages


def test_trees_that_do_not_match_their_digest_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_readings, "digest_of_data", lambda _data: "other")
    with pytest.raises(ValueError, match="damaged"):
        shipped_people_trees.__wrapped__()


def test_each_tree_is_built_from_its_own_data() -> None:
    data: dict[str, Any] = {name: {"features": [name], "rounds": [[[[1.0]]]]} for name in PEOPLE_TREES}
    trees = people_trees_from_data(data, frozenset({"d"}))
    assert [getattr(trees, name).features for name in PEOPLE_TREES] == [(name,) for name in PEOPLE_TREES]
    assert trees.pages == {"d"}
    del data["places"]
    with pytest.raises(KeyError, match="places"):
        people_trees_from_data(data)


def test_names_of_common_words_and_repetitions_are_left_out_of_a_further_list() -> None:
    page = zones(
        ("Sleep and snow", "title", ()),
        ("Anna Berg, Research Support, Carl Dahl, Anna Berg", "author", (0.9, 0.0, 0.0)),
        ("we thank them for their support of this research", "unidentified", ()),
    )
    assert ["Berg", "Dahl"] in named(list_people_candidates(page, MetadataPeople(), KEEPING)[0])


def ways_by_names(candidates: list[Candidate]) -> dict[tuple[str, ...], frozenset[str]]:
    return {tuple(names): one.ways for names, one in zip(named(candidates), candidates, strict=True)}


@pytest.mark.parametrize(
    ("low", "way"),
    [(-5.0, {"kept", "kept low"}), (-1.0, {"kept"}), (0.1, set())],
    ids=["refused", "doubtful", "likely"],
)
def test_lists_without_the_names_that_trees_refuse_are_further_candidates(low: float, way: set[str]) -> None:
    page = zones(
        ("Sleep and snow", "title", ()),
        ("Anna Berg, Wu Li, Carl Dahl", "author", (0.9, 0.0, 0.0)),
        (CLINIC, "affiliation", (0.0, 0.9, 0.0)),
    )
    short = _larger(NAME_NUMBERS, "length", 7.0, low=low)
    trees = PeopleTrees(KEEPING.authors, KEEPING.affiliations, short, KEEPING.places)
    authors, affiliations = list_people_candidates(page, MetadataPeople(), trees)
    found = ways_by_names(authors)
    assert found.get(("Berg", "Dahl"), frozenset()) == way
    assert ("Berg", "Li", "Dahl") in found
    assert texts(affiliations) == [(CLINIC,)]


def test_authors_keep_their_links_when_an_affiliation_before_theirs_is_refused() -> None:
    page = (
        *zones(("Sleep and snow", "title", ())),
        marked_zone("author", "Anna Berg{sup:1}, Carl Dahl{sup:2}, Eva Falk"),
        marked_zone("affiliation", "{sup:1}Snow House"),
        marked_zone("affiliation", f"{{sup:2}}{SCHOOL}"),
    )
    long = _larger(PLACE_NUMBERS, "length", 20.0, low=-5.0)
    trees = PeopleTrees(KEEPING.authors, KEEPING.affiliations, KEEPING.names, long)
    _, affiliations = list_people_candidates(page, MetadataPeople(), trees)
    whole, kept = (one.readings[0].byline for one in affiliations)
    assert whole.affiliations == ("Snow House", SCHOOL)
    assert kept.affiliations == (SCHOOL,)
    assert [author.affiliations for author in whole.authors] == [(0,), (1,), ()]
    assert [author.affiliations for author in kept.authors] == [(), (0,), ()]


def test_no_affiliation_is_refused_where_every_author_has_a_marker_of_one() -> None:
    page = (
        *zones(("Sleep and snow", "title", ())),
        marked_zone("author", "Anna Berg{sup:1}, Carl Dahl{sup:2}"),
        marked_zone("affiliation", "{sup:1}Snow House"),
        marked_zone("affiliation", f"{{sup:2}}{SCHOOL}"),
    )
    trees = PeopleTrees(
        KEEPING.authors, KEEPING.affiliations, KEEPING.names, _larger(PLACE_NUMBERS, "length", 20.0, low=-5.0)
    )
    assert texts(list_people_candidates(page, MetadataPeople(), trees)[1]) == [("Snow House", SCHOOL)]


def listed(tag: str, signature: str, *chances: tuple[float, ...]) -> tuple[LabelledZone, ...]:
    """Lines of one list below a title."""
    names = ("Anna Berg", "Carl Dahl", "Eva Falk", "Ida Holm")
    lines = (
        Zone(level=3, tag=tag, path=f"/html[1]/ul[1]/{tag}[{i}]", text=name, signature=signature)
        for i, name in enumerate(names[: len(chances)], 1)
    )
    none = Verdict("unidentified", 0.5, "none")
    return tuple(LabelledZone(line, none, own) for line, own in zip(lines, chances, strict=True))


def test_lines_that_are_written_alike_are_read_as_one_list() -> None:
    title = zones(("Sleep and snow", "title", ()))
    chances = ((0.6, 0.0, 0.0), (0.45, 0.1, 0.0), (0.6, 0.0, 0.0))
    items = list_people_candidates((*title, *listed("li", "ul/li", *chances)), MetadataPeople(), KEEPING)[0]
    assert ["Berg", "Dahl", "Falk"] in named(items)
    assert any("lists" in one.ways for one in items)
    other = listed("div", "aside/div.box", (0.55, 0.0, 0.0))
    both = list_people_candidates((*title, *listed("div", "p/div.name", *chances), *other), MetadataPeople(), KEEPING)
    assert any("likeliest lists" in one.ways and "lists" not in one.ways for one in both[0])
    paragraphs = list_people_candidates(
        (*title, *listed("p", "div/p", (0.6, 0, 0), (0.1, 0, 0))), MetadataPeople(), KEEPING
    )
    assert named(paragraphs[0]) == [["Berg"]]


def test_a_byline_that_several_ways_give_is_one_reading_but_the_metadata_stays_apart() -> None:
    berg, dahl = (Byline((Author(family=name),), (), (), ()) for name in ("Berg", "Dahl"))
    given = [(("verdicts",), berg), (("trees", "low"), berg), (("metadata",), berg), (("cleaned",), dahl)]
    joined = _join_same_readings(PeopleReading(ways, byline) for ways, byline in given)
    assert [one.ways for one in joined] == [("verdicts", "trees", "low"), ("metadata",), ("cleaned",)]


def split_of(*parts: tuple[str, str, tuple[float, ...]]) -> list[tuple[list[str], tuple[str, ...]]]:
    """The bylines that are read by splitting lines."""
    page = PeoplePage(zones(("Sleep and snow", "title", ()), *parts), MetadataPeople())
    return [
        ([author.family for author in one.byline.authors], one.byline.affiliations)
        for one in list_people_readings(page, MetadataPeople())
        if "split" in one.ways
    ]


def test_lines_that_go_on_with_a_place_behind_a_name_are_split() -> None:
    line, unlikely = f"Anna Berg, {CLINIC}", f"Carl Dahl, {SCHOOL}"
    assert split_of((line, "author", (0.6, 0.3, 0.0)), (unlikely, "unidentified", (0.01, 0.01, 0.01))) == [
        (["Berg"], (CLINIC,))
    ]
    assert split_of(("We slept.", "abstract", ()), (line, "unidentified", (0.2, 0.2, 0.0))) == []  # not in the front


@pytest.mark.parametrize(
    ("text", "splits"),
    [
        (f"Anna Berg, {CLINIC}", True),
        (f"Anna Berg: {SCHOOL}", True),
        ("Anna Berg, MD", False),
        ("Anna Berg, Carl Dahl, Eva Falk", False),
        (CLINIC, False),
        ("Anna Berg", False),
        ("Anna Berg, " + CLINIC * 10, False),
    ],
)
def test_a_name_and_a_place_are_told_from_other_lines(text: str, *, splits: bool) -> None:
    zone = Zone(level=3, tag="p", path="/html[1]/p[1]", text=text)
    assert splits_into_name_and_place(zone) is splits


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("ANNA BERG, CARL DAHL, EVA LI", [("ANNA", "BERG"), ("CARL", "DAHL"), ("EVA", "LI")]),
        ("Berg A, Cole BC.", [("A", "Berg"), ("BC", "Cole")]),
        ("A. Berg, B. C. Cole", [("A.", "Berg"), ("B. C.", "Cole")]),
    ],
)
def test_names_in_capitals_and_with_initials_are_read_whole(text: str, people: list[tuple[str, str]]) -> None:
    page = zones(("Sleep and snow", "title", ()), (text, "author", (0.9, 0.0, 0.0)))
    first = list_people_candidates(page, MetadataPeople(), KEEPING)[0][0]
    assert [(author.given, author.family) for author in first.readings[0].byline.authors] == people


def test_a_letter_with_a_number_behind_a_name_in_capitals_is_its_marker() -> None:
    page = (
        *zones(("Sleep and snow", "title", ())),
        marked_zone("author", "Anna BERGa1, Carl DAHLa2"),
        marked_zone("affiliation", f"{{sup:a1}}{CLINIC}"),
        marked_zone("affiliation", f"{{sup:a2}}{SCHOOL}"),
    )
    first = list_people_candidates(page, MetadataPeople(), KEEPING)[0][0]
    assert [(author.family, author.affiliations) for author in first.readings[0].byline.authors] == [
        ("BERG", (0,)),
        ("DAHL", (1,)),
    ]

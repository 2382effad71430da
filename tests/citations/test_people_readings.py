"""Authors and affiliations are chosen as whole lists."""

from __future__ import annotations

from medharvest.boosted_trees import BoostedTrees, trees_from_data
from medharvest.citations.metadata_fields import MetadataPeople
from medharvest.citations.people_readings import (
    AFFILIATION_NUMBERS,
    AUTHOR_NUMBERS,
    Candidate,
    PeopleTrees,
    choose_people,
    list_people_candidates,
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


def test_both_labellers_the_metadata_and_mixtures_of_them_are_readings() -> None:
    authors, affiliations = list_people_candidates(PAGE, KNOWN)
    assert named(authors) == [["Berg", "Dahl"], ["Berg", "Dahl", "Falk"], ["Berg"]]
    assert texts(affiliations) == [(CLINIC,), (CLINIC, SCHOOL)]
    assert authors[0].ways >= {"verdicts", "trees", "front"}
    assert authors[2].printed is None


def test_a_list_is_described_by_its_support_and_its_agreement() -> None:
    authors, affiliations = list_people_candidates(PAGE, KNOWN)
    both = numbers(authors[0], AUTHOR_NUMBERS)
    assert (both["items"], both["lists"], both["known-items"], both["way metadata"]) == (2, 3, 1, False)
    assert both["known-here"] == 1.0
    assert both["here-known"] == 0.5
    assert numbers(authors[1], AUTHOR_NUMBERS)["farthest"] == 4
    one, two = (numbers(place, AFFILIATION_NUMBERS) for place in affiliations)
    assert (one["longer-lists"], two["shorter-lists"]) == (1, 1)
    assert one["left-out"] > two["left-out"] == 0


def preferring(way: str, *, items: float) -> PeopleTrees:
    """Trees that prefer authors read in a way, and more affiliations than a number."""
    return PeopleTrees(_larger(AUTHOR_NUMBERS, way, 0.5), _larger(AFFILIATION_NUMBERS, "items", items))


def _larger(names: tuple[str, ...], name: str, limit: float) -> BoostedTrees:
    tree = [[names.index(name), limit, 1, 2], [-2.0], [2.0]]
    return trees_from_data({"features": list(names), "rounds": [[tree]]})


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
    assert trees.pages


def test_names_of_common_words_and_repetitions_are_left_out_of_a_further_list() -> None:
    page = zones(
        ("Sleep and snow", "title", ()),
        ("Anna Berg, Research Support, Carl Dahl, Anna Berg", "author", (0.9, 0.0, 0.0)),
        ("we thank them for their support of this research", "unidentified", ()),
    )
    assert ["Berg", "Dahl"] in named(list_people_candidates(page, MetadataPeople())[0])

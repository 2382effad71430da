"""Models that choose whole candidates learn from zone models that saw none of a page's family."""

from __future__ import annotations

import json

import pytest
from tests.zones import journal

from medharvest.boosted_trees import digest_of_data, trees_from_data
from medharvest.citations.people_numbers import AFFILIATION_NUMBERS, AUTHOR_NUMBERS, NAME_NUMBERS, PLACE_NUMBERS
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from medharvest.zones.labeller import zone_models_from_data
from training import reading_models
from training.article_records import records_of_pages
from training.reading_models import ReadingTrainer

PAGES: list[ReadPage] = [
    LabelledPage(id=str(n), body=journal.html(n).encode(), truth=journal.row(n), layout=layout)
    for n, layout in enumerate(["a_1", "a_2", "b", "c"])
]


@pytest.fixture(scope="module")
def trainer() -> ReadingTrainer:
    return ReadingTrainer(PAGES, sites=4)


def test_a_layout_gets_models_without_its_family(trainer: ReadingTrainer) -> None:
    models = trainer.models_by_layout()
    assert models.keys() == {"a_1", "a_2", "b", "c"}
    assert models["a_1"] is models["a_2"]
    assert models["a_1"] is not models["b"]
    people = models["b"].build().people
    assert people.authors.features == AUTHOR_NUMBERS
    assert people.affiliations.features == AFFILIATION_NUMBERS
    assert people.names.features == NAME_NUMBERS
    assert people.places.features == PLACE_NUMBERS


def test_the_files_carry_their_digests_and_pages(trainer: ReadingTrainer) -> None:
    zones, people = map(json.loads, trainer.package())
    assert zones["digest"] == digest_of_data(zones["models"])
    assert people["digest"] == digest_of_data(people["trees"])
    assert len(zones["card"]["pages"]) == len(people["pages"]) == 4
    assert zone_models_from_data(zones["models"]).runs.features
    assert trees_from_data(people["trees"]["affiliations"]).rounds


def test_generated_pages_are_printed_from_the_records_of_other_families_only(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[set[str]] = []

    def invent(records, **_given):
        printed.append({record["title"] for record in records})
        return ()

    monkeypatch.setattr(reading_models, "invent_article_pages", invent)
    ReadingTrainer(PAGES, sites=4)
    titles = {page.layout: page.truth["title"] for page in PAGES}
    assert sorted(map(sorted, printed)) == sorted(
        map(sorted, [{titles["a_1"], titles["a_2"]}, {titles["b"]}, {titles["c"]}])
    )


def test_pages_whose_truth_lacks_something_are_no_records() -> None:
    bare: ReadPage = LabelledPage(id="x", body=b"", truth={"title": "Snow", "authors": ["Anna Berg"]}, layout="x")
    found = [
        {name: value for name, value in one.items() if name != "sections"} for one in records_of_pages([bare, *PAGES])
    ]
    assert found == [page.truth for page in PAGES]

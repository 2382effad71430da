"""The shipped models of zones."""

from __future__ import annotations

from typing import Any

import pytest

from medharvest.boosted_trees import digest_of_data
from medharvest.zones import labeller
from medharvest.zones.abstract_runs import RUN_NUMBERS
from medharvest.zones.labeller import (
    PARAGRAPH_NUMBERS,
    PERSON_NUMBERS,
    PERSON_STATES,
    TITLE_NUMBERS,
    TREES_OF_ZONES,
    shipped_zone_card,
    shipped_zone_models,
    zone_models_from_data,
)

NUMBERS = {
    "titles": TITLE_NUMBERS,
    "people": PERSON_NUMBERS,
    "other_people": PERSON_NUMBERS,
    "paragraphs": PARAGRAPH_NUMBERS,
    "runs": RUN_NUMBERS,
}


def test_the_models_are_what_their_digest_says(monkeypatch: pytest.MonkeyPatch) -> None:
    content = labeller._read_zone_models_file()
    assert content["digest"] == digest_of_data(content["models"])
    monkeypatch.setattr(labeller, "_read_zone_models_file", lambda: {**content, "digest": "other"})
    with pytest.raises(ValueError, match="damaged"):
        labeller.shipped_zone_models.__wrapped__()


def test_the_card_tells_how_many_layouts_and_which_pages_were_seen() -> None:
    card = shipped_zone_card()
    assert card.layouts >= 30
    assert len(card.pages) >= card.layouts
    assert all(len(digest) == 64 for digest in card.pages)


@pytest.mark.parametrize("name", TREES_OF_ZONES)
def test_the_shipped_trees_know_the_numbers_that_they_are_given(name: str) -> None:
    trees = getattr(shipped_zone_models(), name)
    assert trees.features == NUMBERS[name]
    assert len(trees.rounds[0]) == (len(PERSON_STATES) if "people" in name else 1)


@pytest.mark.parametrize("missing", TREES_OF_ZONES)
def test_models_need_all_their_trees(missing: str) -> None:
    trees: dict[str, Any] = {"features": ["a"], "rounds": [[[[1.0]]]]}
    with pytest.raises(KeyError, match=missing):
        zone_models_from_data({name: trees for name in TREES_OF_ZONES if name != missing})

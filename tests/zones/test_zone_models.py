"""The shipped models of zones."""

from __future__ import annotations

from typing import Any

import pytest

from medharvest.boosted_trees import digest_of_data
from medharvest.zones import labeller
from medharvest.zones.abstract_runs import RUN_NUMBERS
from medharvest.zones.labeller import (
    PARAGRAPH_NUMBERS,
    PDF_PARAGRAPH_NUMBERS,
    PDF_PERSON_NUMBERS,
    PDF_TITLE_NUMBERS,
    PERSON_NUMBERS,
    PERSON_STATES,
    TITLE_NUMBERS,
    TREES_OF_ZONES,
    shipped_pdf_models,
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
PDF_NUMBERS_OF = {
    "titles": PDF_TITLE_NUMBERS,
    "people": PDF_PERSON_NUMBERS,
    "other_people": PDF_PERSON_NUMBERS,
    "paragraphs": PDF_PARAGRAPH_NUMBERS,
    "runs": RUN_NUMBERS,
}


@pytest.mark.parametrize("name", ["zone", "pdf"])
def test_the_models_are_what_their_digest_says(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = labeller._read_models_file({"zone": "models.json", "pdf": "pdf_models.json"}[name])
    assert content["digest"] == digest_of_data(content["models"])
    monkeypatch.setattr(labeller, "_read_models_file", lambda _name: {**content, "digest": "other"})
    with pytest.raises(ValueError, match="damaged"):
        getattr(labeller, f"shipped_{name}_models").__wrapped__()


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
    trees = getattr(shipped_pdf_models(), name)
    assert trees.features == PDF_NUMBERS_OF[name]


@pytest.mark.parametrize("missing", TREES_OF_ZONES)
def test_models_need_all_their_trees(missing: str) -> None:
    trees: dict[str, Any] = {"features": ["a"], "rounds": [[[[1.0]]]]}
    with pytest.raises(KeyError, match=missing):
        zone_models_from_data({name: trees for name in TREES_OF_ZONES if name != missing})

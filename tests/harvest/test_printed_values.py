"""Whether a page prints a value of its record."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harvest.test_review_tasks import asked

from medharvest.codec import to_json
from medharvest.records import Author, Citation


@pytest.mark.parametrize(
    ("label", "values", "found"),
    [
        ("title", {"title": "Tides and Gout"}, True),
        ("title", {"title": "Tides and gout in a harbour town of the north"}, False),  # of which little stands there
        ("title", {"title": "A letter from the harbour"}, True),
        ("title", {}, False),
        ("author", {"authors": (Author(family="Moe", given="Ann"),)}, True),
        ("author", {"authors": (Author(family="Moe", given="Ann"), Author(family="Roe", given="Ben"))}, True),
        ("author", {"authors": (Author(family="Roe", given="Ben"),)}, False),
        ("affiliation", {"affiliations": ("Pilots by the Sea, Tidemouth",)}, True),
        ("affiliation", {"affiliations": ("Pilots by the Sea, Tidemouth", "Old Customs Shed, Kelp Bay")}, False),
        ("abstract", {"abstract": "We followed forty people over two winters, and most were well in spring."}, True),
        ("abstract", {"abstract": "We followed nobody."}, False),
    ],
)
def test_a_value_is_found_where_the_page_prints_most_of_it(label: str, values: dict[str, Any], found: bool) -> None:  # noqa: FBT001
    assert asked("find", citation=to_json(Citation(**values)), label=label) == {"found": found}

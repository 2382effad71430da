"""Charts, and figures of agreement."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from medharvest.records import Citation
from medharvest.store.people import Keying
from medharvest.web.responses import draw_bar, draw_curve, draw_histogram
from medharvest.web.views.people import cohen_kappa, find_conflicting_fields, measure_agreement


@pytest.mark.parametrize(("share", "width"), [(0.0, "0.0"), (0.25, "25.0"), (7.0, "100.0"), (-1.0, "0.0")])
def test_a_bar_is_filled_to_its_share(share: float, width: str) -> None:
    assert f'width="{width}"' in draw_bar(share, "a <b>")
    assert "a &lt;b&gt;" in draw_bar(share, "a <b>")


def test_a_histogram_counts_tenths() -> None:
    text = draw_histogram([0.05, 0.95, 0.99, 1.0], "scores")
    assert re.findall(r'text-anchor="middle">(\d+)<', text) == ["1", "3"]
    assert 'aria-label="scores"' in text
    assert "NaN" not in draw_histogram([], "none")


def test_a_curve_goes_through_its_points() -> None:
    assert 'points="24.0,116.0 296.0,24.0"' in draw_curve([(0, 0), (10, 5)], "records")
    assert "polyline" in draw_curve([], "records")


def test_agreement_is_counted_field_by_field() -> None:
    looked = frozenset({"title", "language", "doi"})
    one = Keying(citation=Citation(title="A", language="en", volume="1"), looked=looked)
    two = Keying(citation=Citation(title="B", language="en", volume="2"), looked=looked | {"volume"})
    table = {line.field.name: line for line in measure_agreement([(one, two), (one, one)])}
    assert (table["title"].pairs, table["title"].same, table["title"].share) == (2, 1, 0.5)
    assert table["language"].share == 1.0
    assert table["title"].kappa is None
    assert table["doi"].share == 1.0  # both looked, and found none
    assert "volume" not in table
    assert find_conflicting_fields(one, replace(two, decided=frozenset({"title"}))) == []
    assert [(field.name, first, second) for field, first, second in find_conflicting_fields(one, two)] == [
        ("title", "A", "B")
    ]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "a"), ("b", "b")], 1.0),
        ([("a", "b"), ("b", "a")], -1.0),
        ([("a", "a"), ("a", "a")], None),
        ([("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15, 0.4),
    ],
)
def test_kappa_is_agreement_beyond_chance(pairs: list[tuple[str, str]], expected: float | None) -> None:
    assert cohen_kappa(pairs) == (expected if expected is None else pytest.approx(expected))

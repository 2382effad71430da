"""A chart is well-formed SVG whose points stand where their values are."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from bench.plot import Chart, LineChart, draw, draw_lines

SVG = "{http://www.w3.org/2000/svg}"


def test_points_stand_in_the_order_of_their_values_on_a_logarithmic_abscissa():
    tree = ET.fromstring(draw(Chart("Cost", "pages", "ms", [(1_000, 2.0), (10_000, 2.0), (100_000, 4.0)])))
    places = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in tree.iter(f"{SVG}circle")]
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.2)
    assert places[0][1] == places[1][1] > places[2][1]
    assert {"1,000", "10,000", "100,000", "Cost", "pages", "ms", "0"} <= {text.text for text in tree.iter(f"{SVG}text")}


@pytest.mark.parametrize("most", [0.0031, 0.7, 1.0, 2.5, 9.99, 40, 123_456])
def test_no_point_leaves_the_chart(most):
    tree = ET.fromstring(draw(Chart("Cost", "pages", "ms", [(10, most), (20, most / 7)])))
    rules = [float(line.attrib["y1"]) for line in tree.iter(f"{SVG}line")]
    assert 4 <= len(rules) <= 8
    for dot in tree.iter(f"{SVG}circle"):
        assert min(rules) - 0.1 <= float(dot.attrib["cy"]) <= max(rules)


def test_every_line_is_drawn_and_named_on_linear_axes():
    lines = {"one": [(0.0, 10.0), (30.0, 20.0), (60.0, 30.0)], "other": [(0.0, 5.0), (60.0, 5.0)]}
    tree = ET.fromstring(draw_lines(LineChart("Memory", "minutes", "MB", lines)))
    drawn = [line.attrib for line in tree.iter(f"{SVG}polyline")]
    places = [[tuple(map(float, place.split(","))) for place in one["points"].split()] for one in drawn]
    assert [len(place) for place in places] == [3, 2]
    assert len({one["stroke"] for one in drawn}) == 2
    (x0, y0), (x1, y1), (x2, y2) = places[0]
    assert (x1 - x0, y1 - y0) == pytest.approx((x2 - x1, y2 - y1), abs=0.2)
    assert y0 > y2
    assert {"Memory", "minutes", "MB", "one", "other", "0", "60"} <= {text.text for text in tree.iter(f"{SVG}text")}

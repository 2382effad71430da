"""The soak crawls and reviews what it says, and sees a process that grows."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from bench.plot import draw_lines
from bench.render_soak import describe_soak, soak_chart
from bench.soak import Sample, judge, slope, soaked
from bench.soak_site import renew, round_pages

from medharvest.records import Kind


def samples(*megabytes: float, files: int = 9, threads: int = 3) -> list[Sample]:
    return [Sample(60.0 * n, one, files, threads) for n, one in enumerate(megabytes)]


def test_a_few_seconds_are_rendered():
    about: dict[str, Any] = {"command": "python -m bench.soak", "commit": "0" * 40, "cores": 2}
    result = about | {"versions": {"python": "3.11"}} | soaked(2.0, people=1, pause=0.0, records=20)
    assert result["failures"] == []
    assert result["articles"] >= 9
    assert result["files"] >= 16
    assert result["topic pages"] > 2
    assert {"crawl", "review"} <= result["processes"].keys()
    text = " ".join(describe_soak(result))
    assert "no acknowledged write was lost or doubled" in text
    assert text.count("| yes |") + text.count("| no |") == len(result["processes"])
    assert ET.fromstring(draw_lines(soak_chart(result))).tag.endswith("svg")


@pytest.mark.parametrize(
    ("seen", "flat"),
    [
        (samples(50, 90, 100, 101, 99, 100, 100, 101), True),
        (samples(100, 100, 100, 100, 103, 103, 106, 106), False),
        (samples(100, 100, 100, 100, 300, 100, 100, 100), True),  # a single peak
        (samples(*[1000.0] * 4, *[1031.0] * 4), False),
        ([*samples(*[100.0] * 4), *samples(*[100.0] * 4, files=13)], False),
        ([*samples(*[100.0] * 4), *samples(*[100.0] * 4, threads=7)], False),
    ],
)
def test_a_process_that_grows_is_not_flat(seen, flat):
    assert judge(seen)["flat"] is flat


def test_the_slope_is_that_of_most_points():
    assert slope([(0, 1), (1, 3), (2, 5), (3, 900), (4, 9)]) == pytest.approx(2)


def test_a_round_has_its_own_addresses_and_dois():
    page = b'<a href="/estuary/issue/20/1">doi:10.5555/aem.2024.240001</a>'
    assert renew(page, "r7") == b'<a href="/r7/estuary/issue/20/1">doi:10.5555/r7.aem.2024.240001</a>'
    assert renew(page, "r107") == b'<a href="/r107/estuary/issue/20/1">doi:10.5555/r7.aem.2024.240001</a>'
    assert renew(page, "r0") == b'<a href="/r0/estuary/issue/20/1">doi:10.5555/aem.2024.240001</a>'
    assert renew(b"Volume 20, Issue 1", "r7", "20") == b"Volume 107, Issue 1"
    first, others = round_pages()
    assert others.items() < first.items()
    assert {page.kind for path, page in first.items() if path not in others} == {Kind.PDF}

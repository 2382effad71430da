"""The raw result of the blocks is within its limits, and its tables compare by the median."""

from __future__ import annotations

import json
import statistics

import pytest

from bench import render


@pytest.fixture
def result(root):
    return json.loads((root / "bench" / "results" / "blocks.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("scan", "most"), [("blocks by code distance", 2.0), ("blocks by text distance", 6.0)])
def test_blocks_cost_no_more_than_so_many_times_the_parser(result, scan, most):
    assert statistics.median(result["scans"][scan]) <= most * statistics.median(result["scans"]["selectolax"])


def test_body_texts_are_better_than_those_of_slower_extractors_in_a_quarter_of_the_time(result):
    own, other = (statistics.median(result["speeds"][name]) for name in ("medharvest", "trafilatura"))
    assert result["texts"]["medharvest"]["f1"] >= 0.945
    assert own <= other / 4


def test_the_tables_compare_medians():
    figures = dict.fromkeys(("f1", "precision", "recall", "kept", "left_out"), 0.5)
    lines = render.scanning(
        {
            "command": "python -m bench.blocks",
            "commit": "0" * 40,
            "versions": {"python": "3.11"},
            "pages": 2,
            "links": 3000,
            "characters": 4_000_000,
            "scans": {"selectolax": [0.1, 0.2, 0.9], "blocks": [0.3, 0.4, 0.5]},
            "content": 1,
            "speeds": {"medharvest": [1.0, 1.0, 3.0], "other": [5.0, 4.0, 6.0]},
            "texts": {"medharvest": figures, "other": figures},
            "aside": {"medharvest": {"f1": 0.25}, "other": {"f1": 0.25}},
        }
    )
    assert "| blocks | 400 | 2.00 |" in lines
    assert "| other | 5000 | 5.0 | 0.500 | 0.500 | 0.500 | 0.500 | 0.500 | 0.250 |" in lines

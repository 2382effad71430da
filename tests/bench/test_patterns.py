"""The growth of a pattern is told from two lengths of its bad texts."""

from __future__ import annotations

import json
import re

import pytest
from tests.hostile.patterns import CUT_TEXTS, UsedPattern

from bench import patterns, render_patterns


def grow(text: str, length: int = 3_000) -> list[patterns.Growth]:
    return list(patterns.measure_pattern(UsedPattern("p", re.compile(text), frozenset({"search"})), length))


@pytest.mark.parametrize(("twice", "failure"), [(0.8, "grows too fast"), (0.41, ""), (0.004, "")])
def test_a_ratio_that_no_linear_search_has_is_a_failure(twice, failure, monkeypatch):
    monkeypatch.setattr(patterns, "_time_search", lambda *_: (0.2, twice))
    assert {one.failure for one in grow(r"a+b")} == {failure}


def test_a_cut_text_has_no_ratio_and_may_only_not_take_long(monkeypatch):
    monkeypatch.setitem(CUT_TEXTS, "p", 50)
    monkeypatch.setattr(patterns, "_time_search", lambda *_: (0.2, 0.2))
    assert {(one.ratio, one.failure) for one in grow(r"a+b")} == {(None, "slow although cut")}


def test_a_pattern_is_called_on_its_texts():
    assert all(one.seconds >= 0 for one in grow(r"a+b", 100))


def test_a_search_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(patterns, "_ENDLESS", 0.2)
    assert "does not end" in {one.failure for one in grow(r"(?:\w+,?)+;")}


def test_figures_are_described():
    result = patterns.describe_patterns_run(grow(r"a+b", 100), 1, 100, 0.5)
    lines = render_patterns.describe_patterns(result)
    assert lines[0].startswith("## ")
    assert json.loads(json.dumps(result))["failures"] == []
    slow = patterns.Growth("p", "search", "'a'…'b'", 100, 0.01, 0.04, 4.0, "grows too fast")
    told = render_patterns.describe_patterns(patterns.describe_patterns_run([slow], 1, 100, 0.5))
    assert any("4.00" in line for line in told)


def test_the_raw_result_has_no_failure(root):
    file = root / "bench" / "results" / "patterns.json"
    if not file.exists():
        pytest.skip("not run: no result of bench.patterns yet")
    assert json.loads(file.read_text(encoding="utf-8"))["failures"] == []

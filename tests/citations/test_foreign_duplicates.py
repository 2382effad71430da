"""Duplicates of other people's files, of a folder that SHARED_FOLDER names, as their labels have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bench.duplicates import match_sets, read_set, score_pairs

FOLDER = Path(os.environ.get("SHARED_FOLDER", "")) / "records" / "foreign" / "duplicates"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs SHARED_FOLDER with labelled duplicates")
@pytest.mark.parametrize("name", ["special_cases", "respiratory", "stroke"])
def test_labelled_duplicates_are_found_and_nothing_else_is_merged(name: str) -> None:
    records, truth = read_set(FOLDER, name)
    score = score_pairs(match_sets(records), truth)
    assert score.precision >= 0.995
    assert score.recall >= (1.0 if name == "special_cases" else 0.98)

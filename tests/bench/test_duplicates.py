"""The bench of duplicates, on a set of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.duplicates import match_sets, read_set, score_pairs
from bench.render_duplicates import describe_duplicates

HEAD = "ID,title,year,author,pages,volume,number,ENTRYTYPE,journal"
ROWS = (
    'a,Tidal volume and gout in adults: a cohort,2031,"Marsh, Ada and Holt, Per",201-9,12,3,article,Annals of Tides',
    'b,[Tidal volume and gout in adults: a cohort] [Swedish],2031,"Marsh, A.",201-209,12 (Suppl 1),,article,Ann Tides',
    'c,Kelp iodine for the thyroid of harbour pilots,2031,"Reed, Tom",210-4,12,3,article,Annals of Tides',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "respiratory.records_pre_merged.csv").write_text("\n".join((HEAD, *ROWS)), encoding="utf-8")
    (tmp_path / "respiratory.merged_record_ids.csv").write_text("merged_ids\na;b\n", encoding="utf-8")
    return tmp_path


def test_pairs_are_joined_and_scored(folder: Path) -> None:
    records, truth = read_set(folder, "respiratory")
    assert match_sets(records) == truth == {("a", "b")}
    assert score_pairs({("a", "b"), ("a", "c")}, truth).precision == pytest.approx(0.5)
    assert score_pairs(set(), truth).f1 == 0


def test_one_contender_is_measured_in_a_process_and_rendered(folder: Path, root: Path) -> None:
    command = [sys.executable, "-m", "bench.duplicates", str(folder), "--one", "medharvest", "respiratory"]
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=True)
    run = json.loads(done.stdout)
    assert (run["records"], run["pairs"], run["f1"], run["uncertain"]) == (3, 1, 1.0, 0)
    result = {"command": "x", "commit": "0" * 40, "versions": {}, "runs": {"respiratory": {"medharvest": [run]}}}
    assert "| respiratory | 3 | 1 | medharvest | 1.0000 | 1.0000 | 1.0000 | 0 |" in "\n".join(
        describe_duplicates(result)
    )

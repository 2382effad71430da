"""The bench of search, on a small collection, and the page rendered from its results."""

from __future__ import annotations

import json
import sys

from bench import recall, render_search, search


def test_a_small_collection_is_filled_further_and_searched(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(search, "QUERIES", 2)
    file, result = tmp_path / "b.sqlite", tmp_path / "search.json"
    arguments = ["--sizes", "20,30", "--database", str(file), "--result", str(result)]
    monkeypatch.setattr(sys, "argv", ["search", *arguments])
    search.main()
    told = json.loads(result.read_text(encoding="utf-8"))
    assert [row["filling"]["records"] for row in told["sizes"]] == [20, 10]
    assert told["sizes"][1]["all"]["queries"] == 2 * len(search.KINDS)
    found = {name: row["found_p50"] for name, row in told["sizes"][1]["kinds"].items()}
    assert min(found[name] for name in ("two words", "a phrase", "words of a title", "a DOI")) >= 1
    assert "wrote" in capsys.readouterr().out
    page = render_search.searching(told, None)
    assert "| query | 20 records | 30 records |" in page
    assert "## What widening finds" not in page


def test_a_record_is_the_same_each_time_and_none_is_another():
    assert search.record(7) == search.record(7)
    assert len({search.record(n).title for n in range(50)}) == 50


def test_the_table_of_recall_has_a_row_a_topic():
    row = {"found": 8, "recall": 0.25, "precision": 0.5}
    ways = {way: {**row, "rise": 0.1, "topics": {"wet beds": row}} for way in render_search.WAYS}
    told = {
        "ways": ways, "default": "near", "relevant": {"wet beds": 3}, "pages": 5, "commit": "c" * 40,
        "command": "python -m bench.recall", "versions": {"medharvest": "1"},
    }  # fmt: skip
    page = render_search.searching(None, told)
    assert f"| wet beds, 3 relevant |{' 25 / 50 (8) |' * 5}" in page
    assert "| recall to bare |  | +10 % |" in page
    assert recall.RESULT.name == "recall.json"

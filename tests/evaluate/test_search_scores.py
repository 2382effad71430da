"""Searches of a small offline web, bare and widened."""

from __future__ import annotations

import json
import sqlite3
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from medharvest.cli.main import command_group
from medharvest.evaluate.search_scores import SEARCH_WAYS, recall_rise, score_search, search_score_table
from medharvest.evaluate.topic_scores import OfflineWeb, load_offline_topics

# Page -> its text; those about wet beds are relevant.
PAGES = {
    "a": "Bedwetting in children",
    "b": "Nocturnal enuresis, its causes",
    "c": "Enuresis by day",
    "d": "Boats",
    "e": "Bedwetting boats, a poem",
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    web, topics = tmp_path / "web.sqlite", tmp_path / "topics.json"
    with sqlite3.connect(web) as pages:
        pages.execute("CREATE TABLE pages(url TEXT UNIQUE, html BLOB)")
        for name, text in PAGES.items():
            html = f"<html><head><title>{name}</title></head><body><p>{text}</p></body></html>"
            pages.execute("INSERT INTO pages VALUES(?, ?)", (f"http://h.example/{name}", zlib.compress(html.encode())))
    pages.close()
    urls = [f"http://h.example/{name}" for name in "abc"]
    topic = {"term": "bedwetting", "seeds": [], "seeds_near": [], "core": urls[:2], "related": urls[2:], "targets": []}
    topics.write_text(json.dumps({"wet beds": topic}), encoding="utf-8")
    return web, topics


def test_recall_rises_as_the_query_is_widened(files):
    seen: list[tuple[int, int]] = []
    scores = score_search(
        OfflineWeb(files[0]), load_offline_topics(files[1]), lambda done, total: seen.append((done, total))
    )
    recalls = {score.way: round(score.recall, 3) for score in scores}
    assert recalls == {"bare": 0.333, "synonym": 0.667, "narrower": 0.667, "near": 1.0, "wide": 1.0}
    assert {score.way: score.precision for score in scores}["near"] == 3 / 20
    assert [score.found for score in scores] == [2, 3, 3, 4, 4]
    assert recall_rise(scores) == pytest.approx(2)
    assert seen == [(5, 5)]
    table = search_score_table(scores)
    assert table.header == ("recall / P@20, %", *SEARCH_WAYS)
    assert table.rows[0] == ("wet beds (3)", "33 / 5", "67 / 10", "67 / 10", "100 / 15", "100 / 15")
    assert table.rows[-1] == ("recall to bare", "", "+100 %", "+100 %", "+200 %", "+200 %")


def test_the_command_prints_the_table_or_json(files):
    web, topics = map(str, files)
    shown = CliRunner().invoke(command_group, ["evaluate", "search", "--web", web, "--topics", topics])
    assert "recall to bare" in shown.output
    told = CliRunner().invoke(command_group, ["evaluate", "search", "--web", web, "--topics", topics, "--json"])
    found = json.loads(told.output)
    assert found["ways"][found["default"]]["rise"] == pytest.approx(2)
    assert found["relevant"] == {"wet beds": 3}
    assert CliRunner().invoke(command_group, ["evaluate", "search", "--web", web]).exit_code == 2

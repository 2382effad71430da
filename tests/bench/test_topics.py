"""The bench of topical crawls: what it measures is what a crawl does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import render, topics


def test_every_estimator_and_both_frontiers_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("medharvest.harvest.topic_run._MIN_WORK_BETWEEN_SAVES", 100)
    path = tmp_path / "topics.json"
    monkeypatch.setattr(sys, "argv", ["t", "--pages", "1", "--rounds", "1", "--urls", "1500", "--result", str(path)])
    topics.main()
    result = json.loads(path.read_text(encoding="utf-8"))
    assert set(result["scoring"]) >= {"bare parse", "words and links", "adaptive", "lokman"}
    assert result["durable"]["waiting"] > 1000
    assert result["durable"]["written"] > 0
    assert "operations a second" in capsys.readouterr().out
    shown = "\n".join(render.scoring(result))
    assert "| lokman | " in shown


def test_made_pages_are_of_the_size_they_claim() -> None:
    assert 45_000 < len(topics.made_page(3).text) < 55_000

"""Crawls of an offline web in every way, and the page of the docs that shows them."""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from pathlib import Path

import pytest
from bench.harvest_page import harvest_page

from bench import harvest

SITE = "http://h.example/"
PAGES = {"": "ears boats", "ears": "noise", "boats": "", "noise": "deaf", "deaf": ""}


def test_every_way_is_measured_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    web, topics, path = tmp_path / "web.sqlite", tmp_path / "topics.json", tmp_path / "harvest.json"
    with sqlite3.connect(web) as pages:
        pages.execute("CREATE TABLE pages(url TEXT UNIQUE, html BLOB)")
        for name, links in PAGES.items():
            anchors = "".join(f'<a href="{SITE}{to}">tinnitus</a>' for to in links.split())
            pages.execute("INSERT INTO pages VALUES (?, ?)", (SITE + name, zlib.compress(f"{name} {anchors}".encode())))
    seeds = {"seeds": [SITE], "seeds_near": [SITE + "ears"]}
    truth = {"core": [SITE + "ears", SITE + "noise", SITE + "deaf"], "related": [], "targets": [SITE + "noise"]}
    topics.write_text(json.dumps({"tinnitus": {"term": "tinnitus", **seeds, **truth}}), encoding="utf-8")
    given = ["--web", str(web), "--topics", str(topics), "--max-pages", "4", "--result", str(path)]
    monkeypatch.setattr(sys, "argv", ["harvest", *given])
    harvest.main()
    assert "look-ahead" in capsys.readouterr().out
    page = harvest_page(json.loads(path.read_text(encoding="utf-8")))
    assert "| adaptive | 3.0 | " in page
    assert "| 0.4 | 3.0 | " in page
    assert "`lokman` finds 1.00 times what `cosine` finds" in page

"""The figures of the thesis are drawn from crawls of a small offline web."""

from __future__ import annotations

import json
import sqlite3
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.topic_figures import THESIS_FIGURES, draw_thesis_figures, mean_curve, recall_curve
from medharvest.cli.main import command_group
from medharvest.crawl.topic_plan import VisitedPage
from medharvest.errors import OutputError
from medharvest.evaluate.topic_scores import (
    Crawler,
    CrawlSetup,
    CrawlSurvey,
    CrawlTrace,
    OfflineTopic,
    OfflineWeb,
    load_offline_topics,
)

ROOT = "http://h.example/"
PAGES = {"": ("A list of things", "ears"), "ears": ("Tinnitus and what to do about tinnitus", "noise")}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    path = tmp_path / "web.sqlite"
    with sqlite3.connect(path) as pages:
        pages.execute("CREATE TABLE pages(url TEXT UNIQUE, html BLOB)")
        for name, (text, link) in PAGES.items():
            html = f'<html><body><p>{text}</p><a href="{ROOT}{link}">{link}</a></body></html>'
            pages.execute("INSERT INTO pages VALUES(?, ?)", (ROOT + name, zlib.compress(html.encode())))
    pages.close()
    return path


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    ears = [ROOT + "ears"]
    topic = {"term": "tinnitus", "seeds": [ROOT], "seeds_near": ears, "core": ears, "related": [], "targets": ears}
    path = tmp_path / "topics.json"
    path.write_text(json.dumps({"Ringing ears": topic}), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command_group, ["evaluate", "topic", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_figures_are_drawn(web: Path, topics: Path, tmp_path: Path) -> None:
    code, _, err = run("--web", web, "--topics", topics, "--figures", tmp_path / "drawn")
    assert code == 0
    assert err.count("wrote") == 2 * len(THESIS_FIGURES)
    assert {path.stem for path in (tmp_path / "drawn").iterdir()} == {figure.name for figure in THESIS_FIGURES}
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        draw_thesis_figures(CrawlSetup(OfflineWeb(web), load_offline_topics(topics)), tmp_path / "file")


def test_curves_are_means_over_topics() -> None:
    topic = OfflineTopic(name="t", term="t", seeds=(), relevant=frozenset("a"), targets=frozenset("ab"))
    traces = tuple(
        CrawlTrace(topic, tuple(VisitedPage(url, 1.0, 1.0, 1) for url in urls), (), frozenset())
        for urls in ("ab", "xa")
    )
    curve = mean_curve(CrawlSurvey(crawler=Crawler(), traces=traces), recall_curve)
    assert (curve[0], curve[1], curve[-1], len(curve)) == (0.25, 0.75, 0.75, 800)

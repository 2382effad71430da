"""Crawls of a small offline web, measured page by page."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from medharvest.cli.main import command_group
from medharvest.crawl.topic_plan import VisitedPage
from medharvest.errors import InputError, OutputError
from medharvest.evaluate.topic_scores import (
    CRAWLERS,
    Crawler,
    CrawlSetup,
    CrawlSurvey,
    CrawlTrace,
    OfflineTopic,
    OfflineWeb,
    bootstrap_interval,
    build_scored_concepts,
    crawler_table,
    crawlers_by_inheritance,
    load_offline_topics,
    measure_crawl,
    survey_crawlers,
    topic_score_table,
    write_traces,
)
from medharvest.evaluate.topic_scores import crawl_offline_web as crawl_offline
from medharvest.fetch import ReplayFetcher
from medharvest.harvest.topic_run import TopicRequest, crawl_topic
from medharvest.records import Response
from medharvest.settings import Settings
from medharvest.store import open_store

ROOT = "http://h.example/"
# Page -> its text, and where it links to; `tinnitus` is the topic.
PAGES = {
    "": ("A list of things", ("ears", "boats", "index")),
    "ears": ("Tinnitus and what to do about tinnitus", ("noise", "boats")),
    "boats": ("Boats and ships", ("harbour",)),
    "index": ("More lists", ("harbour", "deep")),
    "noise": ("Loud noise leads to tinnitus", ("deep",)),
    "harbour": ("Harbours", ("gone",)),
    "deep": ("Tinnitus again", ()),
}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    path = tmp_path / "web.sqlite"
    with sqlite3.connect(path) as pages:
        pages.execute("CREATE TABLE pages(url TEXT UNIQUE, html BLOB)")
        for name, (text, links) in PAGES.items():
            anchors = "".join(f'<li><a href="{ROOT}{to}">{to}</a></li>' for to in links)
            html = f"<html><head><title>{name}</title></head><body><p>{text}</p><ul>{anchors}</ul></body></html>"
            pages.execute("INSERT INTO pages VALUES(?, ?)", (ROOT + name, zlib.compress(html.encode())))
    pages.close()
    return path


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    topic = {
        "term": "tinnitus",
        "seeds": [ROOT],
        "seeds_near": [ROOT + "ears"],
        "core": [ROOT + "ears", ROOT + "deep"],
        "related": [ROOT + "noise"],
        "targets": [ROOT + "noise", ROOT + "deep"],
    }
    path = tmp_path / "topics.json"
    path.write_text(json.dumps({"Ringing ears": topic, "other": {**topic, "term": "boats"}}), encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command_group, ["evaluate", "topic", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_every_way_crawls_every_topic_and_the_words_lead(web: Path, topics: Path) -> None:
    found = survey_crawlers(CrawlSetup(OfflineWeb(web), load_offline_topics(topics), 6), CRAWLERS)
    assert len(found) == len(CRAWLERS)
    by_name = {one.crawler.name: [visit.url.removeprefix(ROOT) for visit in one.traces[0].visited] for one in found}
    assert by_name["breadth-first"] == ["ears", "boats", "index", "noise", "harbour", "deep"]
    for name in ("adaptive", "lokman", "look-ahead", "cosine"):
        assert set(by_name[name][:3]) >= {"ears", "noise"}, name
    assert by_name["lokman, sum"][0] == "ears"
    assert "harbour" not in by_name["lokman"]


def test_the_seeds_of_a_topic_may_be_near_it(web: Path, topics: Path) -> None:
    (found,) = survey_crawlers(
        CrawlSetup(OfflineWeb(web), load_offline_topics(topics, seeds="near")[:1], 2), [Crawler(estimator="lokman")]
    )
    assert found.traces[0].fetched == tuple(ROOT + name for name in ("ears", "noise", "boats"))
    assert found.traces[0].direct == {ROOT + "noise", ROOT + "boats"}


def test_the_number_of_pages_stays_the_denominator_when_a_crawl_runs_dry() -> None:
    topic = OfflineTopic(name="t", term="t", seeds=(), relevant=frozenset("ab"), targets=frozenset("bc"))
    visited = tuple(VisitedPage(url, 1.0, float(url == "a"), 1) for url in "axb")
    figures = measure_crawl(CrawlTrace(topic, visited, ("s", *"axb"), frozenset("ax")))
    assert figures["harvest_100"] == 0.02
    assert figures["harvest_1000"] == 0.002
    assert figures["beyond_100"] == 0.01
    assert figures["recall_800"] == 0.5
    assert figures["own_100"] == 0.01


def test_the_judgement_of_a_crawler_has_a_precision_and_a_recall() -> None:
    topic = OfflineTopic(name="t", term="t", seeds=(), relevant=frozenset("abc"), targets=frozenset())
    visited = tuple(VisitedPage(url, 1.0, float(url in "axyz"), 1) for url in "abxyz")
    figures = measure_crawl(CrawlTrace(topic, visited, (), frozenset()))
    assert (figures["precision_1000"], figures["held_1000"]) == (0.25, 0.5)


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    low, high = bootstrap_interval([0.0, 0.1, 0.2, 0.3])
    assert 0 <= low < 0.15 < high <= 0.3
    assert bootstrap_interval([0.0, 0.1, 0.2, 0.3]) == (low, high)
    assert bootstrap_interval([0.5]) == (0.5, 0.5)


def test_the_command_prints_each_topic_their_mean_and_its_interval(web: Path, topics: Path) -> None:
    code, out, _ = run("--web", web, "--topics", topics, "--max-pages", 5)
    assert code == 0
    assert [line.split("  ")[0] for line in out.splitlines()[:6]] == [
        "adaptive", "Ringing ears", "other", "mean", "95 % from", "95 % to",
    ]  # fmt: skip
    assert "HR@100" in out


def test_traces_are_written_as_the_web_has_the_addresses(web: Path, topics: Path, tmp_path: Path) -> None:
    code, _, err = run("--web", web, "--topics", topics, "--trace", tmp_path / "out", "--strategy", "breadth-first")
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Ringing_ears.txt", "other.txt"]
    lines = (tmp_path / "out" / "Ringing_ears.txt").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == [ROOT, ROOT + "ears", ROOT + "boats"]
    assert "wrote" in err
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError):
        write_traces(CrawlSurvey(crawler=Crawler(), traces=()), tmp_path / "file")


def test_json_has_one_object_a_way(web: Path, topics: Path) -> None:
    code, out, _ = run("--web", web, "--topics", topics, "--estimator", "lokman", "--vocabulary", "none", "--json")
    (line,) = out.splitlines()
    found = json.loads(line)
    assert code == 0
    assert found["crawler"] == "lokman, no vocabulary"
    assert found["topics"]["Ringing ears"]["recall_800"] == 1
    assert set(found["mean"]) == set(found["interval"])


def test_all_ways_are_compared_in_one_table(web: Path, topics: Path) -> None:
    code, out, _ = run("--web", web, "--topics", topics, "--strategy", "all", "--merge", "sum")
    assert code == 0
    assert len(out.splitlines()) == len(CRAWLERS) + 2


def test_the_sweep_goes_down_from_four_tenths(web: Path, topics: Path) -> None:
    assert [crawler.inherit for crawler in crawlers_by_inheritance()] == [0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05]
    code, out, _ = run("--web", web, "--topics", topics, "--sweep", "inherit")
    assert code == 0
    assert "lokman, inherit 0.05" in out


def test_what_is_missing_or_wrong_is_said(web: Path, topics: Path, tmp_path: Path) -> None:
    assert run("--web", web)[0] == 2
    with pytest.raises(InputError, match="no such file"):
        OfflineWeb(tmp_path / "none")
    with pytest.raises(InputError, match="not an offline web"):
        OfflineWeb(topics)
    with pytest.raises(InputError, match="not a file of topics"):
        load_offline_topics(web)
    with pytest.raises(InputError, match="cannot be read"):
        load_offline_topics(tmp_path / "none")
    topics.write_text('{"a": {"term": "x"}}', encoding="utf-8")
    with pytest.raises(InputError, match="not a file of topics"):
        load_offline_topics(topics)


def test_tables_name_what_differs() -> None:
    topic = OfflineTopic(name="t", term="t", seeds=(), relevant=frozenset("a"), targets=frozenset("a"))
    trace = CrawlTrace(topic, (), (), frozenset())
    surveys = [CrawlSurvey(crawler=crawler, traces=(trace,)) for crawler in (Crawler(), *crawlers_by_inheritance()[:2])]
    assert [row[0] for row in crawler_table(surveys).rows] == [
        "adaptive",
        "lokman, inherit 0.4",
        "lokman, inherit 0.35",
    ]
    assert topic_score_table(surveys[0]).rows[0][0] == "t"


def test_a_real_crawl_of_the_same_pages_takes_the_same_way(web: Path, topics: Path, tmp_path: Path) -> None:
    (topic, _) = load_offline_topics(topics)
    trace = crawl_offline(OfflineWeb(web), topic, Crawler(), build_scored_concepts(topic.term), 6)
    with sqlite3.connect(web) as pages:
        rows = pages.execute("SELECT url, html FROM pages").fetchall()
    pages.close()
    answers = {
        url: Response(
            url=url, final_url=url, status=200, media_type="text/html", charset="utf-8", body=zlib.decompress(html)
        )
        for url, html in rows
    }
    request = TopicRequest(concepts=build_scored_concepts(topic.term), seeds=topic.seeds, max_pages=6)
    settings = replace(Settings(), crawl=replace(Settings().crawl, workers=1, read=False))
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        fetcher = ReplayFetcher(answers)
        crawl = crawl_topic(request, fetcher=fetcher, store=store, folder=tmp_path / "run", settings=settings)
        harvest = asyncio.run(crawl)
    assert tuple(row.url for row in harvest.rows if not row.reason) == trace.fetched

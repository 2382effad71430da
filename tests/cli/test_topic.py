"""`topic`: from a name and a page to start from, to pages in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medharvest.cli.topic import print_crawl
from medharvest.demo import list_demo_issues, serve
from medharvest.harvest.topic_run import TopicHarvest
from medharvest.store import open_store


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch):
    """The bundled journals as a small web."""
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    with serve(slow=0.0) as server:
        yield server.url + list_demo_issues()[0].path


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.db'}"


def test_a_topic_is_crawled_from_its_seed_and_gone_on_with(medharvest, served, store, tmp_path):
    ran = medharvest(
        "topic",
        "troponin",
        "--seed",
        served,
        "--max-pages",
        3,
        "--store",
        store,
        "--into",
        tmp_path / "t",
        "--json",
        "--no-read",
    )
    assert ran.code == 0, ran.err
    *rows, summary = map(json.loads, ran.out.splitlines())
    assert rows[0]["url"] == served
    assert set(rows[0]) == {"n", "url", "value", "relevant", "depth", "reason"}
    assert (summary["pages"], summary["topic"], summary["stopped"]) == (4, "troponin", False)
    again = medharvest("topic", "--resume", summary["run"], "--store", store, "--no-read")
    assert again.code == 0, again.err
    assert [line.split()[-1] for line in again.out.splitlines()] == [row["url"] for row in rows]
    assert "run 1, troponin: 4 pages" in again.err


def test_runs_goes_on_with_a_crawl_and_gives_it_more_pages(medharvest, served, store, tmp_path):
    place = ("--store", store, "--into", tmp_path / "t", "--no-read", "--json")
    missing = served.rsplit("/", 1)[0] + "/none"
    ran = medharvest("topic", "troponin", "--seed", served, "--seed", missing, "--max-pages", 1, *place)
    rows = [json.loads(line)["url"] for line in ran.out.splitlines()[:-1]]
    shown = medharvest("runs", 1, "--store", store)
    assert f"missing, not_found: 1\n  {missing} (" in shown.out
    assert "supply" not in shown.out
    again = medharvest("runs", 1, "resume", "--max-pages", 4, "--store", store, "--json")
    assert again.code == 0, again.err
    more = [json.loads(line)["url"] for line in again.out.splitlines()[:-1]]
    assert (more[: len(rows)], len(more)) == (rows, len(rows) + 3)
    refused = medharvest("runs", 1, "retry", "--store", store)
    assert refused.code == 1
    assert "run 1 is a topical crawl, and retry is for issues" in refused.err


def test_topics_of_a_file_run_one_after_the_other(medharvest, served, store, tmp_path):
    (tmp_path / "topics.txt").write_text("# mine\ntroponin\n\nasthma\n", encoding="utf-8")
    ran = medharvest(
        "topic", "--topics", tmp_path / "topics.txt", "--seed", served, "--max-pages", 1, "--store", store,
        "--into", tmp_path / "t", "--no-read", "--vocabulary", "none", "--quiet",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["01", "02"]


def test_a_concept_set_can_be_given(medharvest, served, store, tmp_path):
    printed = medharvest("concepts", "asthma").out
    (tmp_path / "set.tsv").write_text(printed, encoding="utf-8")
    ran = medharvest(
        "topic", "wheezing", "--concepts", tmp_path / "set.tsv", "--seed", served, "--max-pages", 1, "--store", store,
        "--into", tmp_path / "t", "--no-read",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "asthma" in (tmp_path / "t" / "concepts.tsv").read_text(encoding="utf-8").lower()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "name a topic"),
        (("asthma",), "--seed URL"),
        (("asthma", "--resume", "1"), "name a topic, or"),
        (("a", "b", "--seed", "http://x.example", "--concepts", "f"), "needs a single topic"),
    ],
)
def test_what_is_missing_is_said(medharvest, store, arguments, complaint):
    ran = medharvest("topic", *arguments, "--store", store)
    assert ran.code == 2
    assert complaint in ran.err


def test_a_crawl_that_reaches_nothing_is_an_error(medharvest, store, tmp_path):
    ran = medharvest("topic", "asthma", "--seed", "http://127.0.0.1:9/", "--store", store, "--into", tmp_path / "t")
    assert ran.code == 1
    assert "error: " in ran.err


def test_a_crawl_that_was_stopped_says_how_to_go_on(capsys):
    harvest = TopicHarvest(run=7, topic="gout", folder="f", rows=(), citations=(), stopped=True)
    print_crawl(harvest, as_json=False, quiet=False)
    assert "stopped; resume with: medharvest runs 7 resume" in capsys.readouterr().err
    print_crawl(harvest, ["ris"], as_json=True, quiet=True)
    assert "stopped; resume with: medharvest topic --resume 7 --export ris" in capsys.readouterr().err


def test_of_several_crawls_each_that_reaches_nothing_is_told(medharvest, store, tmp_path):
    ran = medharvest("topic", "asthma", "gout", "--seed", "nowhere", "--store", store, "--into", tmp_path / "t")
    assert ran.code == 1
    assert ran.err.count("error: ") == 2


def test_a_search_service_gives_seeds(medharvest, served, store, tmp_path, monkeypatch):
    async def find_seeds(service, topic, *, most, fetcher):
        assert fetcher is not None
        assert (service, topic, most) == ("https://search.example", "troponin", 2)
        return (served,)

    monkeypatch.setattr("medharvest.cli.topic.find_service_seeds", find_seeds)
    ran = medharvest(
        "topic", "troponin", "--search", "https://search.example", "--search-seeds", 2, "--max-pages", 1,
        "--store", store, "--into", tmp_path / "t", "--no-read", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert json.loads(ran.out.splitlines()[0])["url"] == served


def test_topics_are_what_users_searched_and_seeds_what_the_collection_has(medharvest, served, store, tmp_path):
    place = ("--store", store, "--into", tmp_path / "t", "--no-read", "--vocabulary", "none", "--max-pages", 1)
    open_store(str(store)).close()
    nothing = medharvest("topic", "--from-searches", "--seed", served, *place)
    assert (nothing.code, "nobody has searched" in nothing.err) == (1, True)
    medharvest("topic", "headache", "--seed", served, *place)
    medharvest("search", "headache", "--store", store, "--vocabulary", "none")
    medharvest("search", "gout", "--store", store, "--vocabulary", "none")
    ran = medharvest("topic", "--from-searches", "--search", "collection", *place, "--json")
    assert ran.code == 3
    assert "error: the collection has nothing on this topic: gout" in ran.err
    *rows, summary = map(json.loads, ran.out.splitlines())
    assert (summary["topic"], rows[0]["url"].startswith("http://127.0.0.1")) == ("headache", True)
    with_seed = medharvest("topic", "gout", "--search", "collection", "--seed", served, *place, "--quiet")
    assert with_seed.code == 0, with_seed.err


def test_pages_of_a_topic_are_visited_again(medharvest, served, store, tmp_path):
    place = ("--store", store, "--into", tmp_path / "t", "--no-read")
    medharvest("topic", "headache", "--seed", served, "--max-pages", 1, *place)
    ran = medharvest("topic", "headache", "--refresh", "--store", store, "--json")
    assert ran.code == 0, ran.err
    assert [json.loads(line)["change"] for line in ran.out.splitlines()] == ["unchanged"] * 2
    assert "2 pages: 2 unchanged" in ran.err
    assert medharvest("topic", "asthma", "--refresh", "--store", store).code == 1

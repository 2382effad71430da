"""`issue`, `demo` and `export`: from an address to files, as a user calls them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from lxml import etree

from medharvest.cli import demo
from medharvest.demo import list_demo_issues, serve
from medharvest.records import title_key
from medharvest.store import open_store

MODERN = [issue for issue in list_demo_issues() if not issue.template.startswith("table")]


@pytest.fixture
def served(monkeypatch):
    """The bundled journals, which stand on loopback: the guard must let us in."""
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("MEDHARVEST_FETCH_DELAY", "0")
    with serve(slow=0.05) as server:
        yield server


def test_the_demo_yields_every_article_of_the_2010_and_2024_templates(process, tmp_path):
    ran = process("demo", "--into", tmp_path)
    assert ran.code == 0, ran.err
    pubmed, ris = (line.split(": ", 1) for line in ran.out.splitlines()[-2:])
    assert (pubmed[0], ris[0]) == ("pubmed", "ris")
    found = {title_key("".join(node.itertext())): node.getparent() for node in _titles(Path(pubmed[1]))}
    for article in (article for issue in MODERN for article in issue.articles):
        record = found.pop(title_key(article.citation.title))
        families = [node.text for node in record.iter("LastName", "CollectiveName")]
        assert len(families) == len(article.citation.authors), article.id
        assert record.findtext("Journal/JournalTitle") in {article.citation.journal, article.citation.abbreviation}
        assert record.findtext("Journal/PubDate/Year") == article.citation.date[:4]
    assert not found, "records that are no article of these issues"
    assert Path(ris[1]).read_text(encoding="utf-8").count("ER  - ") == sum(len(issue.articles) for issue in MODERN)


def _titles(path):
    return etree.parse(path, etree.XMLParser(load_dtd=False, no_network=True)).iter("ArticleTitle")


def test_the_demo_of_one_issue_prints_a_table_and_says_where_the_files_are(medharvest, tmp_path):
    ran = medharvest("demo", "a3", "--into", tmp_path)
    assert ran.code == 0
    assert "Waiting for the second troponin" in ran.out
    assert ran.out.endswith(f"pubmed: {tmp_path / 'citations.xml'}\nris: {tmp_path / 'citations.ris'}\n")
    assert "11 articles" in ran.err
    serving, harvesting, into = ran.err.splitlines()[:3]
    assert serving.startswith("serving invented journals on this machine: http://127.0.0.1:")
    assert harvesting == "harvesting as from any site: 1 issue of Northmoor Medical Quarterly"
    assert into == f"pages, records and the demo's own store: {tmp_path}"


def test_an_issue_that_is_not_bundled_is_an_error_that_lists_them(medharvest):
    ran = medharvest("demo", "z9")
    assert (ran.code, ran.out) == (1, "")
    assert "one of a1, a2, a3, b1, b2, b3" in ran.err


def test_an_issue_is_harvested_stored_and_exported_again(medharvest, served, tmp_path):
    store = tmp_path / "s.sqlite"
    issue = MODERN[0]
    ran = medharvest("issue", served.url + issue.path, "--into", tmp_path / "run", "--store", store, "--json")
    assert ran.code == 0
    rows = [json.loads(line) for line in ran.out.splitlines() if line.startswith("{")]
    assert len(rows) == len(issue.articles)
    again = medharvest("export", "jsonl", "--store", store, "--issue", f"{issue.volume}({issue.issue})")
    assert [json.loads(line)["title"] for line in again.out.splitlines()] == [row["title"] for row in rows]
    out = tmp_path / "all.ris"
    assert medharvest("export", "ris", "--store", store, "--out", out).out == f"ris: {out}\n"
    assert out.read_text(encoding="utf-8").count("TY  - JOUR") == len(rows)


def test_an_issue_page_that_does_not_arrive_is_one_line_and_exit_one(medharvest, served, tmp_path):
    ran = medharvest("issue", served.url + "/nowhere", "--into", tmp_path, "--store", tmp_path / "s", "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert "not_found" in ran.err
    assert ran.err.count("\n") == 1


def test_of_several_issues_a_missing_one_is_told_and_the_exit_is_three(medharvest, served, tmp_path):
    good = served.url + MODERN[0].path
    ran = medharvest("issue", good, served.url + "/nowhere", "--into", tmp_path, "--store", tmp_path / "s")
    assert ran.code == 3
    assert "not_found" in ran.err
    assert "pubmed: " in ran.out


def test_an_unknown_export_format_is_refused_before_anything_is_fetched(medharvest, served, tmp_path):
    ran = medharvest("issue", served.url + MODERN[0].path, "--export", "word", "--into", tmp_path)
    assert ran.code == 1
    assert "unknown format: word" in ran.err
    assert served.log == ()


def test_an_unwritable_folder_is_one_line_with_a_hint(medharvest, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    ran = medharvest("demo", "a3", "--into", blocked / "below")
    assert (ran.code, ran.out) == (1, "")
    assert "cannot be written" in ran.err
    assert "; hint: " in ran.err


def test_an_empty_store_exports_nothing_and_says_what_to_do(medharvest, tmp_path):
    open_store(str(tmp_path / "new.sqlite")).close()
    ran = medharvest("export", "ris", "--store", tmp_path / "new.sqlite")
    assert (ran.code, ran.out) == (1, "")
    assert "harvest an issue first" in ran.err


def test_a_file_of_cookies_is_read_before_anything_is_asked(medharvest, served, tmp_path):
    url = served.url + MODERN[0].path
    ran = medharvest("issue", url, "--cookies", tmp_path / "none.txt", "--store", tmp_path / "s", "--into", tmp_path)
    assert ran.code == 1
    assert "; hint: " in ran.err
    assert served.log == ()


@pytest.mark.parametrize(
    ("stdin", "stderr", "quiet", "opens"),
    [
        (True, True, False, True),
        (False, True, False, False),
        (True, False, False, False),
        (True, True, True, False),
    ],
)
def test_the_demo_opens_the_review_app_only_for_somebody_at_a_terminal(monkeypatch, stdin, stderr, quiet, opens):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: stdin))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: stderr))
    assert demo._is_watched(quiet=quiet) is opens

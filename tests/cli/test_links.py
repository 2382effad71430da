"""`links`: which links of a page are articles, with and without a journal that was taught."""

from __future__ import annotations

import json

import pytest

from medharvest.links.nearest_neighbour import link_vector
from medharvest.links.scan import scan_links
from medharvest.records import Kind, LinkExample, Page
from medharvest.store import Journal, open_store

PAGE = """<html><head><title>Tides 4(2)</title></head><body><h1>Contents</h1>
<a href="/help">Help</a>
<ul><li><a href="/4/2/a1.htm">Spring tides and the sleep of people who work at night</a> <a href="/4/2/a1.pdf">PDF</a>
<li><a href="/4/2/a2.htm">Neap tides and the sleep of people who work at night</a> <a href="/4/2/a2.pdf">PDF</a></ul>
</body></html>"""
URL = "https://tides.example/4/2/"
KEYS = "file index offset href url text article type score method article_key follows".split()


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "toc.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path):
    """A store whose one journal was taught that only PDFs are articles."""
    path = tmp_path / "s.sqlite"
    parsed = Page(url=URL, text=PAGE, digest="d", encoding="utf-8")
    examples = [
        LinkExample(
            page=URL,
            index=link.index,
            article=link.text == "PDF",
            kind=Kind.PDF if link.text == "PDF" else None,
            vector=link_vector(parsed, link),
        )
        for link in scan_links(parsed)
    ]
    with open_store(str(path)) as opened:
        opened.journals.save(Journal(name="tides"))
        opened.journals.save(Journal(name="untaught"))
        opened.journals.teach_links("tides", examples)
    return path


def rows(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


def test_every_link_is_one_json_object_in_document_order(medharvest, page):
    ran = medharvest("links", "--json", "--url", URL, page)
    assert (ran.code, ran.err) == (0, "")
    found = rows(ran)
    assert [list(row) for row in found] == [KEYS] * 5
    assert [row["index"] for row in found] == [0, 1, 2, 3, 4]
    assert [PAGE[row["offset"] :].startswith("<a ") for row in found] == [True] * 5
    assert [row["article"] for row in found] == [False, True, True, True, True]
    assert (found[2]["file"], found[2]["type"], found[2]["url"]) == (
        str(page),
        "pdf",
        "https://tides.example/4/2/a1.pdf",
    )
    assert found[0]["type"] is None
    assert [row["follows"] for row in found] == [True] * 5
    assert found[1]["article_key"] == found[2]["article_key"] != ""


def test_without_json_the_articles_become_a_table(medharvest, page):
    ran = medharvest("links", "--url", URL, page)
    assert "4 article links" in ran.err
    assert [len(line.split("\t")) for line in ran.out.splitlines()] == [4] * 4
    assert "Spring tides" in ran.out
    assert "Help" not in ran.out


def test_a_journal_that_was_taught_is_asked_with_the_paper_s_profile(medharvest, page, store):
    ran = medharvest("links", "--json", "--journal", "tides", "--profile", "paper", "--store", store, page)
    assert [(row["article"], row["type"], row["method"], row["score"]) for row in rows(ran)] == [
        (False, None, "paper", 1.0),
        (False, None, "paper", 1.0),
        (True, "pdf", "paper", 1.0),
        (False, None, "paper", 1.0),
        (True, "pdf", "paper", 1.0),
    ]


def test_a_manifest_says_of_each_file_whose_it_is(medharvest, page, store):
    manifest = page.with_name("list.jsonl")
    manifest.write_text(json.dumps({"file": "toc.html", "journal": "tides"}) + "\n", encoding="utf-8")
    ran = medharvest("links", "--json", "--profile", "paper", "--store", store, "--manifest", manifest)
    assert sum(row["article"] for row in rows(ran)) == 2


def test_only_the_rows_of_the_named_files_count(medharvest, page, store):
    manifest = page.with_name("list.jsonl")
    lines = [{"file": "toc.html", "journal": "tides"}, {"file": "other.html", "journal": "gone"}]
    manifest.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    call = ("links", "--json", "--profile", "paper", "--store", store, "--manifest", manifest)
    ran = medharvest(*call, page)
    assert ran.code == 0, ran.err
    assert sum(row["article"] for row in rows(ran)) == 2
    every = medharvest(*call)
    assert (every.code, every.out) == (1, "")
    assert "no such journal: gone" in every.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--journal", "gone"), 1, "no such journal: gone"),
        (("--journal", "untaught", "--profile", "paper"), 1, "the journal has no taught links"),
        (("--profile", "paper"), 2, "--profile paper needs --journal"),
        (("--profile", "own"), 2, "own"),
    ],
)
def test_a_journal_that_cannot_judge_is_told(medharvest, page, store, arguments, code, message):
    ran = medharvest("links", *arguments, "--store", store, page)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_among_several_a_bad_input_yields_its_error_in_its_place(medharvest, page, tmp_path):
    ran = medharvest("links", "--json", page, tmp_path / "missing.html", page)
    assert ran.code == 3
    found = rows(ran)
    assert [set(row) == {"file", "error", "hint"} for row in found] == [False] * 5 + [True] + [False] * 5


def test_a_page_the_journal_cannot_judge_is_told_among_the_others(medharvest, page, store):
    manifest = page.with_name("list.jsonl")
    lines = [{"file": "toc.html", "journal": name} for name in ("untaught", "tides")]
    manifest.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    ran = medharvest("links", "--json", "--profile", "paper", "--store", store, "--manifest", manifest)
    assert ran.code == 3
    assert "error" in rows(ran)[0]
    assert len(rows(ran)) == 6


def test_a_bad_input_alone_is_one_line_with_a_hint(medharvest, tmp_path):
    ran = medharvest("links", tmp_path / "missing.html")
    assert (ran.code, ran.out) == (1, "")
    assert "no such file" in ran.err


def test_the_page_is_written_with_its_links_outlined(medharvest, page, tmp_path):
    out = tmp_path / "out.html"
    assert medharvest("links", "--url", URL, "--html", out, page).code == 0
    assert "Spring tides" in out.read_text(encoding="utf-8")
    ran = medharvest("links", "--html", out, page, page)
    assert (ran.code, ran.out) == (2, "")


def test_judging_a_file_touches_no_store(medharvest, page, tmp_path, monkeypatch):
    monkeypatch.setenv("MEDHARVEST_STORE", str(tmp_path / "never.sqlite"))
    assert medharvest("links", page).code == 0
    assert not (tmp_path / "never.sqlite").exists()

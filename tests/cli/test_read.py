"""`read`: one page, many pages, and everything that can be wrong with them."""

from __future__ import annotations

import json
import sys

import pytest

ABSTRACT = (
    "We asked 40 people who work at night by the sea how they slept, and compared their answers with the tables of "
    "the tides; they slept 6.2 hours at spring tide and 6.3 hours at neap tide."
)
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Tides and sleep</title>
<meta name="citation_title" content="Tides and sleep in shift workers">
<meta name="citation_author" content="Okonjo, Ada">
<meta name="citation_journal_title" content="Journal of Shores">
<meta name="citation_publication_date" content="2019/05/04"><meta name="citation_issn" content="9152-6035">
<meta name="citation_publisher" content="Shore Press"></head>
<body><h1>Tides and sleep in shift workers</h1>
<h2>Abstract</h2><p>{ABSTRACT}</p></body></html>"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def bad_inputs(tmp_path):
    (tmp_path / "empty-folder").mkdir(exist_ok=True)
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (tmp_path / "notes.txt").write_text("no tags here", encoding="utf-8")
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4\nnothing follows")
    with (tmp_path / "huge.html").open("wb") as file:
        file.truncate(100_000_000)
    return {
        "missing.html": "no such file",
        "empty.html": "empty file",
        "picture.png": "not an HTML page or PDF",
        "notes.txt": "not an HTML page or PDF",
        "cut.pdf": "PDF cannot be opened",
        "huge.html": "file too large",
        "empty-folder": "is a folder",
    }


def test_a_page_becomes_one_json_object_with_evidence(medharvest, page):
    ran = medharvest("read", "--json", page)
    assert (ran.code, ran.err) == (0, "")
    (line,) = ran.out.splitlines()
    citation = json.loads(line)
    assert citation["file"] == str(page)
    assert citation["title"] == "Tides and sleep in shift workers"
    assert citation["authors"][0]["family"] == "Okonjo"
    assert citation["date"] == "2019-05-04"
    assert citation["abstract"] == ABSTRACT
    assert citation["evidence"]["title"][0]["source"] == "citation"
    assert citation["scores"]["title"] > 0.5


def test_without_json_a_page_becomes_lines_for_people(medharvest, page):
    ran = medharvest("read", page)
    assert "title: Tides and sleep in shift workers\n" in ran.out
    assert "authors: Ada Okonjo\n" in ran.out


def test_lines_for_people_say_what_needs_a_look_and_what_was_not_found(medharvest, page):
    accepted = json.loads(medharvest("read", "--json", page).out)["accepted"]
    lines = dict(line.split(": ", 1) for line in medharvest("read", page).out.splitlines() if ": " in line)
    assert lines["not found"] == "affiliations"
    doubtful = lines["needs a look"].split(", ")
    assert not set(doubtful) & {*accepted, "affiliations", "volume"}
    assert {*doubtful, *accepted} >= {"title", "authors", "abstract", "journal", "date"}


def test_each_bad_input_alone_is_one_line_with_a_hint_and_exit_one(medharvest, tmp_path):
    for name, message in bad_inputs(tmp_path).items():
        ran = medharvest("read", tmp_path / name)
        assert ran.code == 1, name
        assert ran.out == ""
        assert ran.err.count("\n") == 1, ran.err
        assert message in ran.err
        assert "; hint: " in ran.err


def test_among_several_a_bad_input_yields_its_error_in_its_place(medharvest, page, tmp_path):
    ran = medharvest("read", "--json", page, tmp_path / "missing.html", page)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 3
    assert [set(row) == {"file", "error", "hint"} for row in rows] == [False, True, False]
    assert rows[1]["file"] == str(tmp_path / "missing.html")


def test_names_come_from_stdin_with_a_dash(medharvest, page):
    ran = medharvest("read", "--json", "-", stdin=f"{page}\n\n{page}\n")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 2


def test_a_manifest_names_files_relative_to_itself_with_their_addresses(medharvest, page):
    manifest = page.with_name("list.jsonl")
    manifest.write_text('{"file": "page.html", "url": "https://example.org/1"}\n', encoding="utf-8")
    citation = json.loads(medharvest("read", "--json", "--manifest", manifest).out)
    assert (citation["file"], citation["url"]) == ("page.html", "https://example.org/1")


@pytest.mark.parametrize("arguments", [(), ("--url", "https://example.org/", "a.html", "b.html")])
def test_no_input_and_one_address_for_two_files_are_usage_errors(medharvest, arguments):
    ran = medharvest("read", *arguments)
    assert ran.code == 2
    assert ran.out == ""


def test_a_page_can_be_written_in_a_format(medharvest, page):
    ran = medharvest("read", "--format", "ris", page)
    assert "TI  - Tides and sleep in shift workers" in ran.out


def test_an_unknown_format_is_an_error_that_suggests_one(medharvest, page):
    ran = medharvest("read", "--format", "pubmd", page)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: unknown format: pubmd; hint: did you mean pubmed\n"


def test_a_private_address_is_refused_with_the_way_out(medharvest):
    ran = medharvest("read", "http://127.0.0.1:9/")
    assert ran.code == 1
    assert "private_address" in ran.err
    assert "MEDHARVEST_FETCH_ALLOW_PRIVATE=1" in ran.err


def test_reading_a_file_touches_no_store(medharvest, page, tmp_path, monkeypatch):
    monkeypatch.setenv("MEDHARVEST_STORE", str(tmp_path / "never.sqlite"))
    assert medharvest("read", page).code == 0
    assert not (tmp_path / "never.sqlite").exists()


def test_of_several_pages_each_record_names_its_file_and_the_last_line_counts(medharvest, page, tmp_path):
    page.with_name("second.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "empty.html").touch()
    ran = medharvest("read", tmp_path)
    assert ran.code == 3
    assert [line for line in ran.out.splitlines() if line.startswith("file: ")] == [
        f"file: {page}",
        f"file: {page.with_name('second.html')}",
    ]
    assert ran.err.splitlines()[-1] == "2 read, 2 need a look; 1 failed"
    assert medharvest("read", page, page, "--json").err == ""
    assert "file: " not in medharvest("read", page).out


def test_a_bar_shows_how_far_a_folder_is_read_unless_the_records_do(medharvest, page, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = medharvest("read", page, page)
    assert "reading" in ran.err
    assert "reading" not in ran.out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "reading" not in medharvest("read", page, page).err

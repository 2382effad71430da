"""`zones`, `learn zones` and `read --journal`: labels, patterns, and a journal that is taught."""

from __future__ import annotations

import json

import pytest
from tests.zones import journal

from medharvest.codec import to_json
from medharvest.evaluate.page_sets import load_bundled_html_articles, load_bundled_zone_pages
from medharvest.journals.article_reader import lessons_of
from medharvest.store import open_store

PAPER_SCORES = {"levels-and-tags": 1.0, "levels": 0.5, "tags": 0.5, "none": 0.0}
NORTHMOOR_PAGES = [
    "/northmoor/content/23/3/201.full",
    "/northmoor/current/content/23/3/203.abstract",
    "/northmoor/content/23/3/218.abstract",
]
KEYS = ["file", "level", "tag", "path", "text", "label", "score", "method"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    for n in (1, 2):
        (tmp_path / "pages" / f"{n}.html").write_text(journal.html(n), encoding="utf-8")
    rows = [journal.row(1) | {"abstract": "Words that stand nowhere on this page"}, journal.row(1)]
    for name, row in zip(("wrong", "truth"), rows, strict=True):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def learn(medharvest, folder):
    def call(*arguments, truth="truth"):
        files = ("--truth", folder / f"{truth}.jsonl", "--pages", folder / "pages")
        return medharvest("learn", "zones", "tides", *files, *arguments, "--store", folder / "s.sqlite")

    return call


def rows(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


def test_every_zone_is_one_json_object_in_document_order(medharvest, folder):
    ran = medharvest("zones", "--json", folder / "pages" / "1.html")
    assert (ran.code, ran.err) == (0, "")
    assert {tuple(row) for row in rows(ran)} == {tuple(KEYS)}
    assert [row["text"] for row in rows(ran)][:3] == ["Tides", "Home", "Help"]


def test_a_taught_journal_labels_its_next_page(medharvest, folder, learn):
    assert learn().out == "1: title, author, affiliation, abstract\n"
    ran = medharvest("zones", folder / "pages" / "2.html", "--journal", "tides", "--store", folder / "s.sqlite")
    assert f"title        1.00  {journal.title(2)}" in ran.out.splitlines()
    assert "unidentified" not in ran.out


def test_what_is_not_found_is_told_unless_quiet(learn):
    assert learn(truth="wrong").out == "1: title, author, affiliation; not found: abstract\n"
    assert learn("--quiet").out == ""


def test_a_page_is_read_by_its_journal(medharvest, folder, learn):
    learn()
    page = folder / "pages" / "2.html"
    [row] = rows(medharvest("read", "--json", page, "--journal", "tides", "--store", folder / "s.sqlite"))
    assert [author["family"] for author in row["authors"]] == ["Lowtide", "Spring", "Neap-Ebbing"]
    assert row["abstract"] == journal.abstract(2)


@pytest.mark.parametrize("verb", ["zones", "read"])
def test_a_journal_nobody_taught_is_an_error(medharvest, folder, verb):
    open_store(str(folder / "s.sqlite")).close()
    ran = medharvest(verb, folder / "pages" / "1.html", "--journal", "none", "--store", folder / "s.sqlite")
    assert ran.code == 1
    assert "no such journal" in ran.err


@pytest.fixture
def northmoor(medharvest, tmp_path):
    """Two pages of a bundled journal are taught; returns a call of `zones` for a third, and its true zones."""
    articles = {page.id: page for page in load_bundled_html_articles()}
    pages = [articles[name] for name in NORTHMOOR_PAGES]
    for n, page in enumerate(pages):
        (tmp_path / f"{n}.html").write_bytes(page.body)
    truth = tmp_path / "truth.jsonl"
    truth.write_text("".join(json.dumps({**page.truth, "id": str(n)}) + "\n" for n, page in enumerate(pages[:2])))
    store = ("--store", tmp_path / "s.sqlite")
    assert medharvest("learn", "zones", "northmoor", "--truth", truth, "--pages", tmp_path, *store).code == 0

    def call(*arguments):
        return medharvest("zones", tmp_path / "2.html", "--journal", "northmoor", *arguments, *store)

    return call, next(page.truth for page in load_bundled_zone_pages() if page.id == pages[2].id)


def test_the_papers_method_labels_a_page_by_the_patterns_stored_with_its_journal(northmoor):
    call, truth = northmoor
    found = rows(call("--profile", "paper", "--json"))
    assert {tuple(row) for row in found} == {tuple(KEYS)}
    for label in ("title", "author", "affiliation", "abstract"):
        known = "".join(zone.text for zone in truth if zone.label == label)
        read = "".join(row["text"] for row in found if row["label"] == label)
        assert "".join(read.split()) == "".join(known.split())
    assert {row["method"]: row["score"] for row in found}.items() <= PAPER_SCORES.items()
    assert {row["label"] for row in found} == {"title", "author", "affiliation", "abstract", "unidentified"}


def test_a_zone_of_the_papers_method_has_the_place_that_other_zones_have(northmoor):
    call, _ = northmoor
    places = {
        tuple(row[key] for key in ("level", "tag", "path")) for row in rows(call("--json")) if row["tag"] != "title"
    }
    assert {
        tuple(row[key] for key in ("level", "tag", "path")) for row in rows(call("--profile", "paper", "--json"))
    } == places


def test_the_papers_method_needs_a_journal(medharvest, folder):
    ran = medharvest("zones", folder / "pages" / "1.html", "--profile", "paper")
    assert ran.code == 2
    assert "--profile paper needs --journal" in ran.err


def test_the_papers_method_needs_patterns(medharvest, folder, learn):
    call = ("zones", folder / "pages" / "2.html", "--profile", "paper", "--journal", "tides")
    store = folder / "s.sqlite"
    with open_store(str(store)) as opened:
        opened.journals.ensure("tides")
    ran = medharvest(*call, "--store", store)
    assert ran.code == 1
    assert "the journal has no taught level- and tag-patterns" in ran.err
    assert "medharvest learn zones" in ran.err
    learn()
    assert medharvest(*call, "--store", store).code == 0
    with open_store(str(store)) as opened:  # a lesson as an earlier version stored it
        [lesson] = lessons_of(opened, "tides")
        old = to_json(lesson)
        del old["patterns"]
        opened.journals.teach_layouts("tides", {lesson.layout.page: json.dumps(old)})
    ran = medharvest(*call, "--store", store)
    assert ran.code == 1
    assert "must be taught again" in ran.err


def test_patterns_are_printed_line_by_line(medharvest, folder):
    page = folder / "pages" / "1.html"
    lines = medharvest("zones", "--patterns", page).out.splitlines()
    assert [line.split() for line in lines[:3]] == [["1", "HTML"], ["2", "HEAD"], ["3", "TITLE", "Tides"]]
    first = rows(medharvest("zones", "--patterns", "--json", page))[0]
    assert first == {"file": str(page), "levels": "1", "tags": "HTML", "text": ""}


def test_one_bad_input_among_several_has_its_error_in_its_place(medharvest, folder):
    ran = medharvest("zones", "--json", folder / "none.html", folder / "pages" / "1.html")
    assert ran.code == 3
    assert "no such file" in rows(ran)[0]["error"]
    assert medharvest("zones", folder / "none.html").code == 1


def test_a_journal_is_taught_by_a_file_or_by_a_run(medharvest, folder):
    learn = ("learn", "zones", "tides", "--store", folder / "s.sqlite")
    for arguments in ((), ("--truth", "x"), ("--pages", "y"), ("--run", "1", "--truth", "x", "--pages", "y")):
        ran = medharvest(*learn, *arguments)
        assert (ran.code, ran.out) == (2, "")
    ran = medharvest(*learn, "--run", "7")
    assert ran.code == 1
    assert "hint" in ran.err

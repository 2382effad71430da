"""`learn links`: a file of labels, single links of a page, and labels that are wrong."""

from __future__ import annotations

import json

import pytest

from medharvest.records import Kind
from medharvest.store import open_store

PAGE = '<html><body><a href="/help">Help</a> <a href="/a1.pdf">PDF</a> <a href="/a2.pdf">PDF</a></body></html>'
OFFSETS = [place for place in range(len(PAGE)) if PAGE.startswith("<a ", place)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    for name in ("one.html", "two.html"):
        (tmp_path / "pages" / name).write_text(PAGE.replace("<body>", f"<body><!-- {name} -->"), encoding="utf-8")
    (tmp_path / "list.jsonl").write_text('{"file": "one.html", "url": "https://www.tides.example/1"}\n')
    return tmp_path


@pytest.fixture
def learn(medharvest, folder):
    def call(*arguments, labels=()):
        (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), encoding="utf-8")
        if labels:
            arguments = ("--labels", folder / "labels.jsonl", "--pages", folder / "pages", *arguments)
        return medharvest("learn", "links", "tides", *arguments, "--store", folder / "s.sqlite")

    return call


@pytest.fixture
def taught(folder):
    def read():
        with open_store(str(folder / "s.sqlite")) as store:
            return [(one.index, one.article, one.kind) for one in store.journals.link_examples("tides")]

    return read


def label(**more):
    return {"file": "one.html", "i": 0, "article": False, "type": None} | more


def test_labels_by_index_and_by_offset_teach_a_journal_that_is_made_for_them(learn, taught, folder):
    offset = OFFSETS[2] + len("<!-- two.html -->")
    labels = [
        label(),
        label(i=1, article=True, type="pdf"),
        label(i=2, article=None),
        {"file": "two.html", "offset": offset, "article": True},
    ]
    ran = learn("--manifest", folder / "list.jsonl", labels=labels)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "https://www.tides.example/1: 2 links, 1 articles"
    assert taught() == [(0, False, None), (1, True, Kind.PDF), (2, True, None)]
    with open_store(str(folder / "s.sqlite")) as store:
        assert store.journals.get("tides").hosts == ("tides.example",)


def test_a_page_labelled_again_replaces_what_it_taught(learn, taught):
    learn(labels=[label(), label(i=1, article=True)])
    learn(labels=[label(i=2, article=True)])
    assert taught() == [(2, True, None)]


def test_where_lines_name_the_journal_those_of_others_are_left_out(learn, taught):
    learn(labels=[label(journal="tides"), label(i=1, journal="moors", article=True)])
    assert taught() == [(0, False, None)]


def test_single_links_of_a_page_are_added_to_what_it_taught(learn, taught, folder):
    page = folder / "pages" / "one.html"
    assert learn(page, "--article", 1, "--quiet").out == ""
    assert learn(page, "--other", 0, "--url", "https://tides.example/1").code == 0
    assert learn(page, "--other", 1).code == 0
    assert taught() == [(0, False, None), (1, False, None)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"file": "one.html", "article": True}, "label line is wrong"),
        (label(i=-1), "label line is wrong"),
        (label(i=True), "label line is wrong"),
        (label(article="yes"), "label line is wrong"),
        (label(type="film"), "label line is wrong"),
        (label(type=["pdf"]), "label line is wrong"),
        (label(file=3), "label line is wrong"),
        ([1], "label line is wrong"),
        (label(i=9), "no link at index 9: one.html"),
        ({"file": "one.html", "offset": 1, "article": True}, "no link at offset 1: one.html"),
        (label(file="gone.html"), "no such file: gone.html"),
        (label(file="../labels.jsonl"), "not in the folder of pages"),
        (label(file="/etc/hosts"), "not in the folder of pages"),
    ],
)
def test_labels_that_are_wrong_are_told_and_teach_nothing(learn, folder, row, message):
    ran = learn(labels=[row])
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert "; hint: " in ran.err
    with open_store(str(folder / "s.sqlite")) as store:
        assert store.journals.all() == ()


def test_a_line_nested_too_deep_is_told(folder, medharvest):
    (folder / "deep.jsonl").write_text("[" * 200_000, encoding="utf-8")
    ran = medharvest("learn", "links", "t", "--labels", folder / "deep.jsonl", "--pages", folder, "--store", ":memory:")
    assert "label line is wrong" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("one.html",), ("--article", 1), ("--labels", "x.jsonl"), ("one.html", "--labels", "x", "--pages", "y")],
)
def test_half_of_what_is_needed_is_a_usage_error(learn, arguments):
    ran = learn(*arguments)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("name", ["", "two words", "a\nb", "x" * 101])
def test_a_name_must_be_one_word(medharvest, folder, name):
    page = folder / "pages" / "one.html"
    ran = medharvest("learn", "links", name, page, "--article", 1, "--store", folder / "s.sqlite")
    assert ran.code == 1
    assert "not a journal name" in ran.err

"""`blocks`: one object a page, the body text, the outlined page."""

from __future__ import annotations

import json

import pytest

TEXT = "The harbour was closed for a day because the tide rose higher than anyone in the town could remember."
PAGE = f"<html><body><a href=/1>one</a> <a href=/2>two</a> <a href=/3>three</a><p>{TEXT}</p></body></html>"


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(PAGE, encoding="utf-8")
    return file


def test_a_page_is_one_object_with_its_blocks_and_shares(medharvest, page):
    ran = medharvest("blocks", "--json", page)
    start, end = PAGE.index("<a"), PAGE.rindex("</a>") + 4
    assert json.loads(ran.out) == {
        "file": str(page),
        "links": 3,
        "blocks": [{"start": start, "end": end, "links": 3}],
        "lcr": 1.0,
        "ccr": (end - start) / len(PAGE),
    }


def test_the_thresholds_and_the_distance_are_options(medharvest, page):
    def blocks(*options):
        return json.loads(medharvest("blocks", "--json", *options, page).out)["blocks"]

    assert len(blocks("--ct", 4)) == 0
    assert len(blocks("--distance", "code", "--dt", 1)) == 0
    assert len(blocks("--distance", "code", "--dt", 2)) == 1
    assert medharvest("blocks", "--dt", 0, page).code == 2


def test_the_text_is_given_where_it_is_asked_for(medharvest, page):
    assert medharvest("blocks", "--text", page).out == TEXT + "\n"
    assert json.loads(medharvest("blocks", "--text", "--json", page).out)["text"] == TEXT


def test_people_get_a_line_for_the_page_and_one_for_each_block(medharvest, page):
    first, second = medharvest("blocks", page).out.splitlines()
    assert first == f"{page}: 3 links, 1 blocks, LCR 1.000, CCR {58 / len(PAGE):.3f}, threshold 40"
    assert second.split() == ["12", "to", "70", "3", "links"]


def test_a_page_without_links_has_no_share(medharvest, tmp_path):
    (tmp_path / "page.html").write_text("<p>no link", encoding="utf-8")
    assert "0 links, 0 blocks, LCR -, CCR 0.000" in medharvest("blocks", tmp_path / "page.html").out


def test_the_outlined_page_is_written(medharvest, page, tmp_path):
    assert medharvest("blocks", "--html", tmp_path / "out.html", page).code == 0
    assert "iframe sandbox" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert medharvest("blocks", "--html", tmp_path / "out.html", page, page).code == 2


def test_one_of_several_that_fails_is_told_in_its_place(medharvest, page, tmp_path):
    ran = medharvest("blocks", "--json", tmp_path / "missing.html", page)
    first, second = map(json.loads, ran.out.splitlines())
    assert ran.code == 3
    assert first["error"].startswith("no such file")
    assert second["links"] == 3
    assert medharvest("blocks", tmp_path / "missing.html").code == 1

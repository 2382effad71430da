from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from medharvest.cli.main import command_group
from medharvest.errors import InputError


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<title>Sleep</title><h2>Abstract</h2><p>It slept.", encoding="utf-8")
    return path


def classify(*arguments: object) -> Result:
    return CliRunner().invoke(command_group, ["classify", *map(str, arguments)])


def test_a_page_becomes_one_json_object(page):
    ran = classify("--json", page)
    assert ran.exit_code == 0
    found = json.loads(ran.stdout)
    assert found == {
        "file": str(page),
        "kind": "abstract",
        "score": 0.9,
        "scores": {"abstract": 0.9, "other": 0.1},
        "method": "abstract-heading",
    }


def test_for_people_a_page_is_a_line(page):
    assert classify(page).stdout == f"abstract  0.90 {page}\n"


def test_the_address_of_a_file_is_shown(page):
    assert json.loads(classify("--json", "--url", "http://h.example/", page).stdout)["url"] == "http://h.example/"


def test_one_bad_input_is_an_error(tmp_path):
    ran = classify(tmp_path / "none.html")
    assert isinstance(ran.exception, InputError)


def test_a_bad_input_among_others_is_told_in_its_place(page, tmp_path):
    picture = tmp_path / "x.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    ran = classify("--json", page, tmp_path / "none.html", picture)
    assert ran.exit_code == 3
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [row.get("kind") for row in rows] == ["abstract", None, "image"]
    assert rows[1]["error"].startswith("no such file")

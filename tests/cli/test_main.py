"""The group: help, version, unknown verbs, errors as one line."""

from __future__ import annotations

import pytest

from medharvest import __version__
from medharvest.cli.main import VERBS, error_line
from medharvest.errors import InputError


def test_the_help_lists_every_verb_with_what_it_does(medharvest):
    ran = medharvest("--help")
    assert ran.code == 0
    for verb, does in VERBS.items():
        assert f"{verb} " in ran.out
        assert does in ran.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_for_itself_and_for_each_option(verb, medharvest):
    ran = medharvest(verb, "--help")
    assert ran.code == 0
    assert "Usage: medharvest" in ran.out
    options = [line for line in ran.out.splitlines() if line.startswith("  --")]
    assert all(len(line.split("  ")) > 2 or len(line) > 25 for line in options), options


def test_the_version_is_one_line(medharvest):
    assert medharvest("--version").out == f"medharvest {__version__}\n"


def test_an_unknown_verb_is_a_usage_error(medharvest):
    ran = medharvest("harvest")
    assert ran.code == 2
    assert "No such command" in ran.err
    assert ran.out == ""


def test_a_mistyped_verb_gets_a_suggestion(medharvest):
    ran = medharvest("isue", "https://journal.example/toc")
    assert (ran.code, "hint: did you mean issue" in ran.err) == (2, True)
    assert "hint: `medharvest --help` lists the commands" in medharvest("qqqq").err


def test_an_address_or_a_file_without_a_verb_is_told_which_one_it_needs(medharvest, tmp_path):
    assert "hint: `medharvest issue 'https://h/?a&b'` harvests an issue" in medharvest("https://h/?a&b").err
    file = tmp_path / "page.html"
    file.touch()
    assert "`medharvest read` reads an article page" in medharvest(file).err


def test_an_error_is_one_line_with_its_hint():
    line = error_line(InputError("no such file:\n x", name="x", hint="check\nthe path"))
    assert line == "error: no such file: x; hint: check the path"

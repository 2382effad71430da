"""`medharvest concepts`."""

from __future__ import annotations

import json

import pytest


def test_a_topic_is_printed_as_a_file_that_can_be_edited(medharvest):
    ran = medharvest("concepts", "motion", "sickness")
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[:2] == ["# topic: motion sickness", "# concept: MESH:D009041 Motion Sickness"]
    assert "exact\t15\tMotion Sickness\tthe topic\tMESH:D009041" in lines
    assert any(line.startswith("partial\t8\tseasickness\t") for line in lines)


def test_json_gives_one_term_a_line(medharvest):
    rows = [json.loads(line) for line in medharvest("concepts", "bedwetting", "--json").out.splitlines()]
    assert rows[0] == {
        "topic": "bedwetting", "category": "exact", "weight": 15.0, "term": "Bedwetting", "concept": "MESH:D053206",
        "why": "the topic",
    }  # fmt: skip


def test_an_ambiguous_name_is_said_and_can_be_settled(medharvest):
    ran = medharvest("concepts", "hay fever")
    assert "taken as MESH:D006255" in ran.err
    assert "MESH:D065631 Rhinitis, Allergic" in ran.err
    settled = medharvest("concepts", "hay fever", "--concept", "MESH:D065631")
    assert settled.err == ""
    assert "# concept: MESH:D065631" in settled.out
    assert medharvest("concepts", "hay fever", "--quiet").err == ""


def test_a_name_that_is_not_known_is_said_with_near_ones(medharvest):
    ran = medharvest("concepts", "bedweting")
    assert ran.code == 0
    assert "did you mean: Bedwetting" in ran.err
    assert "did you mean" not in medharvest("concepts", "qqqqq").err


def test_none_is_the_words_alone_and_says_nothing(medharvest):
    ran = medharvest("concepts", "bedwetting", "--vocabulary", "none")
    assert ran.err == ""
    assert ran.out.splitlines()[-1] == "exact\t15\tbedwetting\tthe topic"


def test_about_says_whose_vocabulary_it_is(medharvest):
    assert "National Library of Medicine" in medharvest("concepts", "--about").out


def test_a_text_gives_its_concepts_ranked(medharvest, tmp_path):
    vocabulary, text = tmp_path / "v.obo", tmp_path / "t.txt"
    vocabulary.write_text("format-version: 1\n\n[Term]\nid: T:1\nname: ear noise\n")
    text.write_text("Ear noise\n\nEar noise again.")
    ran = medharvest("concepts", "--text", text, "--vocabulary", vocabulary)
    assert ran.out.split()[1:] == ["T:1", "ear", "noise", "(ear", "noise)"]
    assert ran.err == f"vocabulary read: {vocabulary}\n"
    row = json.loads(medharvest("concepts", "--text", text, "--vocabulary", vocabulary, "--json").out)
    assert (row["id"], row["count"], row["names"]) == ("T:1", 2, ["ear noise"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "name a topic"),
        (["x", "--profile", "wild"], 2, "--profile"),
        (["x", "--vocabulary", "umls"], 1, "error: the UMLS needs a key; hint: put the key of your UMLS account in"),
        (["x", "--vocabulary", "nix.obo"], 1, "error: no such vocabulary: nix.obo"),
        (["x", "--concept", "MESH:D0"], 1, "error: no such concept: MESH:D0"),
    ],
)
def test_what_is_wrong_is_said(medharvest, arguments, code, message):
    ran = medharvest("concepts", *arguments)
    assert ran.code == code
    assert message in ran.err

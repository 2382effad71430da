"""The benchmark of matching: every contender that is there finds the same whole words."""

from __future__ import annotations

import json

from bench import match


def test_terms_are_the_same_each_time_and_as_many_as_wanted(monkeypatch):
    monkeypatch.setattr(match, "embedded_vocabulary", type("V", (), {"names": lambda _: NAMES}))
    assert match.terms(2) == match.terms(2)
    many = match.terms(7)
    assert len(set(many)) == 7
    assert set(many) >= {name for name, _ in NAMES}


NAMES = [("ear noise", "1"), ("night buzz", "2"), ("loud old music", "3")]


def test_contenders_find_whole_words(tmp_path):
    (tmp_path / "articles").mkdir()
    truth = {"title": "Ear noise", "abstract": "A night buzz is no ear noise; linear noise is none."}
    (tmp_path / "articles" / "truth.jsonl").write_text(json.dumps(truth) + "\n")
    text = match.corpus_text(tmp_path, 62)
    assert len(text) == 62
    rows = match.contest(["ear noise", "night buzz"], text, 1)
    assert rows["str.count"][0]["hits"] * 62 / 1e6 == 4
    assert {round(row[0]["hits"] * 62 / 1e6) for name, row in rows.items() if name != "str.count"} == {3}


def test_loading_and_a_page_are_measured():
    assert 0 < match.loading()["seconds"] < 30
    (row,) = match.crawling("breast cancer", 1)
    assert row["terms"] > 50
    assert row["page"] > 0


def test_versions_name_python():
    assert "python" in match.versions()

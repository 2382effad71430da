"""`evaluate`: scores for people and programs, and the gate."""

from __future__ import annotations

import json

import pytest


def test_a_stage_is_scored_on_the_bundled_journals(medharvest, monkeypatch):
    monkeypatch.delenv("MEDHARVEST_CORPUS", raising=False)
    ran = medharvest("evaluate", "links", "--json")
    assert ran.code == 0
    row, taught = [json.loads(line) for line in ran.out.splitlines()]
    assert (row["name"], taught["name"]) == ("links/demo", "links/demo-paper")
    assert 0 < row["figures"]["accuracy"] <= 1
    assert 0 < taught["figures"]["micro"] <= 1


def test_a_named_corpus_that_is_missing_is_a_failure(medharvest, tmp_path):
    ran = medharvest("evaluate", "links", "--corpus", tmp_path / "nowhere")
    assert (ran.code, ran.out) == (1, "")
    assert "; hint: " in ran.err


def test_an_unknown_stage_is_one_line_that_lists_them(medharvest):
    ran = medharvest("evaluate", "lnks")
    assert ran.code == 1
    assert "read, links, zones, issue" in ran.err


@pytest.fixture
def floors(medharvest, tmp_path, monkeypatch):
    """Floors just made from the bundled journals."""
    monkeypatch.delenv("MEDHARVEST_CORPUS", raising=False)
    file = tmp_path / "floors.json"
    assert medharvest("evaluate", "links", "--floors", file, "--update").code == 0
    return file


def _raise(file, by):
    whole = json.loads(file.read_text(encoding="utf-8"))
    whole["links/demo"]["figures"]["accuracy"] += by
    file.write_text(json.dumps(whole), encoding="utf-8")


def test_a_figure_at_its_floor_passes_and_one_below_fails(medharvest, floors):
    assert medharvest("evaluate", "links", "--floors", floors, "--check").code == 0
    _raise(floors, 0.2)
    ran = medharvest("evaluate", "links", "--floors", floors, "--check")
    assert ran.code == 1
    assert "links/demo" in ran.err


def test_the_update_refuses_to_lower_a_floor(medharvest, floors):
    _raise(floors, 0.2)
    before = floors.read_bytes()
    ran = medharvest("evaluate", "links", "--floors", floors, "--update")
    assert ran.code == 1
    assert floors.read_bytes() == before


def test_a_stage_without_a_floor_fails_the_check(medharvest, floors):
    assert medharvest("evaluate", "kinds", "--floors", floors, "--check").code == 1


def test_the_sweeps_of_blocks_are_drawn_where_they_are_asked_for(medharvest, tmp_path, monkeypatch):
    monkeypatch.delenv("MEDHARVEST_CORPUS", raising=False)
    monkeypatch.setattr("experiments.block_sweeps.draw_sweeps", lambda found, folder: (folder / min(found),))
    ran = medharvest("evaluate", "blocks", "--json", "--figures", tmp_path)
    assert json.loads(ran.out)["name"] == "blocks/demo"
    assert ran.err == f"wrote {tmp_path / 'code-content'}\n"
    assert medharvest("evaluate", "links", "--figures", tmp_path).code == 2


def test_without_a_checkout_figures_fail_before_anything_is_scored(medharvest, tmp_path, monkeypatch):
    monkeypatch.setattr("medharvest.evaluate.stages.is_checkout", lambda: False)
    for stage in ("blocks", "topic"):
        ran = medharvest("evaluate", stage, "--figures", tmp_path)
        assert (ran.code, ran.out) == (1, "")
        assert "not in the installed package: --figures; hint: run medharvest from a checkout" in ran.err

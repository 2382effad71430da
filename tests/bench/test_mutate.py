"""A few hundred broken pages: each gives a record or a reason, within its limits."""

from __future__ import annotations

import json
import os
import random

import pytest

from bench import mutate

CHANCE = random.Random(5)


@pytest.fixture(scope="module")
def originals():
    pages = mutate.bundled_pages()
    return CHANCE.sample(pages, 30)


def test_broken_pages_give_a_record_or_a_reason(originals, monkeypatch, tmp_path):
    monkeypatch.setattr(mutate, "_NESTED", 2_000)  # as deep as in the bench would take a minute
    many = 3 * len(mutate.MUTATIONS)
    pages = ((name, n, body) for n, (name, body) in enumerate(mutate.mutants(originals, many, 7)))
    done = list(mutate.read_pages(pages, 2, tmp_path))
    assert [one for one in done if one.outcome not in {"record", "reason", "over the limit"}] == []
    assert {one.outcome for one in done} >= {"record", "reason"}
    assert {one.mutation for one in done} == set(mutate.MUTATIONS)


@pytest.mark.parametrize("name", mutate.LARGE)
def test_a_very_large_page_is_made_as_it_says(name, monkeypatch):
    monkeypatch.setattr(mutate, "_HUGE", 1_000_000)
    body = mutate.LARGE[name](CHANCE, b"<p>end")
    assert len(body) > 300_000


def test_the_very_large_ones_are_among_ten_thousand(monkeypatch):
    small = {name: lambda _chance, body: body for name in mutate.LARGE}
    monkeypatch.setattr(mutate, "LARGE", small)
    monkeypatch.setattr(mutate, "MUTATIONS", {"none": lambda _chance, body: body})
    names = [name for name, _ in mutate.mutants([b"<p>"], 10_000, 1)]
    assert sum(name in small for name in names) == 20
    assert set(names) == {"none", *small}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"citation": None}, "record"),
        ({"error": "empty file: x"}, "reason"),
        ({"error": "page cannot be read: x", "hint": "ValueError: x", "lost": True}, "traceback"),
    ],
)
def test_what_became_of_a_page_is_told(monkeypatch, tmp_path, answer, outcome):
    monkeypatch.setattr(mutate, "answer_job", lambda *_: answer)
    (reading,) = mutate.read_pages([("m", 1, b"x")], 1, tmp_path)
    assert reading.outcome == outcome


def test_a_page_that_ends_the_process_is_told_and_saved(monkeypatch, tmp_path):
    monkeypatch.setattr(mutate, "answer_job", lambda *_: os.kill(os.getpid(), 9))
    (crashed,) = mutate.read_pages([("m", 1, b"x")], 1, tmp_path)
    assert (crashed.outcome, crashed.detail) == ("crash", "SIGKILL")
    assert (tmp_path / crashed.saved).read_bytes() == b"x"


def test_the_summary_counts_and_keeps_the_worst():
    done = [mutate.Reading("m", 1, "record", 0.5, 20.0), mutate.Reading("m", 2, "reason", 0.1, 30.0)]
    assert mutate.summary(done) == {"m": {"pages": 2, "record": 1, "reason": 1, "seconds": 0.5, "megabytes": 30.0}}


def test_the_raw_result_has_no_failure(root):
    file = root / "bench" / "results" / "mutate.json"
    if not file.exists():
        pytest.skip("not run: no result of bench.mutate yet")
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["pages"] >= 10_000
    assert result["failures"] == []

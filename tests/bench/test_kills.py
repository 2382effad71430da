"""The bench of kills kills, compares, and sees what is lost, doubled or half written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from bench.kill_cases import CASES, ExportTrial
from bench.kill_trial import differences
from bench.render_kills import describe_kills

from bench import kill_cases, kills


def test_the_cases_add_up_to_a_thousand_kills():
    assert sum(case.kills for case in CASES.values()) == 1000
    assert kills.share_kills(1000, list(CASES)) == {name: case.kills for name, case in CASES.items()}
    assert kills.share_kills(10, ["issue", "migrate"]) == {"issue": 6, "migrate": 4}


def test_what_is_counted_is_rendered(monkeypatch):
    for name in ("_RECORDS", "_STORED", "_OLD_RECORDS"):
        monkeypatch.setattr(kill_cases, name, 60)
    about: dict[str, Any] = {"command": "python -m bench.kills", "commit": "0" * 40, "versions": {"python": "3.11"}}
    result = about | kills.count_kills({"import": 2, "migrate": 1}, jobs=2, seed=1)
    assert result["failures"] == []
    assert result["all"]["kills"] == 3
    lines = describe_kills(result)
    assert sum(line.startswith("| `import` | SQLite |") for line in lines) == 1
    assert "3 kills of living processes" in " ".join(lines)


def test_rows_that_are_missing_or_too_many_are_problems():
    expected, found = Counter(["a", "b"]), Counter(["b", "b"])
    assert [(one.kind, one.detail) for one in differences(expected, found)] == [
        ("lost", "1 rows, such as ['a']"),
        ("doubled", "1 rows, such as ['b']"),
    ]
    assert list(differences(expected, expected)) == []


def test_half_a_file_and_one_that_was_only_promised_are_problems(tmp_path: Path):
    trial = ExportTrial(tmp_path / "set", "s.sqlite", "ris", {"ris": b"the new file"})
    (trial.folder / trial.OUTPUT).write_text("")
    assert list(trial.look()) == []
    (trial.folder / trial.OUTPUT).write_text(f"ris: {trial.file}\n")
    assert [one.kind for one in trial.look()] == ["lost"]
    trial.file.write_bytes(b"the n")
    (trial.folder / trial.OUTPUT).write_text("")
    assert [one.kind for one in trial.look()] == ["damaged"]
    trial.file.with_name(".citations.ris.00-1-00.part").touch()
    assert [one.kind for one in trial.left_parts()] == ["damaged"]

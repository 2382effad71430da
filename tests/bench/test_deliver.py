"""The bench of delivery measures what it says."""

from __future__ import annotations

from typing import Any

from bench import deliver, render


def test_what_is_measured_is_rendered():
    result: dict[str, Any] = {
        "command": "python -m bench.deliver",
        "commit": "0" * 40,
        "versions": {"python": "3.11"},
        "records": 30,
        "twice": deliver.twice(30),
        "broken": {
            "kills": 3,
            "cuts": 2,
            "half_files": 0,
            "records": 30,
            "arrived": 30,
            "arrived_twice": 0,
            "left_over_parts": 0,
            "sent_by_a_further_delivery": 0,
        },
        "harvest": deliver.harvested(30, None),
    }
    assert {run["sent"] for run in result["twice"].values()} == {30}
    assert {run["sent_again"] + run["requests_again"] for run in result["twice"].values()} == {0}
    assert (result["harvest"]["valid"] > 2, result["harvest"]["invalid"]) == (True, 0)
    lines = render.delivering(result)
    assert sum(line.startswith("| `oai_dc` | 30 | 30 |") for line in lines) == 1
    assert sum(line.startswith(("| `folder` | 30 |", "| `webhook` | 30 |")) for line in lines) == 2
    assert "killed 3 times and its connection cut 2 times" in " ".join(lines)
